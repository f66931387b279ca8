//! The schema of a tool is no JSON Schema.

use crate::Severity;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: "schema-invalid",
    severity: Severity::Warning,
    summary: "The schema of a tool is no JSON Schema.",
    page: "Its values can't be checked, and model providers may refuse it. The message says which part is wrong.",
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
