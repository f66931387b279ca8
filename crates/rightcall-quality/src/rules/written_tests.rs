//! Tests of rules of `constraints`, and of tools that settings of suites demand, against the catalogue.

use rightcall_formats::ToolCatalogue;

use super::decided_tests::summaries;
use super::tests::lint_with;
use crate::{Linter, RuleInSuite, Severity, SuiteFacts, ToolInSuite};

const REFUND: &str = r#"[{"name": "refund", "parameters": {"type": "object", "additionalProperties": false,
    "properties": {"order": {"type": "integer"}, "mode": {"enum": ["full", "part"]}}}},
    {"name": "verify", "parameters": {"type": "object", "additionalProperties": false, "properties": {"order": {"type": "integer"}}}}]"#;

#[test]
fn rules_are_checked_against_the_catalogue_and_each_other() {
    for (rules, wanted) in [
        (
            r#"{"call": "refund", "at_most": 1, "same": "oder"}"#,
            vec![("rule-not-in-schema", "/0", Severity::Warning)],
        ),
        (
            r#"{"call": "refund", "needs_before": "verify", "same": {"order": "order"}}"#,
            vec![],
        ),
        (
            r#"{"call": {"name": "re*", "args": {"mode": "none"}}, "never": true}"#,
            vec![("rule-not-in-schema", "/0", Severity::Warning)],
        ),
        (
            r#"{"call": {"name": "*", "args": {"mode": "full"}}, "never": true}"#,
            vec![],
        ),
        (
            r#""at least 0 refund", "first verify""#,
            vec![("rule-never-broken", "/0", Severity::Warning)],
        ),
        (
            r#""at least 1 refund", "verify before refund", "never refund""#,
            vec![("self-contradiction", "/2", Severity::Error)],
        ),
    ] {
        let record = format!(r#"{{"expected": {{"constraints": {{"rules": [{rules}]}}}}}}"#);
        let findings = lint_with(REFUND, &[&record]);
        let at = "/expected/constraints/rules";
        let of_case: Vec<_> = summaries(&findings)
            .into_iter()
            .filter(|(_, place, _)| place.starts_with(at))
            .map(|(code, place, severity)| (code, &place[at.len()..], severity))
            .collect();
        assert_eq!(of_case, wanted, "{rules}");
        let mut linter = Linter::default();
        linter.add_tools(&ToolCatalogue::from_text(REFUND).unwrap(), "tools.json");
        let rules: Vec<serde_json::Value> = serde_json::from_str(&format!("[{rules}]")).unwrap();
        let rules = rules.iter().enumerate().map(|(index, it)| RuleInSuite {
            json: it.to_string(),
            line: 3,
            pointer: format!("/{index}"),
        });
        linter.add_suite(SuiteFacts {
            file: "suite.yaml".into(),
            can_fail: true,
            tools: Vec::new(),
            rules: rules.collect(),
            constraints: Vec::new(),
            errors: Vec::new(),
        });
        assert_eq!(summaries(&linter.findings()), wanted);
    }
}

#[test]
fn required_tools_of_a_suite_are_looked_up_in_the_catalogue() {
    let mut linter = Linter::default();
    linter.add_tools(&ToolCatalogue::from_text(REFUND).unwrap(), "tools.json");
    let tool = |name: &str, is_demanded| ToolInSuite {
        name: name.to_owned(),
        is_demanded,
        file: "evaluators/order.json".into(),
        line: 4,
        pointer: format!("/{name}"),
    };
    linter.add_suite(SuiteFacts {
        file: "suite.json".into(),
        can_fail: true,
        tools: vec![
            tool("refund", true),
            tool("escalate", true),
            tool("delete", false),
        ],
        rules: Vec::new(),
        constraints: Vec::new(),
        errors: Vec::new(),
    });
    let findings = linter.findings();
    assert_eq!(
        summaries(&findings),
        [("misspelt-tool", "/escalate", Severity::Warning)]
    );
    assert_eq!(&*findings[0].place.file, "evaluators/order.json");
}
