//! An expected value is not in the schema's enum.

use super::report;
use crate::check::{Check, CheckedRule};
use crate::tools::Broken;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "value-outside-enum",
        severity: Severity::Error,
        summary: "An expected value is not among the values that the schema lists.",
        page: r#"An agent that obeys the schema can't produce this value.

`"unit": "kelvin"` against `"enum": ["celsius", "fahrenheit"]`: expect a listed value, or add yours to the schema. Placeholders that the schema
lists and the description explains, such as 'dontcare', aren't reported."#,
    },
    check: Check::Record(|subject, found| {
        report(subject, found, &[Broken::Enum], |_| {
            "expect a listed value, or add this one to the schema".to_owned()
        });
    }),
};
