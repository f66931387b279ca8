//! Invalid suites: messages with file, line and the nearest name.

use crate::{Place, good};

#[track_caller]
fn wrong(suite: &str, message: &str) {
    let place = Place::with_cases(&[good("a")]).with("suite.yaml", suite);
    let said = place.check("run suite.yaml", &[], 2, &[message]);
    assert_eq!(said.stdout, "");
}

#[test]
fn missing_suite_is_reported() {
    let place = Place::with_cases(&[good("a"), good("b")]).with("no-text.yaml", b"\xff\xfe");
    place.check(
        "run suite.yaml",
        &[],
        2,
        &["error: suite.yaml: no such file", "rightcall init"],
    );
    place.check(
        "run .",
        &[],
        2,
        &["error: there is no suite in .", "rightcall init"],
    );
    place.check(
        "run no-text.yaml",
        &[],
        2,
        &["error: no-text.yaml: is not UTF-8 text"],
    );
    place.check(
        "run cases.jsonl",
        &[],
        2,
        &[
            "error: cases.jsonl: a suite is one object",
            "rightcall score",
        ],
    );
}

#[test]
fn typo_suggests_the_nearest_name() {
    wrong(
        "cases: cases.jsonl\nevaluatrs: [tool-call-order]\n",
        "error: suite.yaml:2 /evaluatrs: a suite has no `evaluatrs`; did you mean `evaluators`?",
    );
    wrong(
        "cases: cases.jsonl\nevaluators:\n  - tool-call-order\n  - tool-cal-order\n",
        "error: suite.yaml:4 /evaluators/1: no evaluator is called `tool-cal-order`; did you mean",
    );
    wrong(
        "cases: cases.jsonl\nevaluators:\n  - evaluator: tool-call-order\n    strikt: true\n",
        "error: suite.yaml:4 /evaluators/0/strikt: uipath/tool-call-order has no setting `strikt`; did you mean `strict`?",
    );
}

#[test]
fn invalid_yaml_has_a_line() {
    wrong("cases: [a\nevaluators: b\n", "error: suite.yaml:2: ");
    wrong("cases: a\ncases: b\n", "error: suite.yaml:2: ");
}

#[test]
fn bad_gate_has_a_line() {
    let suite = |gate: &str| {
        format!("cases: cases.jsonl\nevaluators: [tool-call-order]\ngates:\n  - {gate}\n")
    };
    wrong(
        &suite("tool-call-order: {mean: at least 1}"),
        "error: suite.yaml:4 /gates/0/tool-call-order/mean: expected an operator and a number, found the text `at least 1`",
    );
    wrong(
        &suite("tool-call-order: {median: '> 1'}"),
        "error: suite.yaml:4 /gates/0/tool-call-order/median: a condition has no `median`",
    );
    wrong(
        &suite("other: {mean: '> 1'}"),
        "error: suite.yaml:4 /gates/0/other: no evaluator of this suite is named `other`",
    );
}

#[test]
fn glob_without_match_is_reported() {
    wrong(
        "cases: cases/*.jsonl\nevaluators: [tool-call-order]\n",
        "error: suite.yaml:1 /cases: no file matches `cases/*.jsonl`",
    );
    let missing = "cases: missing.jsonl\nevaluators: [tool-call-order]\n";
    wrong(
        missing,
        "error: suite.yaml: it names missing.jsonl, and there is no such file\n  help: paths are relative to the suite",
    );
}

#[test]
fn failed_option_without_a_last_run_is_an_error() {
    let place = Place::with_cases(&[good("a")]).with(
        "suite.yaml",
        "cases: cases.jsonl\nevaluators: [tool-call-order]\n",
    );
    place.check(
        "run suite.yaml --failed",
        &[],
        2,
        &[
            "error: there is no last run of this suite",
            "without --failed",
        ],
    );
}
