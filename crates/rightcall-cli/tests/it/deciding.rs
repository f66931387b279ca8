//! Which conditions decide the exit code, and the note if none does.

use crate::{Place, good, low};

const WRITTEN: &str = "no gate or threshold is set, so this run cannot fail (exit code 0)";
const EMPTY: &str = "the list of gates is empty, so this run cannot fail (exit code 0)";

/// A suite with one good and one low case.
fn suite(evaluator: &str, more: &str) -> Place {
    let suite = format!("cases: cases.jsonl\nevaluators: [{evaluator}]\n{more}");
    Place::with_cases(&[good("a"), low("b")]).with("suite.yaml", suite)
}

/// A suite with cases and runs that have different ids.
fn disjoint(more: &str) -> Place {
    let of = |key: &str, names: [&str; 2]| {
        names
            .map(|name| format!(r#"{{"id":"{name}","{key}":["find"]}}"#))
            .join("\n")
    };
    Place::new()
        .with("cases.jsonl", of("expected", ["a", "b"]))
        .with("runs.jsonl", of("actual", ["c", "d"]))
        .with("empty.jsonl", "")
        .with(
            "suite.yaml",
            format!(
                "cases: cases.jsonl\ntraces: runs.jsonl\nevaluators: [tool-call-order]\n{more}"
            ),
        )
}

#[test]
fn no_run_that_matches_a_case_is_an_error() {
    let said = "error: no run matches a case (exit code 2)";
    let help = "no run has the id of a case, and many tools give each run a new id";
    let gates = "gates:\n  - tool-call-order: {not_applicable: '>= 0'}\n";
    for (more, quiet) in [
        ("", ""),
        ("", " -q"),
        (gates, ""),
        (gates, " -q"),
        ("gates: []\n", ""),
        ("gates: []\n", " -q"),
    ] {
        let place = disjoint(more);
        for format in ["table", "jsonl"] {
            place.check(
                &format!("run suite.yaml --format {format}{quiet}"),
                &[],
                2,
                &[said, help],
            );
            let score = format!(
                "score cases.jsonl -e tool-call-order --traces runs.jsonl --format {format}{quiet}"
            );
            let found = place.check(&score, &[], 2, &[said, help]);
            assert!(
                !found.stdout.contains("this run cannot fail")
                    && !found.stderr.contains("exit code 1"),
                "{}",
                found.stderr
            );
        }
        // One matching id is enough: -k selects cases, not runs.
        let place = place.with(
            "cases.jsonl",
            "{\"id\":\"c\",\"expected\":[\"find\"]}\n{\"id\":\"e\",\"expected\":[\"find\"]}\n",
        );
        let score = format!("score cases.jsonl -e tool-call-order --traces runs.jsonl -k e{quiet}");
        assert!(
            !place
                .check(&score, &[], 0, &[])
                .stderr
                .contains("no run matches a case")
        );
    }
    disjoint("").check(
        "score cases.jsonl -e tool-call-order --traces empty.jsonl -q",
        &[],
        2,
        &[said, "the traces hold no run"],
    );
    // Runs inside the cases do not replace the requested ones.
    let own = disjoint("").with("cases.jsonl", good("a"));
    own.check(
        "score cases.jsonl -e tool-call-order --traces runs.jsonl",
        &[],
        2,
        &[said],
    );
    own.check("run suite.yaml", &[], 2, &[said]);
}

#[test]
fn unmatched_ignore_accepts_a_run_without_any_match() {
    let left_out = "2 cases without a run left out, as `unmatched: ignore` says";
    disjoint("unmatched: ignore\n").check("run suite.yaml", &[], 0, &[left_out]);
    disjoint("unmatched: ignore\ngates: []\n").check("run suite.yaml", &[], 0, &[left_out]);
    // A gate on no judged case still fails.
    for gate in [
        "{mean: '>= 0'}",
        "{errors: '= 0'}",
        "{not_applicable: '= 0'}",
    ] {
        let gated = disjoint(&format!(
            "unmatched: ignore\ngates:\n  - tool-call-order: {gate}\n"
        ));
        let said = gated.check("run suite.yaml", &[], 2, &[left_out]);
        assert!(said.stdout.contains("gate failed: "), "{}", said.stdout);
    }
}

#[test]
fn suite_expectation_judges_runs_without_a_case() {
    let more = "expect: {order: [find]}\n";
    // Cases with their own runs need the given ones too.
    let own = disjoint(more).with("cases.jsonl", good("a"));
    own.check("run suite.yaml", &[], 2, &["no run matches a case"]);
    disjoint(more).check("run suite.yaml", &[], 2, &["no run matches a case"]);
    disjoint(&format!("unmatched: ignore\n{more}")).check("run suite.yaml", &[], 0, &[]);
}

#[test]
fn evaluator_with_its_own_verdict_decides_the_exit_code() {
    for evaluator in ["agentevals/trajectory-match", "tau2/action-check"] {
        let place = suite(evaluator, "");
        let said = format!("{evaluator}: 1 case failed (exit code 1)");
        place.check("run suite.yaml", &[], 1, &[&said]);
        place.check(
            &format!("score cases.jsonl -e {evaluator}"),
            &[],
            1,
            &[&said],
        );
        place.check(
            &format!("score cases.jsonl -e {evaluator} -k a"),
            &[],
            0,
            &[],
        );
        place.check(
            &format!("score cases.jsonl -e {evaluator} -q --format csv"),
            &[],
            1,
            &[],
        );
        // The user's threshold overrides the evaluator's own verdict.
        place.check(
            &format!("score cases.jsonl -e {evaluator},threshold=0"),
            &[],
            0,
            &[],
        );
        place.check(
            &format!("score cases.jsonl -e {evaluator},threshold=1"),
            &[],
            1,
            &["1 score below the threshold"],
        );
        suite(evaluator, "gates:\n  - passed: '>= 50%'\n").check("run suite.yaml", &[], 0, &[]);
    }
}

/// It used to be judged by an empty case and an example whose settings were ignored: without `tool_name`, it never decided.
#[test]
fn tool_named_in_the_case_decides_like_one_in_the_settings() {
    let place = Place::with_cases(&[good("a"), low("b")]);
    for settings in ["", ",tool_name=find"] {
        let line = format!("score cases.jsonl -e strands/tool-called{settings}");
        let said = "strands/tool-called: 1 case failed (exit code 1)";
        place.check(&line, &[], 1, &[said]);
    }
}

#[test]
fn default_threshold_never_decides() {
    for evaluator in [
        "axion/tool-correctness",
        "deepeval/tool-correctness",
        "adk/trajectory",
        "uipath/tool-call-order",
    ] {
        let place = suite(evaluator, "");
        for line in [
            "run suite.yaml".to_owned(),
            format!("score cases.jsonl -e {evaluator}"),
        ] {
            let said = place.check(&line, &[], 0, &[]);
            assert!(
                said.stdout.ends_with(&format!("\n\n{WRITTEN}\n")),
                "{}",
                said.stdout
            );
        }
        place.check(
            &format!("score cases.jsonl -e {evaluator},threshold=0.5"),
            &[],
            1,
            &[],
        );
    }
}

#[test]
fn reports_show_that_no_run_matches_a_case() {
    let place = disjoint("");
    place.check(
        "score cases.jsonl -e tool-call-order --traces runs.jsonl --report markdown=report.md",
        &[],
        2,
        &[],
    );
    assert!(
        place.read("report.md").contains("no run matches a case"),
        "{}",
        place.read("report.md")
    );
}

#[test]
fn with_an_empty_list_of_gates_no_run_can_fail() {
    for evaluator in [
        "{evaluator: tool-call-order, threshold: 1}",
        "agentevals/trajectory-match",
    ] {
        suite(evaluator, "").check("run suite.yaml", &[], 1, &[]);
        let empty = suite(evaluator, "gates: []\n");
        assert!(
            empty
                .check("run suite.yaml", &[], 0, &[])
                .stdout
                .ends_with(&format!("\n\n{EMPTY}\n"))
        );
        // A case that cannot be scored still ends with exit code 2.
        let broken = empty.with("cases.jsonl", format!("{}\n{{\n", good("a")));
        let said = broken.check("run suite.yaml", &[], 2, &[]);
        assert!(
            !said.stdout.contains("this run cannot fail"),
            "{}",
            said.stdout
        );
    }
    let profiles = "gates:\n  - tool-call-order: {min: '= 1'}\nprofiles:\n  look:\n    gates: []\n";
    let place = suite("tool-call-order", profiles);
    place.check("run suite.yaml", &[], 1, &[]);
    place.check("run suite.yaml --profile look", &[], 0, &[]);
    suite("tool-call-order", "gates:\n").check(
        "run suite.yaml",
        &[],
        2,
        &["/gates: expected a list of gates, found nothing"],
    );
}

#[test]
fn machine_output_has_no_note_if_no_run_can_fail() {
    let place = suite("tool-call-order", "");
    let lines = [
        ("run suite.yaml", ""),
        ("score cases.jsonl -e tool-call-order", ""),
        ("run suite.yaml", " -o -"),
    ];
    for ((line, more), format) in lines
        .into_iter()
        .flat_map(|line| ["jsonl", "json", "csv"].map(|format| (line, format)))
    {
        let said = place.check(&format!("{line} --format {format}{more}"), &[], 0, &[]);
        assert!(
            said.stderr.ends_with(&format!("{WRITTEN}\n")),
            "{}",
            said.stderr
        );
        assert!(
            !said.stdout.contains("this run cannot fail"),
            "{}",
            said.stdout
        );
        let quiet = place.check(&format!("{line} --format {format}{more} -q"), &[], 0, &[]);
        assert_eq!((quiet.stdout, quiet.stderr.as_str()), (said.stdout, ""));
    }
    // With results in a file, the screen is printed too.
    let said = place.check("run suite.yaml -o results.jsonl", &[], 0, &[]);
    assert!(
        said.stdout.ends_with(&format!("{WRITTEN}\n")) && said.stderr.is_empty(),
        "{}{}",
        said.stdout,
        said.stderr
    );
}

#[test]
fn gate_on_case_counts_fails_without_cases() {
    for (statistic, code) in [
        ("errors", 2),
        ("not_applicable", 2),
        ("errors: '= 0', mean", 2),
    ] {
        for choice in ["tag: nowhere", "meta: {model: none}", "by: model"] {
            let gates =
                format!("gates:\n  - tool-call-order: {{{statistic}: '>= 0'}}\n    {choice}\n");
            let said = suite("tool-call-order", &gates).check("run suite.yaml", &[], code, &[]);
            assert!(
                said.stdout.contains("no case was judged, wanted "),
                "{}",
                said.stdout
            );
        }
    }
    suite(
        "tool-call-order",
        "gates:\n  - tool-call-order: {errors: '= 0', not_applicable: '= 0'}\n",
    )
    .check("run suite.yaml", &[], 0, &[]);
}

#[test]
fn ambiguous_short_name_lists_both_evaluators() {
    for (name, ids) in [
        (
            "tool-correctness",
            "write `axion/tool-correctness` or `deepeval/tool-correctness`",
        ),
        (
            "tool-call-accuracy",
            "write `evalite/tool-call-accuracy` or `ragas/tool-call-accuracy`",
        ),
    ] {
        let said = format!("several evaluators are called `{name}`: {ids}");
        let place = suite(name, "");
        place.check(
            "run suite.yaml",
            &[],
            2,
            &["suite.yaml:2 /evaluators/0: ", &said],
        );
        suite(&format!("{{evaluator: {name}}}"), "").check(
            "run suite.yaml",
            &[],
            2,
            &["/evaluators/0/evaluator: ", &said],
        );
        place.check(
            &format!("score cases.jsonl -e {name}"),
            &[],
            2,
            &["error: ", &said],
        );
        place.check(&format!("evaluators {name}"), &[], 2, &["error: ", &said]);
    }
    suite("toolCallAccuracy", "").check("run suite.yaml", &[], 0, &[]);
}

#[test]
fn mode_and_weights_of_evalite_cases_are_applied() {
    let calls = r#""expectedCalls":[{"toolName":"f","input":{}},{"toolName":"g","input":{"x":1}}],"actualCalls":[{"toolName":"g","input":{"x":2}},{"toolName":"f","input":{}}]"#;
    let case = |id: &str, more: &str| format!(r#"{{"id":"{id}",{calls}{more}}}"#);
    let place = Place::with_cases(&[
        case("plain", ""),
        case("flexible", r#","mode":"flexible""#),
        case("weighed", r#","mode":"flexible","weights":{"nameOnly":0}"#),
        case("null", r#","mode":null"#),
    ]);
    let said = place
        .check(
            "score cases.jsonl -e toolCallAccuracy --format csv",
            &[],
            0,
            &[],
        )
        .stdout;
    let scores: Vec<_> = said
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(5).unwrap())
        .collect();
    assert_eq!(scores, ["0.0", "0.75", "0.5", "0.0"]);
    for (more, message) in [
        (
            r#","mode":"flexibel""#,
            "`mode` takes one of exact, flexible, found the text \\\"flexibel\\\"",
        ),
        (
            r#","weights":{"Exact":1}"#,
            "has no setting `weights.Exact`; did you mean `exact`?",
        ),
    ] {
        let said = Place::with_cases(&[case("a", more)]).check(
            "score cases.jsonl -e toolCallAccuracy --format jsonl",
            &[],
            2,
            &[],
        );
        assert!(
            said.stdout
                .contains("what the case states beside its calls: ")
                && said.stdout.contains(message),
            "{}",
            said.stdout
        );
    }
    let other = Place::with_cases(&[case("a", r#","Mode":"flexible""#)]);
    other.check(
        "score cases.jsonl -e toolCallAccuracy",
        &[],
        2,
        &["cases.jsonl:1 /Mode: expected `mode`, found `Mode`"],
    );
    place.check(
        "score cases.jsonl -e toolCallAccuracy,weights.Exact=1",
        &[],
        2,
        &["no setting `weights.Exact`; did you mean `exact`?"],
    );
}

#[test]
fn unknown_mode_for_a_tool_is_an_error() {
    let said = "`tool_args_match_overrides.find` takes exact, ignore, subset, superset or a list of dotted paths, found the text \"exat\"";
    suite("agentevals/trajectory-match", "").check(
        "score cases.jsonl -e",
        &[r#"agentevals/trajectory-match,tool_args_match_overrides={"find":"exat"}"#],
        2,
        &[said],
    );
    suite(
        "{evaluator: agentevals/trajectory-match, tool_args_match_overrides: {find: exat}}",
        "",
    )
    .check(
        "run suite.yaml",
        &[],
        2,
        &[
            "suite.yaml:2 /evaluators/0/tool_args_match_overrides/find: ",
            said,
        ],
    );
}

#[test]
fn numbers_out_of_range_are_errors() {
    let place = suite("tool-call-order", "");
    place.check("run suite.yaml", &[], 0, &[]);
    for mark in ["NaN", "inf", "-inf", "half"] {
        place.check(
            &format!("compare latest --pass-mark={mark}"),
            &[],
            2,
            &["--pass-mark", "expected a number"],
        );
    }
    for mark in ["-0.1", "1.5", "80"] {
        place.check(
            &format!("compare latest --pass-mark={mark}"),
            &[],
            2,
            &["a score is a number from 0 to 1", "--against FIELD"],
        );
    }
    for threads in ["0", "513", "100000", "18446744073709551616"] {
        let said = ["--threads", "expected a number from 1 to 512"];
        place.check(
            &format!("run suite.yaml --threads {threads}"),
            &[],
            2,
            &said,
        );
        place.check(
            &format!("inspect cases.jsonl --threads {threads}"),
            &[],
            2,
            &said,
        );
    }
    place.check("run suite.yaml --threads 512", &[], 0, &[]);
    for threshold in ["80", "-1"] {
        let line = format!("score cases.jsonl -e tool-call-order,threshold={threshold}");
        place.check(&line, &[], 2, &["`threshold` takes a number from 0 to 1"]);
    }
}
