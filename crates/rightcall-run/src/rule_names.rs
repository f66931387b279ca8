//! Tools that rules name: `constraints`, in the settings of the evaluator and in cases.
//!
//! A rule about a nonexistent tool can never fail: `forbidden: [delete_al]` allows every call of
//! `delete_all`. So names in rules are compared with the names in runs and cases.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use rightcall_core::call::Case;
use rightcall_core::value::{Syntax, Text, Value, decode_with};

use crate::same_keys::SameKeys;
use crate::{Configured, EvaluatorArgument};

/// The evaluator that applies rules.
const JUDGE: &str = "constraints";

/// The number of cases that contain each name.
pub(crate) type NameCounts = BTreeMap<String, u64>;

/// The maximum number of counted names; further names are ignored.
pub(crate) const MAX_NAMES: usize = 4096;

/// The names of some cases.
#[derive(Debug, Default)]
pub(crate) struct RuleNames {
    /// Names in the rules of cases.
    pub(crate) ruled: NameCounts,
    /// Names that runs call or cases expect.
    pub(crate) known: NameCounts,
    /// Keys of `same`.
    pub(crate) same: SameKeys,
}

pub(crate) fn is_judge(configured: &Configured) -> bool {
    configured.evaluator.id() == JUDGE
}

/// The names in the settings of these evaluators.
pub(crate) fn names_in_settings<C: Borrow<Configured>>(evaluators: &[C]) -> NameCounts {
    let mut names = NameCounts::new();
    let evaluators = evaluators.iter().map(Borrow::borrow);
    for configured in evaluators.filter(|it| is_judge(it)) {
        if let Ok(argument) = EvaluatorArgument::parse(&configured.argument) {
            add_rules(&argument.settings, &mut names);
        }
    }
    names
}

/// The tools that the rules of these evaluators name, each once, in order.
pub fn tools_in_settings(evaluators: &[Configured]) -> Vec<String> {
    names_in_settings(evaluators).into_keys().collect()
}

impl RuleNames {
    /// An empty collection for the rules of these evaluators; `None` if none of them applies rules.
    pub(crate) fn new<C: Borrow<Configured>>(evaluators: &[C]) -> Option<Self> {
        let evaluators = evaluators.iter().map(Borrow::borrow);
        let mut judges = evaluators.filter(|it| is_judge(it)).peekable();
        judges.peek()?;
        let mut names = Self::default();
        for configured in judges {
            if let Ok(argument) = EvaluatorArgument::parse(&configured.argument) {
                names.same.add_rules(&argument.settings);
            }
        }
        Some(names)
    }

    /// Adds the names of a case.
    pub(crate) fn add(&mut self, case: &Case<'_>) {
        self.same.add(case);
        let stated = &case.expected;
        let counts = stated.counts.iter().flatten();
        let (called, forbidden): (Vec<_>, Vec<_>) = counts.partition(|it| !it.count.is_zero());
        for count in forbidden {
            note(&mut self.ruled, &count.name);
        }
        if let Some(rules) = stated.constraints {
            add_rules(rules, &mut self.ruled);
        }
        let runs = case.actual.iter().flat_map(|run| &run.calls);
        let calls = stated.calls.iter().flatten().chain(runs).map(|it| &it.name);
        let outputs = stated.outputs.iter().flatten().map(|it| &it.name);
        let names = calls.chain(outputs).chain(stated.order.iter().flatten());
        let counted = called.into_iter().map(|count| &count.name);
        names
            .chain(counted)
            .for_each(|name| note(&mut self.known, name));
    }

    /// Adds the names from another collection.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.same.merge(&other.same);
        for (all, more) in [
            (&mut self.ruled, &other.ruled),
            (&mut self.known, &other.known),
        ] {
            for (name, count) in more {
                add(all, name, *count);
            }
        }
    }
}

fn note(names: &mut NameCounts, name: &Text<'_>) {
    add(names, &name.to_display(), 1);
}

fn add(names: &mut NameCounts, name: &str, count: u64) {
    if let Some(known) = names.get_mut(name) {
        *known += count;
    } else if names.len() < MAX_NAMES {
        names.insert(name.to_owned(), count);
    }
}

/// Adds the names in rules (a JSON object). The evaluator reports errors in rules.
pub(crate) fn add_rules(json: &str, names: &mut NameCounts) {
    let rules = decode_with(json, Syntax::PYTHON).ok();
    let rules = rules.as_ref().and_then(Value::as_object);
    for (key, value) in rules.into_iter().flat_map(|rules| rules.iter()) {
        let key = key.to_display();
        match (&*key, value) {
            ("counts", Value::Object(counts)) => {
                counts.iter().for_each(|(name, _)| note(names, name));
            }
            ("required" | "forbidden", value) => {
                each_text(value, |name| add(names, name, 1));
            }
            ("rules", value) => {
                let tools = rightcall_core::tools_in_rules(value);
                tools.iter().for_each(|name| add(names, name, 1));
            }
            ("order", value) => each_text(value, |text| {
                let sides = text.split(" before ");
                sides.for_each(|name| add(names, name.trim(), 1));
            }),
            ("relations", value) => each_text(value, |text| {
                let sides = text.split(['=', '<', '>', '!']).map(str::trim);
                let sides = sides.filter(|name| !name.is_empty());
                sides.for_each(|name| add(names, name, 1));
            }),
            _ => {}
        }
    }
}

/// Visits a list of texts, or a single text.
fn each_text(value: &Value<'_>, mut each: impl FnMut(&str)) {
    let texts = match value {
        Value::List(texts) => &texts[..],
        text => std::slice::from_ref(text),
    };
    let texts = texts.iter().filter_map(Value::as_text);
    texts.for_each(|text| each(&text.to_display()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use rightcall_formats::{ReadOptions, read_case};

    fn ruled(json: &str) -> Vec<String> {
        let mut names = NameCounts::new();
        add_rules(json, &mut names);
        names.into_keys().collect()
    }

    #[test]
    fn tool_names_of_all_rules_are_found() {
        for (rules, wanted) in [
            (
                r#"{"forbidden":["a","b"],"required":"c"}"#,
                &["a", "b", "c"][..],
            ),
            (
                r#"{"counts":{"a":0,"b":"<= 1"},"max_calls":3}"#,
                &["a", "b"],
            ),
            (
                r#"{"order":["a before b"],"relations":["c == d","e>=f"]}"#,
                &["a", "b", "c", "d", "e", "f"],
            ),
            (
                r#"{"rules":["a before b",{"call":{"name":"c"},"needs":["d","e*"]},{"first":"f"}]}"#,
                &["a", "b", "c", "d", "e*", "f"],
            ),
            (
                r#"{"forbidden":7,"order":null,"score":"all_or_nothing"}"#,
                &[],
            ),
            ("[", &[]),
        ] {
            assert_eq!(ruled(rules), wanted, "{rules}");
        }
    }

    #[test]
    fn called_and_expected_names_are_known_and_forbidden_ones_are_ruled() {
        let text = r#"{"expected":{"calls":["a"],"order":["b"],"counts":{"c":1,"d":0},"constraints":{"forbidden":["e"]}},"actual":["f"]}"#;
        let mut names = RuleNames::default();
        names.add(&read_case(text, &ReadOptions::default()).unwrap());
        assert_eq!(
            names.known.into_keys().collect::<Vec<_>>(),
            ["a", "b", "c", "f"]
        );
        assert_eq!(names.ruled.into_keys().collect::<Vec<_>>(), ["d", "e"]);
    }
}
