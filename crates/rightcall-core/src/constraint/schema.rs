//! Checks arguments against the schemas of the tools.

use std::sync::Arc;

use super::judgement::{Judgement, NOT_CALLED, ObservedValue, Verdict};
use crate::call::Call;
use crate::definitions::{ArgumentViolation, ToolDefinitions, definitions};
use crate::settings::{ConfigError, Setting, Settings, any};
use crate::value::JsonText;

/// The schemas, a setting of the evaluator.
pub(crate) const SCHEMA: Setting = any(
    "schema",
    "null",
    "The tools, as a file (`tools.json`) or in place, in any published form: a call whose arguments the schema of its tool forbids breaks \
the condition. Calls of other tools are not judged by it. Not available in browsers.",
);

/// The check in a setting of the evaluator.
pub(super) fn schema(settings: &Settings<'_>) -> Result<Option<SchemaCheck>, ConfigError> {
    let tools = definitions(settings, SCHEMA.name)?;
    Ok(tools.map(SchemaCheck))
}

/// Requires that the schemas of the tools allow the arguments of every call.
#[derive(Clone, Debug)]
pub(crate) struct SchemaCheck(Arc<dyn ToolDefinitions>);

/// A call under the schema of its tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SchemaVerdict {
    /// The schema of the tool is unknown.
    NoSchema,
    /// The arguments were not recorded.
    NotRecorded,
    /// The parts that the schema forbids; empty if it allows the arguments.
    Checked(Vec<ArgumentViolation>),
}

impl SchemaVerdict {
    /// The parts that the schema forbids.
    pub(crate) fn violations(&self) -> &[ArgumentViolation] {
        match self {
            Self::Checked(violations) => violations,
            Self::NoSchema | Self::NotRecorded => &[],
        }
    }
}

impl SchemaCheck {
    /// Checks a call.
    pub(crate) fn check(&self, call: &Call<'_>) -> SchemaVerdict {
        let name = call.name.to_display();
        if !self.0.has_schema(&name) {
            return SchemaVerdict::NoSchema;
        }
        if let Some(json) = call.arguments.value_json() {
            return SchemaVerdict::Checked(self.0.violations(&name, json));
        }
        match call.arguments.to_value() {
            Some(value) => {
                let json = JsonText::from_value(&value);
                SchemaVerdict::Checked(self.0.violations(&name, json.as_str()))
            }
            None => SchemaVerdict::NotRecorded,
        }
    }

