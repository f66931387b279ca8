//! Comparisons with several sides in one file, suites with several runs, and reports of comparisons.

use std::fmt::Write as _;

use crate::{Place, good, low};

/// Cases of two models in one file; the second model has a wrong call in every third case.
fn models() -> String {
    let mut text = String::new();
    for at in 0..12 {
        let id = format!("case-{at:02}");
        let of = |case: String, model: &str| {
            case.replacen('{', &format!(r#"{{"model":"{model}","reward":1,"#), 1)
        };
        let other = if at % 3 == 0 { low(&id) } else { good(&id) };
        _ = writeln!(text, "{}", of(good(&id), "first"));
        _ = writeln!(text, "{}", of(other, "second"));
    }
    text
}

#[test]
fn models_in_one_file_are_compared() {
    let place = Place::new().with("runs.jsonl", models());
    let said = place.check(
        "compare runs.jsonl -e trajectory --by model --report md=out.md --report html --report junit=out.xml --report out.json",
        &[],
        0,
        &["markdown report: out.md", "html report: rightcall-report.html"],
    );
    assert!(
        said.stdout
            .starts_with("first (12 cases) against second (12 cases)\n\n  evaluator"),
        "{}",
        said.stdout
    );
    assert!(said.stdout.contains("\n  4 cases got worse, 0 better\n"));
    let markdown = place.read("out.md");
    for part in [
        "## 4 cases worse than `first`, 0 better · rightcall: `first` against `second`\n",
        "\n4 cases that got worse:\n",
        "\n12 cases in both",
        "| `trajectory` | mean | 12 | 1.000 | 0.667 | -0.333 |",
        "| `case-03` | 1.000 | 0.000 | `now find was not called`<br>`now look was called, but not expected` |",
    ] {
        assert!(markdown.contains(part), "{part}\n{markdown}");
    }
    let page = place.read("rightcall-report.html");
    assert!(
        page.contains("<h1>4 cases got worse, 0 better</h1>"),
        "{page}"
    );
    assert!(!page.contains("<script"));
    let junit = place.read("out.xml");
    assert!(
        junit.contains(r#"tests="12""#) && junit.contains(r#"failures="4""#),
        "{junit}"
    );
    assert!(place.read("out.json").contains(r#""shared":12"#));
}

#[test]
fn sides_are_in_the_order_of_the_where_options() {
    let place = Place::new().with("runs.jsonl", models());
    let line =
        "compare runs.jsonl -e trajectory --by model --where model=second --where model=first";
    let said = place.check(line, &[], 0, &[]).stdout;
    assert!(
        said.starts_with("second (12 cases) against first"),
        "{said}"
    );
    place.check(
        "compare runs.jsonl -e trajectory --by provider",
        &[],
        2,
        &["no case has provider"],
    );
    place.check(
        "compare runs.jsonl -e trajectory --by model --where model=first",
        &[],
        2,
        &["all cases are of one model, first"],
    );
}

#[test]
fn run_of_the_history_is_split_into_sides() {
    let place = Place::new().with("cases.jsonl", models()).with(
        "suite.yaml",
        "cases: cases.jsonl\nevaluators: [trajectory]\n",
    );
    place.check(
        "run suite.yaml -o results.jsonl --explain --quiet",
        &[],
        0,
        &[],
    );
    let live = place.check("compare cases.jsonl -e trajectory --by model", &[], 0, &[]);
    for side in ["latest", "results.jsonl"] {
        let said = place
            .check(&format!("compare {side} --by model"), &[], 0, &[])
            .stdout;
        let table = |said: &str| {
            said.lines()
                .skip_while(|it| !it.starts_with("  evaluator"))
                .take(4)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(table(&said), table(&live.stdout), "{side}");
    }
}

#[test]
fn best_of_more_than_two_sides_is_marked() {
    let third = models().replace(r#""model":"second""#, r#""model":"third""#);
    let place = Place::new().with("runs.jsonl", models()).with(
        "more.jsonl",
        third
            .lines()
            .filter(|line| line.contains("third"))
            .fold(String::new(), |all, line| all + line + "\n"),
    );
    let line = "compare runs.jsonl more.jsonl -e trajectory --by model -o out.md";
    let said = place.check(line, &[], 0, &[]).stdout;
    assert!(
        said.contains("1.000 best") && said.contains("\n  third "),
        "{said}"
    );
    let markdown = place.read("out.md");
    assert!(markdown.contains("| `first` | **1.000** |"), "{markdown}");
    assert!(markdown.contains("| `third` | 0.667 |"), "{markdown}");
}

#[test]
fn model_is_part_of_the_identity_of_a_run_and_other_meta_is_not() {
    let of = |key: &str| models().replace(r#""model""#, &format!("\"{key}\""));
    let place = Place::new()
        .with("model.jsonl", models())
        .with("prompt.jsonl", of("prompt"));
    place.check("score model.jsonl -e trajectory --quiet", &[], 0, &[]);
    place.check(
        "score prompt.jsonl -e trajectory",
        &[],
        2,
        &[
            "case `case-00` is already at prompt.jsonl:1",
            "… and 9 more like these: case-03, case-04, case-05, ",
            " and 1 other",
            "12 duplicate cases were skipped",
        ],
    );
    place.check(
        "score prompt.jsonl -e trajectory --by prompt --quiet",
        &[],
        0,
        &[],
    );
    let suite = "cases: prompt.jsonl\nidentity: prompt\nevaluators: [trajectory]\n";
    let place = place.with("suite.yaml", suite);
    place.check("run suite.yaml --quiet", &[], 0, &[]);
    let twice = models() + &models();
    let place = place.with("model.jsonl", twice);
    place.check(
        "score model.jsonl -e trajectory",
        &[],
        2,
        &["24 duplicate cases were skipped"],
    );
}

#[test]
fn suite_with_named_runs_compares_them() {
    let run = |name: &str| {
        format!(
            "{{\"id\":\"a\",\"actual\":[\"{name}\"]}}\n{{\"id\":\"b\",\"actual\":[\"find\"]}}\n"
        )
    };
    let place = Place::new()
        .with("cases.jsonl", "{\"id\":\"a\",\"expected\":[\"find\"]}\n{\"id\":\"b\",\"expected\":[\"find\"]}\n")
        .with("one.jsonl", run("find"))
        .with("two.jsonl", run("look"))
        .with(
            "suite.yaml",
            "cases: cases.jsonl\nruns: {one: one.jsonl, two: two.jsonl}\nevaluators: [trajectory]\n",
        );
    let said = place.check(
        "run suite.yaml --report markdown=out.md",
        &[],
        0,
        &["markdown report: out.md"],
    );
    for part in [
        "rightcall 0.1.0 · 2 cases · suite.yaml · one\n",
        "rightcall 0.1.0 · 2 cases · suite.yaml · two\n",
        "\none (2 cases) against two (2 cases)\n",
        "a  1.000 → 0.000   now find was not called",
    ] {
        assert!(said.stdout.contains(part), "{part}\n{}", said.stdout);
    }
    assert!(
        place
            .read("out.md")
            .contains(" worse than `one`, 0 better · rightcall: `one` against `two`\n")
    );
    let history = place.check("history --format json", &[], 0, &[]).stdout;
    assert!(history.contains(r#""selection":"runs: two""#), "{history}");
    place.check(
        "run suite.yaml -o out.json",
        &[],
        2,
        &["a suite with `runs:` has no single result"],
    );
}

#[test]
fn traces_option_replaces_the_traces_of_the_suite() {
    let run = |name: &str| format!("{{\"id\":\"a\",\"actual\":[\"{name}\"]}}\n");
    let place = Place::new()
        .with("cases.jsonl", "{\"id\":\"a\",\"expected\":[\"find\"]}\n")
        .with("old.jsonl", run("look"))
        .with("new.jsonl", run("find"))
        .with(
            "suite.yaml",
            "cases: cases.jsonl\ntraces: old.jsonl\nevaluators: [trajectory]\n",
        );
    let line = "run suite.yaml --format jsonl --traces new.jsonl";
    let note = "not scored: old.jsonl, which --traces replaces (--add-traces scores both)";
    let said = place.check(line, &[], 0, &[note]);
    assert!(said.stdout.contains(r#""score":1.0"#), "{}", said.stdout);
    place.check(
        "run suite.yaml --add-traces new.jsonl",
        &[],
        2,
        &["new.jsonl:1: the run of case `a` is already at old.jsonl:1"],
    );
}

#[test]
fn cases_on_only_one_side_are_reported() {
    let case = |id: &str, call: &str| {
        format!("{{\"id\":\"{id}\",\"expected\":[\"find\"],\"actual\":[\"{call}\"]}}\n")
    };
    let cases = |ids: &[&str]| ids.iter().map(|id| case(id, "find")).collect::<String>();
    let place = Place::new()
        .with(
            "suite.yaml",
            "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, name: calls}]\n",
        )
        .with("cases.jsonl", cases(&["a", "b", "gone"]));
    place.check("run suite.yaml --quiet", &[], 0, &[]);
    let place = place
        .with("suite.yaml", "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, name: calls, align: lcs}, tool-call-order]\n")
        .with("cases.jsonl", cases(&["a", "b", "new-1", "new-2"]));
    place.check("run suite.yaml --quiet", &[], 0, &[]);
    let said = place.check("compare 1 2", &[], 0, &[]).stdout;
    for part in [
        "2 cases in both\n",
        "1 case only before: gone\n",
        "2 cases only after: new-1, new-2\n",
        "only after judged by uipath/tool-call-order\n",
        "calls has other settings: trajectory,name=calls before, trajectory,name=calls,align=lcs after\n",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

const TWO_MODELS: [&str; 4] = [
    r#"{"id":"a","model":"first","prompt":"v1","info":{"reward":1},"tags":["t"],"expected":["find"],"actual":["find"]}"#,
    r#"{"id":"b","model":"first","prompt":"v1","info":{"reward":1},"expected":["find"],"actual":["find"]}"#,
    r#"{"id":"a","model":"second","prompt":"v1","info":{"reward":0},"tags":["t"],"expected":["find"],"actual":["look"]}"#,
    r#"{"id":"b","model":"second","prompt":"v2","info":{"reward":0},"expected":["find"],"actual":["find"]}"#,
];

/// Results without `--explain` contain the keys that cases are selected and grouped by. Long values and objects need `--explain`.
#[test]
fn results_contain_the_keys_of_sides() {
    let place = Place::with_cases(&TWO_MODELS.map(str::to_owned));
    let score = "score cases.jsonl -e trajectory --format jsonl --quiet";
    place.check(&format!("{score} -o results.jsonl"), &[], 0, &[]);
    let first = place.read("results.jsonl");
    assert!(
        first.starts_with(r#"{"case":"a","evaluator":"trajectory","score":1.0"#)
            && first.contains(r#","tags":["t"],"meta":{"model":"first","prompt":"v1"}}"#),
        "{first}"
    );
    let by = place
        .check("compare results.jsonl --by model", &[], 0, &[])
        .stdout;
    assert!(
        by.starts_with("first (2 cases) against second (2 cases)"),
        "{by}"
    );
    let tagged = place
        .check("compare results.jsonl --by model --tag t", &[], 0, &[])
        .stdout;
    assert!(
        tagged.starts_with("first (1 case) against second (1 case)"),
        "{tagged}"
    );
    place.check(&format!("{score} --no-details -o bare.jsonl"), &[], 0, &[]);
    place.check(
        "compare bare.jsonl --by model",
        &[],
        2,
        &["no case has model"],
    );
    place.check(
        "compare results.jsonl --against info/reward",
        &[],
        2,
        &["--explain"],
    );
    place.check(&format!("{score} --explain -o whole.jsonl"), &[], 0, &[]);
    place.check("compare whole.jsonl --against info/reward", &[], 0, &[]);
}

#[test]
fn each_side_may_filter_its_cases() {
    let place = Place::with_cases(&TWO_MODELS.map(str::to_owned));
    let line = "score cases.jsonl -e trajectory --format jsonl --quiet -o results@1.jsonl";
    place.check(line, &[], 0, &[]);
    let compare = |sides: &str| place.check(&format!("compare {sides}"), &[], 0, &[]).stdout;
    // A file name may contain `@`.
    let both = compare("results@1.jsonl@model=first results@1.jsonl@model=second");
    let head =
        "results@1.jsonl@model=first (2 cases) against results@1.jsonl@model=second (2 cases)";
    assert!(
        both.starts_with(head) && both.contains("1.000   0.500"),
        "{both}"
    );
    let some = compare("results@1.jsonl@model=first results@1.jsonl@model=second,prompt=v2");
    assert!(some.contains("(1 case)"), "{some}");
    // The filter of a side overrides `--where`.
    let other = "results@1.jsonl@model=first results@1.jsonl --where model=second";
    assert!(
        compare(other).contains("against results@1.jsonl (2 cases)"),
        "{}",
        compare(other)
    );
    place.check(
        "compare results@1.jsonl results@1.jsonl@model=third",
        &[],
        2,
        &["there is no result in it"],
    );
    // Files that are scored first can be split as well.
    let scored = "cases.jsonl@model=first cases.jsonl@model=second -e trajectory";
    assert!(compare(scored).contains("1.000   0.500"));
}
