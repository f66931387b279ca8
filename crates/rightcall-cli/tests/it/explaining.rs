//! One case in full.

use crate::{Place, good, low};

const SUITE: &str = "cases: cases.jsonl\nevaluators: [tool-call-order, trajectory]\n";

fn trial(case: &str, trial: &str) -> String {
    case.replacen('{', &format!("{{\"trial\":{trial},"), 1)
}

#[test]
fn case_is_explained_by_named_evaluators_or_those_of_a_suite() {
    let place = Place::with_cases(&[good("a"), low("b")]).with("suite.yaml", SUITE);
    let said = place.check(
        "explain cases.jsonl --case b -e trajectory -e tool-call-count",
        &[],
        0,
        &[],
    );
    assert!(
        said.stdout.starts_with("b · cases.jsonl:2\n"),
        "{}",
        said.stdout
    );
    for part in [
        "\ntrajectory · score 0.000\n",
        "\nuipath/tool-call-count · score 0.000\n",
        "missed",
        "extra",
        "f1 = ",
    ] {
        assert!(said.stdout.contains(part), "{part}\n{}", said.stdout);
    }
    for of_suite in ["explain suite.yaml --case a", "explain . --case a"] {
        let said = place.check(of_suite, &[], 0, &[]);
        for part in [
            "\nuipath/tool-call-order · score 1.000\n",
            "\ntrajectory · score 1.000\n",
        ] {
            assert!(said.stdout.contains(part), "{part}\n{}", said.stdout);
        }
    }
}

#[test]
fn trial_is_selected_by_number_or_text() {
    let cases = [
        trial(&low("a"), "1"),
        trial(&good("a"), "2"),
        trial(&good("a"), "\"third\""),
    ];
    let place = Place::with_cases(&cases);
    let explain = |more: &[&str], code| {
        place.check(
            "explain cases.jsonl --case a -e trajectory",
            more,
            code,
            &[],
        )
    };
    assert!(explain(&[], 0).stdout.starts_with(
        "a (trial 1) · cases.jsonl:1\n  trials 1, 2, \"third\"; --trial shows another\n"
    ));
    assert!(
        explain(&["--trial", "2"], 0)
            .stdout
            .starts_with("a (trial 2) · cases.jsonl:2\n")
    );
    assert!(
        explain(&["--trial", "third"], 0)
            .stdout
            .starts_with("a (trial \"third\") · ")
    );
    assert!(
        explain(&["--trial", "4"], 2)
            .stderr
            .contains("the trials are 1, 2, \"third\"")
    );
}

#[test]
fn case_without_id_is_named_by_file_and_line() {
    let place = Place::with_cases(&[good("a"), low("b").replace("\"id\":\"b\",", "")]);
    let said = place.check(
        "explain cases.jsonl --case cases.jsonl:2 -e trajectory",
        &[],
        0,
        &[],
    );
    assert!(
        said.stdout.starts_with("cases.jsonl:2 · cases.jsonl:2\n"),
        "{}",
        said.stdout
    );
}

#[test]
fn missing_cases_and_trials_are_errors_with_suggestions() {
    let place = Place::with_cases(&[good("refund-1"), low("order-1")]);
    place.check(
        "explain cases.jsonl --case refnd-1 -e trajectory",
        &[],
        2,
        &["there is no case `refnd-1`", "`refund-1`?"],
    );
    place.check(
        "explain cases.jsonl --case a",
        &[],
        2,
        &["which evaluator should judge", "name one with -e"],
    );
    place.check("explain none.yaml --case a", &[], 2, &["none.yaml"]);
}

