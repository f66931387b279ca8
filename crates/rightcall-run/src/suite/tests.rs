use super::*;

fn suite(text: &str) -> Suite {
    Suite::parse(text, Path::new("here"), None).unwrap()
}

fn error(text: &str) -> String {
    let wrong = Suite::parse(text, Path::new("here"), None).unwrap_err();
    format!("{}: {}", wrong.line.map_or_else(String::new, |line| line.to_string()), wrong.message)
}

const SMALL: &str = "cases: a.jsonl\nevaluators:\n  - uipath/tool-call-order\n";

#[test]
fn a_suite_is_read_whole() {
    let suite = suite(
        r#"
edition: package
cases: [a.jsonl, sub/b.jsonl]
evaluators:
  - tool-call-order
  - name: right calls
    evaluator: axion/tool-correctness
    checkParameters: true
    threshold: 0.8
gates:
  - uipath/tool-call-order: {mean: ">= 0.9", p05: "> .5"}
  - right calls: {errors: "= 0"}
    tag: refund
  - passed: ">= 95%"
"#,
    );
    assert_eq!(suite.cases, [Path::new("here/a.jsonl"), Path::new("here/sub/b.jsonl")]);
    assert_eq!(suite.evaluators[0].argument, "uipath/tool-call-order,edition=package");
    assert_eq!(suite.evaluators[1].label(), "right calls");
    let argument = "axion/tool-correctness,name=right calls,checkParameters=true,threshold=0.8,edition=package";
    assert_eq!(suite.evaluators[1].argument, argument);
    let gates: Vec<_> = suite.gates.iter().map(|gate| (&gate.subject, gate.statistic, gate.tag.as_deref())).collect();
    let order = Subject::Evaluator { index: 0, label: "uipath/tool-call-order".into() };
    let calls = Subject::Evaluator { index: 1, label: "right calls".into() };
    assert_eq!(
        gates,
        [
            (&order, Statistic::Mean, None),
            (&order, Statistic::Percentile(5), None),
            (&calls, Statistic::Errors, Some("refund")),
            (&Subject::Cases, Statistic::PassRate, None),
        ]
    );
}

#[test]
fn a_suite_may_be_json() {
    let suite = suite(r#"{"cases": "a.jsonl", "evaluators": ["uipath/tool-call-order"]}"#);
    assert_eq!(suite.evaluators.len(), 1);
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_the_nearest_name() {
    for (text, message) in [
        ("cases: a\nevaluatorz: []\n", "2: a suite has no `evaluatorz`; did you mean `evaluators`?"),
        ("evaluators: [uipath/tool-call-order]\n", "1: `cases` is missing"),
        ("cases: a\n", "1: `evaluators` is missing"),
        ("- a\n", "1: expected an object, found a list"),
        ("", "1: expected an object, found nothing"),
        ("cases: a\nevaluators: []\n", "2: expected a list of evaluators, found an empty one"),
        (
            "cases: a\nevaluators:\n  - uipath/tool-call-ordr\n",
            "3: no evaluator is called `uipath/tool-call-ordr`; did you mean `uipath/tool-call-order`?",
        ),
        (
            "cases: a\nevaluators:\n  - evaluator: tool-call-order\n    strct: true\n",
            "4: uipath/tool-call-order has no setting `strct`; did you mean `strict`?",
        ),
        ("cases: a\nevaluators:\n  - name: x\n", "3: `evaluator` is missing"),
        ("cases: a\nevaluators:\n  - evaluator: 7\n", "3: expected the text of `evaluator`, found the number 7"),
        ("cases: a\nevaluators:\n  - 7\n", "3: expected the id of an evaluator or an object, found the number 7"),
        (
            "cases: a\nevaluators:\n  - evaluator: evalite/tool-call-accuracy\n    weights:\n      nameOnl: 1\n",
            "5: evalite/tool-call-accuracy has no setting `weights.nameOnl`; did you mean `nameOnly`?",
        ),
        ("cases: 7\nevaluators: [tool-call-order]\n", "1: expected a path, a glob or a list of them, found the number 7"),
        ("cases: none/*.jsonl\nevaluators: [tool-call-order]\n", "1: no file matches `none/*.jsonl`"),
        ("cases: 'a[*'\nevaluators: [tool-call-order]\n", "1: `a[*` is no glob: invalid range pattern"),
        (
            "cases: a\nedition: packaged\nevaluators: [tool-call-order]\n",
            "2: expected `documented` or `package`, found the text `packaged`",
        ),
    ] {
        assert_eq!(error(text), message);
    }
}

#[test]
fn what_is_wrong_with_a_gate_is_named_with_its_line() {
    for (gate, message) in [
        (
            "uipath/tool-call-ordr: {mean: '>= 1'}",
            "5: no evaluator of this suite goes by `uipath/tool-call-ordr`; did you mean `uipath/tool-call-order`?",
        ),
        ("uipath/tool-call-order: {maen: '>= 1'}", "5: a gate has no `maen`; did you mean `mean`?"),
        ("uipath/tool-call-order: {mean: 0.9}", "5: expected an operator and a number, found the number 0.9"),
        ("uipath/tool-call-order: {mean: '=> 0.9'}", "5: expected an operator and a number, found the text `=> 0.9`"),
        ("uipath/tool-call-order: '>= 0.9'", "5: expected conditions, found the text `>= 0.9`"),
        ("tag: refund", "5: the gate has no condition"),
        ("7", "5: expected a gate, found the number 7"),
    ] {
        assert_eq!(error(&format!("{SMALL}gates:\n  - {gate}\n")), message);
    }
}

#[test]
fn a_gate_needs_to_know_which_evaluator_is_meant() {
    let twice = "cases: a\nevaluators:\n  - tool-call-order\n  - {evaluator: tool-call-order, name: strict, strict: true}\n";
    let gate = |label: &str| format!("{twice}gates:\n  - {label}: {{mean: '>= 1'}}\n");
    assert_eq!(error(&gate("tool-call-order")), "6: several evaluators go by `tool-call-order`");
    assert_eq!(suite(&gate("strict")).gates[0].subject, Subject::Evaluator { index: 1, label: "strict".into() });
}
