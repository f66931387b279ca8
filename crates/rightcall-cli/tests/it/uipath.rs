//! A UiPath project runs without changes.

use std::fs;
use std::path::Path;

use super::Place;
use crate::readme::root;

const SET: &str = "p/evaluations/eval-sets/set.json";

/// A copy of the example that a test may change.
fn place() -> Place {
    let place = Place::new();
    copy(&root().join("examples/uipath-project"), &place.path("p"));
    fs::rename(
        place.path("p/evaluations/eval-sets/orders.json"),
        place.path(SET),
    )
    .unwrap();
    place
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            _ = fs::copy(&path, &target).unwrap();
        }
    }
}

impl Place {
    fn replace(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name}: {from}");
        fs::write(self.path(name), text.replace(from, to)).unwrap();
    }

    fn scores(&self, more: &[&str]) -> Vec<String> {
        let said = self.check(
            &format!("run {SET} --traces p/traces.jsonl --format jsonl --no-details"),
            more,
            0,
            &[],
        );
        said.stdout.lines().map(ToOwned::to_owned).collect()
    }
}

#[test]
fn each_evaluator_uses_its_own_criteria_and_weight() {
    let lines = [
        r#"{"case":"where-is-it","evaluator":"uipath/tool-call-order","name":"CallOrder","score":1.0}"#,
        r#"{"case":"where-is-it","evaluator":"uipath/tool-call-count","name":"CallCount","score":1.0}"#,
        r#"{"case":"where-is-it","evaluator":"uipath/tool-call-args","name":"CallArguments","score":1.0}"#,
        r#"{"case":"where-is-it","score":1.0}"#,
        r#"{"case":"cancel-it","evaluator":"uipath/tool-call-order","name":"CallOrder","score":1.0}"#,
        r#"{"case":"cancel-it","evaluator":"uipath/tool-call-count","name":"CallCount","outcome":"not_applicable","reason":"the eval set does not ask for this evaluator in the case"}"#,
        r#"{"case":"cancel-it","evaluator":"uipath/tool-call-args","name":"CallArguments","score":0.0}"#,
        // (1·1 + 2·0) / 3
        r#"{"case":"cancel-it","score":0.3333333333333333}"#,
    ];
    assert_eq!(place().scores(&[]), lines);
}

#[test]
fn other_kinds_of_evaluators_are_reported_and_skipped() {
    let place = place();
    let run = format!("run {SET} --traces p/traces.jsonl");
    place.check(&run, &[], 0, &["skipped, as they do not judge tool calls: Politeness (uipath-llm-judge-trajectory-similarity)"]);
    assert!(
        !place
            .check(&run, &["--quiet"], 0, &[])
            .stderr
            .contains("skipped")
    );
    fs::remove_file(place.path("p/evaluations/evaluators/politeness.json")).unwrap();
    place.check(&run, &[], 0, &["Politeness (no file)"]);
}

#[test]
fn both_spellings_and_any_letter_case_of_ids_are_accepted() {
    let place = place();
    let before = place.scores(&[]);
    for (camel, snake) in [
        ("evaluatorRefs", "evaluator_refs"),
        ("evaluatorConfigs", "evaluator_configs"),
        ("evaluationCriterias", "evaluation_criterias"),
        ("toolCallsOrder", "tool_calls_order"),
        ("toolCallsCount", "tool_calls_count"),
        ("\"CallArguments\": {", "\"CALLARGUMENTS\": {"),
    ] {
        place.replace(SET, camel, snake);
    }
    for file in ["call-order", "call-count", "call-arguments"] {
        let file = format!("p/evaluations/evaluators/{file}.json");
        place.replace(&file, "evaluatorTypeId", "evaluator_type_id");
        place.replace(&file, "evaluatorConfig", "evaluator_config");
    }
    place.replace(
        "p/evaluations/evaluators/call-order.json",
        "defaultEvaluationCriteria",
        "default_evaluation_criteria",
    );
    assert_eq!(place.scores(&[]), before);
    place.replace(
        "p/evaluations/evaluators/call-order.json",
        "evaluator_config",
        "config",
    );
    assert_eq!(place.scores(&[]), before);
}

