//! Snapshots of `explain` for every kind of difference.

use rightcall_core::{Ask, Evaluator};
use rightcall_formats::{ReadOptions, read_case};

use super::*;
use crate::tests::plain;

fn results<'c>(case: &'c Case<'c>, evaluators: &[(&str, &str)]) -> Vec<ExplainedResult<'c>> {
    let result = |&(id, settings): &(&str, &str)| {
        let evaluator = Evaluator::new(id, settings, None).unwrap();
        ExplainedResult {
            case: Cow::Borrowed(case),
            id: evaluator.id(),
            name: None,
            argument: evaluator.id().to_owned(),
            threshold: evaluator.threshold(),
            edition: (evaluator.entry().editions.len() > 1).then(|| evaluator.edition()),
            other_edition: None,
            why_not: None,
            evaluation: evaluator.evaluate(case, Ask::EXPLANATION),
        }
    };
    evaluators.iter().map(result).collect()
}

fn screen_of(case: &str, evaluators: &[(&str, &str)], full: bool) -> String {
    let case = read_case(case, &ReadOptions::default()).unwrap();
    let results = results(&case, evaluators);
    let explained = Explained {
        case: &case,
        label: "refund-7",
        place: "cases.jsonl:7",
        trials: &[],
        results: &results,
        full,
    };
    plain(&explain_screen(&explained))
}

fn screen(case: &str, evaluators: &[(&str, &str)]) -> String {
    screen_of(case, evaluators, false)
}

const REFUND: &str = r#"{"id":"refund-7","input":"Please refund order 7, it arrived broken.","expected":[
{"name":"find_order","args":{"id":7}},{"name":"refund","args":{"id":7,"amount":20.0}},{"name":"send_email","args":{"to":"a"}}],
"actual":[{"name":"find_order","args":{"id":7}},{"name":"find_order","args":{"id":1}},{"name":"refund","args":{"id":1,"amount":20}},
{"name":"send_emails","args":{"to":"a"}}]}"#;

#[test]
fn missed_extra_and_differing_calls_are_side_by_side() {
    insta::assert_snapshot!(screen(
        REFUND,
        &[
            (
                "axion/tool-correctness",
                r#"{"check_parameters":true,"threshold":0.5}"#
            ),
            ("tpmjs/tool-call-accuracy-score", "{}")
        ]
    ));
}

