use std::fs;
use std::path::PathBuf;

use super::fault::Spaced;
use super::*;
use crate::Unmatched;
use rightcall_core::EVALUATORS;
use rightcall_results::{GateSubject, Statistic, TrialRule};

fn suite(text: &str) -> Suite {
    parse(text, Path::new("here"), &SuiteOptions::default()).unwrap()
}

fn error(text: &str) -> String {
    let fault = parse(text, Path::new("here"), &SuiteOptions::default()).unwrap_err();
    format!(
        "{}{}: {}",
        fault.line.map_or_else(String::new, |line| line.to_string()),
        Spaced(&fault.pointer),
        fault.message
    )
}

const SMALL: &str = "cases: a.jsonl\nevaluators:\n  - uipath/tool-call-order\n";

#[test]
fn suite_with_all_keys_is_parsed() {
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
    assert_eq!(
        suite.cases,
        [Path::new("here/a.jsonl"), Path::new("here/sub/b.jsonl")]
    );
    assert_eq!(
        suite.evaluators[0].argument,
        "uipath/tool-call-order,edition=package"
    );
    assert_eq!(suite.evaluators[1].label(), "right calls");
    let argument = "axion/tool-correctness,name=right calls,checkParameters=true,threshold=0.8,edition=package";
    assert_eq!(suite.evaluators[1].argument, argument);
    let gates: Vec<_> = suite
        .gates
        .iter()
        .flatten()
        .map(|gate| {
            (
                &gate.subject,
                gate.statistic,
                gate.only.to_string(),
                gate.implied,
            )
        })
        .collect();
    let order = GateSubject::Evaluator {
        index: Some(0),
        label: "uipath/tool-call-order".into(),
    };
    let calls = GateSubject::Evaluator {
        index: Some(1),
        label: "right calls".into(),
    };
    let passed = GateSubject::Passed(TrialRule::Each);
    assert_eq!(
        gates,
        [
            (&order, Statistic::Mean, String::new(), false),
            (&order, Statistic::Percentile(5), String::new(), false),
            (&order, Statistic::Applicable, String::new(), true),
            (&calls, Statistic::Errors, "refund".into(), false),
            (&passed, Statistic::PassRate, String::new(), false),
            (&passed, Statistic::Applicable, String::new(), true),
        ]
    );
}

