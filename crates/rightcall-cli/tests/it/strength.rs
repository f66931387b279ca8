//! `rightcall strength`: its figures, its proposals, and that the proposed figures are true.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::Place;

/// The suite of the page, which compares names alone.
const NAMES: &str = "
cases: cases.yaml
traces: runs.jsonl
evaluators:
  - {name: right tools, evaluator: trajectory, match: {args: ignore}, threshold: 1}
";

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn example(suite: &str) -> Place {
    let file = |name: &str| fs::read(root().join("examples/quickstart").join(name)).unwrap();
    Place::new()
        .with("cases.yaml", file("cases.yaml"))
        .with("runs.jsonl", file("old-model.jsonl"))
        .with("suite.yaml", suite)
}

/// The command's output as JSON.
#[track_caller]
fn report(place: &Place, more: &[&str]) -> Value {
    let said = place.check("strength suite.yaml --format json", more, 0, &[]);
    serde_json::from_str(&said.stdout).unwrap()
}

fn operator<'r>(report: &'r Value, code: &str) -> &'r Value {
    let mut operators = report["operators"].as_array().unwrap().iter();
    operators.find(|it| it["operator"] == code).unwrap()
}

/// Adds the entry that the report proposes first, and returns its predictions in percent.
fn add_proposed(place: &Place, suite: &str, report: &Value) -> [f64; 2] {
    let setting = &report["survivors"][0]["setting"];
    let entry = setting["evaluator"].as_str().unwrap();
    let with = suite.replace("evaluators:", &format!("evaluators:\n  - {entry}"));
    fs::write(place.path("suite.yaml"), with).unwrap();
    strengths(&setting["strength"])
}

fn strengths(strength: &Value) -> [f64; 2] {
    ["single_calls", "whole_runs"].map(|group| 100.0 * strength[group].as_f64().unwrap())
}

#[track_caller]
fn check_proposal(place: &Place, suite: &str, more: &[&str]) {
    let before = report(place, more);
    assert_eq!(operator(&before, "argument-value")["noticed"], 0);
    assert!(operator(&before, "argument-value")["broken"].as_u64() > Some(20));
    let predicted = add_proposed(place, suite, &before);
    let after = report(place, more);
    let passing = |report: &Value| report["runs"]["passing"].as_u64().unwrap();
    let rejected = &before["survivors"][0]["setting"]["fails_passing_runs"];
    assert_eq!(
        passing(&after) + rejected.as_u64().unwrap(),
        passing(&before)
    );
    let (before, after) = (
        strengths(&before["strength"]),
        strengths(&after["strength"]),
    );
    assert!(after[0] > before[0] + 10.0, "{before:?} {after:?}");
    for (predicted, after) in predicted.iter().zip(after) {
        assert!((predicted - after).abs() < 1.0, "{predicted} {after}");
    }
}

#[test]
fn names_only_suite_misses_arguments_and_the_proposed_entry_finds_them() {
    check_proposal(&example(NAMES), NAMES, &[]);
}

/// The same with runs of a benchmark, if they are available.
#[test]
fn names_only_suite_misses_arguments_of_tau2() {
    let data = root().join("../shared/data/tau2-bench/gpt-4.1_retail.json.gz");
    if !data.exists() {
        return;
    }
    let suite = format!(
        "cases: {}\nevaluators:\n  - {{name: right tools, evaluator: trajectory, match: {{args: ignore}}, mode: superset, threshold: 1}}\n",
        data.canonicalize().unwrap().display()
    );
    let place = Place::new().with("suite.yaml", &suite);
    check_proposal(&place, &suite, &["--mutants", "2"]);
}

#[test]
fn strength_depends_on_the_seed_but_not_on_threads() {
    let place = example(NAMES);
    let said = |line: &str| place.check(line, &[], 0, &[]).stdout;
    let one = said("strength suite.yaml --format json --threads 1");
    assert_eq!(one, said("strength suite.yaml --format json --threads 2"));
    assert_ne!(one, said("strength suite.yaml --format json --seed 2"));
    let screen = said("strength suite.yaml");
    assert_eq!(screen, said("strength suite.yaml --threads 2"));
    assert!(screen.contains("an argument has another value"), "{screen}");
}

