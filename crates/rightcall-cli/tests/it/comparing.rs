//! `compare`: runs and files, gates on changes, baselines.

use crate::{Place, good, low};

const SUITE: &str = "cases: cases.jsonl\nevaluators:\n  - {evaluator: tool-call-order, name: order, threshold: 0.5}\n  - axion/tool-correctness\n";

/// Cases with several trials each; every `n`th case is low.
fn cases(number: usize, n: usize, trials: usize) -> String {
    let case = |at: usize, trial: usize| {
        let id = format!("case-{at:02}");
        let line = if (at + trial).is_multiple_of(n) {
            low(&id)
        } else {
            good(&id)
        };
        line.replacen(
            '{',
            &format!(
                r#"{{"trial":{trial},"reward":{},"#,
                usize::from(!(at + 2 * trial).is_multiple_of(n))
            ),
            1,
        ) + "\n"
    };
    (0..number)
        .flat_map(|at| (0..trials).map(move |trial| (at, trial)))
        .map(|(at, trial)| case(at, trial))
        .collect()
}

fn place() -> Place {
    let place = Place::new()
        .with("suite.yaml", SUITE)
        .with("cases.jsonl", cases(30, 40, 1));
    place.check("run suite.yaml -o one.jsonl --explain --quiet", &[], 1, &[]);
    let place = place.with("cases.jsonl", cases(30, 2, 1));
    place.check("run suite.yaml -o two.json --explain --quiet", &[], 1, &[]);
    place
}

