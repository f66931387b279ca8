//! Suites with common user errors: the schema rejects each. The message for each has the location and a valid alternative.

use std::fmt::Write as _;
use std::fs;

use rightcall_run::{Suite, SuiteOptions};

use crate::{suite_validator, value};

/// A valid suite, with these lines added.
fn with(lines: &str) -> String {
    format!(
        "cases: cases.jsonl\nevaluators:\n  - name: right calls\n    evaluator: trajectory\n    threshold: 0.8\n{lines}"
    )
}

fn broken() -> [(&'static str, String); 22] {
    let evaluator = |lines: &str| {
        format!("cases: cases.jsonl\nevaluators:\n  - evaluator: axion/tool-correctness\n{lines}")
    };
    let gate = |gate: &str| with(&format!("gates:\n  - passed: \">= 90%\"\n  - {gate}\n"));
    [
        ("a key is misspelt", with("gate:\n  - passed: \">= 90%\"\n")),
        (
            "no cases",
            "evaluators: [uipath/tool-call-order]\n".to_owned(),
        ),
        ("no evaluators", "cases: cases.jsonl\n".to_owned()),
        (
            "the list of evaluators is empty",
            "cases: cases.jsonl\nevaluators: []\n".to_owned(),
        ),
        (
            "evaluators are not a list",
            "cases: cases.jsonl\nevaluators: uipath/tool-call-order\n".to_owned(),
        ),
        (
            "no such evaluator",
            "cases: cases.jsonl\nevaluators:\n  - uipath/tool-call-ordr\n".to_owned(),
        ),
        (
            "an evaluator without id",
            "cases: cases.jsonl\nevaluators:\n  - name: right calls\n    threshold: 1\n".to_owned(),
        ),
        (
            "a setting is misspelt",
            evaluator("    check_paramters: true\n"),
        ),
        (
            "a setting has a value that it does not take",
            evaluator("    parameter_matching_strategy: fuzy\n"),
        ),
        (
            "a threshold that is no number",
            evaluator("    threshold: high\n"),
        ),
        ("a weight below 0", evaluator("    weight: -1\n")),
        ("an edition that there is not", with("edition: latest\n")),
        (
            "cases are a number",
            "cases: 7\nevaluators: [uipath/tool-call-order]\n".to_owned(),
        ),
        ("a gate without operator", gate("right calls: {mean: 0.9}")),
        (
            "an operator that there is not",
            gate("right calls: {mean: \"=> 0.9\"}"),
        ),
        (
            "a condition that there is not",
            gate("right calls: {median: \">= 0.9\"}"),
        ),
        ("a gate without conditions", gate("right calls: \">= 0.9\"")),
        (
            "a share above 100 %",
            gate("right calls: {pass_rate: \">= 95\"}"),
        ),
        (
            "a number of cases in percent",
            gate("right calls: {errors: \"<= 5%\"}"),
        ),
        (
            "something else than fail or ignore",
            with("unmatched: skip\n"),
        ),
        (
            "a part of an expectation is misspelt",
            with("expect:\n  when: {tag: refund}\n  ordr: [find_order]\n"),
        ),
        (
            "a profile with a key that there is not",
            with("profiles:\n  ci:\n    gate: []\n"),
        ),
    ]
}

#[test]
fn broken_suites_are_errors_with_location_and_help() {
    let validator = suite_validator();
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("suite.yaml");
    let mut messages = String::new();
    for (mistake, text) in broken() {
        fs::write(&path, &text).unwrap();
        let error = Suite::read(&path, &SuiteOptions::default()).unwrap_err();
        assert!(
            !validator.is_valid(&value(&text)),
            "the schema accepts: {mistake}\n{text}"
        );
        let line = error
            .line
            .and_then(|line| text.lines().nth(line as usize - 1))
            .unwrap_or_default();
        let help = error.help.clone().unwrap_or_default();
        assert!(
            error.line.is_some() && !help.is_empty(),
            "{mistake}: {error}"
        );
        let error = error
            .to_string()
            .replace(&path.display().to_string(), "suite.yaml");
        _ = writeln!(
            messages,
            "# {mistake}\n{}\nerror: {error}\n  help: {help}\n",
            line.trim()
        );
    }
    insta::assert_snapshot!(messages);
}

/// Errors that a schema cannot detect.
#[test]
fn errors_beyond_the_schema_have_help() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("suite.yaml");
    let order =
        |rest: &str| format!("cases: cases.jsonl\nevaluators:\n  - uipath/tool-call-order\n{rest}");
    let mut messages = String::new();
    for text in [
        order("gates:\n  - uipath/tool-call-order: {pass_rate: \">= 90%\"}\n"),
        order("gates:\n  - passed: \">= 90%\"\n"),
        order("gates:\n  - uipath/tool-call-count: {mean: \">= 0.9\"}\n"),
        order(
            "  - uipath/tool-call-order\ngates:\n  - uipath/tool-call-order: {mean: \">= 0.9\"}\n",
        ),
        order("gates:\n  - tag: refund\n"),
        order("traces: runs/*.jsonl\n"),
        order("expect:\n  - find_order\n  - {name: refund, turn: -1}\n"),
        order("expect:\n  - {when: {tag: refund}, order: [refund]}\n  - find_order\n"),
        "cases: cases.jsonl\nevaluators:\n  - {name: score, evaluator: trajectory}\n".to_owned(),
        "cases: cases.jsonl\nevaluators:\n  - {evaluator: trajectory, mode: strict, align: lcs}\n"
            .to_owned(),
        "cases: cases.jsonl\nevaluators:\n  - trajectory\nevaluators:\n  - trajectory\n".to_owned(),
        "cases: cases.jsonl\nevaluators: [trajectory\n".to_owned(),
        "cases: 007\nevaluators: [trajectory]\n".to_owned(),
    ] {
        fs::write(&path, &text).unwrap();
        let error = Suite::read(&path, &SuiteOptions::default()).unwrap_err();
        let help = error.help.clone().unwrap_or_default();
        assert!(error.line.is_some() && !help.is_empty(), "{error}");
        let error = error
            .to_string()
            .replace(&path.display().to_string(), "suite.yaml");
        _ = writeln!(messages, "error: {error}\n  help: {help}\n");
    }
    insta::assert_snapshot!(messages);
}
