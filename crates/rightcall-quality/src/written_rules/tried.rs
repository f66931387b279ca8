//! Tries rules on all short runs, with one call per kind that the rules distinguish.
//!
//! If a rule about two calls can be broken, a run of three calls breaks it. If a rule about a
//! number can be broken, a run with that many calls, or one more, breaks it.

use serde_json::{Map, Value, json};

use crate::conditions::{Conditions, TriedRun, numbers_in};
use crate::expected::has_matcher;
use crate::rule_calls::{RuleCalls, calls_in};

/// The maximum number of runs to try.
const MAX_RUNS: usize = 4000;

/// Maximum number of kinds of calls.
const KINDS: usize = 12;

/// The largest number in a rule. Longer runs are not tried.
const MAX_NUMBER: usize = 30;

/// False if no run breaks the rule. True if it can't be decided.
pub(super) fn can_be_broken(rule: &Value) -> bool {
    let Some(runs) = runs(&[rule], 3) else {
        return true;
    };
    let text = text_of(rule);
    let Some(mut rule) = Conditions::read(&text) else {
        return true;
    };
    runs.iter().any(|run| rule.hold(run) != Some(true))
}

/// False if no run meets both rules. True if it can't be decided.
pub(super) fn are_compatible(one: &Value, other: &Value) -> bool {
    let rules = [one, other];
    let texts = rules.map(text_of);
    let [Some(mut one), Some(mut other)] = texts.each_ref().map(|it| Conditions::read(it)) else {
        return true;
    };
    let mut both = |run: &TriedRun| one.hold(run) != Some(false) && other.hold(run) != Some(false);
    if both(&TriedRun::new(&[])) {
        return true;
    }
    // Each required call may need another one.
    let largest = numbers(&rules).into_iter().max().unwrap_or_default();
    let runs = runs(&rules, (2 * largest).max(3));
    runs.is_none_or(|runs| runs.iter().any(both))
}

fn text_of(rule: &Value) -> String {
    Conditions::text(&json!({"constraints": {"rules": [rule]}}))
}

fn numbers(rules: &[&Value]) -> Vec<usize> {
    let mut numbers = Vec::new();
    for rule in rules {
        match rule {
            Value::Object(members) => {
                let counts = members.values().filter(|it| it.is_number());
                counts.for_each(|it| numbers_in(it, &mut numbers));
            }
            sentence => numbers_in(sentence, &mut numbers),
        }
    }
    numbers
}

/// All runs up to this length, and runs of one kind of call with the numbers in the rules, and one
/// more call. `None` if there are too many.
fn runs(rules: &[&Value], length: usize) -> Option<Vec<TriedRun>> {
    let kinds = kinds(rules)?;
    let numbers = numbers(rules);
    if numbers.iter().any(|it| *it > MAX_NUMBER) {
        return None;
    }
    let mut runs: Vec<Vec<Value>> = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..length {
        let longer: Vec<_> = runs[from..]
            .iter()
            .flat_map(|run| {
                kinds
                    .iter()
                    .map(move |kind| [&run[..], std::slice::from_ref(kind)].concat())
            })
            .collect();
        from = runs.len();
        runs.extend(longer);
        if runs.len() > MAX_RUNS {
            return None;
        }
    }
    let many = numbers.iter().flat_map(|it| [*it, it + 1]);
    let many = many.flat_map(|times| kinds.iter().map(move |kind| vec![kind.clone(); times]));
    let many: Vec<_> = many.filter(|it| it.len() > length).collect();
    runs.extend(many);
    Some(runs.iter().map(|it| TriedRun::new(it)).collect())
}

