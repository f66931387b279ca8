//! Exit codes, suites and their history, and lists.

use crate::{Place, SCORE, good, low};

fn suite(gates: &str) -> Place {
    let suite = format!(
        "cases: '*.jsonl'\nevaluators:\n  - evaluator: uipath/tool-call-order\n    name: order\n    threshold: 0.5\n{gates}"
    );
    Place::with_cases(&[good("a"), low("b")]).with("suite.yaml", suite)
}

#[test]
fn threshold_of_the_user_decides_the_exit_code() {
    let place = Place::with_cases(&[good("a"), low("b")]);
    place.check(SCORE, &[], 0, &[]);
    place.check(
        "score cases.jsonl -e tool-call-order,threshold=0.5",
        &[],
        1,
        &["1 score below the threshold (exit code 1)"],
    );
    place.check(
        "score cases.jsonl -e tool-call-order,threshold=0",
        &[],
        0,
        &[],
    );
    suite("").check("run suite.yaml", &[], 1, &[]);
}

#[test]
fn input_errors_take_precedence_over_failed_thresholds() {
    let place = Place::with_cases(&[good("a"), low("b"), "{".to_owned()]);
    place.check(
        "score cases.jsonl -e tool-call-order,threshold=0.5",
        &[],
        2,
        &[],
    );
    place.check(
        "score cases.jsonl -e tool-call-order,threshold=0.5 --skip-invalid",
        &[],
        1,
        &[],
    );
}

