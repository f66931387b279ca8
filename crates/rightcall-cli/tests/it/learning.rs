//! `learn --rules`: rules that good runs have in common, which judge further runs.

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

/// The rules, without the numbers of runs.
fn rules(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let rule = |line: &str| line.split("  # ").next().unwrap().trim_end().to_owned();
    lines.map(rule).collect()
}

#[test]
fn the_strongest_rules_are_proposed_and_hold_for_their_runs() {
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
    // What follows from another rule is not shown.
    for weaker in [
        "verify before refund",
        "refund needs verify",
        "no cancel after refund",
        "at most 1 login",
    ] {
        assert!(!text.contains(weaker), "{weaker}\n{text}");
    }
    assert!(text.contains("# 2 of 2 runs"), "{text}");
    // The file is one of rules, and its runs keep them.
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
    place.check("learn cases.jsonl", &[], 2, &["--rules"]);
}

#[test]
fn names_that_are_patterns_are_reported() {
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
