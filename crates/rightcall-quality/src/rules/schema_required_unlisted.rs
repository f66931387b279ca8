//! A schema requires a parameter that it does not list.

use super::meant;
use crate::check::{Check, CheckedRule};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "schema-required-unlisted",
        severity: Severity::Warning,
        summary: "A schema requires a parameter that it does not list.",
        page: r#"The agent is not told what the parameter is, and without it every call breaks the schema. Often the name is misspelt:
`"required": ["oder_id"]` beside `"properties": {"order_id": …}`."#,
    },
    check: Check::Tool(|tool, found| {
        for name in tool.required_and_unlisted() {
            let message = format!(
                "{}: `{name}` is required and not among the properties{}",
                tool.name,
                meant(name, tool.parameters().iter().map(String::as_str))
            );
            let place = tool.place_in_schema("/required");
            found.at(place, message, "correct the name, or add the property");
        }
    }),
};
