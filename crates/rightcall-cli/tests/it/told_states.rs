//! States without a score: nothing was scored, a case has no run, there are only rules. Every screen names them.

use crate::viewing::Running;
use crate::{Place, said};

#[test]
fn unscored_run_does_not_look_like_a_success() {
    let place = Place::with_cases(&[r#"{"id":"a","expected":[],"actual":["x"]}"#.to_owned()]).with(
        "suite.yaml",
        "cases: cases.jsonl\nevaluators: [uipath/tool-call-order]\n",
    );
    place.check(
        "run suite.yaml --report markdown=r.md --report html=r.html",
        &[],
        0,
        &[],
    );
    let markdown = place.read("r.md");
    for part in [
        "## No case was scored · 1 case",
        "uipath/tool-call-order is not applicable to 1 case: ",
    ] {
        assert!(markdown.contains(part), "{part}\n{markdown}");
    }
    let page = Running::start(&place, &["--port", "0"], None).get("/runs/1");
    for page in [place.read("r.html"), page] {
        assert!(page.contains(">No case was scored · 1 case</h1>"), "{page}");
        assert!(!page.contains("No case scored below 1"), "{page}");
        assert!(
            page.contains(
                "uipath/tool-call-order is not applicable to 1 case: no calls are expected"
            ),
            "{page}"
        );
    }
}

#[test]
fn missing_run_is_a_cause_and_not_an_empty_run() {
    let place = Place::with_cases(&[
        r#"{"id":"a","expected":["x"]}"#.to_owned(),
        r#"{"id":"b","expected":["x"]}"#.to_owned(),
    ])
    .with("runs.jsonl", r#"{"id":"a","actual":["x"]}"#)
    .with(
        "suite.yaml",
        "cases: cases.jsonl\ntraces: runs.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\n",
    );
    let said = place.check("run suite.yaml", &[], 1, &[]).stdout;
    assert!(said.contains("1 of 1   no run found"), "{said}");
    let viewer = Running::start(&place, &["--port", "0"], None);
    let page = viewer.get("/runs/1/cases/2");
    assert!(
        page.contains(r#"<li class="none">no run found</li>"#),
        "{page}"
    );
    assert!(!page.contains("nothing was called"), "{page}");
    let list = viewer.get("/runs/1?cause=no+run+found");
    assert!(list.contains(r#"<a href="/runs/1/cases/2?"#), "{list}");
}

#[test]
fn viewer_marks_cases_with_only_rules() {
    let rules = "traces: runs.jsonl\nexpect: {constraints: {forbidden: [drop]}}\nevaluators: [constraints]\n";
    let place = Place::new()
        .with("runs.jsonl", r#"{"id":"a","actual":["find","drop"]}"#)
        .with("suite.yaml", rules);
    place.check("run suite.yaml", &[], 1, &[]);
    let viewer = Running::start(&place, &["--port", "0"], None);
    let page = viewer.get("/runs/1/cases/1");
    assert!(
        page.contains(r#"<li class="none">only rules</li>"#),
        "{page}"
    );
    assert!(!page.contains("rightcall review"), "{page}");
    let tools = viewer.get("/runs/1?tab=tools");
    assert!(tools.contains("there are only rules"), "{tools}");
    assert!(
        tools.contains(r#"<td data-head="expected" class="number">–</td>"#),
        "{tools}"
    );
    let coverage = viewer.get("/runs/1?tab=coverage");
    // As in the terminal, a rule tests the tool that it names.
    assert!(
        coverage.contains("1 of 2 tools in the runs have a case"),
        "{coverage}"
    );
    let terminal = place.check("coverage suite.yaml", &[], 0, &[]).stdout;
    assert!(terminal.contains("1 of 2 tools have a case"), "{terminal}");
    // A live run has the rules of the expectation too.
    let line = place.read("runs.jsonl") + "\n";
    let mut command = place.command();
    let watching = command.args(["watch", "-", "--rules", "suite.yaml"]);
    let said = said(watching.write_stdin(line)).stdout;
    assert!(said.contains("drop is forbidden"), "{said}");
}

#[test]
fn viewer_warns_of_runs_that_are_hard_to_compare() {
    let record = |model: &str, question: &str| {
        format!(
            r#"{{"id":"a","input":"{question}","meta":{{"model":"{model}"}},"expected":["x"],"actual":["x"]}}"#
        )
    };
    let suite = "cases: cases.jsonl\nidentity: [model]\nevaluators: [{evaluator: trajectory, threshold: 1}]\n";
    let place = Place::with_cases(&[record("gpt", "where?"), record("claude", "where?")])
        .with("suite.yaml", suite);
    place.check("run suite.yaml", &[], 0, &[]);
    let cases = [record("gpt", "when?"), record("claude", "when?")].join("\n");
    let place = place.with("cases.jsonl", cases);
    place.check("run suite.yaml", &[], 0, &[]);
    let page = Running::start(&place, &["--port", "0"], None).get("/compare?run=1&run=2");
    for part in [
        "the 2 models of 1 case count as trials of one case: claude, gpt",
        "1 of 1 paired case has another question in run 2",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
}

#[test]
fn strength_page_shows_gates_with_filters_and_all_judges() {
    let suite = "cases: cases.jsonl\nevaluators:\n  - fitness\n  - {name: names, evaluator: trajectory, match: {args: ignore}}\n\
                 gates:\n  - {names: {mean: '>= 1'}, meta: {kind: [refund, other]}}\n";
    let case = r#"{"id":"a","meta":{"kind":"refund"},"expected":[{"name":"x","args":{"i":1}}],"actual":[{"name":"x","args":{"i":1}}]}"#;
    let place = Place::with_cases(&[case.to_owned()]).with("suite.yaml", suite);
    place.check("run suite.yaml", &[], 0, &[]);
    let viewer = Running::start(&place, &["--port", "0"], None);
    let mut page = viewer.get("/runs/1?tab=strength");
    for _ in 0..100 {
        if !page.contains("data-refresh") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
        page = viewer.get("/runs/1?tab=strength");
    }
    for part in [
        "1 passing run broken",
        "names [kind=refund|other] mean",
        "evaluators and gates together",
        "gates alone decide",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
}

#[test]
fn pages_explain_missing_filters_tabs_and_groups() {
    let place = Place::with_cases(&[r#"{"id":"a","expected":["x"],"actual":["y"]}"#.to_owned()])
        .with(
            "suite.yaml",
            "cases: cases.jsonl\nevaluators: [trajectory]\n",
        );
    place.check("run suite.yaml", &[], 0, &[]);
    let viewer = Running::start(&place, &["--port", "0"], None);
    for (page, part) in [
        (
            "/runs/1?outcome=slow",
            "No filter is called <code>outcome=slow</code>",
        ),
        (
            "/runs/1?tab=trials",
            "No case of this run has several trials.",
        ),
        ("/runs/1?tab=groups", "The run has no groups"),
        // Text in a row is found.
        (
            "/runs/1?q=nothing+expected+was",
            r#"<a href="/runs/1/cases/1?"#,
        ),
    ] {
        let text = viewer.get(page);
        assert!(text.contains(part), "{page}: {part}\n{text}");
    }
}
