//! Small cases to test every evaluator with: few names, few values, all settings, so that calls
//! often nearly match.

use rightcall_core::{EVALUATORS, Entry};

use crate::choices::Choices;
use crate::template::fill;

/// The template of an evaluator's cases: the settings, the expected and the actual side in the
/// original's shape.
///
/// For an evaluator with several rows, each case is from one of them. An evaluator without an original has no sides.
type Row = (&'static str, [&'static str; 3]);

/// All evaluators with an original.
pub fn evaluators() -> impl Iterator<Item = &'static str> {
    let has_original = |entry: &&&Entry| entry.system().is_some();
    EVALUATORS.iter().filter(has_original).map(|entry| entry.id)
}

/// The case of an evaluator: its settings and its two sides.
///
/// # Panics
/// If the evaluator has no row here.
pub(crate) fn case(evaluator: &str, choices: &mut Choices<'_>) -> [String; 3] {
    let row = row(evaluator, choices);
    fill(choices, *row)
}

/// Settings of an evaluator, with or without an original.
///
/// # Panics
/// If the evaluator has no row here.
pub fn settings(evaluator: &str, choices: &mut Choices<'_>) -> String {
    let [settings, _, _] = row(evaluator, choices);
    let [settings] = fill(choices, [*settings]);
    settings
}

