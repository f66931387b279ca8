//! Invalid command lines.

use crate::{Place, good};

#[track_caller]
fn wrong(line: &str, messages: &[&str]) {
    let said = Place::with_cases(&[good("a")]).check(line, &[], 2, messages);
    assert_eq!(said.stdout, "");
}

#[test]
fn an_unknown_evaluator_is_met_with_the_nearest() {
    let messages = [
        "error: no evaluator is called `uipath/tool-call-ordr`",
        "did you mean `uipath/tool-call-order`",
        "rightcall evaluators",
    ];
    wrong("score cases.jsonl -e uipath/tool-call-ordr", &messages);
    wrong("evaluators uipath/tool-call-ordr", &messages);
}

#[test]
fn a_wrong_setting_is_met_with_what_it_takes() {
    wrong(
        "score cases.jsonl -e axion/tool-correctness,check_paramters=true",
        &["has no setting `check_paramters`; did you mean `check_parameters`?"],
    );
    wrong(
        "score cases.jsonl -e axion/tool-correctness,parameter_matching_strategy=fuzy",
        &["takes one of", "found the text \"fuzy\""],
    );
    wrong(
        "score cases.jsonl -e axion/tool-correctness,check_parameters",
        &["`check_parameters` has no value"],
    );
    wrong(
        "score cases.jsonl -e uipath/tool-call-order,strict=true,strict=false",
        &["`strict` is given twice"],
    );
    wrong(
        "score cases.jsonl -e uipath/tool-call-order,edition=latest",
        &["edition"],
    );
    wrong(
        "score cases.jsonl -e uipath/tool-call-order,threshold=NaN",
        &["threshold", "a finite number"],
    );
    wrong(
        "score cases.jsonl -e {\"evaluator\":\"uipath/tool-call-order\",",
        &["not a JSON object"],
    );
}

#[test]
fn an_unknown_choice_is_met_with_the_choices() {
    wrong(
        "score cases.jsonl -e tool-call-order --input-format yaml",
        &["cases", "uipath", "adk"],
    );
    wrong(
        "score cases.jsonl -e tool-call-order --format xml",
        &["jsonl", "json", "csv"],
    );
    wrong(
        "score cases.jsonl -e tool-call-order --edition latest",
        &["documented or package"],
    );
    wrong(
        "score cases.jsonl -e tool-call-order --max-line huge",
        &["64MiB"],
    );
    wrong(
        "score cases.jsonl -e tool-call-order --max-depth 1000",
        &["from 1 to 512"],
    );
    wrong(
        "score cases.jsonl -e tool-call-order --threads 0",
        &["--threads", "a number from 1"],
    );
    wrong("completions tcsh", &["bash"]);
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    wrong(
        "score cases.jsonl -e tool-call-order -o no/such/results.csv",
        &["error: no/such/results.csv: there is no folder "],
    );
    wrong(
        "init cases.jsonl",
        &["error: cases.jsonl: is a file, expected a folder"],
    );
}

#[test]
fn what_no_case_can_be_grouped_by_is_named() {
    let place = Place::with_cases(&[good("a")]);
    place.check(
        "score cases.jsonl -e tool-call-order --by modle",
        &[],
        0,
        &["warning: no case has modle to group by"],
    );
}

#[test]
fn what_is_missing_is_named() {
    wrong("score cases.jsonl", &["--evaluator"]);
    wrong("score -e tool-call-order", &["FILES"]);
    wrong("run", &["there is no suite here", "rightcall init"]);
    wrong("sing", &["sing"]);
}

#[test]
fn a_weight_that_is_no_number_is_named() {
    wrong(
        "score cases.jsonl -e evalite/tool-call-accuracy,weights.nameOnly=NaN",
        &["nameOnly", "a finite number"],
    );
}

/// Common errors, each with the advice that helps.
#[test]
fn common_mistakes_get_the_answer_that_helps() {
    let tau2 = r#"{"tasks":[{"id":"0","evaluation_criteria":{"actions":[{"action_id":"0_0","requestor":"assistant","name":"find","arguments":{},"compare_args":null}]}}],"simulations":[{"id":"s","task_id":"0","trial":0,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","name":"find","arguments":{},"requestor":"assistant"}]}]}]}"#;
    let flags = r#"{"id":"a","expected":[{"name":"find","args":{"x":{"$pattern":"a","$flags":"i"}}}],"actual":[]}"#;
    let nameless = r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{}"}}]}]}"#;
    let gate = "cases: cases.jsonl\nevaluators: [trajectory]\ngates:\n  - trajectory: {mean: \">= 0\"}\n    where: {model: x}\n";
    let place = Place::with_cases(&[good("a")])
        .with(
            "suite.yaml",
            "cases: cases.jsonl\nevaluators: [trajectory]\n",
        )
        .with("list.yaml", "- id: a\n  expected: []\n")
        .with("gate.yaml", gate)
        .with("results.json", tau2)
        .with("flags.jsonl", flags)
        .with("nameless.jsonl", nameless);
    for (line, answer) in [
        (
            "score suite.yaml -e trajectory",
            "this is a suite: `rightcall run FILE` runs it",
        ),
        (
            "explain results.json",
            "these are tau2-bench results: name an evaluator with -e",
        ),
        (
            "run list.yaml",
            "a list of cases: `rightcall score FILE -e EVALUATOR`",
        ),
        (
            "score cases.jsonl -e tau2",
            "the evaluators of `tau2` are: `tau2/action-check`",
        ),
        ("run gate.yaml", "a gate has no `where`"),
        ("run gate.yaml", "tag, meta, by"),
        (
            "score cases.jsonl -e trajectory,match=subset",
            "write `match.args=subset`",
        ),
        (
            "run suite.yaml --gate worse=0",
            "gates are part of the suite",
        ),
        (
            "score flags.jsonl -e trajectory",
            "`(?i)` at its start ignores case",
        ),
        (
            "record nameless.jsonl",
            "`--join file` takes the name of the file instead",
        ),
    ] {
        place.check(line, &[], 2, &[answer]);
    }
    let twice = "score cases.jsonl -e trajectory -e trajectory";
    place.check(
        twice,
        &[],
        0,
        &["warning: trajectory is listed twice, and counts twice"],
    );
    place.check("run suite.yaml", &[], 0, &[]);
    let listed = place.run("history --since yesterday", &[]);
    assert!(listed.stdout.contains("suite.yaml"), "{}", listed.stdout);
}

#[test]
fn a_folder_of_traces_is_read() {
    let place = Place::with_cases(&[good("a")]);
    std::fs::create_dir(place.path("runs")).unwrap();
    std::fs::copy(place.path("cases.jsonl"), place.path("runs/one.jsonl")).unwrap();
    let said = place.run("inspect runs", &[]);
    let begin = "runs/one.jsonl · canonical cases · 1 trajectory";
    assert!(said.stdout.starts_with(begin), "{}", said.stdout);
}