#[test]
fn order_is_drawn_by_call_positions() {
    let case = r#"{"expected":["a","b","c","d"],"actual":[{"name":"b"},{"name":"a"},{"name":"d"},{"name":"c"}]}"#;
    insta::assert_snapshot!(screen(
        case,
        &[
            ("uipath/tool-call-order", "{}"),
            ("trajectory", r#"{"match":{"args":"ignore"}}"#)
        ]
    ));
}

#[test]
fn sets_count_duplicates_once() {
    let case = r#"{"expected":[{"name":"a","args":{}},{"name":"a","args":{}}],"actual":[{"name":"a","args":{}},{"name":"b","args":{}},{"name":"a","args":{}}]}"#;
    insta::assert_snapshot!(screen(case, &[("ragas/tool-call-f1", "{}")]));
}

#[test]
fn counts_and_constraints_name_the_violating_calls() {
    let settings = r#"{"forbidden":["ref*"],"max_repeats":0,"max_run_seconds":9,"order":["send_email before refund"]}"#;
    insta::assert_snapshot!(screen(
        REFUND,
        &[("uipath/tool-call-count", "{}"), ("constraints", settings)]
    ));
}

#[test]
fn partial_credit_and_weights_are_shown() {
    let settings = r#"{"match":{"args":"overlap"},"score":"weighted"}"#;
    insta::assert_snapshot!(screen(
        REFUND,
        &[
            ("trajectory", settings),
            ("evalite/tool-call-accuracy", "{}")
        ]
    ));
}

#[test]
fn unscored_case_shows_both_lists() {
    let case = r#"{"expected":[{"name":"a","args":{"x":1}}],"actual":[{"name":"a"},{"name":"b"}]}"#;
    insta::assert_snapshot!(screen(
        case,
        &[
            ("tpmjs/tool-call-accuracy-score", "{}"),
            ("uipath/tool-call-output", "{}")
        ]
    ));
}

#[test]
fn example_of_every_evaluator_can_be_explained() {
    for entry in rightcall_core::EVALUATORS {
        let example = &entry.page.example;
        let case = format!(
            r#"{{"id":"example","expected":{},"actual":{}}}"#,
            example.expected, example.actual
        );
        for full in [false, true] {
            let screen = screen_of(&case, &[(entry.id, example.settings)], full);
            assert!(
                screen.contains(&format!("{} · score ", entry.id)),
                "{screen}"
            );
            assert!(
                screen.contains("\n      expected ") || screen.contains("\n        check "),
                "{screen}"
            );
        }
    }
}

#[test]
fn empty_sides_are_reported() {
    let screen = screen(r#"{"expected":[],"actual":[]}"#, &[("trajectory", "{}")]);
    assert!(
        screen.contains("\n  nothing is expected, and nothing was called\n"),
        "{screen}"
    );
}

/// Two calls that differ in one of many arguments, inside a long text, and in wide characters.
const LONG: &str = r#"{"expected":[{"name":"send_email","args":{"to":"mia.li3818@example.com","subject":"ご注文の品の返金について(注文番号 1042)","body":"Dear Mia, we are sorry that the lamp arrived broken. We have refunded 39.90 to the card that you paid with; it takes three days.","cc":[]}}],
"actual":[{"name":"send_email","args":{"to":"mia.li3818@example.com","subject":"ご注文の品の返金について(注文番号 1024)","body":"Dear Mia, we are sorry that the lamp arrived broken. We have refunded 93.90 to the card that you paid with; it takes three days."}}]}"#;

#[test]
fn long_texts_are_cut_around_differences() {
    insta::assert_snapshot!(screen(LONG, &[("trajectory", "{}")]));
}

#[test]
fn full_output_is_not_cut() {
    insta::assert_snapshot!(screen_of(LONG, &[("trajectory", "{}")], true));
}

#[test]
fn outputs_are_shown_if_compared() {
    let case = r#"{"expected":{"outputs":[{"name":"a","output":"x"},{"name":"b","output":"y"}]},
"actual":[{"name":"a","args":{"q":1},"output":"x"},{"name":"b","args":{},"output":"z"}]}"#;
    insta::assert_snapshot!(screen(case, &[("uipath/tool-call-output", "{}")]));
}

