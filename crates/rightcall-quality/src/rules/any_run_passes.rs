//! An expectation that every run satisfies.

use rightcall_core::expectation::BLOCKS;
use serde_json::Value;

use crate::check::{Check, CheckedRule};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "any-run-passes",
        severity: Severity::Warning,
        summary: "An expectation that is never broken.",
        page: r#"Everything in the expectation is optional, or it is an empty object, so no missing call can lower a score.

`"expected": [{"optional": "send_email"}]`: say what has to happen, or write `[]` if no call is right."#,
    },
    check: Check::Record(|subject, found| {
        let is_empty = match &subject.record["expected"] {
            // A record marked `incomplete` was not fully parsed, so its empty expectation is no finding.
            Value::Object(object) => {
                object.is_empty() && subject.record.get("incomplete").is_none()
            }
            Value::Array(items) => !items.is_empty() && items.iter().all(is_optional),
            _ => false,
        };
        if is_empty {
            let message = "no part of the expectation has to happen, so no missing call is noticed";
            let advice = "say what has to happen, or write [] if no call is right";
            found.in_record(subject, "/expected", message, advice);
        }
    }),
};

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
