//! An expectation that every run satisfies.

use std::collections::HashSet;

use rightcall_core::expectation::BLOCKS;
use serde_json::{Value, json};

use crate::check::{Check, CheckedRule};
use crate::conditions::{Conditions, TriedRun, numbers_in};
use crate::expected::ExpectationForm;
use crate::subject::Subject;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "any-run-passes",
        severity: Severity::Warning,
        summary: "An expectation that is never broken.",
        page: r#"Everything in the expectation is optional, or no condition can be broken, so no missing call can lower a score.

`"expected": [{"optional": "send_email"}]`, `{"counts": {"find": ">= 0"}}`, `{"constraints": {}}`: say what has to happen, or write `[]` if
no call is right. `{}` is reported where other cases of the file have an expectation."#,
    },
    check: Check::Records(|subjects, found| {
        let stating = subjects
            .iter()
            .filter(|it| it.expected.shape != ExpectationForm::None);
        let stating: HashSet<usize> = stating.map(|it| it.group).collect();
        for subject in subjects.iter().filter(|it| it.refused.is_none()) {
            if is_never_broken(subject, stating.contains(&subject.group)) {
                let message =
                    "no part of the expectation has to happen, so no missing call is noticed";
                let advice = "say what has to happen, or write [] if no call is right";
                found.in_record(subject, "/expected", message, advice);
            }
        }
    }),
};

/// True for an expectation that every run satisfies. An empty object counts only if other cases have a real expectation.
fn is_never_broken(subject: &Subject, others_state: bool) -> bool {
    match &subject.record["expected"] {
        Value::Object(object) if object.is_empty() => {
            // A record marked `incomplete` was not fully parsed, so its empty expectation is not a finding.
            others_state && subject.record.get("incomplete").is_none()
        }
        Value::Array(items) => !items.is_empty() && items.iter().all(is_optional),
        expected @ Value::Object(_) => is_without_demand(expected),
        _ => false,
    }
}

/// True for an object without requirements.
fn is_without_demand(expected: &Value) -> bool {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    expected
        .as_object()
        .into_iter()
        .flatten()
        .all(|(key, value)| match key.as_str() {
            "calls" => match value {
                Value::Array(items) => !items.is_empty() && items.iter().all(is_optional),
                value => value.is_null() || is_optional(value),
            },
            "counts" => allows_any(value),
            "order" | "outputs" => value.is_null(),
            "constraints" => value.as_object().into_iter().flatten().all(|(key, value)| {
                is_empty(value) || key == "score" || key == "counts" && allows_any(value)
            }),
            _ => false,
        })
}

/// True for counts that any number of calls satisfies.
fn allows_any(counts: &Value) -> bool {
    let mut numbers = vec![0];
    numbers_in(counts, &mut numbers);
    // Around each number, for a limited number of calls.
    let around = numbers
        .iter()
        .flat_map(|it| [it.saturating_sub(1), *it, it + 1]);
    let tried: Vec<_> = around.filter(|it| *it <= 200).collect();
    let mut counts = counts.as_object().into_iter().flatten();
    counts.all(|(name, count)| {
        let call = name.replace('*', "").replace('?', "x");
        let text = Conditions::text(&json!({"constraints": {"counts": {name: count}}}));
        let Some(mut counted) = Conditions::read(&text) else {
            return false;
        };
        let mut runs = tried.iter().map(|times| vec![json!(call); *times]);
        runs.all(|run| counted.hold(&TriedRun::new(&run)) == Some(true))
    })
}

/// True for an element that an empty run satisfies.
fn is_optional(element: &Value) -> bool {
    let Value::Object(object) = element else {
        return false;
    };
    let inner = |key: &str, all: bool| {
        object.get(key).is_some_and(|value| match value {
            Value::Array(items) if all => items.iter().all(is_optional),
            Value::Array(items) => items
                .iter()
                .any(|it| it.as_array().is_some_and(Vec::is_empty) || is_optional(it)),
            value => is_optional(value),
        })
    };
    BLOCKS.iter().any(|block| match *block {
        "optional" => object.contains_key("optional"),
        "repeat" => object.contains_key("repeat") && object.get("min").is_some_and(|it| it == 0),
        "one_of" => inner("one_of", false),
        block => inner(block, true),
    })
}
