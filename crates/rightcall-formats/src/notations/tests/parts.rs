//! Mentions, templates, and nets for the remains of calls.

use super::*;

#[test]
fn a_marker_without_content_is_a_mention() {
    for text in [
        "wrap it in <tool_call> tags",
        "<tool_call></tool_call>",
        "<tool_call> tags are used",
        "<tool_call>: a tag",
        "<tool_call>\n...\n</tool_call>",
        "[TOOL_CALLS] is the token.",
        "The [TOOL_CALLS] token {x} starts",
        "The <function=name> tag, and <invoke name=\"f\"> too.",
        "<function=name> tags and more",
        "<invoke> is a tag",
        "I like <tool_call>s.\nThey work.",
        "functools[x] is one",
        "The <|python_tag|> token",
        "<function_calls> hold calls, <|tool_call_start|> too",
    ] {
        check(text, "_");
    }
}

#[test]
fn a_marker_that_is_no_mention_is_unread() {
    for text in [
        "<tool_call>get_weather(city=\"Oslo\")</tool_call>",
        "<tool_call>[get_weather(city=\"Oslo\")]</tool_call>",
        "<tool_call>\"name\"</tool_call>",
        "<|python_tag|>The token",
        "<|python_tag|>\nimport math",
        "<|action_start|><x> y",
        // A marker at the end of the text.
        "I use <tool_call>",
        "The <|python_tag|>",
        "Use functools[",
        // One word after a marker at the start of a line.
        "Hi\n<tool_call>\n<func",
        "<|python_start|>[",
        "<function=get_we",
        "[TOOL_CALLS]get_we",
        "Action: ```json\n[",
    ] {
        check(text, "unread _");
    }
    check("a <function=get_we", "_");
    check(
        "<tool_call>{\"name\": \"a\"}</tool_call> <tool_call>f(x)",
        "a{} unread | <tool_call>f(x)",
    );
}

#[test]
fn templates_are_prose() {
    for text in [
        "<tool_call>\n{\"name\": <function-name>, \"arguments\": <args>}\n</tool_call>",
        "<tool_call>\n{\"arguments\": <args>, \"name\": <function-name>}\n</tool_call>",
        "<tool_call>\n{'arguments': <args-dict>, 'name': <function-name>}\n</tool_call>",
        "<function_calls>\n<invoke>\n<tool_name>$TOOL_NAME</tool_name>\n<parameters>\n<$NAME>$VALUE</$NAME>\n</parameters>\n</invoke>\n</function_calls>",
        "<｜DSML｜invoke name=\"$FUNCTION_NAME\">\n<｜DSML｜parameter name=\"$NAME\" string=\"true|false\">$VALUE</｜DSML｜parameter>\n</｜DSML｜invoke>",
        "<tool_call>{\"name\": \"{tool name}\", \"arguments\": {\"a\": 1}}</tool_call>",
        "<tool_call>{\"name\": \"function-name\", \"arguments\": {}}</tool_call>",
        "<tool_call>\n<function=example_function_name>\n<parameter=k>\nv\n</parameter>\n</function>\n</tool_call>",
        "<function=<name>>{}</function>",
        "<function_calls>\n<invoke name=\"$FUNCTION_NAME\">\n<parameter name=\"$NAME\">$VALUE</parameter>\n</invoke>\n</function_calls>",
        "<tool_call>{function-name}\n<arg_key>{arg-key}</arg_key>\n<arg_value>{arg-value}</arg_value>\n</tool_call>",
        "<tool_call>[function name]</tool_call>",
        "[TOOL_CALLS]${name}[ARGS]{\"a\": 1}",
        "<|tool_call_begin|>functions.{name}:{idx}<|tool_call_argument_begin|>{args}<|tool_call_end|>",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{args}\n```<｜tool▁call▁end｜>",
        "<functioncall> {\"name\": \"<name>\", \"arguments\": '{}'}",
        "Write {\"name\": \"<name>\", \"arguments\": {\"a\": 1}} for it.",
        "Thought: think\nAction: <tool>\nAction Input: {input}",
    ] {
        check(text, "_");
    }
    check(
        "<tool_call>{\"name\": <f>}</tool_call> <tool_call>{\"name\": \"a\"}</tool_call>",
        "a{} | <tool_call>{\"name\": <f>}</tool_call>",
    );
    let tools = r#"[{"type":"function","function":{"name":"function-name"}}]"#;
    check_with(
        tools,
        "<tool_call>{\"name\": \"function-name\"}</tool_call>",
        "function-name{}",
    );
    // Half a tag is not a tag.
    check(
        "<tool_call>{\"name\": \"<fun\", \"arguments\": {}}</tool_call>",
        "<fun{}",
    );
}

#[test]
fn parts_of_blocks_are_unread() {
    for text in [
        "<arg_key>city</arg_key><arg_value>Oslo</arg_value>",
        "<arg_key>city</arg_key>\n<arg_value>Oslo",
        "<parameter=city>\nOslo",
        "<b><parameter name=\"k\">v</parameter>",
        "a <｜tool▁sep｜>f",
        "<|tool_call_argument_begin|>{\"a\": 1}",
        "Hi.\nAction Input: {\"a\": 1}",
        "ACTION: f\nACTION INPUT: {\"a\": 1}",
        "Think: so.\n\nAct: bash",
        "THOUGHT: so.\nACTION: go to desk 1",
        "<execute_tool>f(a=1)</execute_tool>",
        "<|recipient|>f\n<|content|>{\"a\": 1}",
        ">>>f\n{\"a\": 1}",
        "<|tool▁sep|>f",
        "<start_function_call>call:f{}",
        "<|tool_call>call:f{}",
        "✿FUNCTION✿: f",
        "<steptml:invoke name=\"f\">",
        "<|tools_prefix|>[]",
        "commentary to=functions.f json",
        "functions.f:0 {\"a\": 1}",
        "f[ARGS]{\"a\": 1}",
        "\"name\": \"a\", \"arguments\": {\"n\": 1}",
        "So {\"name\": \"a\", \"parameters\": {\"n\": x}}",
    ] {
        check(text, "unread _");
        check(&format!("So:\n```\n{text}\n```"), "_");
    }
}

#[test]
fn other_text_is_not_caught() {
    for text in [
        "<arg_key>{key}</arg_key><arg_value>{value}</arg_value>",
        "<arg_key>k</arg_key> is a key",
        "a <parameter=city>",
        "<parameter={name}>",
        "<parameter name=\"$NAME\">",
        "{name}<｜tool▁sep｜>{args}",
        "See Action Input: {\"a\": 1}",
        "ACTION: call your bank",
        "THOUGHT: so. ACTION: none",
        "`<execute_tool>` runs code",
        "<|recipient|>all\n<|content|>Hi",
        ">>> f\n{\"a\": 1}",
        "Action Input: {input}",
        "to=functions.{name}",
        "functions.f:0 and functions.f",
        "functions.f:0{args}",
        "f[ARGS] and [ARGS]{\"a\": 1}",
        "\"name\": \"a\", \"arguments\": {}",
        "\"name\": \"<f>\", \"arguments\": {\"n\": 1}",
        "The tool {\"name\": \"a\", \"description\": \"b\", \"parameters\": {\"type\": \"object\", \"properties\": {}}} is one.",
    ] {
        check(text, "_");
    }
}
