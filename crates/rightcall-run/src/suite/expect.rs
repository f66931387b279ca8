//! The expectation of a suite: like an expectation of a case, plus `when:`.

use rightcall_core::value::pointer::steps;
use rightcall_formats::CaseError;
use rightcall_formats::yaml::{Yaml, YamlNode};

use super::check::{is_rule, is_side};
use super::fault::{Checked, SuiteError, each};
use super::filter::filter_of;
use crate::{ExpectationRule, Filter};

pub(super) fn expected_of(node: &YamlNode) -> Checked<Vec<ExpectationRule>> {
    match &node.value {
        _ if is_side(node) => Ok(vec![expected(node, Filter::default(), node)?]),
        Yaml::List(rules) if rules.iter().any(is_rule) => each(rules, rule_of),
        Yaml::Map(_) => Ok(vec![rule_of(node)?]),
        _ => Ok(vec![expected(node, Filter::default(), node)?]),
    }
}

fn rule_of(node: &YamlNode) -> Checked<ExpectationRule> {
    let demands: Vec<_> = node
        .members()
        .iter()
        .filter(|(key, _)| key.name != "when")
        .cloned()
        .collect();
    if demands.is_empty() {
        let help =
            "write `calls:`, `order:`, `counts:`, `outputs:` or `constraints:` next to `when:`";
        return Err(SuiteError::at(node.line, "nothing is expected").help(help));
    }
    let filter = node.member("when").map(filter_of).unwrap_or_default();
    expected(
        node,
        filter,
        &YamlNode {
            line: node.line,
            value: Yaml::Map(demands),
        },
    )
}

fn expected(node: &YamlNode, when: Filter, demands: &YamlNode) -> Checked<ExpectationRule> {
    ExpectationRule::new(when, &demands.to_json()).map_err(|error| fault_of(node, error))
}

/// The error, located at the value that it names.
fn fault_of(node: &YamlNode, error: CaseError) -> SuiteError {
    let pointer = error
        .pointer
        .strip_prefix("/expected")
        .unwrap_or_default()
        .to_owned();
    let (mut line, mut inside) = (node.line, Some(node));
    for step in steps(&pointer) {
        inside = inside.and_then(|node| match &node.value {
            Yaml::List(items) => items.get(step.parse::<usize>().ok()?),
            _ => node.member(&step),
        });
        line = inside.map_or(line, |node| node.line);
    }
    let fault = SuiteError::at(
        line,
        format!("expected {}, found {}", error.expected, error.found),
    );
    let help = error.help.map_or_else(
        || "write it as in a case; see `rightcall schema case`".to_owned(),
        Into::into,
    );
    SuiteError {
        pointer,
        ..fault.help(help)
    }
}