fn row(evaluator: &str, choices: &mut Choices<'_>) -> &'static [&'static str; 3] {
    let rows = ROWS.iter().filter(|(id, _)| *id == evaluator);
    let rows: Vec<_> = rows.map(|(_, templates)| templates).collect();
    match rows[..] {
        [] => panic!("{evaluator} has no row of cases"),
        [row] => row,
        _ => choices.one(&rows),
    }
}

/// A case of rightcall's own form: some parts of an expectation, and usually a run.
pub fn canonical_case(choices: &mut Choices<'_>) -> String {
    let [case] = fill(choices, ["$canonical_case"]);
    case
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("adk/trajectory", [ADK, "[$adk_invocation]", "[$adk_invocation(19:|,$adk_invocation)]"]),
    ("adk/trajectory", [ADK, "[$adk_invocation,$adk_invocation]", "[$adk_invocation,$adk_invocation]"]),
    ("agentevals/trajectory-match", [TRAJECTORY_MATCH, "$message_list", "$message_list"]),
    ("axion/tool-correctness", [
        r#"{(|,"check_parameters":$flag)(|,"strict_order":$flag)(|,"parameter_matching_strategy":("subset"|"fuzzy"|"exact"|"other"))
            (|,"fuzzy_threshold":(0.5|0.75|1|0|-1|0.9))(|,"scoring":("precision"|"f1"|"recall"|"other"))(|,"threshold":(0|null|1))}"#,
        "$axion_calls", "$axion_calls",
    ]),
    ("azure/task-navigation-efficiency", [
        r#"{(|,"matching_mode":(2:"in_order_match"|"any_order_match"|"exact_match"|"x"))(|,"score":("match"|"precision"|"recall"|"f1"))
            (3:|,"parameters":$flag)}"#,
        r#"(5:[[*4($azure_name)],{*2($name:$object)}]|[*4($azure_name)]|~([*4($azure_name)])
            |([]|"a"|[1]|{}|null|[["a"],{"a":1}]))"#,
        r#"[*3((5:{"role":"assistant","content":[*3($azure_part)]}
            |({"role":"user","content":"x"}|{"role":"tool","content":[]}|{"role":"assistant","content":"x"})))]"#,
    ]),
    ("bfcl/ast-checker", [
        r#"{(2:|,"category":"simple")(11:|,"underscore_to_dot":true)}"#,
        r#"{"ground_truth":[{"f":$bfcl_answer}],"function":[{"name":"(15:f|g.h)",$bfcl_scalars}]}"#,
        r#"[(11:{"f":$bfcl_arguments}|)]"#,
    ]),
    ("bfcl/ast-checker", [
        "{}",
        r#"{"ground_truth":[{"f":{"a":[$bfcl_dict(|,$bfcl_dict)(|,"")],"b":[$bfcl_list(|,$bfcl_list)(|,"")]}}],
            "function":[{"name":"f","parameters":{"properties":{"a":{"type":"(5:dict|string)"},
            "b":{"type":"(array|tuple)","items":{"type":"(string|integer|dict|float)"}}},"required":$bfcl_required}}]}"#,
        r#"[{"f":{(3:,"a":({"a":1,"b":"X"}|{"a":1}|{"a":1,"b":"x"}|$bfcl_odd)|)
            (3:,"b":(["X","y"]|[1,2]|[1.0]|[{"a":1}]|[{"a":1,"b":"Y"}]|[]|$bfcl_odd)|)}}]"#,
    ]),
    ("bfcl/ast-checker", [
        r#"{(2:|,"category":("multiple"|"parallel"))(3:|,"underscore_to_dot":true)}"#,
        r#"{"ground_truth":[{"f":{"a":[@a($bfcl_scalar)]}},{"@n(f|2:g.h)":{"a":[@b($bfcl_scalar)(|,"")]}}],
            "function":[{"name":"f",$bfcl_scalars},{"name":"g.h",$bfcl_scalars}]}"#,
        r#"[(3:{"f":{"a":$a}},{"$n":{"a":(3:$b|$bfcl_odd)}}|{"$n":{"a":$b}},{"f":{"a":$a}}|{"g_h":{"a":$b}},{"f":{"a":$a}}|{"f":{"a":$a}})]"#,
    ]),
    ("bfcl/ast-checker", [r#"{"language":"java"}"#, "$bfcl_java", r#"[{"f":$bfcl_texts}]"#]),
    ("bfcl/ast-checker", [r#"{"language":"javascript"}"#, "$bfcl_javascript", r#"[{"f":$bfcl_texts}]"#]),
    ("constraints", [r#"{$constraint(|,$constraint)(|,"score":"all_or_nothing")}"#, "", ""]),
    ("deepeval/tool-correctness", [
        r#"{(|,"evaluation_params":(["input_parameters"]|["input_parameters","output"]|["output"]|[]|["other"]))
            (|,"should_consider_ordering":$flag)(|,"should_exact_match":$flag)(|,"strict_mode":$flag)(|,"threshold":(0.5|1|0))}"#,
        "[*5($deepeval_call)]", "[*5($deepeval_call)]",
    ]),
    ("evalite/tool-call-accuracy", [
        r#"{"mode":(2:"exact"|2:"flexible"|null|"")(|,"weights":{(|,"nameOnly":$weight)
            (|,"extraPenalty":$weight)(|,"wrongPenalty":$weight)(|,"exact":$weight)})}"#,
        "$evalite_calls", "$evalite_calls",
    ]),
    ("fitness", ["{}", "", ""]),
    ("mastra/tool-call-accuracy", [r#"{(|,"strictMode":$flag)}"#, "[*3($call)]", "[*5($call)]"]),
    ("mastra/trajectory", [
        r#"{(|,"ordering":$mastra_ordering)(|,"allowRepeatedSteps":$flag)(|,"maxSteps":(0|1|2|3.5))(|,"maxTotalDurationMs":(0|1|2.5))
            (|,"noRedundantCalls":$flag)(|,"blacklistedTools":(["b"]|["A"]|[]))(|,"blacklistedSequences":([["a","b"]]|[[]]|[["b","b","a"]]))
            (|,"maxRetriesPerTool":(0|1|3))(|,"weights":({"accuracy":1}|{"efficiency":0,"blacklist":0.5}|{"toolFailures":2}))}"#,
        "(4:[*4($call)]|null)",
        r#"[*6({"name":$name(3:,"args":({}|{"x":1}|{"x":1,"y":2}|{"y":2,"x":1})|)(|,"error":(true|"no"|false))
            (7:,"start":0,"end":(0|10000|500000|1000000|2490000)|)})]"#,
    ]),
    ("mastra/trajectory-accuracy", [
        r#"{(|,"ordering":$mastra_ordering)(|,"allowRepeatedSteps":$flag)}"#, "[*4($call)]", "[*5($call)]",
    ]),
    ("mlflow/tool-call-correctness", [
        r#"{(|,"should_consider_ordering":$flag)(|,"should_exact_match":(3:true|false))}"#,
        r#"(5:@calls([*4($mlflow_call)])|{"expected_tool_calls":@calls([*4($mlflow_call)])})"#,
        "(2:[*4($mlflow_call)]|$calls)",
    ]),
    ("openevals/trajectory-match", [TRAJECTORY_MATCH, "$message_list", "$message_list"]),
    ("promptfoo/tool-args-match", [
        r#"{(|,"inverse":$flag)(|,"mode":("exact"|"partial"))(|,"ignore":(["a"]|["b","?"]|["*"]|["A"]|["A*"]))
            (|,"defaults":({"a":1}|{"b":2,"a":true}|{"c":null}))}"#,
        r#"[*2({"name":$pattern,"args":(11:$object|$value)})]"#, "[*4($call)]",
    ]),
    ("promptfoo/tool-call-f1", [r#"{(|,"inverse":$flag)(|,"threshold":(0.5|1|0))}"#, "[*4($call)]", "[*5($call)]"]),
    ("promptfoo/tool-sequence", [
        r#"{(|,"inverse":$flag)(|,"mode":("exact"|"in_order"))}"#, r#"[*3({"name":$pattern})]"#, "[*4($call)]",
    ]),
    ("promptfoo/tool-used", [r#"{(|,"inverse":$flag)}"#, r#"[*3({"name":$pattern})]"#, "[*5($call)]"]),
    ("ragas/tool-call-accuracy", [r#"{(|,"strict_order":$flag)}"#, "$ragas_reference", "[*5($ragas_message)]"]),
    ("ragas/tool-call-f1", ["{}", "$ragas_reference", "[*5($ragas_message)]"]),
    ("strands/any-order-match", ["{}", "$names", "$names"]),
    ("strands/exact-match", ["{}", "$names", "$names"]),
    ("strands/in-order-match", ["{}", "$names", "$names"]),
    ("strands/tool-called", [r#"{"tool_name":$name}"#, "$names", "$names"]),
    ("tau2/action-check", [
        r#"{(|,"strict":$flag)}"#,
        r#"[*3({"action_id":"i","name":$name,"arguments":(39:$object|$value),
            "compare_args":(6:null|null|[]|["a"]|["a","b"]|["none"]|7)})]"#,
        r#"[*4({"role":"@role(2:assistant|user|tool)",
            "tool_calls":[*3({"id":"c","name":$name,"arguments":(39:$object|$value),"requestor":"$role"})]})]"#,
    ]),
    ("tpmjs/tool-call-accuracy-score", ["{}", "$tpmjs_calls", "$tpmjs_calls"]),
    ("trajectory", [
        r#"{"match":{"args":("exact"|"fuzzy"|"overlap"|"ignore"|"subset"|"superset"|"keys","keys":["x.a","y"]|"text"|"json_text"|"partial")
            (2:|,"outputs":"exact")},(4:$trajectory_align|"mode":("strict"|"unordered"|"subset"|"superset"|"in_order"))
            (2:|,"weights":{"name_only":0.3,"extra":0.15}|,"weigh":{"effects":2.5,"tools":["a","b?"]}|,"parallel":"recorded"|,"both_empty":0.5)}"#,
        "", "",
    ]),
    ("uipath/tool-call-args", [
        r#"{$uipath_settings(7:|,"default_evaluation_criteria":$uipath_args)(15:|,"defaultEvaluationCriteria":($uipath_args|$value))}"#,
        "(15:$uipath_args|(null|{}|[]))", "[*5($uipath_span)]",
    ]),
    ("uipath/tool-call-count", [
        r#"{$uipath_settings(7:|,"default_evaluation_criteria":$uipath_counts)(15:|,"defaultEvaluationCriteria":($uipath_counts|$value))}"#,
        "(15:$uipath_counts|(null|{}|[]))", "[*5($uipath_span)]",
    ]),
    ("uipath/tool-call-order", [
        r#"{$uipath_settings(7:|,"default_evaluation_criteria":$uipath_order)(15:|,"defaultEvaluationCriteria":($uipath_order|$value))}"#,
        "(15:$uipath_order|(null|{}|[]))", "[*5($uipath_span)]",
    ]),
    ("uipath/tool-call-output", [
        r#"{$uipath_settings(7:|,"default_evaluation_criteria":$uipath_outputs)(15:|,"defaultEvaluationCriteria":($uipath_outputs|$value))}"#,
        "(15:$uipath_outputs|(null|{}|[]))", "[*5($uipath_span)]",
    ]),
    ("vertex/trajectory-any-order-match", ["{}", "$vertex_calls", "$vertex_calls"]),
    ("vertex/trajectory-exact-match", ["{}", "$vertex_calls", "$vertex_calls"]),
    ("vertex/trajectory-in-order-match", ["{}", "$vertex_calls", "$vertex_calls"]),
    ("vertex/trajectory-precision", ["{}", "$vertex_calls", "$vertex_calls"]),
    ("vertex/trajectory-recall", ["{}", "$vertex_calls", "$vertex_calls"]),
    ("vertex/trajectory-single-tool-use", [r#"{"tool_name":$name}"#, "$vertex_calls", "$vertex_calls"]),
];

const ADK: &str = r#"{"threshold":0.5(|,"match_type":("IN_ORDER"|"ANY_ORDER"|"EXACT"|1|2|0|" any-order"|"in order"|"x"|3))
    (2:|,"ignore_args":$flag)}"#;

const TRAJECTORY_MATCH: &str = r#"{"trajectory_match_mode":("unordered"|"subset"|"superset"|"strict")
    (|,"tool_args_match_mode":("ignore"|"subset"|"superset"|"exact"))(2:|,"tool_args_match_overrides":
    {*2($name:("ignore"|"subset"|"superset"|"exact"|"other"|["a"]|["a.b","b"]|[]|null|0|{}|""))})}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_evaluator_has_rows() {
        let has_rows = |id: &str| ROWS.iter().any(|(own, _)| *own == id);
        let all = || EVALUATORS.iter().map(|entry| entry.id);
        let lacking: Vec<_> = all().filter(|id| !has_rows(id)).collect();
        assert!(lacking.is_empty(), "{lacking:?}");
        let unknown: Vec<_> = ROWS
            .iter()
            .filter(|(id, _)| !all().any(|it| it == *id))
            .collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