#[test]
fn gates_override_thresholds() {
    let held = suite(
        "gates:\n  - order: {mean: '>= 0.5', min: '= 0', p50: '= 0.5', pass_rate: '>= 50%', errors: '= 0'}\n  - passed: '>= 50%'\n",
    );
    let said = held.check("run suite.yaml", &[], 0, &[]);
    assert!(
        said.stdout.ends_with("\n6 of 6 gates hold\n"),
        "{}",
        said.stdout
    );

    let missed = suite("gates:\n  - order: {mean: '>= 0.9'}\n");
    let said = missed.check("eval suite.yaml", &[], 1, &[]);
    assert!(
        said.stdout
            .contains("  FAIL  order   mean 0.500   wanted >= 0.900\n"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout.contains("1 case got 0 on order\n    b "),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout
            .ends_with("\ngate failed: order mean 0.500 < 0.900   (exit code 1)\n\n  rightcall explain suite.yaml --case b\n"),
        "{}",
        said.stdout
    );
    missed.check(
        "run suite.yaml --format jsonl",
        &[],
        1,
        &["gate failed: order mean 0.500 < 0.900   (exit code 1)"],
    );
}

#[test]
fn gate_may_be_limited_to_a_tag() {
    let tagged =
        |case: String, tag: &str| case.replacen('{', &format!("{{\"tags\":[\"{tag}\"],"), 1);
    let gate = |tag: &str| {
        format!(
            "cases: cases.jsonl\nevaluators: [tool-call-order]\ngates:\n  - tool-call-order: {{mean: '= 1'}}\n    tag: {tag}\n"
        )
    };
    for (tag, code) in [("fine", 0), ("refund", 1), ("nowhere", 2)] {
        let cases = [tagged(good("a"), "fine"), tagged(low("b"), "refund")];
        Place::with_cases(&cases)
            .with("suite.yaml", gate(tag))
            .check("run suite.yaml", &[], code, &[]);
    }
}

#[test]
fn failed_option_repeats_last_failures() {
    let place = suite("");
    place.check(
        "run suite.yaml --failed",
        &[],
        2,
        &["error: there is no last run of this suite"],
    );
    place.check("run suite.yaml", &[], 1, &[]);
    let again = place
        .check("run suite.yaml --failed --format csv", &[], 1, &[])
        .stdout;
    assert!(
        again.lines().count() == 3 && again.contains("\nb,,uipath") && again.contains("\nb,,"),
        "{again}"
    );

    let mended = place.with("cases.jsonl", good("a") + "\n" + &good("b"));
    mended.check("run suite.yaml --failed", &[], 0, &[]);
    mended.check(
        "run suite.yaml --failed",
        &[],
        2,
        &["error: no case failed in the last run"],
    );
}

#[test]
fn cases_are_selected_by_text_and_tag() {
    let tagged = good("Refund-2").replacen('{', r#"{"tags":["x","y"],"#, 1);
    let place = Place::with_cases(&[good("refund-1"), tagged, good("order-1")]);
    let scored = |more: &[&str]| place.check(SCORE, more, 0, &[]).stdout.lines().count();
    assert_eq!(scored(&["-k", "refund"]), 2);
    assert_eq!(scored(&["--tag", "y", "--tag", "z"]), 1);
    assert_eq!(scored(&["-k", "2", "--tag", "x"]), 1);
}

#[test]
fn runs_in_other_files_are_joined_by_id() {
    let expected = r#"{"id":"a","expected":["find"]}"#;
    let run = r#"{"id":"a","actual":[{"name":"find","args":{}}]}"#;
    let place = Place::new()
        .with("cases.jsonl", expected)
        .with("runs.jsonl", run);
    assert!(
        place
            .check(SCORE, &[], 0, &[])
            .stdout
            .contains(r#""outcome":"not_applicable","reason":"no run"#)
    );
    let joined = place
        .check(SCORE, &["--no-details", "--traces", "runs.jsonl"], 0, &[])
        .stdout;
    assert_eq!(
        joined,
        "{\"case\":\"a\",\"evaluator\":\"uipath/tool-call-order\",\"score\":1.0}\n"
    );
}

fn joined(unmatched: &str, gates: &str) -> Place {
    let expected = |id: &str| format!(r#"{{"id":"{id}","expected":["find"]}}"#);
    let run = |id: &str| format!(r#"{{"id":"{id}","actual":["find"]}}"#);
    let suite = format!(
        "cases: cases.jsonl\ntraces: runs.jsonl\n{unmatched}evaluators:\n  - {{evaluator: tool-call-order, threshold: 1}}\n{gates}"
    );
    Place::with_cases(&[expected("a"), expected("b")])
        .with("runs.jsonl", [run("a"), run("c")].join("\n"))
        .with("suite.yaml", suite)
}

#[test]
fn case_without_a_run_fails_and_run_without_a_case_is_reported() {
    let place = joined("", "");
    let unused = "warning: 1 run without a case: runs.jsonl:2";
    let said = place.check(
        "run suite.yaml --format jsonl --no-details",
        &[],
        1,
        &["1 case failed: no run found (exit code 1;", unused],
    );
    let missing =
        r#"{"case":"b","outcome":"not_applicable","reason":"no run found","passed":false}"#;
    assert!(said.stdout.contains(missing), "{}", said.stdout);
    let table = place.check("run suite.yaml", &[], 1, &[unused]).stdout;
    assert!(
        table.contains("no run found for 1 case\n    b  "),
        "{table}"
    );
    let again = place
        .check("run suite.yaml --failed --format csv", &[], 1, &[])
        .stdout;
    assert!(
        again.lines().count() == 3
            && again.ends_with("\nb,,,,not_applicable,,false,no run found,,cases.jsonl,2\n"),
        "{again}"
    );

    let ignored = joined("unmatched: ignore\n", "");
    let said = ignored.check(
        "run suite.yaml --format csv",
        &[],
        0,
        &["1 case without a run left out"],
    );
    assert!(!said.stdout.contains("\nb,"), "{}", said.stdout);
}

/// Cases and runs without ids.
fn in_order(cases: &[&str], runs: &[&str]) -> Place {
    let lines = |key: &str, names: &[&str]| {
        names
            .iter()
            .map(|name| format!("{{\"{key}\":[\"{name}\"]}}"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    Place::new()
        .with("cases.jsonl", lines("expected", cases))
        .with("runs.jsonl", lines("actual", runs))
        .with(
            "suite.yaml",
            "cases: cases.jsonl\ntraces: runs.jsonl\njoin: order\nevaluators: [trajectory]\n",
        )
}

#[test]
fn cases_and_runs_are_joined_by_order() {
    let names: Vec<_> = (0..3000).map(|number| format!("tool_{number}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let place = in_order(&names, &names);
    let table = |threads: &str| {
        place
            .check(
                "run suite.yaml --format csv",
                &["--threads", threads],
                0,
                &[],
            )
            .stdout
    };
    assert_eq!(table("1").matches(",trajectory,,scored,1.0,").count(), 3000);
    assert_eq!(table("3"), table("1"));
    // Selecting one case does not change the position of the others, and `explain` finds the case at its place.
    place.check(
        "run suite.yaml -k cases.jsonl:2999 --format csv",
        &[],
        0,
        &[],
    );
    let explained = place
        .check("explain suite.yaml --case cases.jsonl:2999", &[], 0, &[])
        .stdout;
    assert!(
        explained.contains("tool_2998") && !explained.contains("missed"),
        "{explained}"
    );
    // Runs of several files are numbered through, both in lists and in lines.
    let two = in_order(&["a", "b", "c"], &["a", "b"]).with("more.json", r#"[{"actual":["c"]}]"#);
    let score =
        "score cases.jsonl -e trajectory --traces runs.jsonl more.json --join order --format csv";
    assert_eq!(
        two.check(score, &[], 0, &[])
            .stdout
            .matches(",1.0,")
            .count(),
        3
    );
}

#[test]
fn unequal_numbers_of_cases_and_runs_are_an_error() {
    let fewer = in_order(&["a", "b", "c"], &["a"]);
    let told = [
        "cases.jsonl:2: case number 2 has no run: there are 1",
        "cases.jsonl:3: case number 3 has no run",
        "--join order needs one run per case",
    ];
    fewer.check("run suite.yaml", &[], 2, &told);
    fewer.check(
        "convert cases.jsonl --traces runs.jsonl --join order",
        &[],
        2,
        &told,
    );
    fewer.check(
        "review cases.jsonl --traces runs.jsonl --join order --check",
        &[],
        2,
        &told,
    );
    let more = in_order(&["a"], &["a", "b", "c"]);
    more.check(
        "run suite.yaml",
        &[],
        2,
        &[
            "error: 2 runs without a case: runs.jsonl:2, runs.jsonl:3",
            "--join order needs one run per case",
        ],
    );
    more.check(
        "convert cases.jsonl --traces runs.jsonl --join order",
        &[],
        2,
        &["error: 2 runs without a case"],
    );
    more.check(
        "record runs.jsonl --join order",
        &[],
        2,
        &["--join order gives a case no name"],
    );
    // An invalid record keeps its position.
    let broken = in_order(&["a", "b"], &["a", "b"])
        .with("runs.jsonl", "{\"actual\"\n{\"actual\":[\"b\"]}\n");
    let said = broken.check(
        "run suite.yaml --format csv",
        &[],
        2,
        &["case number 1 has a run that could not be read"],
    );
    assert!(
        said.stdout
            .contains("cases.jsonl:2,,trajectory,,scored,1.0,"),
        "{}",
        said.stdout
    );
}

#[test]
fn gates_count_a_case_without_a_run_as_not_passed() {
    for (unmatched, gate, code) in [
        ("", "passed: '= 100%'", 1),
        ("", "passed: '>= 50%'", 0),
        (
            "",
            "tool-call-order: {pass_rate: '>= 60%', applicable: '> 0'}",
            1,
        ),
        (
            "",
            "tool-call-order: {pass_rate: '>= 50%', applicable: '> 0'}",
            0,
        ),
        ("", "tool-call-order: {mean: '= 1'}", 1),
        (
            "",
            "tool-call-order: {mean: '= 1', applicable: '>= 50%'}",
            0,
        ),
        ("unmatched: ignore\n", "passed: '= 100%'", 0),
        ("unmatched: ignore\n", "tool-call-order: {mean: '= 1'}", 0),
    ] {
        joined(unmatched, &format!("gates:\n  - {gate}\n")).check("run suite.yaml", &[], code, &[]);
    }
}

#[test]
fn with_a_suite_expectation_runs_need_no_case() {
    let run =
        |id: &str, tag: &str| format!(r#"{{"id":"{id}","tags":["{tag}"],"actual":["find"]}}"#);
    let suite = |cases: &str| {
        format!(
            "{cases}traces: runs.jsonl\nexpect:\n  - when: {{tag: x}}\n    order: [find]\nevaluators: [tool-call-order]\n"
        )
    };
    let place = Place::with_cases(&[r#"{"id":"a","expected":["find", "look"]}"#.to_owned()])
        .with(
            "runs.jsonl",
            [run("a", "x"), run("b", "x"), run("c", "y")].join("\n"),
        )
        .with("alone.yaml", suite(""))
        .with("both.yaml", suite("cases: cases.jsonl\n"));
    let scores = |suite: &str, threads: &str| {
        let line = format!("run {suite} --format csv --threads {threads}");
        let said = place.check(
            &line,
            &[],
            0,
            &["1 run left out: no entry of `expect:` matches it"],
        );
        said.stdout
            .lines()
            .filter(|line| line.contains("tool-call-order"))
            .map(ToOwned::to_owned)
            .collect::<Vec<_>>()
    };
    for threads in ["1", "3"] {
        let row = |id: &str, score: &str, place: &str| {
            format!("{id},,uipath/tool-call-order,,scored,{score},,,x,{place}")
        };
        assert_eq!(
            scores("alone.yaml", threads),
            [
                row("a", "1.0", "runs.jsonl,1"),
                row("b", "1.0", "runs.jsonl,2")
            ]
        );
        assert_eq!(
            scores("both.yaml", threads),
            [
                row("a", "0.5", "cases.jsonl,1"),
                row("b", "1.0", "runs.jsonl,2")
            ]
        );
    }
}

#[test]
fn cases_are_selected_and_grouped_by_meta_values() {
    let of = |id: &str, model: &str| {
        good(id).replacen('{', &format!(r#"{{"model":"{model}","tries":2,"#), 1)
    };
    let place = Place::with_cases(&[of("a", "gpt-4o"), of("b", "o1"), of("c", "o3"), good("d")]);
    let scored = |more: &[&str]| place.check(SCORE, more, 0, &[]).stdout.lines().count();
    assert_eq!(scored(&["--where", "model=gpt-4o"]), 1);
    assert_eq!(
        scored(&["--where", "model=gpt-4o", "--where", "model=o1"]),
        2
    );
    assert_eq!(scored(&["--where", "model=o1", "--where", "tries=2"]), 1);
    place.check(
        SCORE,
        &["--where", "tries=3"],
        2,
        &["no case has `3` as its `tries`; its values: "],
    );
    place.check(
        SCORE,
        &["--where", "model"],
        2,
        &["write KEY=VALUE, such as model=gpt-4o"],
    );
    let table = place
        .check(
            "score cases.jsonl -e tool-call-order --by model,tries",
            &[],
            0,
            &[],
        )
        .stdout;
    for group in [
        "\n  gpt-4o, 2\n  uipath/tool-call-order            1  1.000",
        "\n  o3, 2\n",
        "\n  –, –\n",
    ] {
        assert!(table.contains(group), "{group}\n{table}");
    }
    let json = place
        .check(
            "score cases.jsonl -e tool-call-order --by model --format json",
            &[],
            0,
            &[],
        )
        .stdout;
    assert!(
        json.contains(r#""groups":[{"group":"gpt-4o","cases":1,"evaluators":[{"evaluator":"uipath/tool-call-order","mean":1.0,"#)
    );
}

#[test]
fn cases_in_yaml_are_scored_joined_and_named_in_errors() {
    let cases = "- id: a\n  expected: [find]\n- id: b\n  expected: [find]\n  actual:\n    - name: find\n      args: 7\n";
    let place = Place::new()
        .with("cases.yaml", cases)
        .with("runs.yml", "id: a\nactual:\n  - find\n");
    let line = "score cases.yaml --traces runs.yml -e tool-call-order --format csv";
    let said = place.check(
        line,
        &[],
        2,
        &["error: cases.yaml:7 /actual/0/args: expected an object or its JSON text, found the number 7"],
    );
    assert!(
        said.stdout
            .contains("\na,,uipath/tool-call-order,,scored,1.0,,,,cases.yaml,1\n"),
        "{}",
        said.stdout
    );
}

#[test]
fn init_writes_a_runnable_suite_and_overwrites_nothing() {
    let place = Place::new();
    place.check("init evals", &[], 0, &[]);
    place.check("run evals/suite.yaml", &[], 0, &[]);
    place.check("run evals/suite.yaml --profile ci", &[], 1, &[]);
    place.check(
        "init evals",
        &[],
        2,
        &["error: evals/suite.yaml: already exists, and nothing is overwritten"],
    );
    let other = Place::new().with("cases.yaml", "mine");
    other.check("init", &[], 2, &["cases.yaml: already exists"]);
    assert_eq!(
        (
            other.read("cases.yaml").as_str(),
            other.path("suite.yaml").exists()
        ),
        ("mine", false)
    );
}

#[test]
fn printed_schemas_match_the_repository() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap();
    for of in ["suite", "case"] {
        let file = std::fs::read_to_string(root.join(format!("schemas/{of}.schema.json"))).unwrap();
        assert_eq!(
            Place::new()
                .check(&format!("schema {of}"), &[], 0, &[])
                .stdout,
            file
        );
    }
}

#[test]
fn evaluators_are_listed_for_people_and_machines() {
    let place = Place::new();
    assert!(
        place
            .check("evaluators", &[], 0, &[])
            .stdout
            .contains("\n  uipath/tool-call-order ")
    );
    let page = place
        .check("evaluators tool-call-order", &[], 0, &[])
        .stdout;
    for heading in [
        "uipath/tool-call-order\n",
        "\nFormula\n",
        "\nSettings\n",
        "\nExample\n",
        "\nSource\n",
    ] {
        assert!(page.contains(heading), "{heading}");
    }
    let json = place.check("evaluators --format json", &[], 0, &[]).stdout;
    assert!(json.starts_with("[{\"evaluator\":\"") && json.ends_with("]\n"));
}
