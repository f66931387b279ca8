//! Gates on changes: what they say if they fail, and if they cannot be judged. `--quiet` prints their verdict alone.

use crate::{Place, good, low};

const SUITE: &str = "cases: cases.jsonl
evaluators:
  - {evaluator: trajectory, name: calls}
baseline: base.jsonl
gates:
  - score: {worse: '= 0', change_low: '>= -0.02'}
  - calls: {better: '>= 1'}
";

/// A suite with these cases as baseline.
fn place(cases: &[String]) -> Place {
    let place = Place::with_cases(cases).with("suite.yaml", SUITE);
    place.check("run suite.yaml --accept", &[], 0, &[]);
    place
}

#[test]
fn new_baseline_is_not_compared() {
    let place = Place::with_cases(&[good("a")]).with("suite.yaml", SUITE);
    let said = place.check("run suite.yaml --accept", &[], 0, &[]).stdout;
    let note = "\ngates on changes are not judged for a new baseline, so this run cannot fail (exit code 0)\n";
    assert!(said.ends_with(note), "{said}");
}

#[test]
fn interval_over_one_case_is_unknown_and_the_history_keeps_the_reason() {
    let place = place(&[good("a")]);
    let reason =
        "score change_low unknown: 1 case is in both runs, an interval needs 2, wanted >= -0.020";
    let said = place.check("run suite.yaml", &[], 1, &[]).stdout;
    assert!(
        said.contains(&format!("\ngate failed: {reason}\n")),
        "{said}"
    );
    // The history keeps the number as unknown.
    let said = place
        .check("report latest --format markdown", &[], 0, &[])
        .stdout;
    assert!(said.contains(reason), "{said}");
    let line = "compare 1 2 --gate";
    let said = place.check(line, &["change_low >= -0.02"], 1, &[]).stdout;
    assert!(
        said.contains(&format!("\ngate failed: {reason}   (exit code 1)\n")),
        "{said}"
    );
}

#[test]
fn quiet_prints_only_the_failed_gates_as_sentences() {
    let place = place(&[good("a"), good("b")]).with("cases.jsonl", low("a") + "\n" + &low("b"));
    let said = place.check("run suite.yaml -q", &[], 1, &[]);
    let lines = "gate failed: 2 cases got worse, 0 allowed
gate failed: score change_low -1.000 < -0.020
gate failed: calls: 0 cases got better, at least 1 wanted   (exit code 1)
";
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), (lines, ""));
    let said = place
        .check("compare 1 2 --gate", &["worse <= 1"], 1, &[])
        .stdout;
    let line = "\ngate failed: 2 cases got worse, at most 1 allowed   (exit code 1)\n";
    assert!(said.ends_with(line), "{said}");
    let line = "compare 1 2 --format markdown --gate";
    let said = place.check(line, &["worse <= 2"], 0, &[]).stdout;
    assert!(
        said.starts_with("## ❌ 3 of 4 gates failed · 2 cases worse than `run 1`"),
        "{said}"
    );
}

#[test]
fn quiet_prints_one_line_for_each_evaluator_without_gates() {
    let place = Place::with_cases(&[good("a"), low("b")]);
    for (line, code, wanted) in [
        (
            "score cases.jsonl -q -e trajectory",
            0,
            "trajectory: mean 0.500\n",
        ),
        (
            "score cases.jsonl -q -e trajectory,threshold=1 -e tool-call-order",
            1,
            "trajectory: mean 0.500, 50.0 % passed\nuipath/tool-call-order: mean 0.500   (exit code 1)\n",
        ),
    ] {
        let said = place.check(line, &[], code, &[]);
        assert_eq!((said.stdout.as_str(), said.stderr.as_str()), (wanted, ""));
    }
}