#[test]
fn weak_or_unjudged_suite_sets_the_exit_code() {
    let place = example(NAMES);
    place.check("strength suite.yaml --fail-under 10", &[], 0, &[]);
    let low = [
        "error: gate failed: strength, single calls",
        ", less than 99 % (exit code 1)",
    ];
    place.check("strength suite.yaml --fail-under 99", &[], 1, &low);
    let message = [
        "it judges no run, so no broken run can be noticed",
        "give an evaluator a `threshold`",
    ];
    let undecided = NAMES.replace(", threshold: 1", "");
    let place = example(&undecided);
    place.check("strength suite.yaml", &[], 2, &message);
    let never = NAMES.replace(
        "match: {args: ignore}",
        "match: {names: casefold, args: exact}, align: position",
    );
    let place = example(&never).with("runs.jsonl", "{\"id\":\"policy\",\"actual\":[]}\n");
    let said = place.check("strength suite.yaml", &[], 2, &[]);
    assert!(said.stdout.contains("no run passes"), "{}", said.stdout);
}

#[test]
fn gates_decide_and_redacted_values_are_not_shown() {
    let suite = "
cases: cases.yaml
traces: runs.jsonl
redact: [/**/amount, /**/id]
evaluators: [{name: order, evaluator: uipath/tool-call-order}, {name: shown, evaluator: ragas/tool-call-f1}]
gates:
  - order: {mean: '>= 0.9', applicable: '>= 10%'}
";
    let place = example(suite);
    let said = place
        .check("strength suite.yaml --mutants 3", &[], 0, &[])
        .stdout;
    for part in [
        "gate: order mean >= 0.900",
        "not used: shown: ",
        "not used: order applicable",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(
        said.contains("has another value") && !said.contains(" → 4"),
        "{said}"
    );
    let json = place
        .check("strength suite.yaml --mutants 3 --format json", &[], 0, &[])
        .stdout;
    assert!(!json.contains("39.9"), "{json}");
}

/// An evaluator sees all, and the gate looks at names alone.
const GATED: &str = "
cases: cases.yaml
traces: runs.jsonl
evaluators:
  - fitness
  - {name: right tools, evaluator: trajectory, match: {args: ignore}}
gates:
  - right tools: {mean: '>= 1'}
";

#[test]
fn with_gates_only_gates_detect_mutants() {
    let place = example(GATED);
    let before = report(&place, &[]);
    assert_eq!(operator(&before, "argument-value")["noticed"], 0);
    let [single, _] = strengths(&before["strength"]);
    let [all, _] = strengths(&before["strength_of_all_judges"]);
    assert!(single < 60.0 && all > 90.0, "{single} {all}");
    place.check("strength suite.yaml --fail-under 90", &[], 1, &[]);
    let screen = place.check("strength suite.yaml", &[], 0, &[]).stdout;
    for part in ["gates alone decide", "evaluators and gates together"] {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
    // The proposed entry decides with the proposed gate.
    let setting = &before["survivors"][0]["setting"];
    let gate = setting["gate"].as_str().unwrap();
    let with_gate = GATED.replace("gates:", &format!("gates:\n  - {gate}"));
    let predicted = add_proposed(&place, &with_gate, &before);
    let after = strengths(&report(&place, &[])["strength"]);
    for (predicted, after) in predicted.iter().zip(after) {
        assert!((predicted - after).abs() < 1.0, "{predicted} {after}");
    }
    // A gate on all verdicts needs no other.
    let passed = GATED.replace("gates:", "gates:\n  - passed: '>= 100%'");
    let noticed = report(&example(&passed), &[]);
    assert!(strengths(&noticed["strength"])[0] > 90.0);
}

#[test]
fn mutant_that_is_no_longer_judged_is_detected() {
    let run = |id: u8| {
        format!(
            r#"{{"id":"{id}","actual":[{{"name":"verify","args":{{"id":{id}}}}},{{"name":"refund","args":{{"id":{id}}},"output":"done"}}]}}"#
        )
    };
    let suite = "
traces: runs.jsonl
evaluators:
  - evaluator: constraints
    rules: [{call: {name: refund, output: denied}, never: true}]
";
    let place = Place::new()
        .with("runs.jsonl", [run(7), run(8)].join("\n"))
        .with("suite.yaml", suite);
    let report = report(&place, &[]);
    let added = operator(&report, "call-count");
    let silenced = added["no_longer_judged"].as_u64().unwrap();
    assert!(silenced > 0 && added["noticed"] == silenced, "{added}");
    assert_eq!(operator(&report, "argument-value")["no_longer_judged"], 0);
    let screen = place.check("strength suite.yaml", &[], 0, &[]).stdout;
    assert!(screen.contains("no longer judged"), "{screen}");
    // Such a run, alone: a call from another run without its output.
    let broken = r#"{"id":"7","actual":[{"name":"verify","args":{"id":7}},{"name":"refund","args":{"id":8}}]}"#;
    let place = place.with("runs.jsonl", broken);
    place.check("run suite.yaml", &[], 2, &[]);
}

#[test]
fn suite_that_cannot_fail_detects_no_mutant() {
    let never = GATED.replace("gates:\n  - right tools: {mean: '>= 1'}", "gates: []");
    example(&never).check(
        "strength suite.yaml",
        &[],
        2,
        &["`gates: []`, so no run can fail"],
    );
    let any = GATED.replace("'>= 1'", "'>= 0'");
    let report = report(&example(&any), &[]);
    assert_eq!(strengths(&report["strength"]), [0.0, 0.0]);
}

#[test]
fn missing_case_is_an_error() {
    let said = example(NAMES).check("strength suite.yaml --case nope", &[], 2, &["no such case"]);
    assert!(said.stdout.is_empty(), "{}", said.stdout);
}

#[test]
fn prediction_includes_runs_first_judged_by_the_entry() {
    let run = |id: u8| {
        format!(
            "{{\"id\":\"a{id}\",\"expected\":[\"find\",\"pay\"],\"actual\":[{{\"name\":\"look\",\"args\":{{\"q\":{id}}}}},{{\"name\":\"find\",\"args\":{{\"id\":{id}}}}},{{\"name\":\"pay\",\"args\":{{\"id\":{id}}}}}]}}\n\
             {{\"id\":\"n{id}\",\"expected\":[],\"actual\":[{{\"name\":\"look\",\"args\":{{\"q\":\"x{id}\"}}}}]}}\n"
        )
    };
    let runs: String = (0..4).map(run).collect();
    let suite = "
cases: runs.jsonl
evaluators:
  - {name: order, evaluator: uipath/tool-call-order, threshold: 1}
";
    let place = Place::new()
        .with("runs.jsonl", runs)
        .with("suite.yaml", suite);
    let before = report(&place, &[]);
    assert_eq!(before["runs"]["without_verdict"], 4);
    let survivors = before["survivors"].as_array().unwrap();
    let setting = |it: &Value| it["setting"]["evaluator"].as_str().map(str::to_owned);
    let repeats = survivors
        .iter()
        .find(|it| setting(it).is_some_and(|it| it.contains("max_repeats")));
    let repeats = repeats.expect("repeats survive");
    let entry = setting(repeats).unwrap();
    let predicted = strengths(&repeats["setting"]["strength"]);
    let with = suite.replace("evaluators:", &format!("evaluators:\n  - {entry}"));
    fs::write(place.path("suite.yaml"), with).unwrap();
    let after = report(&place, &[]);
    assert_eq!(after["runs"]["passing"], 8);
    for (predicted, after) in predicted.iter().zip(strengths(&after["strength"])) {
        assert!((predicted - after).abs() < 0.05, "{predicted} {after}");
    }
}

#[test]
fn printed_entry_can_be_added_to_the_example() {
    let file =
        |name: &str| fs::read_to_string(root().join("examples/support-agent").join(name)).unwrap();
    let suite = file("suite.yaml");
    let place = Place::new()
        .with("cases.jsonl", file("cases.jsonl"))
        .with("suite.yaml", &suite);
    place.check("run suite.yaml", &[], 0, &[]);
    let before = report(&place, &["--seed", "1"]);
    let predicted = add_proposed(&place, &suite, &before);
    let said = place.check("run suite.yaml", &[], 0, &[]);
    assert!(said.stdout.contains("exact names"), "{}", said.stdout);
    let after = strengths(&report(&place, &["--seed", "1"])["strength_of_all_judges"]);
    for (predicted, after) in predicted.iter().zip(after) {
        assert!((predicted - after).abs() < 1.0, "{predicted} {after}");
    }
}
