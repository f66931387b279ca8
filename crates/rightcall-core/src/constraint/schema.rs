//! Checks arguments against the schemas of the tools.
//!
//! The core has no validator for JSON Schema: another crate contains it and registers it once at startup.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use super::Constraint;
use super::judgement::{Judgement, NOT_CALLED, ObservedValue, Verdict};
use crate::call::Call;
use crate::settings::{ConfigError, Setting, Settings, any};
use crate::value::{JsonText, Value};

/// The schemas of an agent's tools.
pub trait ArgumentSchemas: fmt::Debug + Send + Sync {
    /// True if the schema of this tool is known.
    fn has(&self, tool: &str) -> bool;

    /// The parts of arguments, a JSON text, that the schema of a tool forbids; empty if it allows them or is unknown.
    fn violations(&self, tool: &str, arguments: &str) -> Vec<ArgumentViolation>;
}

/// A part of a call's arguments that the schema of the tool forbids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArgumentViolation {
    /// The RFC 6901 pointer within the arguments, empty for all of them.
    pub pointer: String,
    /// The violation: `arguments.amount is "7", the schema asks for a number`.
    pub sentence: String,
}

/// The tools whose schemas are used, in any published form.
#[derive(Clone, Copy, Debug)]
pub enum SchemaSource<'s> {
    /// The path of a file.
    File(&'s str),
    /// The tools themselves, as JSON text.
    Json(&'s str),
}

/// Why the schemas in a source can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found}")]
pub struct SchemaSourceError {
    /// What the source holds: `tools.json, no such file`.
    pub found: String,
}

/// Prepares the schemas in a source.
pub type SchemaCompiler =
    fn(SchemaSource<'_>) -> Result<Arc<dyn ArgumentSchemas>, SchemaSourceError>;

static COMPILER: OnceLock<SchemaCompiler> = OnceLock::new();

/// Makes all evaluators and monitors check schemas this way. Only the first call has an effect.
pub fn use_schema_compiler(compiler: SchemaCompiler) {
    _ = COMPILER.set(compiler);
}

/// The schemas, a setting of the evaluator.
pub(crate) const SCHEMA: Setting = any(
    "schema",
    "null",
    "The tools, as a file (`tools.json`) or in place, in any published form: a call whose arguments the schema of its tool forbids breaks \
the condition. Calls of other tools are not judged by it. Not available in browsers.",
);

/// The constraint in a setting of the evaluator.
pub(super) fn schema(settings: &Settings<'_>) -> Result<Option<Constraint>, ConfigError> {
    let name = SCHEMA.name;
    let expected = || "a file of tools, or a list or object that holds them".to_owned();
    let compiled = |source: SchemaSource<'_>| {
        let compiler = COMPILER.get().ok_or_else(|| {
            settings.conflict(
                "`schema` is not available here: this build has no schema validator; leave it out",
            )
        })?;
        let schemas = compiler(source).map_err(|error| ConfigError::BadValue {
            evaluator: settings.evaluator,
            setting: name.to_owned(),
            expected: expected(),
            found: error.found,
        })?;
        Ok(Some(Constraint::Schema(SchemaCheck(schemas))))
    };
    match settings.value(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(path)) if !path.is_empty() => {
            compiled(SchemaSource::File(&path.to_display()))
        }
        Some(tools @ (Value::List(_) | Value::Object(_))) => {
            compiled(SchemaSource::Json(JsonText::from_value(tools).as_str()))
        }
        Some(other) => Err(settings.bad(name, expected(), other)),
    }
}

/// Requires that the schemas of the tools allow the arguments of every call.
#[derive(Clone, Debug)]
pub(crate) struct SchemaCheck(Arc<dyn ArgumentSchemas>);

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

impl SchemaCheck {
    /// Checks a call.
    pub(crate) fn check(&self, call: &Call<'_>) -> SchemaVerdict {
        let name = call.name.to_display();
        if !self.0.has(&name) {
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
        let mut seen = Seen::default();
        for (index, call) in calls.iter().enumerate() {
            match self.check(call) {
                SchemaVerdict::NoSchema => seen.unknown(index, call),
                SchemaVerdict::NotRecorded => seen.missing = seen.missing.or(Some((index, "args"))),
                SchemaVerdict::Checked(violations) => seen.checked(index, call, &violations),
            }
        }
        seen.judgement()
    }
}

/// At most this many tools without a schema are listed.
const MOST_NAMES: usize = 3;

/// The calls of a run under the schemas.
#[derive(Debug, Default)]
struct Seen {
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

impl Seen {
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
            let shown = self.names.iter().take(MOST_NAMES).map(String::as_str);
            let more = (self.names.len() > MOST_NAMES).then_some("\u{2026}");
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
    use crate::value::{HashKey, decode};

    /// `pay` takes an object without `"bad"`.
    #[derive(Debug)]
    struct Pay;

    impl ArgumentSchemas for Pay {
        fn has(&self, tool: &str) -> bool {
            tool == "pay"
        }

        fn violations(&self, _: &str, arguments: &str) -> Vec<ArgumentViolation> {
            let bad = arguments.matches("bad").map(|_| ArgumentViolation {
                pointer: "/bad".to_owned(),
                sentence: "arguments.bad is not in the schema".to_owned(),
            });
            bad.collect()
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
        let seen = (explained.held, &*explained.found, &explained.actual[..]);
        assert_eq!(seen, (held, found, blamed));
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

    #[test]
    fn a_build_without_a_validator_says_so() {
        let given = decode(r#"{"schema": []}"#).unwrap();
        let settings = Settings::strict("constraints", given.as_object().unwrap(), &[SCHEMA]);
        assert_eq!(
            schema(&settings.unwrap()).unwrap_err().to_string(),
            "constraints: `schema` is not available here: this build has no schema validator; leave it out"
        );
    }
}