#[test]
fn quiet_keeps_errors_and_the_verdict_explains_exit_code_2() {
    let gated = |cases: &[String]| {
        let suite = "cases: cases.jsonl\nevaluators: [trajectory]\ngates: [{trajectory: {mean: '>= 0.9'}}]\n";
        Place::with_cases(cases).with("suite.yaml", suite)
    };
    let broken = r#"{"id":"b","expected":7,"actual":[]}"#.to_owned();
    let place = gated(&[good("a"), broken.clone()]);
    let found = "error: cases.jsonl:2 /expected: expected ";
    let said = place.check("run suite.yaml -q", &[], 2, &[found, "\n  help: "]);
    let verdict = "the gate holds, but 1 record could not be read   (exit code 2)\n";
    assert_eq!(said.stdout, verdict);
    assert_eq!(said.stderr.lines().count(), 2, "{}", said.stderr);
    let said = place.check("run suite.yaml", &[], 2, &[found]);
    assert!(
        said.stdout.ends_with(&format!("\n{verdict}")),
        "{}",
        said.stdout
    );
    let said = place.check("score cases.jsonl -e trajectory -q", &[], 2, &[found]);
    let verdict = "trajectory: mean 1.000, but 1 record could not be read   (exit code 2)\n";
    assert_eq!(said.stdout, verdict);
    // Accepted errors are warnings, which are hidden.
    let said = place.check("run suite.yaml -q --skip-invalid", &[], 0, &[]);
    assert_eq!(
        (said.stdout.as_str(), said.stderr.as_str()),
        ("the gate holds\n", "")
    );

    let place = gated(&[good("a"), low("a")]);
    let found = "error: cases.jsonl:2: case `a` is already at cases.jsonl:1\n";
    let said = place.check("run suite.yaml -q", &[], 2, &[found]);
    let verdict = "the gate holds, but 1 duplicate case was skipped   (exit code 2)\n";
    assert_eq!(said.stdout, verdict);
    let said = place.check("score cases.jsonl -e trajectory -q", &[], 2, &[found]);
    let verdict = "trajectory: mean 1.000, but 1 duplicate case was skipped   (exit code 2)\n";
    assert_eq!(said.stdout, verdict);

    let place = gated(&[low("a"), broken.clone()]);
    let said = place.check("run suite.yaml -q", &[], 2, &[]).stdout;
    let verdict =
        "gate failed: trajectory mean 0.000 < 0.900; 1 record could not be read   (exit code 2)\n";
    assert_eq!(said, verdict);
    let place = gated(&[broken]);
    place.check(
        "run suite.yaml -q",
        &[],
        2,
        &[
            "error: cases.jsonl:1 /expected",
            "error: no case could be read (exit code 2)",
        ],
    );
}

#[test]
fn too_few_cases_are_reported_with_p_value() {
    let place = place(&[good("a"), good("b"), good("c")])
        .with("cases.jsonl", [low("a"), good("b"), good("c")].join("\n"));
    place.run("run suite.yaml", &[]);
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = flat(&place.check("compare 1 2", &[], 0, &[]).stdout);
    let line = "not enough cases to tell: calls (1 of 3 worse, 0 better, p = 1.000); a change of 0.05 would show with about";
    assert!(said.contains(line), "{said}");
    // All cases moved alike: their number alone is too small for a test.
    let place = place.with("cases.jsonl", [low("a"), low("b"), low("c")].join("\n"));
    place.run("run suite.yaml", &[]);
    let said = flat(&place.check("compare 1 3", &[], 0, &[]).stdout);
    let line = "calls (3 of 3 worse, 0 better, p = 0.250); no change shows with fewer than 6 cases";
    assert!(said.contains(line), "{said}");
}