#[test]
fn a_suite_may_be_json() {
    let suite = suite(r#"{"cases": "a.jsonl", "evaluators": ["uipath/tool-call-order"]}"#);
    assert_eq!(suite.evaluators.len(), 1);
}

#[test]
fn errors_have_line_and_suggestion() {
    for (text, message) in [
        (
            "cases: a\nevaluatorz: []\n",
            "2 /evaluatorz: a suite has no `evaluatorz`; did you mean `evaluators`?",
        ),
        (
            "evaluators: [uipath/tool-call-order]\n",
            "1: `cases` is missing",
        ),
        ("cases: a\n", "1: `evaluators` is missing"),
        (
            "evaluators: [tool-call-order]\ntraces: b\n",
            "1: `cases` is missing",
        ),
        ("- a\n", "1: expected an object, found a list"),
        ("", "1: expected an object, found nothing"),
        (
            "cases: a\nevaluators: []\n",
            "2 /evaluators: expected a list of evaluators, found an empty list",
        ),
        (
            "cases: a\nevaluators:\n  - uipath/tool-call-ordr\n",
            "3 /evaluators/0: no evaluator is called `uipath/tool-call-ordr`; did you mean `uipath/tool-call-order`?",
        ),
        (
            "cases: a\nevaluators:\n  - evaluator: tool-call-order\n    strct: true\n",
            "4 /evaluators/0/strct: uipath/tool-call-order has no setting `strct`; did you mean `strict`?",
        ),
        (
            "cases: a\nevaluators:\n  - name: x\n",
            "3 /evaluators/0: `evaluator` is missing",
        ),
        (
            "cases: a\nevaluators:\n  - evaluator: 7\n",
            "3 /evaluators/0/evaluator: expected the id of an evaluator, found the number 7",
        ),
        (
            "cases: a\nevaluators:\n  - 7\n",
            "3 /evaluators/0: expected the id of an evaluator or an object, found the number 7",
        ),
        (
            "cases: a\nevaluators:\n  - evaluator: evalite/tool-call-accuracy\n    weights:\n      nameOnl: 1\n",
            "5 /evaluators/0/weights/nameOnl: evalite/tool-call-accuracy has no setting `weights.nameOnl`; did you mean `nameOnly`?",
        ),
        (
            "cases: 7\nevaluators: [tool-call-order]\n",
            "1 /cases: expected a path, a glob or a list of them, found the number 7",
        ),
        (
            "cases: none/*.jsonl\nevaluators: [tool-call-order]\n",
            "1 /cases: no file matches `none/*.jsonl`",
        ),
        (
            "cases: 'a[*'\nevaluators: [tool-call-order]\n",
            "1 /cases: `a[*` is no glob: invalid range pattern",
        ),
        (
            "cases: a\nedition: packaged\nevaluators: [tool-call-order]\n",
            "2 /edition: expected `documented` or `package`, found the text `packaged`; did you mean `package`?",
        ),
    ] {
        assert_eq!(error(text), message);
    }
}

#[test]
fn gate_errors_have_a_line() {
    for (gate, message) in [
        (
            "uipath/tool-call-ordr: {mean: '>= 1'}",
            "5 /gates/0/uipath~1tool-call-ordr: no evaluator of this suite is named `uipath/tool-call-ordr`; did you mean `uipath/tool-call-order`?",
        ),
        (
            "uipath/tool-call-order: {maen: '>= 1'}",
            "5 /gates/0/uipath~1tool-call-order/maen: a condition has no `maen`; did you mean `mean`?",
        ),
        (
            "uipath/tool-call-order: {mean: 0.9}",
            "5 /gates/0/uipath~1tool-call-order/mean: expected an operator and a number, found the number 0.9",
        ),
        (
            "uipath/tool-call-order: {mean: '=> 0.9'}",
            "5 /gates/0/uipath~1tool-call-order/mean: expected an operator and a number, found the text `=> 0.9`",
        ),
        (
            "uipath/tool-call-order: {mean: '>= 95'}",
            "5 /gates/0/uipath~1tool-call-order/mean: expected a score from 0 to 1, found the text `>= 95`",
        ),
        (
            "uipath/tool-call-order: '>= 0.9'",
            "5 /gates/0/uipath~1tool-call-order: expected a condition, which is an object, found the text `>= 0.9`",
        ),
        ("tag: refund", "5 /gates/0: the gate has no condition"),
        (
            "7",
            "5 /gates/0: expected a gate, which is an object, found the number 7",
        ),
    ] {
        assert_eq!(error(&format!("{SMALL}gates:\n  - {gate}\n")), message);
    }
}

#[test]
fn gate_with_ambiguous_evaluator_is_an_error() {
    let strict = "{evaluator: tool-call-order, name: strict, strict: true}";
    let twice = |other: &str, label: &str| {
        format!(
            "cases: a\nevaluators:\n  - {other}\n  - {strict}\ngates:\n  - {label}: {{mean: '>= 1'}}\n"
        )
    };
    assert_eq!(
        error(&twice(
            "{evaluator: tool-call-order, name: lax}",
            "tool-call-order"
        )),
        "6 /gates/0/tool-call-order: several evaluators are named `tool-call-order`"
    );
    // The evaluator without a name is named by its id.
    for (index, label) in [(0, "tool-call-order"), (1, "strict")] {
        assert_eq!(
            suite(&twice("tool-call-order", label)).gates.unwrap()[0].subject,
            GateSubject::Evaluator {
                index: Some(index),
                label: label.into()
            }
        );
    }
}

#[test]
fn a_pass_rate_needs_a_threshold() {
    let suite = |evaluator: &str, gate: &str| {
        format!("cases: a\nevaluators:\n  - {evaluator}\ngates:\n  - {gate}\n")
    };
    let error_of = |evaluator: &str, gate: &str| error(&suite(evaluator, gate));
    let nothing = "5 /gates/0/axion~1tool-correctness: a pass rate of `axion/tool-correctness`, which has no threshold, so no case can pass or fail";
    assert_eq!(
        error_of(
            "axion/tool-correctness",
            "axion/tool-correctness: {pass_rate: '>= 90%'}"
        ),
        nothing
    );
    let cases = "5 /gates/0/passed: a pass rate of cases, and no evaluator has a threshold, so no case can pass or fail";
    for gate in ["passed: '>= 90%'", "passed: {pass_rate: '>= 90%'}"] {
        assert_eq!(error_of("axion/tool-correctness", gate), cases);
    }
    for evaluator in [
        "{evaluator: axion/tool-correctness, threshold: 0.5}",
        "agentevals/trajectory-match",
    ] {
        assert_eq!(
            self::suite(&suite(evaluator, "passed: '>= 90%'"))
                .gates
                .unwrap()
                .len(),
            2,
            "{evaluator}"
        );
    }
}

#[test]
fn gates_require_enough_judged_cases_by_default() {
    let implied = |gate: &str| {
        let text = format!(
            "cases: a\nevaluators: [{{evaluator: tool-call-order, threshold: 1}}]\ngates:\n  - {gate}\n"
        );
        suite(&text)
            .gates
            .iter()
            .flatten()
            .filter(|gate| gate.implied)
            .count()
    };
    for (gate, wanted) in [
        ("tool-call-order: {mean: '>= 1', min: '> 0'}", 1),
        ("tool-call-order: {mean: '>= 1', applicable: '>= 10%'}", 0),
        (
            "tool-call-order: {mean: '>= 1', not_applicable: '<= 10'}",
            0,
        ),
        ("tool-call-order: {errors: '= 0'}", 0),
        ("passed: '= 1'", 1),
        ("passed: {pass_rate: '= 1', applicable: '> 0'}", 0),
        ("{score: {p50: '> 0'}, passed: '> 0'}", 2),
    ] {
        assert_eq!(implied(gate), wanted, "{gate}");
    }
}

#[test]
fn a_profile_replaces_keys_of_the_suite() {
    let text = "cases: a\nevaluators: [tool-call-order]\nprofiles:\n  strict:\n    edition: package\n    gates:\n      - tool-call-order: {mean: '> 0'}\n";
    let read = |profile: Option<&str>| {
        let options = SuiteOptions {
            profile: profile.map(ToOwned::to_owned),
            ..SuiteOptions::default()
        };
        parse(text, Path::new("here"), &options)
    };
    assert_eq!(read(None).unwrap().gates, None);
    let strict = read(Some("strict")).unwrap();
    assert_eq!(
        (
            strict.gates.unwrap().len(),
            strict.evaluators[0].argument.as_str()
        ),
        (2, "uipath/tool-call-order,edition=package")
    );
    let fault = read(Some("strikt")).unwrap_err();
    assert_eq!(
        (fault.message.as_str(), fault.line),
        (
            "the suite has no profile `strikt`; did you mean `strict`?",
            Some(4)
        )
    );
}

#[test]
fn empty_list_of_gates_differs_from_no_list() {
    let suite = |gates: &str| {
        suite(&format!("{SMALL}{gates}"))
            .gates
            .map(|gates| gates.len())
    };
    assert_eq!((suite(""), suite("gates: []\n")), (None, Some(0)));
}

#[test]
fn weights_trials_and_expectations_are_parsed() {
    let suite = suite(
        "traces: [a.jsonl]\nexpect:\n  - when: {tag: refund, meta: {model: [gpt-4o, 4]}}\n    order: [find]\n  - calls: [find]\n\
         evaluators: [{evaluator: tool-call-order, weight: 2.5, threshold: 1}]\nunmatched: ignore\n\
         trials: {passed: all, group: task}\ngates: [{passed: '> 0', by: model}]\n",
    );
    assert_eq!(
        (suite.cases, suite.traces),
        (vec![PathBuf::from("here/a.jsonl")], vec![])
    );
    assert_eq!((suite.expected.len(), suite.evaluators[0].weight), (2, 2.5));
    assert_eq!(
        (suite.case_rule.unmatched, suite.trial_group.as_deref()),
        (Unmatched::Ignore, Some("task"))
    );
    let gate = &suite.gates.unwrap()[0];
    assert_eq!(
        (&gate.subject, gate.by.as_ref().unwrap().to_string()),
        (&GateSubject::Passed(TrialRule::All), "model".to_owned())
    );
}

#[test]
fn traces_are_cases_if_no_evaluator_needs_an_expectation() {
    let rules = "{evaluator: constraints, rules: [never refund]}";
    let of_rules = suite(&format!("traces: [a.jsonl]\nevaluators: [{rules}]\n"));
    assert_eq!(of_rules.cases, [PathBuf::from("here/a.jsonl")]);
    let options = SuiteOptions::default();
    for entry in EVALUATORS {
        for text in [
            format!("traces: [a.jsonl]\nevaluators: [{}]\n", entry.id),
            format!("traces: [a.jsonl]\nevaluators: [{rules}, {}]\n", entry.id),
        ] {
            let read = parse(&text, Path::new("here"), &options);
            let error = read.map(|_| entry.id).unwrap_err().message;
            assert!(error.contains("`cases` is missing"), "{error}");
        }
    }
}

#[test]
fn suite_pages_have_an_example_of_every_key() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page: String = ["suites", "cases", "agents", "production"]
        .map(|name| fs::read_to_string(docs.join(format!("{name}.md"))).unwrap())
        .concat();
    let blocks = page
        .split("```yaml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let examples: String = blocks.collect();
    for shape in keys::ALL {
        for name in shape.names() {
            assert!(
                examples.contains(&format!("{name}: ")) || examples.contains(&format!("{name}:\n")),
                "{}: {name}",
                shape.name
            );
        }
    }
}

#[test]
fn settings_alone_need_no_files() {
    let options = SuiteOptions {
        settings_alone: true,
        ..SuiteOptions::default()
    };
    for text in [
        "evaluators: [tool-call-order]\n",
        "cases: none/*.jsonl\ntraces: none/*.json\nevaluators: [tool-call-order]\n",
    ] {
        let suite = parse(text, Path::new("here"), &options).unwrap();
        assert_eq!(suite.evaluators.len(), 1);
        assert!(suite.cases.is_empty() && suite.traces.is_empty());
    }
}
