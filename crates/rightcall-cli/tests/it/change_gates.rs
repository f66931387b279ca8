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
fn a_new_baseline_is_not_compared() {
    let place = Place::with_cases(&[good("a")]).with("suite.yaml", SUITE);
    let said = place.check("run suite.yaml --accept", &[], 0, &[]).stdout;
    let note = "\ngates on changes are not judged for a new baseline, so this run cannot fail (exit code 0)\n";
    assert!(said.ends_with(note), "{said}");
}

#[test]
fn an_interval_over_one_case_is_unknown_and_the_reason_is_kept() {
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
fn numbers_of_moved_cases_are_sentences_and_quiet_prints_them_alone() {
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
fn too_few_cases_are_counted_with_their_p_value() {
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
