//! An expected text breaks the schema's `format` or `pattern`.

use super::report;
use crate::check::{Check, CheckedRule};
use crate::tools::Broken;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "value-violates-format",
        severity: Severity::Error,
        summary: "An expected text breaks the schema's `format` or `pattern`.",
        page: r#"The schema demands a format such as `date` or a regular expression. An agent that obeys it can't produce this text.

`"date": "May 1"` against `"format": "date"`: write `2024-05-01`. Formats that only a description mentions aren't checked."#,
    },
    check: Check::Record(|subject, found| {
        report(subject, found, &[Broken::Format], |_| {
            "write the text in that format, or correct the schema".to_owned()
        });
    }),
};