#[test]
fn two_runs_are_compared_case_by_case() {
    let place = place();
    let said = place.check("compare latest~1 latest", &[], 0, &[]).stdout;
    for part in [
        "run 1 (30 cases) against run 2 (30 cases)\n",
        "\n  order                          30   0.967   0.500   -0.467   ",
        "worse (p < 0.001)",
        "\n    passed                       30  96.7 %  50.0 %    -46.7   ",
        "p-values are corrected for 2 evaluators",
        "\n  14 cases got worse, 0 better\n    case-02  1.000 → 0.000   now find was not called\n",
        "\n    … and 4 more that got worse\n",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    for (length, more) in [
        ("--all", None),
        ("--limit 2", Some("… and 12 more that got worse")),
    ] {
        let line = format!("compare 1 2 {length}");
        let said = place.check(&line, &[], 0, &[]).stdout;
        let moved = said
            .lines()
            .filter(|it| it.contains("1.000 → 0.000"))
            .count();
        assert_eq!(moved, if more.is_some() { 2 } else { 14 }, "{said}");
        assert!(
            more.map_or(!said.contains("… and"), |more| said.contains(more)),
            "{said}"
        );
    }
    let markdown = place
        .check("compare 1 2 --limit 3 --format markdown", &[], 0, &[])
        .stdout;
    assert!(
        markdown.contains("… and 11 more") && !markdown.contains("`case-10`"),
        "{markdown}"
    );
    let same = place.check("compare latest 2", &[], 0, &[]).stdout;
    assert!(
        same.contains("  the same\n") && same.contains("no case moved"),
        "{same}"
    );
    // The same results, read from the runs' output files.
    let table = |said: &str| {
        said.lines()
            .skip_while(|line| !line.starts_with("  evaluator"))
            .skip(1)
            .take(6)
            .map(ToOwned::to_owned)
            .collect::<Vec<_>>()
    };
    let files = place
        .check("compare one.jsonl two.json", &[], 0, &[])
        .stdout;
    assert_eq!(table(&files), table(&said));
    let json = place.check("compare 1 2 --format json", &[], 0, &[]).stdout;
    assert!(
        json.contains(
            r#""evaluator":"order","score":{"cases":30,"before":0.9666666666666667,"after":0.5,"#
        ),
        "{json}"
    );
    assert!(json.contains(r#""test":"mcnemar","p":0.000122"#), "{json}");
}

/// Cases that moved by the same amount are sorted by name on the screen, in Markdown and in HTML.
#[test]
fn equal_changes_are_sorted_by_name_in_all_formats() {
    let of = |scored: fn(&str) -> String| ["b", "c", "a"].map(scored).join("\n");
    let place = Place::new()
        .with("low.jsonl", of(low))
        .with("good.jsonl", of(good));
    for files in ["low.jsonl good.jsonl", "good.jsonl low.jsonl"] {
        for (format, [open, close]) in [
            ("table", ["\n    ", "  "]),
            ("markdown", ["\n| `", "` |"]),
            (
                "html",
                [
                    "<tr><th scope=\"row\"><bdi>",
                    "</bdi></th><td class=\"number\">",
                ],
            ),
        ] {
            let line = format!("compare {files} -e tool-call-order --format {format}");
            let said = place.check(&line, &[], 0, &[]).stdout;
            let at = ["a", "b", "c"].map(|key| said.find(&[open, key, close].concat()));
            assert!(at[0].is_some() && at.is_sorted(), "{at:?}\n{said}");
        }
    }
}

#[test]
fn more_than_two_runs_share_a_table() {
    let place = place();
    let said = place.check("compare 1 2 one.jsonl", &[], 0, &[]).stdout;
    assert!(
        said.starts_with("30 cases that all have, against run 1\nrun 1 of suite.yaml, ")
            && said.contains("\n\n  order  "),
        "{said}"
    );
    assert!(
        said.contains("\n  run 2                        0.500  ")
            && said.contains("\n  one.jsonl                    0.967 best  ")
            && said.contains("the same\n"),
        "{said}"
    );
}

#[test]
fn gates_on_changes_decide_the_exit_code() {
    let place = place();
    for (gate, code) in [
        ("worse = 0", 1),
        ("worse <= 14", 0),
        ("order change_low >= -0.02", 1),
        ("order change >= -0.5", 0),
        ("passed change >= -10%", 1),
        ("axion/tool-correctness better = 0", 0),
    ] {
        place.check("compare 1 2 --gate", &[gate], code, &[]);
    }
    place.check(
        "compare 1 2 --gate",
        &["ordre worse = 0"],
        2,
        &[
            "no evaluator is named `ordre`",
            "the results have order, axion/tool-correctness",
        ],
    );
    place.check("compare 1 2 --gate", &["mean >= 0"], 2, &["`worse = 0`"]);
    place.check(
        "compare 1 --gate",
        &["worse = 0"],
        2,
        &["a gate on changes needs two runs"],
    );
}

#[test]
fn suite_compares_with_the_accepted_baseline() {
    let gates = "baseline: base.jsonl\ngates:\n  - score: {worse: '= 0'}\n  - order: {change_low: '>= -0.02'}\n  - passed: {change: '>= 0%'}\n";
    let place = Place::new()
        .with("suite.yaml", format!("{SUITE}{gates}"))
        .with("cases.jsonl", cases(30, 40, 1));
    place.check(
        "run suite.yaml",
        &[],
        2,
        &[
            "base.jsonl: no such file",
            "`rightcall run suite.yaml --accept` writes it",
        ],
    );
    let said = place.check(
        "run suite.yaml --accept",
        &[],
        1,
        &["base.jsonl is the baseline now: 30 cases"],
    );
    assert!(!said.stdout.contains("worse"), "{}", said.stdout);
    let base = place.read("base.jsonl");
    assert!(base.starts_with("{\"rightcall_baseline\":1,\"evaluators\":[\"order\",\"axion/tool-correctness\"]}\n{\"case\":\"case-00\",\"trial\":0,\"score\":0.0,"), "{base}");
    place.check("run suite.yaml", &[], 0, &[]);
    let place = place.with("cases.jsonl", cases(30, 2, 1));
    let said = place.check("run suite.yaml", &[], 1, &[]).stdout;
    for part in [
        "FAIL  score    worse           14   wanted = 0",
        "FAIL  order    change_low",
        "FAIL  passed   change     -46.7 %   wanted >= 0.0 %",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    place.check("compare 1 --accept again.jsonl", &[], 0, &[]);
    assert_eq!(place.read("again.jsonl"), base);
    assert!(
        place
            .check("compare base.jsonl latest", &[], 0, &[])
            .stdout
            .contains("14 cases got worse")
    );
    let place = place.with(
        "suite.yaml",
        format!("{SUITE}gates:\n  - score: {{worse: '= 0'}}\n"),
    );
    place.check(
        "run suite.yaml",
        &[],
        2,
        &["suite.yaml:6 /gates: a gate on changes, and no `baseline:` to compare with"],
    );
    place.check(
        "run suite.yaml --accept -k a",
        &[],
        2,
        &["cannot be used with"],
    );
}

#[test]
fn trials_and_predictions_are_shown() {
    let place = Place::new()
        .with("suite.yaml", SUITE)
        .with("cases.jsonl", cases(20, 3, 4));
    place.check("run suite.yaml", &[], 1, &[]);
    let said = place.check("compare latest", &[], 0, &[]).stdout;
    assert!(
        said.starts_with(
            "run 1 (20 cases × 4 trials)\n\n  trials   passed = every verdict on the trial\n"
        ),
        "{said}"
    );
    assert!(
        said.contains("  any of k (pass@k)   run 1   0.662  0.942  1.000  1.000\n"),
        "{said}"
    );
    // The list wraps at the end of the line.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words(&said).contains("20 cases × 4 trials; two trials of a case end alike in"),
        "{said}"
    );
    assert!(
        words(&said).contains("20 of 20 cases are flaky: case-"),
        "{said}"
    );
    let alone = place
        .check("run suite.yaml --no-history", &[], 1, &[])
        .stdout;
    assert!(
        alone.contains("\n  any of k (pass@k)    0.662  0.942  1.000  1.000\n"),
        "{alone}"
    );
    assert!(
        words(&alone).contains("20 of 20 cases are flaky: case-"),
        "{alone}"
    );
    let json = place
        .check("run suite.yaml --no-history --format json", &[], 1, &[])
        .stdout;
    assert!(
        json.contains(r#""trials":{"cases":20,"fewest_trials":4,"most_trials":4,"by_k":[{"k":1,"cases":20,"pass_at_k":0.6625"#)
    );
    for report in ["markdown", "html"] {
        let text = place
            .check(&format!("report latest --format {report}"), &[], 0, &[])
            .stdout;
        assert!(
            text.contains("any of k passes (pass@k)") && text.contains("94.2 %"),
            "{text}"
        );
        assert!(text.contains("20 of 20 cases are flaky"), "{text}");
        place.check(
            &format!("run suite.yaml --no-history -q --report {report}=report.{report}"),
            &[],
            1,
            &[],
        );
        assert!(place.read(&format!("report.{report}")).contains("94.2 %"));
    }
    let against = place
        .check("compare latest --against reward", &[], 0, &[])
        .stdout;
    assert!(
        against.contains("passed = reward >= 1") && against.contains("point-biserial"),
        "{against}"
    );
    place.check(
        "compare latest --against rewards",
        &[],
        2,
        &["no case has a number `rewards`"],
    );
    let marked = place
        .check("compare latest --pass-mark 0.4", &[], 0, &[])
        .stdout;
    assert!(
        marked.contains("passed = weighted score >= 0.4"),
        "{marked}"
    );
}

#[test]
fn incomparable_inputs_explain_why() {
    let place = place().with(
        "other.jsonl",
        "{\"case\":\"x\",\"evaluator\":\"y\",\"score\":1.0}\n",
    );
    place.check(
        "compare latest none",
        &[],
        2,
        &["the history has no run `none`"],
    );
    place.check(
        "compare latest other.jsonl",
        &[],
        2,
        &[
            "run 2 and other.jsonl have no case in common",
            "`case-00` and `x`",
            "--key",
        ],
    );
    place.check(
        "compare latest",
        &[],
        2,
        &["run 2: there is nothing to compare it with"],
    );
    place.check(
        "compare latest cases.jsonl",
        &[],
        2,
        &[
            "cases.jsonl:1: expected a result",
            "name evaluators with -e",
        ],
    );
    let scored = place.check(
        "compare cases.jsonl one.jsonl -e tool-call-order,name=order",
        &[],
        2,
        &["not all of it could be read"],
    );
    assert!(scored.stdout.is_empty());
}

#[test]
fn case_files_are_scored_and_paired_across_models() {
    let of = |model: &str, n: usize| -> String {
        let case = |at: usize| {
            let line = if at.is_multiple_of(n) {
                low(&format!("d/{model}/{at}"))
            } else {
                good(&format!("d/{model}/{at}"))
            };
            line.replacen('{', &format!(r#"{{"model":"{model}","#), 1) + "\n"
        };
        (0..12).map(case).collect()
    };
    let place = Place::new()
        .with("a.jsonl", of("a", 3))
        .with("b.jsonl", of("b", 50));
    let said = place
        .check("compare a.jsonl b.jsonl -e trajectory", &[], 0, &[])
        .stdout;
    assert!(
        said.contains("0 cases got worse, 3 better")
            && said.contains("d/3  0.000 → 1.000\n      no longer: find was not called"),
        "{said}"
    );
}

#[test]
fn change_gates_may_be_limited_to_tags_and_groups() {
    let tagged =
        |case: String, tag: &str| case.replacen('{', &format!(r#"{{"tags":["{tag}"],"#), 1);
    let gate = |words: &str| format!("  - {{score: {{worse: '= 0'}}, {words}}}\n");
    let gates = [
        gate("tag: fast"),
        gate("meta: {model: m}"),
        gate("by: tag"),
        gate("tag: none"),
    ]
    .concat();
    let suite = format!(
        "cases: cases.jsonl\nevaluators: [trajectory]\nbaseline: base.jsonl\ngates:\n{gates}"
    );
    let of_model = tagged(good("c"), "slow").replacen('{', r#"{"model":"m","#, 1);
    let place = Place::with_cases(&[
        tagged(good("a"), "fast"),
        tagged(good("b"), "slow"),
        of_model.clone(),
    ]);
    let place = place.with("suite.yaml", suite);
    place.check("run suite.yaml --accept", &[], 0, &[]);
    std::fs::write(
        place.path("cases.jsonl"),
        [
            tagged(good("a"), "fast"),
            tagged(low("b"), "slow"),
            of_model,
        ]
        .join("\n"),
    )
    .unwrap();
    // The gate on a tag that no case has is unjudged.
    let told = ["error: the gate on score [none] judged no case (exit code 2)"];
    let said = place.check("run suite.yaml", &[], 2, &told).stdout;
    let found = |label: &str| {
        let line = said
            .lines()
            .find(|line| line.contains(label) && line.contains("worse"))
            .unwrap_or(&said);
        line.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    for (label, verdict) in [
        ("score [fast]", "ok"),
        ("score [model=m]", "ok"),
        ("score [none]", "FAIL"),
        ("score [tag: slow]", "FAIL"),
    ] {
        assert_eq!(found(label), verdict, "{label}\n{said}");
    }
    assert!(said.contains("no case of both runs was judged"), "{said}");
}

#[test]
fn cause_in_an_earlier_trial_is_not_new() {
    let expected = r#"["find",{"name":"mail","args":{"template":"done"}}]"#;
    let case = |trial: u8, calls: &str| {
        format!(r#"{{"id":"refund","trial":{trial},"expected":{expected},"actual":[{calls}]}}"#)
            + "\n"
    };
    let find = r#"{"name":"find","args":{}}"#;
    let (right, other, cut) = (
        format!(r#"{find},{{"name":"mail","args":{{"template":"done"}}}}"#),
        format!(r#"{find},{{"name":"mail","args":{{"template":"generic"}}}}"#),
        find.to_owned(),
    );
    let before = case(1, &right) + &case(2, &cut) + &case(3, &right);
    let after = case(1, &other) + &case(2, &cut) + &case(3, &right);
    let place = Place::new()
        .with("before.jsonl", before)
        .with("after.jsonl", after);
    let told = "now mail: template differs (1 of 3 trials)";
    for format in ["", "--format markdown", "--format json"] {
        let command = format!("compare before.jsonl after.jsonl -e trajectory {format}");
        let said = place.check(&command, &[], 0, &[]).stdout;
        assert!(said.contains(told), "{said}");
        assert!(!said.contains("now mail was not called"), "{said}");
    }
}

/// Files of runs without expectations are compared by their calls.
#[test]
fn runs_without_expectations_are_compared_by_their_calls() {
    let run = |id: &str, amount: &str| {
        format!(
            r#"{{"id":"{id}","actual":[{{"name":"find","args":{{"id":7}}}},{{"name":"refund","args":{{"amount":{amount}}}}}]}}"#
        )
    };
    let file = |amounts: [&str; 2]| [run("a", amounts[0]), run("b", amounts[1])].join("\n");
    let place = Place::new()
        .with("monday.jsonl", file(["30", "1"]))
        .with("tuesday.jsonl", file(["47.88", "1"]));
    let shown = place
        .check("compare monday.jsonl tuesday.jsonl", &[], 0, &[])
        .stdout;
    for part in [
        "monday.jsonl (2 runs) against tuesday.jsonl (2 runs)\n",
        "\n  the calls of 1 run differ, of 2 runs in both files\n",
        "\n    a    call 2: refund: amount 30 → 47.88\n",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    let json = place.check(
        "compare monday.jsonl tuesday.jsonl --format json",
        &[],
        0,
        &[],
    );
    assert!(
        json.stdout.contains(r#"{"tool":"refund","before":2,"after":2,"same":1,"other_arguments":1,"only_before":0,"only_after":0}"#),
        "{}",
        json.stdout
    );
    let same = place
        .check("compare monday.jsonl monday.jsonl", &[], 0, &[])
        .stdout;
    assert!(
        same.contains("the calls of 2 runs in both files are the same"),
        "{same}"
    );
    let message = "a gate or a baseline needs scores";
    place.check(
        "compare monday.jsonl tuesday.jsonl --gate",
        &["worse = 0"],
        2,
        &[message],
    );
    // If any run has an expectation, an evaluator is required.
    let place = place.with("cases.jsonl", crate::good("a"));
    place.check(
        "compare monday.jsonl cases.jsonl",
        &[],
        2,
        &["name evaluators with -e"],
    );
}

#[test]
fn missing_files_and_empty_selections_are_errors() {
    let place = Place::new().with("runs.jsonl", good("a"));
    for (line, error) in [
        (
            "compare none.jsonl runs.jsonl",
            "error: none.jsonl: no such file\n",
        ),
        (
            "compare runs.jsonl runs.jsonl -e trajectory --where model=none",
            "error: runs.jsonl: no case is selected\n",
        ),
    ] {
        place.check(line, &[], 2, &[error]);
    }
    let help = place.check("compare --help", &[], 0, &[]).stdout;
    let formats = help.split("--format <FORMAT>").nth(1).unwrap_or_default();
    let formats = formats.split("--output").next().unwrap_or_default();
    assert!(
        formats.contains("- markdown:") && !formats.contains("- csv:"),
        "{formats}"
    );
}

#[test]
fn causes_of_trials_count_trials() {
    let trial = |at: u32| good("a").replacen('{', &format!(r#"{{"trial":{at},"#), 1);
    let low_trial = |at: u32| low("a").replacen('{', &format!(r#"{{"trial":{at},"#), 1);
    let place = Place::new()
        .with("before.jsonl", [trial(1), trial(2)].join("\n"))
        .with("after.jsonl", [low_trial(1), low_trial(2)].join("\n"))
        .with("good.jsonl", good("a"))
        .with("low.jsonl", low("a"));
    for (line, heading) in [
        (
            "compare before.jsonl after.jsonl",
            "\n  trials with each cause\n",
        ),
        (
            "compare good.jsonl low.jsonl",
            "\n  cases with each cause\n",
        ),
    ] {
        let said = place
            .check(&format!("{line} -e trajectory"), &[], 0, &[])
            .stdout;
        assert!(said.contains(heading), "{said}");
    }
}
