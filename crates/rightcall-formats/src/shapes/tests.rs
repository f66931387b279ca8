use rightcall_core::call::{ArgumentSource, Call, Case, Shape};
use rightcall_core::value::Text;

use crate::{Format, ReadOptions, read_case};

fn read_as<'a>(text: &'a str, format: Option<&'static Format>) -> Case<'a> {
    let options = ReadOptions {
        format,
        ..ReadOptions::default()
    };
    read_case(text, &options).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn read(text: &str) -> Case<'_> {
    read_as(text, None)
}

/// A call as `name(arguments)`, with its other facts.
fn show(call: &Call<'_>) -> String {
    let arguments = match call.arguments.source() {
        ArgumentSource::Absent => String::new(),
        ArgumentSource::Json(json) | ArgumentSource::Text { json, .. } => (*json).to_owned(),
    };
    let turn = call
        .metadata()
        .turn
        .map_or_else(String::new, |turn| format!(" @{turn}"));
    let group = call
        .metadata()
        .group
        .as_ref()
        .map_or_else(String::new, |group| format!(" {group}"));
    let output = call
        .metadata()
        .output
        .as_ref()
        .map_or_else(String::new, |output| format!(" -> {output}"));
    format!("{}({arguments}){turn}{group}{output}", call.name)
}

fn expected(case: &Case<'_>) -> Vec<String> {
    case.expected.calls.iter().flatten().map(show).collect()
}

fn actual(case: &Case<'_>) -> Vec<String> {
    case.actual
        .iter()
        .flat_map(|actual| &actual.calls)
        .map(show)
        .collect()
}

/// Reads a case in a shape and compares its native sides and both lists of calls.
#[track_caller]
fn check(text: &str, native: Option<(Shape, &str, &str)>, wanted: &[&str], called: &[&str]) {
    let case = read(text);
    let found = case
        .native
        .as_ref()
        .map(|native| (native.shape, native.expected, native.actual));
    assert_eq!(found, native, "{text}");
    assert_eq!(expected(&case), wanted, "{text}");
    assert_eq!(actual(&case), called, "{text}");
}