#[test]
fn differing_editions_are_reported_for_the_case() {
    let place =
        Place::with_cases(&[r#"{"id":"a","expected":[],"actual":[{"name":"find"}]}"#.to_owned()]);
    let said = place.check(
        "explain cases.jsonl --case a -e tool-call-order",
        &[],
        0,
        &[],
    );
    assert!(
        said.stdout
            .contains("this is the `documented` edition; `package` gives 0.000"),
        "{}",
        said.stdout
    );
    let json = place
        .check(
            "explain cases.jsonl --case a -e tool-call-order --format json",
            &[],
            0,
            &[],
        )
        .stdout;
    assert!(
        json.contains(r#""other_edition":{"edition":"package","score":0.0}"#),
        "{json}"
    );
    let said = place.check(
        "explain cases.jsonl --case a -e tool-call-count,edition=package",
        &[],
        0,
        &[],
    );
    assert!(
        said.stdout.contains("`documented` does not apply"),
        "{}",
        said.stdout
    );
}

#[test]
fn explain_joins_runs_in_other_files() {
    let expected = r#"{"id":"a","expected":["find"]}"#;
    let run = r#"{"id":"a","actual":[{"name":"find","args":{}}]}"#;
    let place = Place::new()
        .with("cases.jsonl", expected)
        .with("runs.jsonl", run);
    let said = place.check(
        "explain cases.jsonl --case a -e tool-call-order --traces runs.jsonl",
        &[],
        0,
        &[],
    );
    assert!(said.stdout.contains("score 1.000"), "{}", said.stdout);
}

#[test]
fn run_joined_by_question_is_named() {
    let place = Place::new()
        .with(
            "cases.jsonl",
            r#"{"id":"a","input":"Who?","expected":["find"]}"#,
        )
        .with(
            "runs.jsonl",
            r#"{"id":"run-17","input":"Who?","actual":["find"]}"#,
        );
    let line = "explain cases.jsonl --case a -e trajectory --traces runs.jsonl --join";
    let by_question = place.check(&format!("{line} input"), &[], 0, &[]);
    assert!(
        by_question.stdout.contains("  run   run-17\n"),
        "{}",
        by_question.stdout
    );
    // The same from the history.
    let place = place.with(
        "suite.yaml",
        "cases: cases.jsonl\ntraces: runs.jsonl\njoin: input\nevaluators: [trajectory]\n",
    );
    place.check("run", &[], 0, &[]);
    let kept = place.check("explain latest --case a", &[], 0, &[]);
    assert!(kept.stdout.contains("  run   run-17\n"), "{}", kept.stdout);
}

#[test]
fn calls_in_order_after_a_missed_call_are_not_out_of_order() {
    let call = |name: &str, id: u8| format!(r#"{{"name":"{name}","args":{{"id":{id}}}}}"#);
    let list = |calls: &[String]| format!("[{}]", calls.join(","));
    let expected = list(&[call("find", 7), call("refund", 7), call("mail", 7)]);
    let actual = list(&[call("refund", 7), call("find", 8), call("mail", 7)]);
    let place = Place::with_cases(&[format!(
        r#"{{"id":"a","expected":{expected},"actual":{actual}}}"#
    )]);
    let said = place
        .check(
            "explain cases.jsonl --case a -e trajectory,mode=in_order",
            &[],
            0,
            &[],
        )
        .stdout;
    let below = |name: &str| {
        said.split_once(&format!(" {name}("))
            .unwrap()
            .1
            .lines()
            .nth(1)
            .unwrap()
            .trim()
            .to_owned()
    };
    assert_eq!(below("find"), "/id   expected 7   found 8");
    assert_eq!(
        below("refund"),
        "called out of order, so it counts as missed"
    );
    assert_eq!(below("mail"), "follows a missed call, so it does not count");
}

#[test]
fn worst_case_of_a_suite_is_the_worst_of_its_run() {
    let place = Place::with_cases(&[low("a"), r#"{"id":"b","expected":["find"]}"#.to_owned()])
        .with("suite.yaml", SUITE);
    place.check("run suite.yaml", &[], 1, &["no run found"]);
    for target in ["suite.yaml", "latest"] {
        let said = place.check("explain", &[target], 0, &[]);
        assert!(
            said.stdout.contains("b · cases.jsonl:2\n"),
            "{}",
            said.stdout
        );
    }
}

#[test]
fn redacted_case_keeps_the_score_of_its_run() {
    let call = |note: &str| format!(r#"[{{"name":"mail","args":{{"note":"{note}"}}}}]"#);
    let (expected, actual) = (call("parcel on its way"), call("no refund"));
    let case = format!(r#"{{"id":"a","expected":{expected},"actual":{actual}}}"#);
    let suite = "cases: cases.jsonl\nredact: note\nevaluators: [{evaluator: trajectory, match: {args: fuzzy}}]\n";
    let place = Place::with_cases(&[case]).with("suite.yaml", suite);
    let said = place.check("run suite.yaml --format jsonl --no-details", &[], 0, &[]);
    let line = said.stdout.lines().next().unwrap();
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    let said = place.check("explain latest --format json", &[], 0, &[]);
    let explained: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let result = &explained["evaluators"][0];
    assert_eq!(result["score"], line["score"], "{}", said.stdout);
    assert!(
        !said.stdout.contains("parcel") && said.stdout.contains("redacted"),
        "{}",
        said.stdout
    );
}

#[test]
fn why_not_shows_the_smallest_change_that_reaches_a_score() {
    let case = r#"{"id":"a","expected":[{"name":"find","args":{"id":7}},{"name":"refund","args":{"id":7}}],"actual":[{"name":"find","args":{"id":7}},{"name":"delete","args":{"id":9}}]}"#;
    let place = Place::with_cases(&[case.to_owned()]);
    let said = place.check("explain cases.jsonl -e trajectory --why-not", &[], 0, &[]);
    let answer = "  Why not 1? The smallest change to the run is 2 edits:
    call 2: rename `delete` to `refund`
    call 2: set `id` to 7 (was 9)
  Or accept this run too, by ";
    assert!(said.stdout.contains(answer), "{}", said.stdout);
    let half = place.check(
        "explain cases.jsonl -e trajectory --why-not 0.5",
        &[],
        0,
        &[],
    );
    let reached = "Why not 0.5? The score is 0.500.";
    assert!(half.stdout.contains(reached), "{}", half.stdout);
    let json = place.check(
        "explain cases.jsonl -e trajectory --why-not --format json",
        &[],
        0,
        &[],
    );
    let edit = r#"{"edit":"replace_argument","call":1,"key":"id","from":9,"to":7}"#;
    assert!(json.stdout.contains(edit), "{}", json.stdout);
    let number = "expected a score, such as 1 or 0.8";
    place.check(
        "explain cases.jsonl -e trajectory --why-not high",
        &[],
        2,
        &[number],
    );
}

#[test]
fn why_not_does_not_change_redacted_cases() {
    let suite = "cases: cases.jsonl\nevaluators: [trajectory]\nredact: [id]\n";
    let place = Place::with_cases(&[low("a")]).with("suite.yaml", suite);
    let said = place.check("explain suite.yaml --case a --why-not", &[], 0, &[]);
    let reason = "Why not 1? No answer: values of the case are redacted";
    assert!(said.stdout.contains(reason), "{}", said.stdout);
}
