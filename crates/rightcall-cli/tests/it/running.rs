//! Exit codes, suites and what is remembered of them; lists and completions.

use crate::{Place, SCORE, good, low};

fn suite(gates: &str) -> Place {
    let suite = format!(
        "cases: '*.jsonl'\nevaluators:\n  - evaluator: uipath/tool-call-order\n    name: order\n    threshold: 0.5\n{gates}"
    );
    Place::with_cases(&[good("a"), low("b")]).with("suite.yaml", suite)
}

#[test]
fn a_threshold_that_the_user_wrote_decides_the_exit_code() {
    let place = Place::with_cases(&[good("a"), low("b")]);
    place.check(SCORE, &[], 0, &[]);
    place.check("score cases.jsonl -e tool-call-order,threshold=0.5", &[], 1, &["1 score below the threshold (exit code 1)"]);
    place.check("score cases.jsonl -e tool-call-order,threshold=0", &[], 0, &[]);
    suite("").check("run suite.yaml", &[], 1, &[]);
}

#[test]
fn wrong_input_goes_before_a_missed_threshold() {
    let place = Place::with_cases(&[good("a"), low("b"), "{".to_owned()]);
    place.check("score cases.jsonl -e tool-call-order,threshold=0.5", &[], 2, &[]);
    place.check("score cases.jsonl -e tool-call-order,threshold=0.5 --skip-invalid", &[], 1, &[]);
}

#[test]
fn gates_decide_in_place_of_thresholds() {
    let held = suite(
        "gates:\n  - order: {mean: '>= 0.5', min: '= 0', p50: '= 0.5', pass_rate: '>= 50%', errors: '= 0'}\n  - passed: '>= 50%'\n",
    );
    let said = held.check("run suite.yaml", &[], 0, &[]);
    assert!(said.stdout.ends_with("\nall 6 gates hold\n"), "{}", said.stdout);

    let missed = suite("gates:\n  - order: {mean: '>= 0.9'}\n");
    let said = missed.check("eval suite.yaml", &[], 1, &[]);
    assert!(said.stdout.contains("  FAIL  order   mean 0.500   wanted >= 0.900\n"), "{}", said.stdout);
    assert!(said.stdout.contains("1 case got 0 on order\n    b "), "{}", said.stdout);
    assert!(said.stdout.ends_with("\ngate failed: order: mean 0.500 < 0.900   (exit code 1)\n"), "{}", said.stdout);
    missed.check("run suite.yaml --format jsonl", &[], 1, &["gate failed: order mean 0.500 < 0.900   (exit code 1)"]);
}

#[test]
fn a_gate_may_look_at_a_tag_alone() {
    let tagged = |case: String, tag: &str| case.replacen('{', &format!("{{\"tags\":[\"{tag}\"],"), 1);
    let gate = |tag: &str| {
        format!(
            "cases: cases.jsonl\nevaluators: [tool-call-order]\ngates:\n  - tool-call-order: {{mean: '= 1'}}\n    tag: {tag}\n"
        )
    };
    for (tag, code) in [("fine", 0), ("refund", 1), ("nowhere", 1)] {
        let cases = [tagged(good("a"), "fine"), tagged(low("b"), "refund")];
        Place::with_cases(&cases).with("suite.yaml", gate(tag)).check("run suite.yaml", &[], code, &[]);
    }
}

#[test]
fn failed_runs_again_what_failed_last_time() {
    let place = suite("");
    place.check("run suite.yaml", &[], 1, &[]);
    let last = place.read(".rightcall/last.jsonl");
    assert_eq!(last.lines().count(), 2);
    assert!(
        last.contains(r#"{"case":"b","evaluator":"uipath/tool-call-order","name":"order","score":0.0,"passed":false}"#),
        "{last}"
    );
    let again = place.check("run suite.yaml --failed --format csv", &[], 1, &[]).stdout;
    assert!(again.lines().count() == 2 && again.contains("\nb,"), "{again}");

    let mended = place.with("cases.jsonl", good("a") + "\n" + &good("b"));
    mended.check("run suite.yaml --failed", &[], 0, &[]);
    mended.check("run suite.yaml --failed", &[], 2, &["error: no case failed in the last run"]);
}

#[test]
fn cases_are_chosen_by_text_and_tag() {
    let tagged = good("Refund-2").replacen('{', r#"{"tags":["x","y"],"#, 1);
    let place = Place::with_cases(&[good("refund-1"), tagged, good("order-1")]);
    let scored = |more: &[&str]| place.check(SCORE, more, 0, &[]).stdout.lines().count();
    assert_eq!(scored(&["-k", "refund"]), 2);
    assert_eq!(scored(&["--tag", "y", "--tag", "z"]), 1);
    assert_eq!(scored(&["-k", "2", "--tag", "x"]), 1);
}

#[test]
fn runs_in_other_files_are_joined_by_id() {
    let expected = r#"{"id":"a","expected":["find"]}"#;
    let run = r#"{"id":"a","actual":[{"name":"find","args":{}}]}"#;
    let place = Place::new().with("cases.jsonl", expected).with("runs.jsonl", run);
    assert!(place.check(SCORE, &[], 0, &[]).stdout.contains(r#""outcome":"not_applicable","reason":"no run"#));
    let joined = place.check(SCORE, &["--no-details", "--traces", "runs.jsonl"], 0, &[]).stdout;
    assert_eq!(joined, "{\"case\":\"a\",\"evaluator\":\"uipath/tool-call-order\",\"score\":1.0}\n");
}

#[test]
fn evaluators_are_listed_for_people_and_machines() {
    let place = Place::new();
    assert!(place.check("evaluators", &[], 0, &[]).stdout.contains("\n  uipath/tool-call-order "));
    let page = place.check("evaluators tool-call-order", &[], 0, &[]).stdout;
    for heading in ["uipath/tool-call-order\n", "\nFormula\n", "\nSettings\n", "\nExample\n", "\nSource\n"] {
        assert!(page.contains(heading), "{heading}");
    }
    let json = place.check("evaluators --format json", &[], 0, &[]).stdout;
    assert!(json.starts_with("[{\"evaluator\":\"") && json.ends_with("]\n"));
}

#[test]
fn shells_get_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(Place::new().check(&format!("completions {shell}"), &[], 0, &[]).stdout.contains("rightcall"));
    }
}
