//! A rule of `constraints` names an argument or a value that the schema of its tool does not have.

use serde_json::{Value, json};

use super::meant;
use crate::check::{Check, CheckedRule};
use crate::expected::{has_matcher, unreachable};
use crate::rule_calls::{RuleCalls, calls_in};
use crate::tools::{ToolSchema, short};
use crate::written_rules::rule_lists;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "rule-not-in-schema",
        severity: Severity::Warning,
        summary: "A rule of `constraints` names an argument or a value that its tool does not take.",
        page: r#"A call by the schema never fits the rule, so the rule allows what it should forbid. Looked at are `args` and `same`.

`{"call": "refund", "at_most": 1, "same": "oder"}` for a tool with `order`: correct the name. For a pattern such as `delete_*`, one tool that fits is enough."#,
    },
    check: Check::All(|input, found| {
        for list in rule_lists(input) {
            for rule in &list.rules {
                for call in calls_in(&rule.value) {
                    let tools = fitting(&call, &list.tools);
                    for message in mismatches(&call, &tools) {
                        let advice = "correct the rule, or the schema";
                        list.report(rule, found, message, advice);
                    }
                }
            }
        }
    }),
};

/// The tools whose calls may fit.
fn fitting<'t>(call: &RuleCalls<'_>, tools: &[&'t ToolSchema]) -> Vec<&'t ToolSchema> {
    let fits = |it: &&&ToolSchema| super::is_known(&call.name, std::iter::once(it.name.as_str()));
    tools.iter().filter(fits).copied().collect()
}

/// Describes names and values that no tool takes; empty if no tool is known.
fn mismatches(call: &RuleCalls<'_>, tools: &[&ToolSchema]) -> Vec<String> {
    let mut words = Vec::new();
    if tools.is_empty() {
        return words;
    }
    let mut unknown = |name: &str| {
        if tools.iter().any(|it| it.takes(name)) {
            return false;
        }
        let known = tools.iter().flat_map(|it| it.parameters());
        let instead = meant(name, known.map(String::as_str));
        words.push(format!(
            "{}: the schema has no parameter `{name}`{instead}",
            call.name
        ));
        true
    };
    let mut values = Vec::new();
    let arguments = call
        .arguments
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    for (name, value) in arguments.filter(|(name, _)| !name.starts_with('$')) {
        if !unknown(name) {
            values.push((name, value));
        }
    }
    for key in &call.same {
        let first = key
            .strip_prefix('/')
            .map(|it| it.split('/').next().unwrap_or(it));
        unknown(&first.unwrap_or(key).replace("~1", "/").replace("~0", "~"));
    }
    for (name, value) in values {
        let mut takers = tools.iter().filter(|it| it.takes(name));
        if takers.all(|it| !is_reached(it, name, value)) {
            let value = short(value);
            words.push(format!(
                "{}.{name}: no value that the schema allows is {value}",
                call.name
            ));
        }
    }
    words
}

/// True if a value that the schema allows may fit.
fn is_reached(tool: &ToolSchema, name: &str, value: &Value) -> bool {
    let mut found = Vec::new();
    let property = tool.property(name).map(|it| (it, tool));
    unreachable(value, "", property, &mut found);
    let is_allowed = || has_matcher(value) || tool.violations(&json!({name: value})).is_empty();
    found.is_empty() && is_allowed()
}
