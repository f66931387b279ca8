//! What is wrong with a command line.

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
        &["error: cases.jsonl: is a file, and a folder is wanted"],
    );
}

#[test]
fn what_no_case_can_be_grouped_by_is_named() {
    let place = Place::with_cases(&[good("a")]);
    place.check(
        "score cases.jsonl -e tool-call-order --by modle",
        &[],
        0,
        &["warning: no case has modle to be grouped by"],
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
