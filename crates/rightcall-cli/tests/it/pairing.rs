//! `compare`: keys that cases lack, models that count as trials, and cases of different tasks with the same id.

use crate::Place;

const BEFORE: &str = r#"{"id":"a","task":"x","domain":"air","input":"one","expected":["find","pay"],"actual":["find","pay"]}
{"id":"b","task":"y","domain":"air","input":"two","expected":["find"],"actual":["find"]}
"#;

/// Two files that differ in calls. In the second, one case has no domain.
fn place() -> Place {
    let after = BEFORE
        .replacen(r#""actual":["find","pay"]"#, r#""actual":["find"]"#, 1)
        .replace(r#""task":"y","domain":"air","#, r#""task":"y","#);
    Place::new()
        .with("before.jsonl", BEFORE)
        .with("after.jsonl", after)
}

#[test]
fn unknown_key_is_an_error_that_lists_the_keys() {
    let place = place();
    let compare = "compare before.jsonl after.jsonl -e trajectory";
    let error = "error: before.jsonl: no case has the key `taks`; did you mean `task`?\n  help: they have domain, task\n";
    place.check(&format!("{compare} --key taks"), &[], 2, &[error]);
    let error = "error: before.jsonl: no case has the key `team`\n";
    place.check(&format!("{compare} --key domain,team"), &[], 2, &[error]);
    // Runs of the history and files of results have the same keys.
    for (file, results) in [("before.jsonl", "one.jsonl"), ("after.jsonl", "two.jsonl")] {
        let suite = format!("cases: {file}\nevaluators: [trajectory]\n");
        std::fs::write(place.path("suite.yaml"), suite).unwrap();
        place.check(&format!("run suite.yaml -o {results}"), &[], 0, &[]);
    }
    let error = "error: run 1: no case has the key `team`\n  help: they have domain, task\n";
    place.check("compare 1 2 --key team", &[], 2, &[error]);
    let error = "error: one.jsonl: no case has the key `team`\n  help: they have domain, task\n";
    place.check("compare one.jsonl two.jsonl --key team", &[], 2, &[error]);
    place.check("compare 1 2 --key task", &[], 0, &[]);
    let error = "error: before.jsonl: no row has the key `team`\n";
    let rescore = "rescore before.jsonl --with trajectory --group team";
    place.check(rescore, &[], 2, &[error]);
}

#[test]
fn cases_without_a_key_are_counted() {
    let place = place();
    let warning = "warning: after.jsonl: 1 of 2 cases lacks `domain`: paired by id\n";
    let line = "compare before.jsonl after.jsonl -e trajectory --key task,domain";
    let said = place.check(line, &[], 0, &[warning]);
    assert!(!said.stderr.contains("`task`"), "{}", said.stderr);
    assert!(said.stdout.contains("1 case in both\n"), "{}", said.stdout);
    // The same for runs that have no expectation.
    let place = Place::new()
        .with("one.jsonl", BEFORE.replace("expected", "wanted"))
        .with(
            "two.jsonl",
            place.read("after.jsonl").replace("expected", "wanted"),
        );
    let warning = "warning: two.jsonl: 1 of 2 runs lacks `domain`: paired by id\n";
    let line = "compare one.jsonl two.jsonl --key domain";
    place.check(line, &[], 0, &[warning]);
    let error =
        "error: one.jsonl: no run has the key `team`\n  help: they have domain, task, wanted\n";
    place.check("compare one.jsonl two.jsonl --key team", &[], 2, &[error]);
}

#[test]
fn models_counted_as_trials_are_reported() {
    let of_model =
        |model: &str| BEFORE.replace(r#""task""#, &format!(r#""model":"{model}","task""#));
    let both = of_model("big") + &of_model("small");
    let place = Place::new()
        .with("runs.jsonl", both)
        .with("one.jsonl", of_model("big"));
    let warning = "warning: runs.jsonl: the 2 models of 2 cases count as trials of one case: big, small\n  help: `--by model` compares models; `--where model=NAME` takes one\n";
    let said = place.check(
        "compare one.jsonl runs.jsonl -e trajectory",
        &[],
        0,
        &[warning],
    );
    assert_eq!(said.stderr, warning);
    assert!(
        said.stdout.contains("runs.jsonl (2 cases × 2 trials)"),
        "{}",
        said.stdout
    );
    for fine in [
        "compare one.jsonl runs.jsonl -e trajectory --where model=big",
        "compare runs.jsonl -e trajectory --by model",
    ] {
        assert_eq!(place.check(fine, &[], 0, &[]).stderr, "", "{fine}");
    }
}

#[test]
fn pairs_with_different_tasks_are_counted() {
    let warned = |after: &str, warning: &str| {
        let place = Place::new()
            .with("before.jsonl", BEFORE)
            .with("after.jsonl", after);
        let line = "compare before.jsonl after.jsonl -e trajectory";
        let said = place.check(line, &[], 0, &[]);
        assert_eq!(
            said.stderr.lines().next().unwrap_or_default(),
            warning,
            "{after}"
        );
        // Runs of the history keep their cases.
        for file in ["before.jsonl", "after.jsonl"] {
            let suite = format!("cases: {file}\nevaluators: [trajectory]\n");
            std::fs::write(place.path("suite.yaml"), suite).unwrap();
            place.check("run suite.yaml", &[], 0, &[]);
        }
        let said = place.check("compare 1 2", &[], 0, &[]);
        let warning = warning.replace("after.jsonl", "run 2");
        assert_eq!(
            said.stderr.lines().next().unwrap_or_default(),
            warning,
            "{after}"
        );
    };
    warned(BEFORE, "");
    // Written in another way, but equal.
    warned(
        &BEFORE.replace(r#""find","pay"],"ac"#, r#" "find", {"name":"pay"} ],"ac"#),
        "",
    );
    // A missing question is unknown.
    warned(&BEFORE.replace(r#""input":"one","#, ""), "");
    warned(
        &BEFORE.replace(r#""two""#, r#""three""#),
        "warning: 1 of 2 paired cases has another question in after.jsonl: b",
    );
    // A changed expectation is still the same task: the reports count it.
    let after = BEFORE.replace(r#""expected":["find""#, r#""expected":["look""#);
    warned(&after, "");
    let place = Place::new()
        .with("before.jsonl", BEFORE)
        .with("after.jsonl", &after);
    let said = place.check(
        "compare before.jsonl after.jsonl -e trajectory",
        &[],
        0,
        &[],
    );
    let told =
        "\n2 cases with another expectation: a, b; their scores may change for the same calls\n";
    assert!(said.stdout.contains(told), "{}", said.stdout);
}

#[test]
fn unparsed_calls_are_reported_like_by_score() {
    let run = r#"{"id":"d","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"find","input":{"id":7}}]},{"role":"assistant","content":[{"type":"tool_use_block","id":"c2","name":"look","input":{}}]}]}"#;
    let place = Place::new().with("runs.jsonl", run).with(
        "rules.yaml",
        "traces: runs.jsonl\nevaluators: [{evaluator: constraints, max_calls: 3}]\n",
    );
    let scored = place.run("run rules.yaml --no-history", &[]).stderr;
    let warning = scored
        .lines()
        .find(|line| line.contains("looks like a call"));
    let warning = warning.unwrap().replacen("the inputs", "runs.jsonl", 1);
    for line in [
        "compare runs.jsonl runs.jsonl",
        "compare runs.jsonl runs.jsonl -e constraints,max_calls=3",
    ] {
        let said = place.run(line, &[]).stderr;
        assert_eq!(said.matches(&warning).count(), 2, "{line}\n{said}");
    }
}
