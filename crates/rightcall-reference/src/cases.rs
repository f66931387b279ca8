//! The small cases that every evaluator is tested with: few names, few values, all settings, so that calls often nearly match.

use rightcall::{EVALUATORS, Entry};

use crate::choices::Choices;
use crate::template::fill;

/// How a case of an evaluator is generated: the settings, the expected and the actual side in the original's shape.
///
/// An evaluator with several rows has a case of one of them. One without an original has no sides.
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

/// A rule of the templates.
pub(crate) fn rule(name: &str) -> &'static str {
    let mut rules = RULES.iter();
    let found = rules.find(|(own, _)| *own == name);
    found.unwrap_or_else(|| panic!("no rule {name}")).1
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
            (2:|,"weights":{"name_only":0.3,"extra":0.15}|,"parallel":"recorded"|,"both_empty":0.5)}"#,
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

/// What templates share: values first, then the shapes of single originals, then rightcall's own cases.
#[rustfmt::skip]
const RULES: &[(&str, &str)] = &[
    ("flag", "true|false"),
    // Mostly the first two, so that calls match.
    ("name", r#"2:("a"|"b")|("a"|"b"|"A"|"a b"|"a_b"|""|"é"|"\ud83d"|"0")"#),
    ("key", r#"3:("a"|"b")|("a"|"b"|"c"|"__proto__"|"0"|"content"|"\ud83d"|"\ue000")"#),
    ("value", "5:(1|2|1.0|true)|$odd_value|[*2($value)]|$object"),
    ("odd_value", r#"1|2|1.0|true|null|"x"|"1"|0|-0.0|false|""|[]|{}|[1]|[1.0]|["x"]|{"0":"x"}|"xy"|["x","y"]|{"a":1}|{"a":1,"a":true}
        |9007199254740993|9007199254740992.0|9007199254740992|10000000000000000000000|1e22|1e400
        |"\ud83d"|"\ud83d\ude42"|"abcd"|"abxd"|-1|{"a":null}|[null]|0.1"#),
    // Sometimes with repeated keys.
    ("object", "{*3($key:$value)}"),
    ("names", "[*6((31:$name|$value))]"),
    ("call", r#"39:{"name":$name(3:,"args":(9:$object|$value)|)(3:|,"output":$value)}|$value"#),
    ("named_call", r#"{"name":$name,"args":(59:$object|$value)}"#),

    ("adk_invocation", r#"15:{"intermediate_data":{"tool_uses":[*4({(15:,"name":$name|)
        (9:,"args":(11:$object|(null|{}|[]))|)})]}}|{"intermediate_data":null}"#),
    ("axion_calls", r#"19:[*5({"name":$name,"args":(59:$object|$value)(39:|(,"id":"x"|,"tags":[]|,"other":1))})]
        |(null|{}|[null]|[{"name":"a"}]|[{"args":{}}])"#),
    ("azure_name", r#"5:$name|(" a"|" b")"#),
    ("azure_part", r#"6:{"type":"tool_call","name":$azure_name(7:,"arguments":(5:$object|~($object)|$value)|)}
        |({"type":"text","text":"x"}|{"type":"tool_call"})"#),
    ("bfcl_scalar", r#"2:"x y"|1|2|1.5|true|"A'b""#),
    ("bfcl_dict", r#"{"a":[1],"b":["x",""]}|{"a":[1]}|null|"x y""#),
    ("bfcl_list", r#"["x","y"]|[1,2]|[{"a":[1]}]|[{"a":[1],"b":["y"]}]|[1.0]|[]|1"#),
    ("bfcl_odd", r#""X.Y"|"xy"|1|1.0|"1"|"1L"|"1.5f"|"1n"|"true"|["X"]|{"a":1}|[{"a":1}]|[]|"a\"B""#),
    ("bfcl_required", r#"[]|2:["a"]|["b","a"]"#),
    ("bfcl_answer", r#"{"a":[@a($bfcl_scalar)(|,$bfcl_scalar)(2:|,"")],"b":[@b($bfcl_scalar)(|,$bfcl_scalar)(2:|,"")]}"#),
    ("bfcl_arguments", r#"{(3:,"a":(3:$a|$bfcl_odd)|)(3:,"b":(3:$b|$bfcl_odd)|)}"#),
    // A literal as a text, sometimes with the suffix of its type.
    ("bfcl_texts", r#"{(3:,"a":(3:(~($a(3:|L|f|n))|$a)|$bfcl_odd)|)(3:,"b":(3:(~($b(3:|L|f|n))|$b)|$bfcl_odd)|)}"#),
    ("bfcl_scalars", r#""parameters":{"properties":{"a":{"type":"$bfcl_type"},"b":{"type":"$bfcl_type"}},"required":$bfcl_required}"#),
    ("bfcl_type", "2:string|integer|float|boolean|any|none"),
    ("bfcl_java", r#"{"ground_truth":[{"f":$bfcl_answer}],"function":[{"name":"f","parameters":{"properties":
        {"a":{"type":"$bfcl_java_type"},"b":{"type":"$bfcl_java_type"}},"required":$bfcl_required}}]}"#),
    ("bfcl_java_type", "2:String|integer|long|double|float|boolean|char|any|Queue"),
    ("bfcl_javascript", r#"{"ground_truth":[{"f":$bfcl_answer}],"function":[{"name":"f","parameters":{"properties":
        {"a":{"type":"$bfcl_javascript_type"},"b":{"type":"$bfcl_javascript_type"}},"required":$bfcl_required}}]}"#),
    ("bfcl_javascript_type", "2:String|integer|float|Bigint|Boolean|any|none"),
    ("deepeval_call", r#"{"name":$name(5:,"(input_parameters|inputParameters)":(11:$object|null)|)(2:|,"output":$value)
        (5:|,"type":(2:"MCP"|"FUNCTION"|"x"))}"#),
    ("evalite_calls", r#"23:[*5((23:{(15:,"toolName":(15:$name|$evalite_name)|)(9:,"input":(5:$object|$value)|)}|$value))]
        |(null|[]|[null])"#),
    // A list, an object or an infinite number as a name is in the golden cases.
    ("evalite_name", r#"1|1.0|true|null|0|-0.0|false|"1"|9007199254740993|9007199254740992"#),
    ("weight", "0|1|0.3|null|true|-1|1e400"),
    ("mastra_ordering", r#""strict"|"relaxed"|"unordered""#),
    ("message_list", r#"7:[*3($message)]|{"messages":[*3($message)]}"#),
    ("message", r#"32:{"role":"(3:assistant|ai)","content":""(7:,"tool_calls":[*4(($named_call
        |{"function":{"name":$name,"arguments":~(59:$object|$value)}}))]|)}|16:{"role":"(user|tool)","content":"x"}|{"role":"nobody","content":"x"}"#),
    ("mlflow_call", r#"{"name":$name(47:,"arguments":(4:({}|{"a":1}|{"a":1.0}|{"a":2})|7:$object|(null|{}|[]|1|0|"x"|""))|)}"#),
    ("pattern", r#""a"|"b"|"A"|"*"|"?"|"a*"|"*b"|"a?b"|"É"|"??"|"shell"|"""#),
    ("ragas_reference", r#"{"reference_tool_calls":(23:[*5($named_call)]|null)}"#),
    ("ragas_message", r#"3:{"type":"ai","content":""(9:,"tool_calls":[*3($named_call)]|(|,"tool_calls":null))}|2:{"type":"(human|tool)","content":""}"#),
    ("tpmjs_calls", r#"23:[*5((23:{(15:,"tool":(15:$name|$value)|)(9:,"args":(5:$object|$value)|)}|$value))]|(null|[]|[null])"#),
    ("uipath_settings", r#""strict":$flag(7:|,"strict":$uipath_flag)(15:|,"subset":$uipath_flag)(15:|,"name":$value)"#),
    ("uipath_flag", r#"true|false|1|0.0|"Yes"|"oFF"|" 1"|""|null|2|[]"#),
    ("uipath_counts", r#"{"(tool_calls_count|toolCallsCount)":{*4($name:[(39:("="|">="|"<="|">"|"<"|"=="|"!="|"~")|1),
        (7:(1|0|2|3)|$uipath_count)(63:|,1)])}}"#),
    ("uipath_count", r#"-1|1.0|1.5|true|null|" +1_0.0 "|"1"|"x"|"1."|"1__0"|"_1"|"-0"|""|"1e0"|"00"|1e400|99999999999999999999|[]"#),
    ("uipath_order", r#"{"(tool_calls_order|toolCallsOrder)":[*6((39:$name|$value))]}"#),
    ("uipath_args", r#"{"(tool_calls|toolCalls)":[*4({"name":$name,"args":(39:$object|$value)$uipath_id})]}"#),
    ("uipath_outputs", r#"{"(tool_outputs|toolOutputs)":[*4({"name":$name,"output":(39:$uipath_text|$value)$uipath_id})]}"#),
    ("uipath_id", r#"3:|,"id":("a"|"b"|null|""|"0"|1)"#),
    ("uipath_text", r#""x"|"1"|""|"None"|"True"|"[1]"|"{'a': 1}"|"\ud83d""#),
    ("uipath_span", r#"15:{"name":"s","start_time":0,"end_time":1,"attributes":{"tool.name":(5:$name
        |(""|null|12|true|1.0|[]|"12"|"  a  b "|"a!"|"工具"))(2:|,"tool.id":("a"|"b"|null|""|0|"0"|true|"True"|1.0))
        (9:|,"tool.synthesized":(true|false|"false"|0|null))(5:,"input.value":($uipath_input|~($uipath_input))|)
        (5:,"output.value":($uipath_output|~($uipath_output))|)}}|({}|{"attributes":null}|{"attributes":{}})"#),
    ("uipath_input", "2:$object|$value"),
    ("uipath_output", "2:$uipath_text|$value"),
    ("vertex_calls", r#"[*5({"tool_name":$name(23:,"tool_input":(6:$object|~($object)|$value)|)})]"#),

    ("canonical_case", r#"{"id":"a","expected":{(7:,"calls":[*6($expected_call)]|)(3:|,"order":[*4($tool)])
        (3:|,"outputs":[*4({"name":$tool,"output":$output})])(2:|,"counts":{(2:,"a":$count|)(,"b":$count|)(2:|,"c":$count)(2:|,"A":$count)})
        (2:|,"constraints":{(|$constraint)})}(23:,"actual":[*7($actual_call)]|)}"#),
    ("expected_call", r#"{"name":$tool(11:,"args":$arguments|)(3:,"output":$output|)(5:|,"compare_args":([]|["x"]|["x","y"])),"turn":(0|1)}"#),
    ("actual_call", r#"{"name":$tool(23:,"args":$arguments|)(15:,"output":$output|)(2:|,"group":"g(0|1|2)")(3:|,"error":"timeout"),"turn":(0|1)}"#),
    ("tool", r#"2:"a"|2:"b"|"c"|"A""#),
    ("output", r#""x"|"y""#),
    ("count", r#"["(=|>=|<=|>|<)",(0|1|2|3)]"#),
    // Often nearly the same.
    ("arguments", r#"$object|5:({}|{"x":1}|{"x":1,"y":2}|{"x":1,"y":3}|{"x":2,"y":2,"z":3}|{"x":null}|{"x":"abcd","y":"efgh"}
        |{"x":"abxd","y":"efgh"}|{"x":{"a":1,"b":2}}|{"x":{"a":1,"b":3,"c":4}}|{"x":1.0}|{"x":"1"})"#),
    ("constraint", r#""max_calls":3|"forbidden":["c"]|"required":["a"](|,"order":["a before b"])|"order":["a before b"](|,"max_repeats":0)
        |"max_repeats":0|"max_run_seconds":9|"counts":{"a":"1..2"}(|,"max_calls":3)"#),
    ("trajectory_align", r#""align":("assignment"|"position"|"first_fit"|"best_fit"|"multiset"|"distinct"|"once"|"lcs"|"subsequence"|"forward"
        |"first_occurrences"|"by_turn"|"free"),"score":("f1"|"recall"|"precision"|"weighted"|"all_or_nothing"|"covers_expected"|"covers_actual")"#),
];

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