    /// Judges the calls of a run. If the schema of no called tool is known, the run is not judged.
    pub(crate) fn judge(&self, calls: &[Call<'_>]) -> Judgement {
        let mut checked_calls = CheckedCalls::default();
        for (index, call) in calls.iter().enumerate() {
            match self.check(call) {
                SchemaVerdict::NoSchema => checked_calls.unknown(index, call),
                SchemaVerdict::NotRecorded => {
                    checked_calls.missing = checked_calls.missing.or(Some((index, "args")));
                }
                SchemaVerdict::Checked(violations) => {
                    checked_calls.checked(index, call, &violations);
                }
            }
        }
        checked_calls.judgement()
    }
}

/// At most this many tools without a schema are listed.
const MAX_NAMES: usize = 3;

/// The calls of a run under the schemas.
#[derive(Debug, Default)]
struct CheckedCalls {
    checked: Vec<usize>,
    broken: Vec<usize>,
    /// The first violation, and the number of all.
    sentence: Option<String>,
    violations: usize,
    /// The first call without recorded arguments.
    missing: Option<(usize, &'static str)>,
    /// The first call of a tool without a schema, and the names of such tools.
    without: Option<usize>,
    names: Vec<String>,
}

impl CheckedCalls {
    fn unknown(&mut self, index: usize, call: &Call<'_>) {
        self.without.get_or_insert(index);
        let name = call.name.to_display().into_owned();
        if !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    fn checked(&mut self, index: usize, call: &Call<'_>, violations: &[ArgumentViolation]) {
        self.checked.push(index);
        self.violations += violations.len();
        if let Some(first) = violations.first() {
            self.broken.push(index);
            self.sentence
                .get_or_insert_with(|| format!("{}: {}", call.name, first.sentence));
        }
    }

    fn judgement(self) -> Judgement {
        let found = ObservedValue::Sentence(self.sentence().into());
        match (self.without, self.missing) {
            (Some(call), None) if self.checked.is_empty() => Judgement {
                verdict: Verdict::NoSchema { call },
                found,
                calls: Vec::new(),
            },
            (None, None) if self.checked.is_empty() => Judgement::new(true, NOT_CALLED, Vec::new()),
            (_, missing) => {
                let held = self.broken.is_empty();
                let calls = if held { self.checked } else { self.broken };
                Judgement::new(held, found, calls).unless_missing(missing)
            }
        }
    }

    fn sentence(&self) -> String {
        let number = self.checked.len();
        let calls = if number == 1 { "call" } else { "calls" };
        let mut parts = Vec::new();
        match (&self.sentence, self.violations) {
            (Some(first), 1) => parts.push(first.clone()),
            (Some(first), all) => parts.push(format!("{first} (and {} more)", all - 1)),
            (None, _) if number > 0 => parts.push(format!("none in {number} {calls}")),
            (None, _) => {}
        }
        if !self.names.is_empty() {
            let shown = self.names.iter().take(MAX_NAMES).map(String::as_str);
            let more = (self.names.len() > MAX_NAMES).then_some("\u{2026}");
            let names: Vec<_> = shown.chain(more).collect();
            parts.push(format!("not judged, no schema: {}", names.join(", ")));
        }
        parts.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Arguments;
    use crate::constraint::Constraint;
    use crate::value::HashKey;

    /// `pay` takes an object without `"bad"`.
    #[derive(Debug)]
    struct Pay;

    impl ToolDefinitions for Pay {
        fn has_schema(&self, tool: &str) -> bool {
            tool == "pay"
        }

        fn violations(&self, _: &str, arguments: &str) -> Vec<ArgumentViolation> {
            let bad = arguments.matches("bad").map(|_| ArgumentViolation {
                pointer: "/bad".to_owned(),
                sentence: "arguments.bad is not in the schema".to_owned(),
            });
            bad.collect()
        }

        fn changing(&self) -> Option<Vec<String>> {
            None
        }
    }

    fn call(name: &'static str, arguments: Option<&'static str>) -> Call<'static> {
        Call {
            name: name.into(),
            arguments: arguments.map(Arguments::json).unwrap_or_default(),
            ..Call::default()
        }
    }

    #[track_caller]
    fn check(calls: &[Call<'_>], held: Option<bool>, found: &str, blamed: &[usize]) {
        let constraint = Constraint::Schema(SchemaCheck(Arc::new(Pay)));
        let judgement = constraint.judge(calls, HashKey::default()).unwrap();
        let explained = constraint.explain(&judgement);
        let found_parts = (explained.held, &*explained.found, &explained.actual[..]);
        assert_eq!(found_parts, (held, found, blamed));
    }

    #[test]
    fn calls_that_the_schema_forbids_are_blamed() {
        let (good, bad) = (Some("{}"), Some(r#"{"bad":1}"#));
        check(&[call("pay", good)], Some(true), "none in 1 call", &[0]);
        check(
            &[call("pay", good), call("pay", bad), call("pay", bad)],
            Some(false),
            "pay: arguments.bad is not in the schema (and 1 more)",
            &[1, 2],
        );
        check(&[], Some(true), "not called", &[]);
    }

    #[test]
    fn unknown_tools_and_unrecorded_arguments_are_not_judged() {
        let (good, bad) = (Some("{}"), Some(r#"{"bad":1}"#));
        let no_schema = "not judged, no schema: find, a, b, …";
        let others = [
            call("find", bad),
            call("a", None),
            call("b", good),
            call("c", good),
        ];
        check(&others, None, no_schema, &[]);
        check(
            &[call("pay", bad), call("find", good)],
            Some(false),
            "pay: arguments.bad is not in the schema; not judged, no schema: find",
            &[0],
        );
        check(
            &[call("pay", good), call("pay", None)],
            None,
            "`args` was not recorded",
            &[],
        );
        check(
            &[call("pay", None), call("pay", bad)],
            Some(false),
            "pay: arguments.bad is not in the schema",
            &[1],
        );
    }
}