#[test]
fn axion_and_deepeval_are_told_apart_by_the_arguments() {
    check(
        r#"{"query":"q","tools_called":[{"name":"a","args":{"id":7}}],"expected_tools":[{"name":"a"}]}"#,
        Some((
            Shape::Axion,
            r#"[{"name":"a"}]"#,
            r#"[{"name":"a","args":{"id":7}}]"#,
        )),
        &["a()"],
        &[r#"a({"id":7})"#],
    );
    check(
        r#"{"input":"q","toolsCalled":[{"name":"a","inputParameters":{"id":7},"output":"x"}],"expectedTools":[{"name":"a"}]}"#,
        Some((
            Shape::DeepEval,
            r#"[{"name":"a"}]"#,
            r#"[{"name":"a","inputParameters":{"id":7},"output":"x"}]"#,
        )),
        &["a()"],
        &[r#"a({"id":7}) -> "x""#],
    );
    check(
        r#"{"tools_called":[{"name":"a"}],"expected_tools":[{"name":"b"}]}"#,
        None,
        &["b()"],
        &["a()"],
    );
    let case = read(r#"{"query":"q","actual_output":"o","tools_called":[],"expected_tools":[]}"#);
    assert_eq!(
        (case.input, case.output, case.meta.len()),
        (Some("\"q\""), Some("\"o\""), 0)
    );
}

#[test]
fn evalite_and_tpmjs_take_any_value_as_argument() {
    check(
        r#"{"actualCalls":[{"toolName":"a","input":null},{"toolName":"b"}],"expectedCalls":[{"toolName":"a","input":"x"}]}"#,
        Some((
            Shape::Evalite,
            r#"[{"toolName":"a","input":"x"}]"#,
            r#"[{"toolName":"a","input":null},{"toolName":"b"}]"#,
        )),
        &[r#"a("x")"#],
        &["a(null)", "b()"],
    );
    check(
        r#"{"expected":[{"tool":"a","args":[1]},null],"actual":[]}"#,
        Some((Shape::Tpmjs, r#"[{"tool":"a","args":[1]},null]"#, "[]")),
        &["a([1])"],
        &[],
    );
    check(
        r#"{"expected":[],"actual":[{"toolName":"a"}]}"#,
        Some((Shape::Evalite, "[]", r#"[{"toolName":"a"}]"#)),
        &[],
        &["a()"],
    );
}

#[test]
fn a_missing_side_leaves_no_native_shape() {
    let case = read(r#"{"expectedCalls":[{"toolName":"a"}]}"#);
    assert!(case.native.is_none() && case.actual.is_none());
    assert_eq!(expected(&case), ["a()"]);
    let case = read(r#"{"actualCalls":[{"toolName":"a"}]}"#);
    assert!(case.native.is_none() && case.expected.is_empty());
    assert_eq!(actual(&case), ["a()"]);
}

#[test]
fn sides_of_different_shapes_are_each_read_in_their_own_way() {
    check(
        r#"{"expected":[{"name":"a","args":{}}],"actual":[{"tool":"a","args":{}}]}"#,
        None,
        &["a({})"],
        &["a({})"],
    );
}

#[test]
fn ragas_keeps_the_list_of_its_reference() {
    check(
        r#"{"user_input":[{"type":"human","content":"q"},{"type":"ai","content":"","tool_calls":[{"name":"a","args":{"id":7}}]},
        {"type":"tool","content":"shipped"}],"reference_tool_calls":[{"name":"b","args":{}}]}"#
            .replace('\n', "")
            .as_str(),
        Some((
            Shape::Ragas,
            r#"[{"name":"b","args":{}}]"#,
            r#"[{"type":"human","content":"q"},{"type":"ai","content":"","tool_calls":[{"name":"a","args":{"id":7}}]},        {"type":"tool","content":"shipped"}]"#,
        )),
        &["b({})"],
        &[r#"a({"id":7}) @1 -> "shipped""#],
    );
}

#[test]
fn the_reference_of_ragas_may_stand_under_expected() {
    let reference = r#"{"reference_tool_calls":[{"name":"a","args":{"x":1}}]}"#;
    let messages = r#"[{"type":"human","content":"q"}]"#;
    check(
        &format!(r#"{{"expected":{reference},"actual":{messages}}}"#),
        Some((Shape::Ragas, reference, messages)),
        &[r#"a({"x":1})"#],
        &[],
    );
}

const MESSAGES: &str = r#"[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"a","arguments":"{\"x\":1}"}},{"id":"c","type":"function","function":{"name":"b","arguments":{}}}]},{"role":"tool","tool_call_id":"c","content":"first"},{"role":"tool","tool_call_id":"c","content":"second"},{"role":"tool","tool_call_id":"z","content":"orphan"},{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"a","arguments":""}}]}]"#;

#[test]
fn messages_pair_outputs_with_the_oldest_open_call_of_an_id() {
    let called = [
        r#"a("{\"x\":1}") @1 group-1 -> "first""#,
        r#"b({}) @1 group-1 -> "second""#,
        r#"a("") @5"#,
    ];
    check(
        &format!(r#"{{"expected":["a"],"actual":{MESSAGES}}}"#),
        None,
        &["a()"],
        &called,
    );
    let reference = MESSAGES.replace(
        r#"{"role":"tool","tool_call_id":"z","content":"orphan"},"#,
        r#"{"role":"user","content":"more"},"#,
    );
    check(
        &format!(r#"{{"reference_outputs":{reference},"outputs":{{"messages":[]}}}}"#),
        Some((Shape::AgentEvals, &reference, r#"{"messages":[]}"#)),
        &called,
        &[],
    );
}

#[test]
fn messages_of_langchain_may_lie_one_level_down() {
    check(
        r#"{"expected":["a"],"actual":[{"type":"ai","data":{"content":"","tool_calls":[{"name":"a","args":{},"id":"1"}]}},{"type":"tool","data":{"content":"x","tool_call_id":"1","status":"error"}}]}"#,
        None,
        &["a()"],
        &[r#"a({}) @0 -> "x""#],
    );
}

const SPANS: &str = r#"[{"name":"s","start_time":5,"end_time":6,"attributes":{"tool.name":"b","tool.id":7,"input.value":"{'x': 1}","output.value":"ok"}},{"name":"llm","start_time":0,"attributes":{"model":"m"}},{"name":"t","start_time":1,"end_time":9,"attributes":{"tool.name":"a","input.value":{"y":2}}},{"attributes":{"tool.name":"c","tool.synthesized":"false"}},{"attributes":{"tool.name":""}},{"attributes":null}]"#;

#[test]
fn criteria_and_spans_are_uipaths() {
    let text = format!(
        r#"{{"expected":{{"toolCallsOrder":["a","b"],"toolCallsCount":{{"a":["=",1]}}}},"actual":{SPANS}}}"#
    );
    check(
        &text,
        Some((
            Shape::UiPath,
            r#"{"toolCallsOrder":["a","b"],"toolCallsCount":{"a":["=",1]}}"#,
            SPANS,
        )),
        &[],
        &[r#"a({"y":2})"#, r#"b("{'x': 1}") -> "ok""#],
    );
    let case = read(&text);
    assert_eq!(
        case.expected.order.unwrap(),
        [Text::new("a"), Text::new("b")]
    );
    let actual = case.actual.unwrap();
    assert_eq!(actual.spans.len(), 6);
    assert_eq!(
        actual.spans[2].attributes,
        Some(r#"{"tool.name":"a","input.value":{"y":2}}"#)
    );
    assert_eq!(actual.calls[1].metadata().tool_id, Some(Text::new("7")));
}

#[test]
fn what_is_wrong_in_criteria_is_for_uipath_to_say() {
    let criteria = r#"{"toolCallsCount":{"a":["=",-1]}}"#;
    let text = format!(r#"{{"expected":{criteria},"actual":[]}}"#);
    check(&text, Some((Shape::UiPath, criteria, "[]")), &[], &[]);
    assert!(read(&text).expected.is_empty());
}

#[test]
fn spans_beside_canonical_expectations_are_calls() {
    check(
        &format!(r#"{{"expected":["a"],"actual":{SPANS}}}"#),
        None,
        &["a()"],
        &[r#"a({"y":2})"#, r#"b("{'x': 1}") -> "ok""#],
    );
}

#[test]
fn invocations_of_adk_are_turns() {
    let side = r#"[{"intermediate_data":null},{"intermediate_data":{"tool_uses":[{"name":"a","args":{"x":1},"id":"i"},{"name":"b"}],"tool_responses":[{"id":"i","response":{"ok":1}}]}}]"#;
    let calls = [r#"a({"x":1}) @1 -> {"ok":1}"#, "b() @1"];
    check(
        &format!(r#"{{"expected":{side},"actual":{side}}}"#),
        Some((Shape::Adk, side, side)),
        &calls,
        &calls,
    );
}

#[test]
fn a_format_that_is_named_is_taken() {
    let text = r#"{"expected":[{"name":"a","args":{}}],"actual":[{"name":"a","args":[]}]}"#;
    let case = read_as(text, Format::find("axion").ok());
    let native = case.native.as_ref().unwrap();
    assert_eq!(
        (native.shape, native.expected, native.actual),
        (
            Shape::Axion,
            r#"[{"name":"a","args":{}}]"#,
            r#"[{"name":"a","args":[]}]"#
        )
    );
    assert_eq!(actual(&case), ["a([])"]);
    let case = read_as(
        r#"{"expected":["a"],"tools_called":[{"name":"a","args":{}}]}"#,
        Format::find("cases").ok(),
    );
    assert!(case.native.is_none() && case.actual.is_none() && case.meta.len() == 1);
    let error = read_case(
        r#"{"expected":[{"id":"a"}]}"#,
        &ReadOptions {
            format: Format::find("cases").ok(),
            ..ReadOptions::default()
        },
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "/expected/0/name: expected the name of a tool, found nothing"
    );
}

#[test]
fn calls_in_the_content_of_messages_are_calls() {
    let of_anthropic = r#"[{"role":"user","content":"go"},
        {"role":"assistant","content":[{"type":"text","text":"well"},{"type":"tool_use","id":"t1","name":"find","input":{"id":7}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"found"}]}]"#;
    let of_gemini = r#"[{"role":"model","parts":[{"functionCall":{"name":"find","args":{"id":7}}}]},
        {"role":"user","parts":[{"functionResponse":{"name":"find","response":{"found":1}}}]}]"#;
    let of_bedrock = r#"[{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"find","input":{"id":7}}}]},
        {"role":"user","content":[{"toolResult":{"toolUseId":"t1","status":"success","content":[{"text":"found"}]}}]}]"#;
    let of_vercel = r#"[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"t1","toolName":"find","input":{"id":7}}]},
        {"role":"tool","content":[{"type":"tool-result","toolCallId":"t1","toolName":"find","output":{"type":"text","value":"found"}}]}]"#;
    let blocks = r#"[{"type":"tool_use","id":"t1","name":"find","input":{"id":7}},
        {"type":"tool_result","tool_use_id":"t1","content":"found"}]"#;
    for (messages, called) in [
        (of_anthropic, r#"find({"id":7}) @1 -> "found""#),
        (of_gemini, r#"find({"id":7}) @0 -> {"found":1}"#),
        (of_bedrock, r#"find({"id":7}) @0 -> "found""#),
        (of_vercel, r#"find({"id":7}) @0 -> "found""#),
        (blocks, r#"find({"id":7}) @0 -> "found""#),
    ] {
        for messages in [messages.to_owned(), format!(r#"{{"messages":{messages}}}"#)] {
            assert_eq!(
                actual(&read(&format!(
                    r#"{{"expected":["find"],"actual":{messages}}}"#
                ))),
                [called],
                "{messages}"
            );
            assert_eq!(
                expected(&read(&format!(r#"{{"expected":{messages},"actual":[]}}"#))),
                [called],
                "{messages}"
            );
        }
    }
}

#[test]
fn blocks_alone_are_calls_with_their_input() {
    let blocks = r#"[{"type":"tool_use","id":"t1","name":"find","input":{"id":7}}]"#;
    let text = format!(r#"{{"expected":{blocks},"actual":{blocks}}}"#);
    let case = read(&text);
    assert_eq!(
        (expected(&case), actual(&case)),
        (
            vec![r#"find({"id":7})"#.to_owned()],
            vec![r#"find({"id":7})"#.to_owned()]
        )
    );
}

#[test]
fn a_message_may_be_what_is_expected() {
    let message = r#"{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{}"}}]}"#;
    assert_eq!(
        expected(&read(&format!(r#"{{"expected":{message},"actual":[]}}"#))),
        [r#"find("{}") @0"#]
    );
}

#[test]
fn a_block_that_sounds_like_a_call_is_not_passed_over() {
    let text = r#"{"expected":["find"],"actual":[{"role":"assistant","content":[{"type":"other_call","name":"find"}]}]}"#;
    let error = read_case(text, &ReadOptions::default()).unwrap_err();
    assert!(error.found.starts_with("a list"), "{error}");
}

#[test]
fn messages_of_langchains_constructors_are_known_by_their_inner_type() {
    let text = r#"{"expected":["a"],"actual":[{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":{"type":"ai","content":"","tool_calls":[{"name":"a","args":{},"id":"1"}]}},{"lc":1,"type":"constructor","kwargs":{"type":"tool","content":"x","tool_call_id":"1"}}]}"#;
    check(text, None, &["a()"], &[r#"a({}) @0 -> "x""#]);
}

#[test]
fn a_call_in_the_words_of_two_shapes_is_read_whole() {
    for (call, read) in [
        (r#"{"toolName":"a","args":{"id":7}}"#, r#"a({"id":7})"#),
        (
            r#"{"type":"tool-call","toolCallId":"c","toolName":"a","args":{"id":7}}"#,
            r#"a({"id":7})"#,
        ),
        (r#"{"tool":"a","input":{"id":7}}"#, r#"a({"id":7})"#),
        (
            r#"{"tool_name":"a","tool_input":{"id":7}}"#,
            r#"a({"id":7})"#,
        ),
        (
            r#"{"id":"c","type":"function","function":{"name":"a","arguments":"{\"id\":7}"}}"#,
            r#"a("{\"id\":7}")"#,
        ),
        (
            r#"{"toolName":"a"}, {"toolName":"b","input":{}}, "c", {"name":"d","args":{}}"#,
            "a()",
        ),
    ] {
        let case = format!(r#"{{"expected":[{call}],"actual":[{call}]}}"#);
        let case = self::read(&case);
        assert!(case.native.is_none(), "{call}");
        assert_eq!(
            [&expected(&case)[0], &actual(&case)[0]].map(|it| it.replace(" @0", "")),
            [read, read],
            "{call}"
        );
    }
}

#[test]
fn deepeval_is_told_by_its_arguments_under_expected_and_actual_too() {
    let call = r#"[{"name":"a","input_parameters":{"id":7},"type":"MCP"}]"#;
    let calls = [r#"a({"id":7})"#];
    check(
        &format!(r#"{{"expected":{call},"actual":{call}}}"#),
        Some((Shape::DeepEval, call, call)),
        &calls,
        &calls,
    );
    let open = r#"[{"name":"a"}]"#;
    check(
        &format!(r#"{{"expected":{open},"actual":{call}}}"#),
        Some((Shape::DeepEval, open, call)),
        &["a()"],
        &calls,
    );
    check(
        &format!(r#"{{"expected":["a"],"actual":{call}}}"#),
        None,
        &["a()"],
        &calls,
    );
    let canonical = r#"[{"name":"a","args":{"id":7}}]"#;
    check(
        &format!(r#"{{"expected":{canonical},"actual":{call}}}"#),
        None,
        &calls,
        &calls,
    );
}

/// Reads an invalid case and compares the message.
#[track_caller]
fn check_bad(text: &str, message: &str) {
    let error = read_case(text, &ReadOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), message, "{text}");
}

#[test]
fn what_a_shape_would_pass_over_is_told() {
    check_bad(
        r#"{"expectedCalls":[{"toolName":"a"},{"toolName":"b","args":{"id":7}}],"actualCalls":[]}"#,
        "/expectedCalls/1: expected `input`, as calls of this shape have it, found the key `args`",
    );
    check_bad(
        r#"{"expected_tools":[{"name":"a","args":{"id":7}}],"tools_called":[{"name":"a","input_parameters":{"id":7}}]}"#,
        "/expected_tools/0: expected `input_parameters`, as calls of this shape have it, found the key `args`",
    );
    check_bad(
        r#"{"expectedCalls":["a"]}"#,
        "/expectedCalls/0: expected a call, which is an object, found the text \"a\"",
    );
    check_bad(
        r#"{"expected_tools":"a","tools_called":[]}"#,
        "/expected_tools: expected a list of calls, found the text \"a\"",
    );
    for text in [
        r#"{"expected":["a"],"actual":[{"role":"assistant","tool_calls":[{"name":"a","argz":{"id":7}}]}]}"#,
        r#"{"expected":["a"],"actual":[{"role":"assistant","content":"","tool_cals":[{"name":"a","args":{}}]}]}"#,
        r#"{"expected":[],"actual":[{"role":"user","content":"x"},{"name":"a","args":{}}]}"#,
        r#"{"expected":[{"role":"assistant","tool_calls":[{"function":{"name":"a","argz":{"id":7}}}]}],"actual":[]}"#,
    ] {
        assert!(read_case(text, &ReadOptions::default()).is_err(), "{text}");
    }
    for (text, called) in [
        (
            r#"{"expected":[],"actual":[{"role":"assistant","parts":[{"type":"tool-find","toolCallId":"x","input":{}}]}]}"#,
            "find({}) @0",
        ),
        (
            r#"{"expected":[],"actual":[{"name":"llm"},{"name":"s","attributes":{"gen_ai.tool.name":"a"}}]}"#,
            "a()",
        ),
    ] {
        assert_eq!(actual(&read(text)), [called], "{text}");
    }
    check_bad(
        r#"{"expected":[{"intermediate_data":{"invocation_events":[{"author":"a"}]}}],"actual":[]}"#,
        "/expected: expected a format that can be recognized, found a list, its first item an object with `intermediate_data`",
    );
    check_bad(
        r#"{"expectedCalls":[{"toolName":"find"}],"actualCalls":[{"toolName":"find"},{"input":{}}]}"#,
        "/actualCalls/1/toolName: expected the name of a tool, found nothing",
    );
    check_bad(
        r#"{"expected":[],"actual":[{"name":"s","attributes":{"tool.name":"a"}},{"name":"a","args":{}}]}"#,
        "/actual/1: expected a span, as others in the list are, found a call",
    );
    check_bad(
        r#"{"expected":{"name":"a","args":{}},"actual":[]}"#,
        "/expected: expected `calls`, `order`, `counts`, `outputs` or `constraints`, found the key `name`",
    );
}

#[test]
fn calls_of_a_simulated_user_are_read_and_answered_by_id() {
    let messages = r#"[{"role":"user","content":"x","tool_calls":[{"id":"u","name":"reboot","arguments":{},"requestor":"user"}]},
        {"role":"tool","id":"u","content":"ok","requestor":"user","error":true},
        {"role":"assistant","tool_calls":[{"id":"a","name":"find","arguments":{"id":7},"requestor":"assistant"},{"id":"b","name":"look","arguments":{}}]},
        {"role":"tool","tool_messages":[{"role":"tool","id":"b","content":"B"},{"role":"tool","id":"a","content":"A"}]}]"#;
    let text = format!(r#"{{"expected":["a"],"actual":{messages}}}"#);
    let case = read(&text);
    assert_eq!(
        actual(&case),
        [
            r#"reboot({}) @0 -> "ok""#,
            r#"find({"id":7}) @2 group-2 -> "A""#,
            r#"look({}) @2 group-2 -> "B""#
        ]
    );
}

#[test]
fn nodes_of_graphs_are_calls_on_either_side() {
    let graph = r#"{"results":[],"steps":[["__start__","agent"],["tools"]]}"#;
    let nodes = ["__start__({}) @0", "agent({}) @1", "tools({}) @2"];
    for text in [
        format!(r#"{{"outputs":{graph},"reference_outputs":{graph}}}"#),
        format!(r#"{{"actual":{graph},"expected":{graph}}}"#),
    ] {
        let case = read(&text);
        assert!(case.native.is_none());
        assert_eq!(expected(&case), nodes, "{text}");
        assert_eq!(actual(&case), nodes, "{text}");
    }
    check_bad(
        r#"{"outputs":{"steps":[["a"],"b"]},"reference_outputs":{"steps":[]}}"#,
        "/outputs/steps/1: expected a list of the nodes of a run, found the text \"b\"",
    );
    check_bad(
        r#"{"outputs":{"steps":[["a",7]]},"reference_outputs":{"steps":[]}}"#,
        "/outputs/steps/0/1: expected the name of a node, found the number 7",
    );
}

#[test]
fn parts_of_other_types_are_no_calls_of_a_shape() {
    let call = r#"{"type":"tool-call","toolCallId":"c","toolName":"a","input":{"id":7}}"#;
    let result =
        r#"{"type":"tool-result","toolCallId":"c","toolName":"a","input":{"id":7},"output":"x"}"#;
    let begun = r#"{"type":"start"}"#;
    let available =
        r#"{"type":"tool-input-available","toolCallId":"c","toolName":"a","input":{"id":7}}"#;
    for parts in [[call, result], [begun, available]] {
        let text = format!(r#"{{"actual":[{}]}}"#, parts.join(","));
        let case = read(&text);
        assert!(case.native.is_none());
        let calls = case.actual.unwrap().calls;
        assert_eq!(calls.len(), 1, "{text}");
        assert!(show(&calls[0]).starts_with(r#"a({"id":7})"#), "{text}");
    }
}

#[test]
fn of_messages_and_calls_in_a_case_the_run_is_the_one_with_all_calls() {
    let call = |name: &str| {
        format!(
            r#"{{"id":"{name}","type":"function","function":{{"name":"{name}","arguments":"{{}}"}}}}"#
        )
    };
    let said = |calls: &[&str]| {
        let calls = calls.iter().map(|name| call(name)).collect::<Vec<_>>();
        let asked = r#"{"role":"user","content":"q"}"#;
        let calls = calls.join(",");
        format!(r#"[{asked},{{"role":"assistant","content":"x","tool_calls":[{calls}]}}]"#)
    };
    let names = |messages: &str, calls: &str, swap: bool| {
        let messages = format!(r#""messages":{messages}"#);
        let calls = format!(r#""tool_calls":{calls}"#);
        let [first, second] = if swap {
            [calls, messages]
        } else {
            [messages, calls]
        };
        let text = format!(r#"{{"expected":["a"],{first},{second}}}"#);
        let case = read_case(&text, &ReadOptions::default());
        case.map_err(|error| error.to_string()).map(|case| {
            let run = case.actual.as_ref().unwrap();
            run.calls
                .iter()
                .map(|it| it.name.to_string())
                .collect::<Vec<_>>()
        })
    };
    for swap in [false, true] {
        let two = format!("[{},{}]", call("a"), call("b"));
        let one = format!("[{}]", call("b"));
        assert_eq!(names(&said(&["a", "b"]), &one, swap).unwrap(), ["a", "b"]);
        assert_eq!(names(&said(&["a"]), "[]", swap).unwrap(), ["a"]);
        assert_eq!(names(&said(&["a"]), &two, swap).unwrap(), ["a", "b"]);
        let error = names(&said(&["a"]), &one, swap).unwrap_err();
        assert!(error.contains("different calls under `"), "{error}");
    }
}