/// One call per kind that the rules distinguish. `None` if the result depends on a matcher or an
/// output.
fn kinds(rules: &[&Value]) -> Option<Vec<Value>> {
    let calls: Vec<_> = rules.iter().flat_map(|it| calls_in(it)).collect();
    if calls.is_empty() {
        return None;
    }
    let has_failed = calls.iter().any(|it| it.failed.is_some());
    let shared: Vec<&str> = calls
        .iter()
        .flat_map(|it| it.same.iter().copied())
        .collect();
    let mut kinds: Vec<Value> = Vec::new();
    let mut add = |name: &str, arguments: &Map<String, Value>| {
        let rounds = if shared.is_empty() { 1 } else { 2 };
        for value in 0..rounds {
            let mut arguments = arguments.clone();
            for key in &shared {
                let key = key.strip_prefix('/').unwrap_or(key);
                arguments.entry(key).or_insert_with(|| json!(value));
            }
            let errors = if has_failed {
                &[json!(true), json!(false)][..]
            } else {
                &[Value::Null]
            };
            for error in errors {
                let mut call = json!({"name": name, "args": arguments});
                if !error.is_null() {
                    call["error"] = error.clone();
                }
                if !kinds.contains(&call) {
                    kinds.push(call);
                }
            }
        }
    };
    for call in &calls {
        let arguments = plain_arguments(call)?;
        // A name that the pattern matches.
        let name = call.name.replace(['*', '?'], "x");
        add(&name, &Map::new());
        add(&name, &arguments);
    }
    add("another tool", &Map::new());
    (kinds.len() <= KINDS).then_some(kinds)
}

/// The arguments that a call demands; `None` unless only plain values and outermost keys are compared.
fn plain_arguments(call: &RuleCalls<'_>) -> Option<Map<String, Value>> {
    let is_outer = |key: &&str| !key.strip_prefix('/').unwrap_or(key).contains(['/', '~']);
    if call.has_output || !call.same.iter().all(is_outer) {
        return None;
    }
    match call.arguments {
        None => Some(Map::new()),
        Some(Value::Object(members)) => (!members.values().any(has_matcher)
            && !members.keys().any(|it| it.starts_with('$')))
        .then(|| members.clone()),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breakable_rules_are_recognized() {
        for (rule, can) in [
            (json!("verify before refund"), true),
            (json!("verify directly after refund"), true),
            (json!("verify before each refund"), true),
            (json!("at most 3 refund"), true),
            (json!("at least 0 refund"), false),
            (json!("refund needs refund"), true),
            (json!({"last": ["*", "refund"]}), false),
            (
                json!({"call": {"name": "f", "failed": true}, "at_least": 0}),
                false,
            ),
            (json!("refund excludes refund"), true),
            (json!("first *"), false),
            (json!("last re*"), true),
            (json!("at most 100 refund"), true),
            (
                json!({"call": "f", "needs": {"name": "f", "args": {"a": 1}}}),
                true,
            ),
            (json!({"call": "f", "needs": "f", "same": "id"}), true),
            (
                json!({"call": {"name": "f", "args": {"a": {"$gt": 1}}}, "needs": "f"}),
                true,
            ),
        ] {
            assert_eq!(can_be_broken(&rule), can, "{rule}");
        }
    }

    #[test]
    fn compatible_rules_are_recognized() {
        for (one, other, can) in [
            ("at least 1 refund", "never refund", false),
            ("at least 1 refund", "verify before refund", true),
            ("at least 2 refund", "verify before each refund", true),
            ("at least 3 refund", "at most 2 refund", false),
            ("exactly 2 refund", "at most 2 refund", true),
            ("exactly 1 refund", "exactly 2 refund", false),
            ("at least 1 refund", "refund before refund", false),
            ("at least 1 refund", "refund excludes verify", true),
            ("at least 1 refund", "never re*", false),
            ("never refund", "verify before refund", true),
            ("first login", "last logout", true),
        ] {
            for (one, other) in [(one, other), (other, one)] {
                assert_eq!(
                    are_compatible(&json!(one), &json!(other)),
                    can,
                    "{one}; {other}"
                );
            }
        }
    }
}
