//! An expected value has a type that the tool's schema rejects.

use super::report;
use crate::check::{Check, CheckedRule};
use crate::tools::Broken;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "type-differs-from-schema",
        severity: Severity::Error,
        summary: "An expected value has a type that the tool's schema does not allow.",
        page: r#"An agent that obeys the schema can't produce this value, so it fails the case although it is right.

`{"name": "find", "args": {"id": "7"}}` against `"id": {"type": "integer"}`: write `7`. An integer is a number too. A value that equals the
schema's own default isn't reported here, but on the schema."#,
    },
    check: Check::Record(|subject, found| {
        report(subject, found, &[Broken::Type, Broken::Other], |value| {
            format!(
                "write a value that {} accepts, or correct its schema",
                value.tool
            )
        });
    }),
};
