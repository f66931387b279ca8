//! `rightcall coverage`: what it counts, and how its gate ends.

use serde_json::{Value, json};

use super::Place;

const TOOLS: &str = r#"[{"name":"find","input_schema":{"type":"object","properties":{"id":{"type":"integer"},"by":{"type":"string","enum":["name","id"]}}}},
 {"name":"delete_all","input_schema":{"type":"object","properties":{}}}]"#;

const CASES: &str = r#"{"id":"a","expected":[{"name":"find","args":{"id":7,"by":"id"}}],"actual":[{"name":"find","args":{"id":7,"by":"name"}},"pay"]}
{"id":"b","expected":[{"one_of":["find","pay"]}],"actual":["pay"]}
"#;

fn place() -> Place {
    Place::new()
        .with("tools.json", TOOLS)
        .with("cases.jsonl", CASES)
}

#[track_caller]
fn json_of(place: &Place, line: &str) -> Value {
    let said = place.check(&format!("coverage {line} --format json"), &[], 0, &[]);
    serde_json::from_str(&said.stdout).unwrap()
}

#[test]
fn coverage_gate_counts_the_tools_of_the_catalogue() {
    let place = place();
    let coverage = "coverage cases.jsonl --tools tools.json";
    place.check(&format!("{coverage} --fail-under 50"), &[], 0, &[]);
    let failed = "gate failed: 1 of 2 tools have a case (50.0 %), less than 50.1 %; no case for delete_all (exit code 1)";
    place.check(&format!("{coverage} --fail-under 50.1%"), &[], 1, &[failed]);
    place.check(
        &format!("{coverage} --fail-under 101"),
        &[],
        2,
        &["a percentage from 0 to 100"],
    );
}

#[test]
fn without_a_catalogue_coverage_counts_called_tools() {
    let place = place().with(
        "runs.jsonl",
        "{\"id\":\"a\",\"actual\":[\"find\",\"look\"]}\n",
    );
    place.check("coverage cases.jsonl --fail-under 100", &[], 0, &[]);
    place.check(
        "coverage cases.jsonl --traces runs.jsonl --fail-under 100",
        &[],
        1,
        &["1 of 2 tools have a case", "no case for look"],
    );
    let none = place.with("none.jsonl", "{\"id\":\"a\",\"expected\":[\"find\"]}\n");
    none.check(
        "coverage none.jsonl --fail-under 0",
        &[],
        2,
        &["there is no tool that should have a case"],
    );
}

#[test]
fn tools_defined_in_a_trace_are_its_catalogue() {
    let trace = r#"{"id":"a","request":{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"find","parameters":{"type":"object","properties":{"id":{"type":"integer"}}}}},{"type":"function","function":{"name":"pay","parameters":{"type":"object","properties":{}}}}]},"response":{"id":"r","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{\"id\":7}"}}]}}]}}"#;
    let place = Place::new()
        .with("cases.jsonl", "{\"id\":\"a\",\"expected\":[\"find\"]}\n")
        .with("traces.jsonl", format!("{trace}\n"));
    let found = json_of(&place, "cases.jsonl --traces traces.jsonl");
    assert_eq!(found["tools_without_case"], json!(["pay"]));
    assert_eq!(found["tools"][0]["arguments"][0]["seen"], 1);
}

#[test]
fn a_document_has_tools_arguments_values_and_pairs() {
    let found = json_of(&place(), "cases.jsonl --tools tools.json");
    assert_eq!((&found["cases"], &found["runs"]), (&json!(2), &json!(2)));
    assert_eq!(found["tools_without_case"], json!(["delete_all"]));
    assert_eq!(
        found["tools"][0]["arguments"][1],
        json!({"name": "by", "pinned": 1, "seen": 1, "enum": [
            {"value": "name", "pinned": false, "seen": true},
            {"value": "id", "pinned": true, "seen": false},
        ]})
    );
    assert_eq!(
        found["uncovered_pairs"],
        json!([{"before": "find", "after": "pay", "runs": 1, "first": "a"}])
    );
}