#[test]
fn differing_edition_is_reported() {
    let case = read_case(
        r#"{"expected":[],"actual":[{"name":"a"}]}"#,
        &ReadOptions::default(),
    )
    .unwrap();
    let package =
        Evaluator::new("uipath/tool-call-order", r#"{"edition":"package"}"#, None).unwrap();
    let mut results = results(&case, &[("uipath/tool-call-order", "{}")]);
    results[0].other_edition = Some((
        Edition::Package,
        package.evaluate(&case, Ask::OUTCOME).outcome,
    ));
    let explained = Explained {
        case: &case,
        label: "a",
        place: "a:1",
        trials: &["1".into(), "2".into()],
        results: &results,
        full: false,
    };
    insta::assert_snapshot!(plain(&explain_screen(&explained)));
    let json = explain_json(&explained);
    assert_eq!(
        json.as_str(),
        r#"{"case":"a","place":"a:1","expected":{"calls":[]},"actual":[{"name":"a"}],"evaluators":[{"evaluator":"uipath/tool-call-order","edition":"documented","outcome":"not_applicable","reason":"no calls are expected, and an empty order cannot be scored","other_edition":{"edition":"package","score":0.0}}]}"#
    );
}

#[test]
fn omitted_differences_are_counted() {
    let list = |value: &str| {
        format!(
            r#"[{{"name":"a","args":{{"x":[{}]}}}}]"#,
            [value; 200].join(",")
        )
    };
    let json = format!(r#"{{"expected":{},"actual":{}}}"#, list("1"), list("2"));
    let evaluators = [("trajectory", "{}")];
    let shown = screen(&json, &evaluators);
    assert!(
        shown.contains("\n         … and 192 more (--full shows the first 64)\n"),
        "{shown}"
    );
    let full = screen_of(&json, &evaluators, true);
    assert!(
        full.contains("/x/63   expected 1   found 2\n         … and 136 more\n"),
        "{full}"
    );
    let case = read_case(&json, &ReadOptions::default()).unwrap();
    let explanation = results(&case, &evaluators)
        .remove(0)
        .evaluation
        .explanation
        .unwrap();
    let page = crate::Lanes::new(&case, &explanation).to_string();
    assert!(page.contains("… and 194 more"), "{page}");
}

#[test]
fn call_that_matches_several_is_reported() {
    let json = r#"{"expected":[{"name":"a","args":{}},{"name":"b","args":{}},{"name":"a","args":{}}],"actual":[{"name":"a","args":{}}]}"#;
    let settings = ("tau2/action-check", r#"{"strict":false}"#);
    let shown = screen(json, &[settings]);
    assert!(
        shown.contains("\n         the call that answers 1 answers this one too\n"),
        "{shown}"
    );
    assert!(
        shown.contains("\n  2 of 3 expected calls matched; call 1 answers 2 of them; 1 missed\n"),
        "{shown}"
    );
    let case = read_case(json, &ReadOptions::default()).unwrap();
    let explanation = results(&case, &[settings])
        .remove(0)
        .evaluation
        .explanation
        .unwrap();
    let page = crate::Lanes::new(&case, &explanation).to_string();
    assert!(page.contains("same, answers 2 expected calls"), "{page}");
    assert!(!screen(json, &[("trajectory", "{}")]).contains("answers"));
}

#[test]
fn expected_call_with_several_matches_is_reported() {
    let json = r#"{"expected":[{"name":"a","args":{}}],"actual":[{"name":"a","args":{}},{"name":"b","args":{}},{"name":"a","args":{}}]}"#;
    let shown = screen(json, &[("vertex/trajectory-precision", "{}")]);
    assert!(
        shown.contains("\n  2 of 3 calls were expected; expected call 1 is 2 of them; 1 extra\n"),
        "{shown}"
    );
}

#[test]
fn score_just_below_the_threshold_is_not_rounded_up() {
    assert_eq!(beside(0.9996, Some(1.0)), "0.9996");
    assert_eq!(
        (
            beside(0.9996, Some(0.9)),
            beside(1.0, Some(1.0)),
            beside(0.5, None)
        ),
        ("1.000".into(), "1.000".into(), "0.500".into())
    );
}

#[test]
fn equal_calls_of_a_long_case_are_folded() {
    let steps = |wrong: &[usize]| {
        let step = |at: usize| {
            let text = if wrong.contains(&at) { "other" } else { "same" };
            format!(r#"{{"name":"step","args":{{"index":{at},"text":"{text}"}}}}"#)
        };
        (0..40).map(step).collect::<Vec<_>>().join(",")
    };
    let (expected, actual) = (steps(&[]), steps(&[20]));
    let case =
        format!(r#"{{"expected":[{expected}],"actual":[{{"name":"wait","args":{{}}}},{actual}]}}"#);
    let evaluators = [("trajectory", "{}"), ("agentevals/trajectory-match", "{}")];
    let text = screen(&case, &evaluators);
    for part in [
        "… 20 calls alike, 1 to 20, called as 2 to 21 (--full shows them)",
        "… 19 calls alike, 22 to 40, called as 23 to 41 (--full shows them)",
        "/text   expected \"same\"   found \"other\"",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.lines().count() < 60, "{text}");
    let whole = screen_of(&case, &evaluators, true);
    assert!(
        !whole.contains("alike") && whole.contains("step(index=39"),
        "{whole}"
    );
}

#[test]
fn multi_line_texts_are_compared_line_by_line() {
    let text = |third: &str| {
        let lines: Vec<_> = (1..30).map(|line| format!("line {line}")).collect();
        lines
            .join("\\n")
            .replace("line 3\\n", &format!("{third}\\n"))
    };
    let call = |third: &str| format!(r#"{{"name":"send","args":{{"body":"{}"}}}}"#, text(third));
    let case = format!(
        r#"{{"expected":[{}],"actual":[{}]}}"#,
        call("line 3"),
        call("  line 3")
    );
    let evaluators = [("trajectory", "{}")];
    let shown = screen(&case, &evaluators);
    assert!(
        shown.contains("/body line 3   expected \"line 3\"   found \"  line 3\"\n"),
        "{shown}"
    );
    assert!(!shown.contains("line 15"), "{shown}");
    assert!(screen_of(&case, &evaluators, true).contains("line 15"));
}
