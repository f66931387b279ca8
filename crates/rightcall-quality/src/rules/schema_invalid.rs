//! The schema of a tool is not valid JSON Schema.

use crate::check::{Check, CheckedRule};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "schema-invalid",
        severity: Severity::Warning,
        summary: "The schema of a tool is no JSON Schema.",
        page: "Its values can't be checked, and model providers may refuse it. The message says which part is wrong.",
    },
    check: Check::Tool(|tool, found| {
        if let Some(error) = tool.broken() {
            found.at(
                tool.place_in_schema(""),
                format!("{}: the schema cannot be used: {error}", tool.name),
                "correct the schema",
            );
        }
    }),
};