/// A trial of a case that expects `find` and `pay`; `None` for a trial without a run.
fn trial(case: &str, trial: u32, actual: Option<&str>) -> String {
    let run = actual.map_or_else(String::new, |it| format!(r#","actual":{it}"#));
    format!(r#"{{"id":"{case}","trial":{trial},"expected":["find","pay"]{run}}}"#)
}

const RIGHT: Option<&str> = Some(r#"["find","pay"]"#);
const HALF: Option<&str> = Some(r#"["find"]"#);

/// A suite with these gates and these cases as baseline.
fn passing(gates: &str, cases: &[String]) -> Place {
    let suite = format!(
        "cases: cases.jsonl\nevaluators: [{{evaluator: trajectory, threshold: 1}}]\nbaseline: base.jsonl\n{gates}\n"
    );
    let place = Place::with_cases(cases).with("suite.yaml", &suite);
    place.run("run suite.yaml --accept -q", &[]);
    place
}

#[test]
fn change_gate_on_passed_follows_the_trials_rule_of_the_suite() {
    let before = [
        trial("a", 1, RIGHT),
        trial("a", 2, RIGHT),
        trial("b", 1, RIGHT),
        trial("b", 2, RIGHT),
    ];
    let after = [
        trial("a", 1, RIGHT),
        trial("a", 2, HALF),
        trial("b", 1, HALF),
        trial("b", 2, HALF),
    ];
    for (rule, change, worse) in [
        ("each", "-75.0 %", 2),
        ("all", "-100.0 %", 2),
        ("any", "-50.0 %", 1),
    ] {
        let gates = format!(
            "trials: {{passed: {rule}}}\ngates:\n  - passed: {{change: '>= 0%', worse: '= 0'}}"
        );
        let place = passing(&gates, &before).with("cases.jsonl", after.join("\n"));
        let said = place.check("run suite.yaml -q", &[], 1, &[]).stdout;
        let subject = match rule {
            "each" => "passed",
            "all" => "passed in all trials",
            _ => "passed in any trial",
        };
        assert!(
            said.contains(&format!("{subject} change {change} < 0.0 %")),
            "{said}"
        );
        let cases = if worse == 1 { "1 case" } else { "2 cases" };
        assert!(
            said.contains(&format!("{subject}: {cases} got worse")),
            "{said}"
        );
    }
}

#[test]
fn selected_trials_are_compared_with_the_same_baseline_trials() {
    let cases = [
        trial("a", 1, RIGHT),
        trial("a", 2, HALF),
        trial("b", 1, RIGHT),
        trial("b", 2, RIGHT),
    ];
    let gates = "gates:\n  - score: {worse: '= 0', change: '>= 0'}";
    let place = passing(gates, &cases);
    place.check("run suite.yaml -q", &[], 0, &[]);
    for selection in ["--failed", "--cause pay"] {
        let line = format!("run suite.yaml {selection} -q");
        let said = place.check(&line, &[], 0, &[]).stdout;
        assert_eq!(said, "2 of 2 gates hold\n", "{selection}");
    }
    // The trial that got worse is named, since the case has others.
    let place = place.with("cases.jsonl", cases.join("\n").replace(r#"["find"]"#, "[]"));
    let said = place.check("run suite.yaml --failed", &[], 1, &[]).stdout;
    assert!(said.contains("1 case got worse, 0 allowed"), "{said}");
    assert!(
        said.contains("rightcall explain suite.yaml --case a --trial 2"),
        "{said}"
    );
}

#[test]
fn change_gate_fails_if_cases_are_no_longer_judged() {
    let before = [
        trial("a", 1, RIGHT),
        trial("a", 2, RIGHT),
        trial("b", 1, RIGHT),
        trial("c", 1, RIGHT),
    ];
    let after = [
        trial("a", 1, RIGHT),
        trial("a", 2, None),
        trial("b", 1, None),
        trial("c", 1, RIGHT),
    ];
    let gates = "gates:\n  - score: {worse: '= 0'}";
    let place = passing(gates, &before)
        .with("before.jsonl", before.join("\n"))
        .with("after.jsonl", after.join("\n"));
    let place = place.with("cases.jsonl", after.join("\n"));
    let told = "gate failed: score worse: 2 cases are no longer judged   (exit code 1)\n";
    let said = place.check("run suite.yaml", &[], 1, &[]);
    assert!(said.stdout.contains(told), "{}", said.stdout);
    let since = "since the baseline: 0 cases got worse, 0 better, 2 no longer judged\n";
    assert!(said.stderr.contains(since), "{}", said.stderr);
    let line = "compare before.jsonl after.jsonl -e trajectory,threshold=1 --gate";
    let said = place.check(line, &["worse = 0"], 1, &[]).stdout;
    for wanted in [
        "\n  0 cases got worse, 0 better, 2 no longer judged\n",
        "\n2 cases no longer judged in all trials, which gates on changes fail for: a, b\n",
        "FAIL  score worse = 0   found 0, 2 no longer judged\n",
        told,
    ] {
        assert!(said.contains(wanted), "{wanted}\n{said}");
    }
    let line = line.replace("--gate", "--format json --gate");
    let said = place.check(&line, &["worse = 0"], 1, &[]).stdout;
    let json: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(json["no_longer_judged"], serde_json::json!(["a", "b"]));
    assert_eq!(json["gates"][0]["no_longer_judged"], 2);
}
