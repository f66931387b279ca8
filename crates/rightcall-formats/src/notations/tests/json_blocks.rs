//! Call objects after markers.

use super::*;

/// Checks the content of a `<tool_call>`.
#[track_caller]
fn check_block(content: &str, expected: &str) {
    check(&format!("<tool_call>{content}</tool_call>"), expected);
}

#[test]
fn call_objects_have_a_name_arguments_and_an_id() {
    check_block(
        r#"{"name": "a", "arguments": {"n": 1}, "arguments": {"n": 2}}"#,
        r#"a{"n": 2}"#,
    );
    check_block(
        r#"{"name": "a", "parameters": {"n": 1}, "arguments": {"n": 2}}"#,
        r#"a{"n": 2}"#,
    );
    check_block(r#"{"name": "a", "parameters": null}"#, "a{}");
    check_block(r#"{"name": "a", "arguments": ""}"#, "a{}");
    check_block(r#"{"name": "a"}"#, "a{}");
    check_block(r#"{"name": "a", "arguments": "{'n': 1}"}"#, r#"a{"n":1}"#);
    check_block(
        r#"{"name": "a", "arguments": "n = \"1\""}"#,
        r#"a?(n = "1")"#,
    );
    check_block(r#"{"name": "a", "arguments": [1,  2]}"#, "a?([1,  2])");
    check_block("{'name': 'a', 'arguments': (1, 2,)}", "a?((1, 2,))");
    for id in ["id", "tool_call_id", "call_id"] {
        check_block(&format!(r#"{{"name": "a", "{id}": "c1"}}"#), "a#c1{}");
    }
    check_block(
        r#"{"id": "c1", "function": {"name": "a", "arguments": "{}"}}"#,
        "a#c1{}",
    );
    for other in [
        r#"{"name": "a", "args": {"n": 1}}"#,
        r#"{"name": "a", "n": 1}"#,
        r#"{"name": "a", "input": "n"}"#,
    ] {
        check_block(other, &format!("a?({other})"));
    }
    check_block(
        r#"{"name": "a", "reasoning": "b", "type": "function"}"#,
        "a{}",
    );
    check_block("<think>b</think>\n{\"name\": \"a\"}", "a{}");
    for nameless in [
        r#"{"name": 5}"#,
        r#"{"name": ""}"#,
        r#"{"tool_name": "a"}"#,
        "{}",
        r#"{"function": "a"}"#,
    ] {
        check(&format!("<tool_call>{nameless}</tool_call>"), "unread _");
    }
}

#[test]
fn blocks_hold_objects_and_lists() {
    check_block(
        r#"{"name": "a"} {"name": "b"}, {"name": "c"}; [{"name": "d"}]"#,
        "a{} b{} c{} d{}",
    );
    check_block("```json\n[{\"name\": \"a\"}]\n```\n", "a{}");
    check_block(r#"[{"name": "a"}, {"x": 1}, 5]"#, "a{} unread");
    check("<tool_call>[]</tool_call> Hi", "| Hi");
    check("[TOOL_CALLS][ ]", "");
}

#[test]
fn what_follows_complete_values_is_text() {
    check("<tool_call>{\"name\": \"a\"} Hi", "a{} | Hi");
    check("functools[{\"name\": \"a\"}] Hi", "a{} | Hi");
    check(
        "<tool_call>{\"name\": \"a\"}}] \n</tool_call> Hi",
        "a{} | Hi",
    );
    check("<tool_call>[{\"name\": \"a\"}", "a{}");
    check(
        "<tool_call>{\"name\": \"a\", \"arguments\": {\"x\": \"</tool_call>\"}}</tool_call>",
        r#"a{"x": "</tool_call>"}"#,
    );
}

#[test]
fn broken_objects_are_read_member_by_member() {
    check_block(r#"{"name": "a", "arguments": {"n": 1}"#, r#"a{"n": 1}"#);
    check_block(r#"{"arguments": {"n": 1}, "name": "a""#, r#"a{"n": 1}"#);
    check_block(
        r#"{"name": "a", "arguments": {"n": 1}, "id": "c""#,
        r#"a#c{"n": 1}"#,
    );
    check_block(
        r#"{"name": "a", "arguments": {"n": 1} and }"#,
        r#"a{"n": 1} unread"#,
    );
    check_block(r#"{"name": "a", "arguments": {n: 1}} "#, "a?({n: 1}})");
    check_block(r#" {"name": "a", "argum"#, r#"a?({"name": "a", "argum)"#);
    check_block(
        r#"{"name": "a", "x": y, "arguments": {}}"#,
        r#"a?({"name": "a", "x": y, "arguments": {}})"#,
    );
    check_block(
        r#"{"id": "c", "function": {"name": "a", "arguments": {n}}}"#,
        "a#c?({n}}})",
    );
    check_block(r#"{"function": {"name": "a", "arguments": {}"#, "a{}");
    check_block(
        "```\n{\"name\": \"a\", \"arguments\": {n}}\n```\n",
        "a?({n}})",
    );
    check_block(
        r#"[{"name": "a"}, {"name": "b", "arguments": {n}}, {"name": "c"}]"#,
        r#"a{} b?({n}}, {"name": "c"}])"#,
    );
    check_block(r#"[{"name": "a"}, {"nam"#, "a{} unread");
    check(
        "<tool_call>{\"arguments\": {n}, \"name\": \"a\"}</tool_call>",
        "unread _",
    );
    check(
        "<tool_call>{\"name\": \"a\", \"arguments\": {\"n\"\n<tool_call>{\"name\": \"b\"}</tool_call>",
        r#"a?({"n") b{}"#,
    );
}

#[test]
fn json_is_strict_and_literals_are_read() {
    check_block(
        r#"{"name": "a", "arguments": {"n": NaN}}"#,
        r#"a?({"n": NaN}})"#,
    );
    check_block(
        "{\"name\": \"a\", \"arguments\": {\"n\": \"b\nc\"}}",
        "a?({\"n\": \"b\nc\"}})",
    );
    check_block(
        r#"{"name": "a", "arguments": {'n': True, "k": +5,}}"#,
        r#"a{"n":true,"k":5}"#,
    );
    check_block(
        r#"{"name": "a", "arguments": {"n": 1/2}}"#,
        r#"a?({"n": 1/2}})"#,
    );
}

#[test]
fn other_markers_of_call_objects() {
    let object = r#"{"name": "a", "arguments": {"n": 1}}"#;
    for (begin, end) in [
        ("<longcat_tool_call>\n", "\n</longcat_tool_call>"),
        ("<TOOLCALL>[", "]</TOOLCALL>"),
        ("<tool_calls>\n", "\n</tool_calls>"),
        ("<|tool_call|>[", "]<|/tool_call|>"),
        ("<function_call> ", ""),
        ("functools[", "]"),
        ("<|python_tag|>", "<|eom_id|>"),
        ("<|python_start|>", "<|python_end|>"),
        ("<|tool_call_start|>[", "]<|tool_call_end|>"),
        ("<function_calls>\n", "\n</function_calls>"),
        ("[TOOL_CALLS] [", "]</s>"),
        ("<|action_start|><|plugin|>", "<|action_end|>"),
        ("<|START_ACTION|>[", "]<|END_ACTION|>"),
        ("<functioncall> ", " <|endoftext|>"),
        ("Action: ```json\n[", "]\n```"),
    ] {
        check(&format!("{begin}{object}{end}"), r#"a{"n": 1}"#);
        check(&format!("Hi.\n{begin}{object}"), r#"a{"n": 1} | Hi."#);
        check(
            &format!("{begin}{{\"name\": \"a\", \"arguments\": {{\"n"),
            "a?({\"n)",
        );
    }
    check(
        "<function_call> {\"name\": \"a\"} <function_call> {\"name\": \"b\"}",
        "a{} b{}",
    );
    check(
        "<|python_tag|>{\"name\": \"a\"}; {\"name\": \"b\"}",
        "a{} b{}",
    );
    check(
        "<|START_ACTION|>[{\"tool_call_id\": \"0\", \"tool_name\": \"a\", \"parameters\": {}}]",
        "a#0{}",
    );
    check(
        "<|action_start|><|interpreter|>\nprint(1)<|action_end|> Hi",
        "unread _",
    );
}

#[test]
fn actions_in_a_fence_are_calls() {
    check(
        "Action:\n```json\n[{\"tool_name\": \"a\", \"parameters\": {}}]\n```\nHi",
        "a{} | Hi",
    );
    check(
        "Action: ```json\n[{\"tool_name\": \"directly_answer\"}]\n```",
        "",
    );
    let tools = r#"[{"type":"function","function":{"name":"directly_answer"}}]"#;
    check_with(
        tools,
        "Action: ```json\n[{\"tool_name\": \"directly_answer\"}]\n```",
        "directly_answer{}",
    );
    check(
        "Action:\n```\n{\"action\": \"a\", \"action_input\": {\"n\": 1}}\n```",
        r#"a{"n": 1}"#,
    );
    check_typed(
        "Action:\n```\n{\"action\": \"search\", \"action_input\": \"x\"}\n```",
        r#"search{"query":"x"}"#,
    );
    check(
        "Action:\n```\n{\"action\": \"search\", \"action_input\": \"x\"}\n```",
        "search?(x)",
    );
    check(
        "Action:\n```\n{\"action\": \"Final Answer\", \"action_input\": \"42\"}\n```",
        "| 42",
    );
    check("Action: ```python\nfoo()\n```", "_");
}

#[test]
fn glaive_quotes_its_arguments() {
    let check = |arguments: &str, expected: &str| {
        check(
            &format!("<functioncall> {{\"name\": \"a\", \"arguments\": {arguments}"),
            expected,
        );
    };
    check(
        r#"'{"x": "it's", "y": "\n"}'}"#,
        r#"a{"x": "it's", "y": "\n"}"#,
    );
    check(r#"'{"x": 1}'} It's 'done'."#, r#"a{"x": 1} | It's 'done'."#);
    check(r#"'{"x": it's}'} Hi"#, r#"a?({"x": it's}) | Hi"#);
    check(r"''}", "a{}");
    check(r#"'{"x": 1"#, r#"a?('{"x": 1)"#);
}
