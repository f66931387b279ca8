//! `learn --rules`: rules that good runs have in common, and their verdicts on further runs.

use crate::Place;

fn run(id: &str, calls: &[(&str, u32)]) -> String {
    let call = |(name, order): &(&str, u32)| {
        format!(r#"{{"name":"{name}","args":{{"order":{order},"at":"now {order}"}}}}"#)
    };
    let calls: Vec<_> = calls.iter().map(call).collect();
    format!(r#"{{"id":"{id}","actual":[{}]}}"#, calls.join(","))
}

fn good() -> Vec<String> {
    vec![
        run(
            "a",
            &[("login", 0), ("verify", 1), ("refund", 1), ("bye now", 0)],
        ),
        run(
            "b",
            &[
                ("login", 0),
                ("verify", 2),
                ("find", 9),
                ("refund", 2),
                ("bye now", 0),
            ],
        ),
        run(
            "c",
            &[("login", 0), ("find", 3), ("find", 4), ("bye now", 0)],
        ),
        run(
            "d",
            &[
                ("login", 0),
                ("find", 5),
                ("find", 6),
                ("cancel", 6),
                ("bye now", 0),
            ],
        ),
        run(
            "e",
            &[("login", 0), ("find", 7), ("cancel", 7), ("bye now", 0)],
        ),
    ]
}

/// The rules, without the number of runs.
fn rules(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let rule = |line: &str| line.split("  # ").next().unwrap().trim_end().to_owned();
    lines.map(rule).collect()
}

#[test]
fn strongest_rules_are_proposed_and_hold_for_their_runs() {
    let place = Place::with_cases(&good());
    let said = place.check(
        "learn --rules cases.jsonl -o rules.yaml",
        &[],
        0,
        &["rules from 5 runs to rules.yaml"],
    );
    assert_eq!(said.stdout, "");
    let text = place.read("rules.yaml");
    let found = rules(&text);
    for wanted in [
        "- first login",
        "- {last: bye now}",
        "- exactly 1 login",
        "- {call: find, at_most: 1, same: order}",
        "- {call: refund, needs_before_each: verify, same: [order, at]}",
        "- {call: cancel, needs_directly_before: find, same: [order, at]}",
        "- refund excludes cancel",
    ] {
        assert!(found.contains(&wanted.to_owned()), "{wanted}\n{text}");
    }
    // Rules implied by another rule are not shown.
    for weaker in [
        "verify before refund",
        "refund needs verify",
        "no cancel after refund",
        "at most 1 login",
    ] {
        assert!(!text.contains(weaker), "{weaker}\n{text}");
    }
    assert!(text.contains("# 2 of 2 runs"), "{text}");
    // The file is a valid list of rules, and its runs keep them.
    let place = place.with(
        "suite.yaml",
        format!(
            "traces: cases.jsonl\nevaluators:\n  - evaluator: constraints\n    rules:\n{}",
            text.replace("\n- ", "\n      - ")
        ),
    );
    place.check("run --no-history", &[], 0, &[]);
    let place = place.with(
        "cases.jsonl",
        run("f", &[("login", 0), ("refund", 1), ("bye now", 0)]),
    );
    place.check("run --no-history", &[], 1, &[]);
    place.check(
        "learn --rules cases.jsonl -o rules.yaml",
        &[],
        0,
        &["0 rules from 1 run"],
    );
}

#[test]
fn support_allows_exceptions() {
    let mut runs = good();
    runs.extend((0..5).map(|at| run(&format!("g{at}"), &[("login", 0), ("bye now", 0)])));
    runs.push(run("late", &[("find", 0), ("login", 0), ("bye now", 0)]));
    let place = Place::with_cases(&runs);
    let at = |support: &str| {
        place
            .check(
                &format!("learn --rules cases.jsonl --support {support}"),
                &[],
                0,
                &[],
            )
            .stdout
    };
    assert!(!at("1").contains("first login"));
    let found = at("0.9");
    assert!(
        found.contains("first login") && found.contains("# 10 of 11 runs"),
        "{found}"
    );
    place.check(
        "learn --rules cases.jsonl --support 2",
        &[],
        2,
        &["expected a number above 0"],
    );
    place.check("learn cases.jsonl --support 1", &[], 2, &["--rules"]);
}

#[test]
fn tool_names_that_are_patterns_are_reported() {
    let place = Place::with_cases(&[
        run("a", &[("find*", 1), ("no", 2)]),
        run("b", &[("find*", 1), ("no", 2)]),
    ]);
    let said = place.check(
        "learn --rules cases.jsonl",
        &[],
        0,
        &["no rule can name find*"],
    );
    assert!(
        said.stdout.contains(r#"- {call: "no", exactly: 1}"#),
        "{}",
        said.stdout
    );
}

/// Twenty good runs of one task: two calls in any order, an optional one, and an order id that flows from call to call.
fn trials(line: impl Fn(usize, &str, &str) -> String) -> String {
    let lines = (0..20).map(|trial| {
        let order = 7 + trial % 3;
        let find =
            format!(r#"{{"name":"find","args":{{"customer":3}},"output":{{"id":{order}}}}}"#);
        let verify = r#"{"name":"verify","args":{"customer":3}}"#;
        let refund = format!(r#"{{"name":"refund","args":{{"order":{order}}}}}"#);
        let mut calls = vec![find.as_str(), verify];
        if trial % 2 == 0 {
            calls.reverse();
        }
        if trial % 4 == 0 {
            calls.push(r#"{"name":"policy","args":{"topic":"refunds"}}"#);
        }
        calls.push(&refund);
        line(trial, "Refund my last order.", &calls.join(",")) + "\n"
    });
    lines.collect()
}

const BROKEN: &str = r#"{"id":"refund","input":"Refund my last order.","actual":[{"name":"refund","args":{"order":7}}]}"#;

#[test]
fn suite_learned_from_good_runs_rejects_a_broken_agent() {
    let with_trials = trials(|trial, input, calls| {
        format!(r#"{{"id":"refund","trial":{trial},"input":"{input}","actual":[{calls}]}}"#)
    });
    let with_ids = trials(|trial, input, calls| {
        format!(r#"{{"id":"run-{trial}","input":"{input}","actual":[{calls}]}}"#)
    });
    let without_ids =
        trials(|_, input, calls| format!(r#"{{"input":"{input}","actual":[{calls}]}}"#));
    for (runs, options) in [
        (with_trials, ""),
        (with_ids, " --join input"),
        (without_ids, ""),
    ] {
        let place = Place::new()
            .with("runs.jsonl", runs)
            .with("broken.jsonl", format!("{BROKEN}\n"));
        let line = format!("init evals --from runs.jsonl{options}");
        let said = [
            "learned 1 case from 20 runs: check cases.yaml",
            "20 runs; accepts 1 other sequence of tools",
        ];
        place.check(&line, &[], 0, &said);
        let cases = place.read("evals/cases.yaml");
        assert!(cases.contains("args: {order: {\"$var\": id}}"), "{cases}");
        let suite = place.read("evals/suite.yaml");
        assert!(suite.contains("20 of 20 expectations"), "{suite}");
        place.check("run evals --no-history", &[], 0, &[]);
        place.check("run evals --no-history --traces broken.jsonl", &[], 1, &[]);
    }
}

#[test]
fn by_input_groups_runs_with_own_ids_by_question() {
    let runs = trials(|trial, input, calls| {
        format!(r#"{{"id":"run-{trial}","input":"{input}","actual":[{calls}]}}"#)
    });
    let place = Place::new().with("runs.jsonl", runs);
    let said = [
        "20 cases from 20 runs",
        "`--by input` learns from all runs of a question",
    ];
    place.check("learn runs.jsonl", &[], 0, &said);
    let found = place.check("learn runs.jsonl --by input --args names", &[], 0, &[]);
    let expected = "  expected:
    - any_order:
        - find
        - verify
      note: 20 of 20 runs
    - optional:
        - policy
      note: 5 of 20 runs
    - refund
";
    assert!(found.stdout.ends_with(expected), "{}", found.stdout);
}

#[test]
fn few_runs_give_no_estimate_of_acceptance() {
    let runs = trials(|trial, input, calls| {
        format!(r#"{{"id":"refund","trial":{trial},"input":"{input}","actual":[{calls}]}}"#)
    });
    let three: Vec<_> = runs.lines().take(3).collect();
    let place = Place::new().with("runs.jsonl", three.join("\n"));
    let said = ["a task has fewer than 5 runs"];
    place.check("init evals --from runs.jsonl", &[], 0, &said);
    let suite = place.read("evals/suite.yaml");
    assert!(
        suite.contains("- accepted: {pass_rate: \">= 100%\"}"),
        "{suite}"
    );
}

/// Ten runs of a task. Every second one has a failed call, made again with the same arguments.
fn runs_with_retries() -> String {
    let run = |trial: usize| {
        let call =
            |name, error| format!(r#"{{"name":"{name}","args":{{"q":"x"}},"error":{error}}}"#);
        let failed = trial.is_multiple_of(2).then(|| call("find", "\"timeout\""));
        let calls = failed
            .into_iter()
            .chain([call("find", "false"), call("send", "false")]);
        let calls: Vec<_> = calls.collect();
        let calls = calls.join(",");
        format!("{{\"id\":\"t\",\"trial\":{trial},\"actual\":[{calls}]}}\n")
    };
    (1..=10).map(run).collect()
}

#[test]
fn learned_suite_accepts_its_runs_with_retries() {
    let place = Place::new().with("runs.jsonl", runs_with_retries());
    place.check("init evals --from runs.jsonl", &[], 0, &["learned 1 case"]);
    let suite = place.read("evals/suite.yaml");
    assert!(
        suite.contains("10 of 10 expectations accept that one"),
        "{suite}"
    );
    let cases = place.read("evals/cases.yaml");
    assert!(cases.contains("min: 1\n      max: 2\n"), "{cases}");
    // All runs have the score 1, not only the required share.
    let strict = suite.replace(">= 78%", ">= 100%");
    assert!(strict.contains(">= 100%"), "{suite}");
    let place = place.with("evals/suite.yaml", strict);
    place.check("run evals --no-history", &[], 0, &[]);
    // The command that the suite names works.
    let command = suite.split("`rightcall ").nth(1).unwrap();
    let command = command.split('`').next().unwrap();
    let command = command.replace("cases.yaml", "evals/cases.yaml");
    place.check(&command.replace("FILES", "runs.jsonl"), &[], 0, &[]);
}

#[test]
fn retry_requires_equal_arguments() {
    let runs = concat!(
        r#"{"id":"a","actual":[{"name":"refund","args":{"order":1},"error":"no"},{"name":"refund","args":{"order":2},"error":false}]}"#,
        "\n"
    );
    let place = Place::new().with("runs.jsonl", runs);
    let found = place.check("learn runs.jsonl --without failed", &[], 0, &[]);
    assert!(!found.stdout.contains("left out"), "{}", found.stdout);
    assert!(!found.stderr.contains("left out"), "{}", found.stderr);
    assert!(found.stdout.contains("order: 1"), "{}", found.stdout);
}

#[test]
fn failed_calls_with_a_retry_can_be_left_out() {
    let runs = concat!(
        r#"{"id":"a","actual":[{"name":"find","args":{"id":7},"error":"timeout"},{"name":"find","args":{"id":7},"error":false}]}"#,
        "\n"
    );
    let place = Place::new().with("runs.jsonl", runs);
    let left_out =
        "left out: 1 failed call, made again with success; runs with such calls are rejected";
    let line = "learn runs.jsonl --args names --without failed";
    let found = place.check(line, &[], 0, &[left_out]);
    assert!(
        found.stdout.contains(&format!("  # {left_out}.\n")),
        "{}",
        found.stdout
    );
    assert!(
        found.stdout.ends_with("  expected:\n    - find\n"),
        "{}",
        found.stdout
    );
    let found = place.check("learn runs.jsonl --args names", &[], 0, &[]);
    assert!(
        found.stdout.ends_with("    - find\n    - find\n"),
        "{}",
        found.stdout
    );
}

#[test]
fn blocks_needed_by_few_runs_are_reported_with_the_runs() {
    let runs = trials(|trial, input, calls| {
        format!(r#"{{"id":"refund","trial":{trial},"input":"{input}","actual":[{calls}]}}"#)
    });
    let place = Place::new().with("runs.jsonl", runs);
    let said = [
        "optional at /1 left out: 5 of 20 runs would be rejected (runs.jsonl:1, runs.jsonl:5, runs.jsonl:9, …)",
        "any_order at /0 in the order find, verify: 10 of 20 runs would be rejected (runs.jsonl:1, runs.jsonl:3, runs.jsonl:5, …)",
    ];
    for line in [
        "learn runs.jsonl",
        "record runs.jsonl",
        "init evals --from runs.jsonl",
    ] {
        place.check(line, &[], 0, &said);
    }
}

/// Two runs of a task with a card number in the question, the arguments and the outputs.
fn with_cards() -> String {
    let line = |trial: usize, card: &str| {
        let find = format!(
            r#"{{"name":"find","args":{{"user":"ann"}},"output":{{"card":"{card}","id":{trial}}}}}"#
        );
        let pay = format!(
            r#"{{"name":"pay","args":{{"card":"{card}","raw":"{{\"card\":\"{card}\"}}","id":{trial}}}}}"#
        );
        format!(
            r#"{{"id":"a","trial":{trial},"input":"Pay with {card}.","actual":[{find},{pay}]}}"#
        ) + "\n"
    };
    line(1, "4111-22") + &line(2, "4111-33")
}

#[test]
fn redacted_values_are_in_no_expectation() {
    let place = Place::new()
        .with("runs.jsonl", with_cards())
        .with("one.jsonl", with_cards().lines().next().unwrap())
        .with(
            "suite.yaml",
            "cases: runs.jsonl\nevaluators: [fitness]\nredact: [card, $/input]\n",
        );
    let patterns = "--redact card --redact $/input";
    let any = r#""card":{"$any":true}"#;
    let learned = place.check(&format!("learn runs.jsonl {patterns}"), &[], 0, &[]);
    assert!(
        learned.stdout.contains(r#"card: {"$any": true}"#),
        "{}",
        learned.stdout
    );
    let recorded = place.check(
        &format!("record one.jsonl {patterns} --keep args,outputs"),
        &[],
        0,
        &[],
    );
    assert!(recorded.stdout.contains(any), "{}", recorded.stdout);
    let by_suite = place.check("record runs.jsonl --redact suite.yaml", &[], 0, &[]);
    assert!(by_suite.stdout.contains(any), "{}", by_suite.stdout);
    place.check(
        &format!("init evals --from runs.jsonl {patterns}"),
        &[],
        0,
        &[],
    );
    place.check("run evals --no-history", &[], 0, &[]);
    let suite = place.read("evals/suite.yaml");
    assert!(suite.contains(r#"redact: ["card", "$/input"]"#), "{suite}");
    for text in [
        learned.stdout,
        recorded.stdout,
        by_suite.stdout,
        place.read("evals/cases.yaml"),
    ] {
        assert!(!text.contains("4111"), "{text}");
    }
    // A redacted question names no task.
    let said = ["no run to learn from: 2 without `input`", "--by"];
    let line = format!("learn runs.jsonl --by input {patterns}");
    place.check(&line, &[], 2, &said);
    place.check(
        "learn runs.jsonl --redact none.yaml",
        &[],
        2,
        &["none.yaml"],
    );
}

#[test]
fn redacted_values_are_in_no_reviewed_expectation() {
    let expected = [
        r#"[{"name":"find","args":{"user":"ann"}}]"#,
        r#"["find",{"optional":"look"}]"#,
    ];
    for expected in expected {
        let place = Place::new()
            .with("runs.jsonl", with_cards().lines().next().unwrap())
            .with(
                "cases.jsonl",
                format!("{{\"id\":\"a\",\"expected\":{expected}}}\n"),
            );
        let line = "review cases.jsonl --traces runs.jsonl --redact card --accept a";
        place.check(line, &[], 0, &[]);
        let cases = place.read("cases.jsonl");
        assert!(cases.contains("pay") && !cases.contains("4111"), "{cases}");
        place.check(
            "score cases.jsonl --traces runs.jsonl -e fitness,threshold=1",
            &[],
            0,
            &[],
        );
    }
    let place = Place::new()
        .with("runs.jsonl", with_cards())
        .with("cases.jsonl", "{\"id\":\"b\",\"expected\":[]}\n");
    let line =
        "review cases.jsonl --traces runs.jsonl --redact card --redact $/input --add --accept-all";
    place.check(line, &[], 0, &[]);
    let cases = place.read("cases.jsonl");
    assert!(cases.contains("pay") && !cases.contains("4111"), "{cases}");
}
