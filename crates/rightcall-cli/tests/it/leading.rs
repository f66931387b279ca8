//! Suggested commands and the case that `explain` shows: each is about the row next to it.

use std::process::Command as Process;

use crate::{Place, good, low, said};

/// Runs a command, then the command that its screen suggests. The second must show these parts.
#[track_caller]
fn check(place: &Place, line: &str, code: i32, wanted: &[&str]) {
    let said = place.check(line, &[], code, &[]);
    let suggested = said
        .stdout
        .lines()
        .filter_map(|line| line.trim().strip_prefix("rightcall explain "))
        .next_back();
    let suggested =
        suggested.unwrap_or_else(|| panic!("{line} suggests nothing:\n{}", said.stdout));
    // Splits words as a shell does.
    let words = Process::new("bash")
        .args(["-c", &format!("printf '%s\\n' {suggested}")])
        .output()
        .unwrap();
    let words = String::from_utf8(words.stdout).unwrap();
    let words: Vec<_> = words.lines().collect();
    let shown = place.check("explain", &words, 0, &[]).stdout;
    for part in wanted {
        assert!(shown.contains(part), "{suggested}\nwanted {part}:\n{shown}");
    }
}

/// One id with two models; the second is low.
fn models() -> String {
    let case = |model: &str, tool: &str| {
        format!(r#"{{"id":"refund","model":"{model}","expected":["find"],"actual":["{tool}"]}}"#)
    };
    [case("first", "find"), case("second", "look")].join("\n") + "\n"
}

#[test]
fn suggested_explain_shows_the_listed_model() {
    let place = Place::new().with("models.jsonl", models());
    let wanted = ["models.jsonl:2", "score 0.000"];
    check(&place, "score models.jsonl -e trajectory", 0, &wanted);
    let suite =
        "cases: models.jsonl\nevaluators: [trajectory]\ngates:\n  - trajectory: {mean: '>= 0.9'}\n";
    let place = place.with("suite.yaml", suite);
    check(&place, "run suite.yaml", 1, &wanted);
    check(&place, "run suite.yaml --no-history", 1, &wanted);
    // The screen mentions the other model.
    let line = "explain models.jsonl -e trajectory --case refund";
    place.check(
        line,
        &[],
        0,
        &["the case has other runs too: --where model=second"],
    );
}

#[test]
fn suggested_explain_repeats_the_options_of_the_run() {
    let runs = r#"{"id":"a","actual":[{"name":"find","args":{"id":7}},{"name":"refund","args":{"id":8}}]}"#;
    let expect = "calls: [{name: find, args: {id: 7}}, {name: refund, args: {id: 7}}]\n";
    let place = Place::new()
        .with("runs.jsonl", format!("{runs}\n"))
        .with("expect.yaml", expect);
    let line = "score runs.jsonl --expect expect.yaml -e trajectory";
    check(&place, line, 0, &["score 0.500", "/id"]);
    // Names that need shell quoting.
    let odd = low("it's $(odd)").replace("look", "lo ok");
    let place = Place::new().with("o d d.jsonl", format!("{}\n{odd}\n", good("a")));
    let said = place.check("score", &["o d d.jsonl", "-e", "trajectory"], 0, &[]);
    assert!(said.stdout.contains("'it'\\''s $(odd)'"), "{}", said.stdout);
    let trials = [good("t"), low("t")];
    let trial =
        |(at, case): (usize, &String)| case.replacen('{', &format!(r#"{{"trial":{at},"#), 1);
    let trials: Vec<_> = trials.iter().enumerate().map(trial).collect();
    let place = Place::with_cases(&trials);
    check(
        &place,
        "score cases.jsonl -e trajectory --by model",
        0,
        &["t (trial 1)", "score 0.000"],
    );
    // The numbers of the package, as in the run.
    let line = "score cases.jsonl -e deepeval/tool-correctness --edition package";
    check(
        &place,
        line,
        0,
        &["deepeval/tool-correctness", "score 0.000"],
    );
}

#[test]
fn suggested_explain_shows_the_scored_runs() {
    let run = |tool: &str| format!(r#"{{"id":"a","actual":["{tool}"]}}"#) + "\n";
    let gate = "evaluators: [trajectory]\ngates:\n  - trajectory: {mean: '>= 0.9'}\n";
    let rule = "evaluators: [{evaluator: constraints, forbidden: look}]\n";
    let place = Place::with_cases(&[r#"{"id":"a","input":"?","expected":["find"]}"#.to_owned()])
        .with("right.jsonl", run("find"))
        .with("wrong.jsonl", run("look"))
        .with("agent.sh", "echo '{\"actual\":[\"look\"]}'\n")
        .with(
            "named.yaml",
            format!("cases: cases.jsonl\nruns: {{right: right.jsonl, wrong: wrong.jsonl}}\n{gate}"),
        )
        .with("suite.yaml", format!("cases: cases.jsonl\n{gate}"))
        .with("rules.yaml", format!("traces: right.jsonl\n{rule}"));
    let wanted = ["look", "score 0.000"];
    check(&place, "run named.yaml", 1, &wanted);
    let help = "named.yaml: it names 2 runs: right, wrong";
    place.check("explain named.yaml --case a", &[], 2, &[help]);
    check(&place, "run suite.yaml --traces wrong.jsonl", 1, &wanted);
    check(&place, "run rules.yaml --traces wrong.jsonl", 1, &wanted);
    // Only the history has the runs of an agent.
    check(&place, "run suite.yaml --agent sh agent.sh", 1, &wanted);
    let said = place.check(
        "run suite.yaml --no-history --agent sh agent.sh",
        &[],
        1,
        &[],
    );
    assert!(
        !said.stdout.contains("rightcall explain"),
        "{}",
        said.stdout
    );
}

#[test]
fn comparison_suggests_the_worst_change() {
    let suite = "cases: cases.jsonl\nevaluators: [trajectory]\n";
    let trial =
        |number: u8, case: String| case.replacen('{', &format!(r#"{{"trial":{number},"#), 1);
    let place = Place::with_cases(&[good("a"), trial(1, good("b")), trial(2, good("b"))])
        .with("suite.yaml", suite);
    place.check("run suite.yaml --history runs.db", &[], 0, &[]);
    let worse = [good("a"), trial(1, good("b")), trial(2, low("b"))].join("\n");
    let place = place.with("cases.jsonl", worse + "\n");
    place.check("run suite.yaml --history runs.db", &[], 0, &[]);
    let line = "compare 1 2 --history runs.db";
    check(
        &place,
        line,
        0,
        &["run 2 of suite.yaml", "b (trial 2)", "score 0.000"],
    );
    // Nothing got worse in the other direction.
    let said = place.check("compare 2 1 --history runs.db", &[], 0, &[]);
    assert!(
        !said.stdout.contains("rightcall explain"),
        "{}",
        said.stdout
    );
}

#[test]
fn file_and_line_select_exactly_one_case() {
    let place = Place::with_cases(&[
        good("a"),
        low("b"),
        good("a").replacen('{', r#"{"trial":2,"#, 1),
    ]);
    for (line, wanted) in [
        (1, "a · cases.jsonl:1"),
        (2, "b · cases.jsonl:2"),
        (3, "cases.jsonl:3"),
    ] {
        let shown = place.check(
            &format!("explain cases.jsonl:{line} -e trajectory"),
            &[],
            0,
            &[],
        );
        assert!(
            shown.stdout.starts_with(wanted) || shown.stdout.contains(wanted),
            "{}",
            shown.stdout
        );
    }
    let message = "there is no case at cases.jsonl:9";
    place.check("explain cases.jsonl:9 -e trajectory", &[], 2, &[message]);
}

#[test]
fn explain_defaults_to_the_lowest_case_of_the_failed_gate() {
    // By `order`, the first case is the worst. By `calls`, which has the gate, the second is.
    let order = r#"{"id":"order","expected":["a","b"],"actual":["b","a"]}"#.to_owned();
    let calls = r#"{"id":"calls","expected":[{"name":"a","args":{"x":1}}],"actual":[{"name":"a","args":{"x":2}}]}"#;
    let suite = "cases: cases.jsonl\nevaluators:\n  - {evaluator: uipath/tool-call-order, name: order, weight: 9}\n  - {evaluator: trajectory, name: calls}\ngates:\n  - calls: {mean: '>= 0.9'}\n";
    let place = Place::with_cases(&[order, calls.to_owned()]).with("suite.yaml", suite);
    check(&place, "run suite.yaml", 1, &["calls · cases.jsonl:2"]);
    for line in ["explain suite.yaml", "explain"] {
        let shown = place.check(line, &[], 0, &[]).stdout;
        assert!(shown.contains("calls · cases.jsonl:2"), "{line}\n{shown}");
    }
}

#[test]
fn explain_marks_a_case_as_new_same_or_fixed() {
    let suite = "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\n";
    let place = Place::new().with("suite.yaml", suite);
    let runs = [
        [good("a"), good("b"), low("c"), low("d")],
        [good("a"), low("b"), low("c"), good("d")],
        [
            good("a"),
            low("b").replace("look", "peek"),
            low("c"),
            good("d"),
        ],
    ];
    for (number, run) in runs.iter().enumerate() {
        std::fs::write(place.path("cases.jsonl"), run.join("\n")).unwrap();
        place.check("run suite.yaml", &[], 1, &[]);
        let wanted: &[(&str, &str)] = match number {
            1 => &[
                ("a", "same as in run 1"),
                (
                    "b",
                    "new: in run 1 the case passed; new cause: find was not called, look was called, but not expected",
                ),
                ("c", "same as in run 1"),
                (
                    "d",
                    "fixed: in run 1 the case failed; gone: find was not called, look was called, but not expected",
                ),
            ],
            2 => &[(
                "b",
                "wrong in run 2 too; new cause: peek was called, but not expected; gone: look was called, but not expected",
            )],
            _ => &[],
        };
        for (case, wanted) in wanted {
            let shown = place
                .check(&format!("explain --case {case}"), &[], 0, &[])
                .stdout;
            assert_eq!(after_head(&shown), *wanted, "{shown}");
        }
    }
}

/// The change of a case between two runs, with these evaluators, from the second line of `explain`.
fn change_told(evaluators: &str, runs: [&str; 2], options: &str) -> String {
    let suite = format!("cases: cases.jsonl\nevaluators: [{evaluators}]\ngates: []\n");
    let place = Place::new().with("suite.yaml", &suite);
    for run in runs {
        std::fs::write(place.path("cases.jsonl"), run).unwrap();
        place.run("run suite.yaml -q", &[]);
    }
    let said = place.check(&format!("explain 2 {options}"), &[], 0, &[]);
    after_head(&said.stdout)
}

/// The output of `explain` after its first line, on one line.
fn after_head(said: &str) -> String {
    let lines = said.lines().skip(1).take_while(|it| !it.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

#[test]
fn changed_case_is_not_marked_as_same() {
    const PASSES: &str = "{evaluator: trajectory, score: recall, threshold: 1, name: rc}";
    let case = |actual: &str| {
        format!(r#"{{"id":"a","trial":1,"expected":["find","pay"],"actual":{actual}}}"#)
    };
    let half = case(r#"["look","find"]"#);
    let more = case(r#"["look","find","pay"]"#);
    // A cause is gone, and no cause is new.
    assert_eq!(
        change_told("trajectory", [&half, &more], "--case a"),
        "better than in run 1 (0.500 → 0.800); gone: pay was not called"
    );
    assert_eq!(
        change_told("trajectory", [&more, &half], "--case a"),
        "worse than in run 1 (0.800 → 0.500); new cause: pay was not called"
    );
    assert_eq!(
        change_told(PASSES, [&half, &more], "--case a --trial 1"),
        "fixed: in run 1 the case failed; gone: pay was not called"
    );
    // A low score of an evaluator without a threshold is not a failure.
    assert_eq!(
        change_told(&format!("{PASSES}, trajectory"), [&more, &half], "--case a"),
        "new: in run 1 the case passed; new cause: pay was not called"
    );
    let no_run = r#"{"id":"a","trial":1,"expected":["find","pay"]}"#;
    assert_eq!(
        change_told(PASSES, [&more, no_run], "--case a"),
        "no longer judged: in run 1 the case passed; no run found"
    );
    assert_eq!(
        change_told(PASSES, [no_run, &more], "--case a"),
        "new: run 1 did not judge the case"
    );
    assert_eq!(
        change_told(PASSES, [&more, &more], "--case a"),
        "same as in run 1"
    );
}

#[test]
fn repeated_where_keys_are_alternatives_in_the_history() {
    let case = |id: &str, model: &str, tool: &str| {
        format!(r#"{{"id":"{id}","model":"{model}","expected":["find"],"actual":["{tool}"]}}"#)
    };
    let cases = [
        case("a", "first", "find"),
        case("b", "second", "look"),
        case("c", "third", "look"),
        case("b", "third", "peek"),
    ];
    let place = Place::with_cases(&cases).with(
        "suite.yaml",
        "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\n",
    );
    place.check("run suite.yaml --quiet", &[], 1, &[]);
    for target in ["suite.yaml", "latest"] {
        for (chosen, wanted) in [
            (
                "--where model=first --where model=second",
                "b · cases.jsonl:2",
            ),
            ("--where model=third", "c · cases.jsonl:3"),
            ("--where model=first", "a · cases.jsonl:1"),
            ("--case b --where model=third", "b · cases.jsonl:4"),
        ] {
            let shown = place.check(&format!("explain {target} {chosen}"), &[], 0, &[]);
            assert!(shown.stdout.contains(wanted), "{chosen}\n{}", shown.stdout);
        }
        // The note mentions the other model of the case.
        let other = "the case has other runs too: --where model=third";
        place.check(&format!("explain {target} --case b"), &[], 0, &[other]);
    }
}

#[test]
fn differing_arguments_are_not_cut_on_narrow_screens() {
    let call = |number: u64| {
        format!(
            r#"[{{"name":"exchange_delivered_order_items","args":{{"order":"https://example.com/orders/{number}/refund","note":"{}{number}"}}}}]"#,
            "n".repeat(50)
        )
    };
    let case = format!(
        r#"{{"id":"refund-of-a-long-name-7","expected":{},"actual":{}}}"#,
        call(1042),
        call(1024)
    );
    let suite =
        "cases: cases.jsonl\nevaluators: [trajectory]\ngates:\n  - trajectory: {mean: '>= 0.9'}\n";
    let place = Place::with_cases(&[case]).with("suite.yaml", suite);
    for columns in ["60", "80", "100", "140"] {
        for (line, code) in [
            ("score cases.jsonl -e trajectory", 0),
            ("run suite.yaml --no-history", 1),
        ] {
            let mut command = place.command();
            let said = said(
                command
                    .env("COLUMNS", columns)
                    .args(line.split_whitespace()),
            );
            assert_eq!(said.code, code, "{}", said.stderr);
            let said = said.stdout;
            let text: String = said.split_whitespace().collect();
            for part in ["1042/refund", "1024/refund", "n1042", "n1024"] {
                assert!(text.contains(part), "{columns}, {line}: {part}\n{said}");
            }
        }
    }
}

#[test]
fn similar_case_is_suggested_once_despite_its_trials() {
    let trial = |at: u32| low("pay-1").replacen('{', &format!(r#"{{"trial":{at},"#), 1);
    let place = Place::with_cases(&[trial(1), trial(2), low("pay-2")]).with(
        "suite.yaml",
        "cases: cases.jsonl\nevaluators: [trajectory]\n",
    );
    place.run("run suite.yaml -q", &[]);
    let help = "help: did you mean `pay-1` or `pay-2`?\n";
    place.check("explain 1 --case pay", &[], 2, &[help]);
}

/// Runs in one list have no ids; two of the three call a tool.
const LISTED: &str = r#"[
{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"fine"}]},
{"messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"look","arguments":"{}"}}]}]},
{"messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"refund","arguments":"{}"}}]}]}
]
"#;

#[test]
fn runs_in_a_list_are_separate_cases() {
    let rules = "evaluators: [{evaluator: constraints, forbidden: refund}]\n";
    let on_one_line = LISTED.replace('\n', "");
    for (list, name) in [(LISTED, "runs.json:4"), (&on_one_line, "runs.json:1#3")] {
        let place = Place::new()
            .with("runs.json", list)
            .with("suite.yaml", format!("cases: runs.json\n{rules}"));
        let wanted = [name, "refund", "score 0.000"];
        check(&place, "run suite.yaml", 1, &wanted);
        let said = place.check("run suite.yaml", &[], 1, &[]).stdout;
        assert!(said.contains("why 1 of 3 cases failed"), "{said}");
        let line = "explain -e constraints,forbidden=refund";
        for said in [
            place.check("explain", &[name], 0, &[]),
            place.check(line, &[name], 0, &[]),
        ] {
            assert!(said.stdout.contains("refund"), "{}", said.stdout);
        }
        place.check(
            line,
            &["runs.json:9"],
            2,
            &["there is no case at runs.json:9"],
        );
    }
}