#[test]
fn traces_option_replaces_runs_in_cases_and_suites() {
    let suite = "cases: cases.jsonl\ntraces: old.jsonl\nevaluators: [trajectory]\n";
    let place = place()
        .with("suite.yaml", suite)
        .with("old.jsonl", "{\"id\":\"a\",\"actual\":[\"old\"]}\n")
        .with("new.jsonl", "{\"id\":\"a\",\"actual\":[\"new\"]}\n");
    let called = |line: &str| {
        let found = json_of(&place, line);
        let tools = found["tools"].as_array().unwrap().clone();
        let tools = tools.into_iter().filter(|it| it["runs"] != 0);
        tools.map(|it| it["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(called("cases.jsonl"), ["find", "pay"]);
    assert_eq!(called("suite.yaml"), ["old"]);
    // A suite is found without its name.
    assert_eq!(called(""), ["old"]);
    assert_eq!(called("suite.yaml --traces new.jsonl"), ["new"]);
    assert_eq!(called("cases.jsonl --traces new.jsonl"), ["new"]);
}

#[test]
fn unreadable_run_is_an_error_and_not_an_empty_run() {
    let place = place()
        .with(
            "questions.jsonl",
            "{\"id\":\"a\",\"expected\":[\"find\"]}\n",
        )
        .with(
            "odd.jsonl",
            "{\"id\":\"a\",\"actual\":{\"colour\":\"red\"}}\n",
        );
    place.check(
        "coverage cases.jsonl --traces odd.jsonl",
        &[],
        2,
        &["odd.jsonl:1"],
    );
    place.check(
        "coverage cases.jsonl --tools cases.jsonl",
        &[],
        2,
        &["cases.jsonl: expected definitions of tools"],
    );
    place.check(
        "coverage cases.jsonl --traces questions.jsonl",
        &[],
        0,
        &["1 record of the traces without a run"],
    );
    let runs = place.with("runs.jsonl", "{\"id\":\"a\",\"actual\":[\"find\"]}\n");
    runs.check(
        "coverage runs.jsonl",
        &[],
        2,
        &["no case has an expectation"],
    );
}

#[test]
fn markdown_begins_with_the_verdict_and_quotes_foreign_names() {
    let place = place().with(
        "odd.jsonl",
        "{\"id\":\"<b>\",\"expected\":[\"find\"],\"actual\":[\"find\",\"a|b\"]}\n",
    );
    let line = "coverage odd.jsonl --format markdown --fail-under 100";
    let said = place.check(line, &[], 1, &["gate failed"]).stdout;
    for part in [
        "## ❌ 1 of 2 tools have a case (50.0 %) · rightcall\n",
        "- `a|b`, called in 1 run\n",
        "- `find` → `a|b`: 1 run (first: `<b>`)\n",
        "| `a\\|b` | | 0 | 1 | – | no case |\n",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

#[test]
fn without_a_terminal_questions_need_answers() {
    let place = Place::new();
    place.check(
        "evaluators --choose",
        &[],
        2,
        &["no answer to `package`", "--choose=package=no,expected=yes"],
    );
    place.check(
        "evaluators --choose=order=maybe",
        &[],
        2,
        &["`order` takes no, yes; found `maybe`"],
    );
    let said = place.check(
        "evaluators --choose=package=no,expected=yes,ways=several --format json",
        &[],
        0,
        &[],
    );
    assert_eq!(said.stdout, "{\"recommended\":[\"fitness\"]}\n");
}

#[test]
fn rules_of_a_suite_cover_tools_and_replaced_runs_do_not_count() {
    let rules = "traces: old.jsonl\nevaluators:\n  - {evaluator: constraints, forbidden: ['delete_*'], rules: [find before pay]}\n";
    let place = place()
        .with("suite.yaml", rules)
        .with(
            "old.jsonl",
            "{\"id\":\"x\",\"actual\":[\"find\"]}\n{\"id\":\"y\",\"actual\":[\"find\"]}\n",
        )
        .with("new.jsonl", r#"{"id":"z","actual":["find","pay"]}"#);
    let line = "suite.yaml --tools tools.json --traces new.jsonl";
    let read = json_of(&place, line);
    assert_eq!([&read["cases"], &read["runs"]], [1, 1]);
    let tools = read["tools"].as_array().unwrap();
    let cases: Vec<_> = tools
        .iter()
        .map(|it| json!([it["name"], it["cases"]]))
        .collect();
    assert_eq!(
        json!(cases),
        json!([["find", 1], ["delete_all", 1], ["pay", 1]])
    );
    let expected = "traces: old.jsonl\nevaluators: [trajectory]\nexpect: [find]\n";
    let place = place.with("suite.yaml", expected);
    let read = json_of(&place, line);
    assert_eq!([&read["cases"], &read["runs"]], [1, 1]);
    let read = json_of(&place, "suite.yaml --tools tools.json");
    assert_eq!([&read["cases"], &read["runs"]], [2, 2]);
}
