//! Given runs replace the runs in the case files.

use crate::Place;

/// A record of a case with its own run.
fn record(id: &str, model: &str, call: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"trial\":0,\"model\":\"{model}\",\"expected\":[\"find\"],\"actual\":[\"{call}\"]}}\n"
    )
}

/// Three cases that `gpt` solved, and the runs of `qwen`, which solved only the first.
fn place(more: &str) -> Place {
    let of = |model: &str, calls: [&str; 3]| -> String {
        let named = ["a", "b", "c"].into_iter().zip(calls);
        named.map(|(id, call)| record(id, model, call)).collect()
    };
    Place::new()
        .with("cases.jsonl", of("gpt", ["find"; 3]))
        .with("qwen.jsonl", of("qwen", ["find", "look", "look"]))
        .with("gpt.jsonl", of("gpt", ["find", "find", "look"]))
        .with("one.jsonl", record("a", "qwen", "find"))
        .with(
            "suite.yaml",
            format!(
                "cases: cases.jsonl\nevaluators: [{{evaluator: trajectory, threshold: 1}}]\n\
gates:\n  - passed: '>= 50%'\n{more}"
            ),
        )
}

#[test]
fn run_of_another_model_replaces_the_run_in_the_case() {
    let given = place("traces: qwen.jsonl\n");
    let suite = place("");
    suite.check("run suite.yaml", &[], 0, &[]);
    for (place, line) in [
        (&given, "run suite.yaml"),
        (&suite, "run suite.yaml --traces qwen.jsonl"),
    ] {
        let said = place.check(line, &[], 1, &[]);
        assert!(said.stdout.contains("33.3 %"), "{}", said.stdout);
        let rows = place.check(&format!("{line} --format jsonl"), &[], 1, &[]);
        assert_eq!(rows.stdout.matches("\"model\":\"qwen\"").count(), 3);
        assert!(!rows.stdout.contains("gpt"), "{}", rows.stdout);
    }
}

#[test]
fn case_without_a_run_in_the_traces_does_not_use_its_own() {
    let said = place("").check("run suite.yaml --traces one.jsonl", &[], 1, &[]);
    for part in ["no run found for 2 cases", "33.3 %"] {
        assert!(said.stdout.contains(part), "{part}: {}", said.stdout);
    }
    let left_out = "2 cases without a run left out, as `unmatched: ignore` says";
    let ignoring = place("unmatched: ignore\n");
    let said = ignoring.check("run suite.yaml --traces one.jsonl", &[], 0, &[left_out]);
    assert!(said.stdout.contains("100.0 %"), "{}", said.stdout);
    let line = "convert cases.jsonl --traces one.jsonl";
    let converted = place("").check(line, &[], 0, &[]).stdout;
    assert_eq!(converted.matches("\"actual\"").count(), 1, "{converted}");
}

#[test]
fn each_named_run_is_scored_with_its_own_runs() {
    let named = place("runs: {gpt: gpt.jsonl, qwen: qwen.jsonl}\n");
    let said = named.check("run suite.yaml", &[], 1, &[]);
    for part in ["66.7 %", "33.3 %"] {
        assert!(said.stdout.contains(part), "{part}: {}", said.stdout);
    }
}

#[test]
fn runs_of_two_models_in_one_file_stay_separate() {
    let both = [record("a", "gpt", "find"), record("a", "qwen", "find")];
    let place = place("").with("cases.jsonl", both.concat());
    let both = [record("a", "gpt", "look"), record("a", "qwen", "find")];
    let place = place.with("both.jsonl", both.concat());
    let said = place.check("run suite.yaml --traces both.jsonl", &[], 0, &[]);
    assert!(said.stdout.contains("50.0 %"), "{}", said.stdout);
    // A run of a third model cannot be the run of both cases.
    let place = place.with("third.jsonl", record("a", "llama", "find"));
    let again = "cases.jsonl:2: case `a`, trial 0, is already at cases.jsonl:1";
    place.check("run suite.yaml --traces third.jsonl", &[], 2, &[again]);
}

#[test]
fn unmatched_trial_is_not_reported_as_unmatched_id() {
    let place = place("").with(
        "later.jsonl",
        record("a", "gpt", "find").replace("\"trial\":0", "\"trial\":1"),
    );
    let help = "the runs of the cases have another `trial` or `model`";
    let said = place.check("run suite.yaml --traces later.jsonl", &[], 2, &[help]);
    assert!(
        !said.stderr.contains("no run has the id"),
        "{}",
        said.stderr
    );
}