#[test]
fn errors_in_a_project_have_a_location() {
    let check = |file: &str, from: &str, to: &str, messages: &[&str]| {
        let place = place();
        place.replace(&file.replace("SET", SET), from, to);
        place.check(
            &format!("run {SET} --traces p/traces.jsonl"),
            &[],
            2,
            messages,
        );
    };
    let order = "p/evaluations/evaluators/call-order.json";
    check(
        order,
        "\"strict\": false,",
        "\"strict\": false",
        &["call-order.json: not JSON"],
    );
    check(
        order,
        "\"strict\": false",
        "\"strict\": \"perhaps\"",
        &["call-order.json", "strict"],
    );
    check(
        order,
        "\"CallOrder\",\n  \"description\"",
        "\"CallSequence\",\n  \"description\"",
        &["no file in the folder `evaluators` has the id `CallOrder`"],
    );
    check(
        order,
        "\"id\": \"CallOrder\"",
        "\"id\": \"callcount\"",
        &["the id `callcount` is that of"],
    );
    check(
        "SET",
        "\"weight\": 2.0",
        "\"weight\": -1",
        &["/evaluatorConfigs/0/weight", "0 or more"],
    );
    check(
        "SET",
        "\"weight\": 2.0",
        "\"weight\": \"2\"",
        &["/evaluatorConfigs/0/weight"],
    );
    check(
        "SET",
        "\"CallOrder\", \"CallCount\"",
        "7, \"CallCount\"",
        &["/evaluatorRefs/0: expected the id of an evaluator"],
    );
}

#[test]
fn eval_set_without_traces_is_an_error() {
    let place = place();
    place.check(
        &format!("run {SET}"),
        &[],
        2,
        &["an eval set holds no runs", "--traces FILES"],
    );
    place.check(
        &format!("run {SET} --traces none.jsonl"),
        &[],
        2,
        &["none.jsonl"],
    );
    place.check(
        &format!("run {SET} --traces p/traces.jsonl --profile ci"),
        &[],
        2,
        &["an eval set has no profile `ci`"],
    );
    place.replace(
        SET,
        "\"CallOrder\", \"CallCount\", \"CallArguments\", \"Politeness\"",
        "\"Politeness\"",
    );
    place.replace(
        SET,
        "[{ \"ref\": \"CallArguments\", \"weight\": 2.0 }]",
        "[]",
    );
    place.check(
        &format!("run {SET} --traces p/traces.jsonl"),
        &[],
        2,
        &["none of the evaluators judges tool calls", "Politeness"],
    );
}

#[test]
fn eval_set_takes_traces_from_the_command_line() {
    let place = Place::new()
        .with(
            "suite.yaml",
            "cases: cases.jsonl\nevaluators: [trajectory]\n",
        )
        .with("cases.jsonl", r#"{"id":"a","expected":["find"]}"#)
        .with("runs.jsonl", r#"{"id":"a","actual":["find"]}"#);
    place.check("run suite.yaml", &[], 1, &["no run found"]);
    place.check("run suite.yaml --traces runs.jsonl", &[], 0, &[]);
}

/// Real eval sets, if they are available.
#[test]
fn eval_sets_of_real_projects_run() {
    let folder = root().join("../shared/data/uipath-evals");
    let set = folder.join("weather_tools/eval-sets/default.json");
    if !set.exists() {
        return;
    }
    let set = set.to_str().unwrap().to_owned();
    let place = Place::new().with(
        "traces.jsonl",
        r#"{"id":"basic_weather","actual":[{"name":"get_temperature","args":{"city":"New York"}},{"name":"get_weather_condition","args":{"city":"New York"}},{"name":"get_humidity","args":{"city":"Oslo"}}]}"#,
    );
    let said = place.check(
        &format!("run {set} --traces traces.jsonl -k basic_weather --format jsonl --no-details"),
        &[],
        0,
        &["TrajectoryEvaluator"],
    );
    for part in [
        r#""name":"ToolCallOrderEvaluator","score":1.0"#,
        r#""name":"ToolCallCountEvaluator","score":1.0"#,
        r#""name":"ToolCallArgsEvaluator","score":0.6666666666666666"#,
        r#""name":"ToolCallOutputEvaluator","outcome":"not_applicable""#,
    ] {
        assert!(said.stdout.contains(part), "{part}\n{}", said.stdout);
    }
    for other in [
        "calculator/eval-sets/default.json",
        "calculator/eval-sets/legacy.json",
        "greeter/eval-sets/basic.json",
    ] {
        let set = folder.join(other).to_str().unwrap().to_owned();
        place.check(
            &format!("run {set} --traces traces.jsonl"),
            &[],
            2,
            &["none of the evaluators judges tool calls"],
        );
    }
}
