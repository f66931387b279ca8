//! Calls without a marker.

use super::*;

#[test]
fn call_objects_start_the_answer_and_end_their_line() {
    let a = r#"{"name": "a", "parameters": {"n": 1}}"#;
    check(&format!("{a}\n\nHi"), r#"a{"n": 1} | Hi"#);
    check(&format!("<think>x</think>\n{a}<|eot_id|>"), r#"a{"n": 1}"#);
    check(
        &format!("{a}; {a}, {a}\n[{a}, {a}]"),
        &[r#"a{"n": 1}"#; 5].join(" "),
    );
    check(&format!("{a}}}"), r#"a{"n": 1}"#);
    check(&format!("{a} Hi"), "unread _");
    check(&format!("{a} {{\"x\": 1}}"), "unread _");
    check(&format!("{a}\n{{\"x\": 1}}"), r#"a{"n": 1} | {"x": 1}"#);
    check(&format!("Hi\n{a}"), "unread _");
    check(&format!("{{\"items\": [{a}]}}"), "unread _");
}

#[test]
fn call_objects_have_exactly_a_name_and_an_argument_object() {
    check(
        r#"{"type": "function", "name": "a", "arguments": "{}", "id": "c"}"#,
        "a#c{}",
    );
    check(
        r#"{"type": "function", "id": "c", "function": {"name": "a", "arguments": "{}"}}"#,
        "a#c{}",
    );
    check("{'name': 'a', 'arguments': {}}", "a{}");
    for answer in [
        r#"{"name": "Ann", "age": 41}"#,
        r#"{"name": "a"}"#,
        r#"{"name": "a", "arguments": null}"#,
        r#"{"name": "a", "arguments": "x"}"#,
        r#"{"name": "a", "arguments": []}"#,
        r#"{"name": "a", "input": "x"}"#,
        r#"{"name": "a", "input": {}, "output": {}}"#,
        r#"{"name": "a", "parameters": {"type": "object", "properties": {}}}"#,
        r#"{"type": "function", "function": {"name": "a", "description": "d", "parameters": {"type": "object", "properties": {}}}}"#,
        r#"{"tool_calls": []}"#,
        "[]",
        "[1, 2]",
    ] {
        check(answer, "_");
    }
    for like in [
        r#"{"name": "a", "arguments": {}, "x": 1}"#,
        r#"{"name": "a", "arguments": {}, "parameters": {}}"#,
        r#"{"name": "a", "arguments": {}, "id": "b", "call_id": "c"}"#,
        r#"{"name": "a", "params": {}}"#,
        r#"{"name": "a", "args": {}}"#,
        r#"{"name": "a", "kwargs": {}}"#,
        r#"[{"name": "a", "input": {}}]"#,
        r#"{"name": "a", "arguments": {"n": x}}"#,
    ] {
        check(like, "unread _");
    }
    check(
        r#"[{"name": "a", "arguments": {}}, {"x": 1}]"#,
        "a{} unread",
    );
    check(
        r#"{"tool_calls": [{"name": "a"}, {"function": {"name": "b"}}], "x": 1}"#,
        "a{} b{}",
    );
}

#[test]
fn call_objects_may_be_cut_off() {
    for (text, expected) in [
        (r#"{"name": "a", "arguments": {"n"#, r#"a?({"n)"#),
        (r#"{"name": "a", "arguments": "{\"n"#, r#"a?("{\"n)"#),
        (r#"{"name": "a", "arguments": {}"#, "a{}"),
        (
            r#"[{"name": "a", "arguments": {}}, {"name": "b", "arguments": {"#,
            "a{} b?({)",
        ),
        (r#"[{"name": "a", "arguments": {}},"#, "a{}"),
        (r#"[{"name": "a", "arguments": {}}, {"na"#, "a{} unread"),
        (
            r#"{"tool_calls": [{"name": "a", "arguments": {"n"#,
            r#"a?({"n)"#,
        ),
        (r#"{"name": "a""#, "unread _"),
        (r#"{"name": "a", "arguments": "#, "unread _"),
        (r#"{"name": "a", "type": "function", "par"#, "unread _"),
        (r#"{"name": "a"#, "_"),
        (r#"{"name": "a", "ag"#, "_"),
        (r#"{"name": "a", "age": 4"#, "_"),
        (r#"{"name": "a", "parameters": 4"#, "_"),
        (
            r#"{"name": "a", "parameters": {"type": "object", "properties": {"#,
            "_",
        ),
    ] {
        check(text, expected);
    }
}

#[test]
fn python_lists_have_keywords_or_types() {
    check(
        "[f(a=1), g()]\n[h(b=x)]\nHi",
        r#"f{"a":1} g{} h?(b=x) | Hi"#,
    );
    check("[f(a=1)], [g('x')]", r#"f{"a":1} g?('x')"#);
    check("[f()]", "f{}");
    check_typed(
        "[get_weather('x', 2), list_rooms()]",
        r#"get_weather{"city":"x","days":2} list_rooms{}"#,
    );
    check("[f(a=1), g(b='x", r#"f{"a":1} g?(b='x)"#);
    check("[f(a=1)", r#"f{"a":1}"#);
    for text in [
        "[f('x')]",
        "[f(a + 1)]",
        "[f(g(1))]",
        "[f(",
        "[f(x",
        "Hi [f(a=b)] you",
        "[f(a=1)].",
    ] {
        check(text, "unread _");
    }
    for text in [
        "[f(a), f(b, 2.5)]",
        "[f(x)](https://example.com)",
        "E[X(t=0)]",
        "[f(a=1), g]",
        "[x for x in f(a=1)]",
    ] {
        check(text, "_");
    }
}

#[test]
fn weak_forms_are_calls_of_known_tools() {
    for (text, expected) in [
        ("get_weather(city=\"x\");", r#"get_weather{"city":"x"}"#),
        (
            "get_weather(city='x')\nlist_rooms()\n\nHi",
            r#"get_weather{"city":"x"} list_rooms{} | Hi"#,
        ),
        ("get_weather(city=x)", "get_weather?(city=x)"),
        ("get_weather(city='x", "get_weather?(city='x)"),
        (
            "get_weather\n{\"city\": \"x\"}\nHi",
            r#"get_weather{"city": "x"} | Hi"#,
        ),
        (
            "get_weather\n{\"city\": \"x",
            r#"get_weather?({"city": "x)"#,
        ),
    ] {
        check_typed(text, expected);
    }
    for text in ["f(a=1)", "f(a=b); g()", "f\n{\"a\": 1}"] {
        check_typed(text, "unread _");
    }
    check_typed("get_weather(city=\"x\")\nf(a=1)", "unread _");
    check_typed(r#"{"name": "get_weather", "args": {}}"#, "unread _");
    for text in [
        "f(a=1) is it",
        "main()",
        "print('x')",
        "Result:\n{\"a\": 1}",
        "f\n{\"a\": 1} x",
        "a b\n{}",
    ] {
        check_typed(text, "_");
    }
}

#[test]
fn nothing_without_a_marker_is_read_next_to_a_block() {
    check(
        "{\"name\": \"a\", \"arguments\": {}}\n<tool_call>{\"name\": \"b\"}</tool_call>",
        "b{} unread | {\"name\": \"a\", \"arguments\": {}}",
    );
    check(
        "f(a=1)\n<tool_call>{\"name\": \"b\"}</tool_call>",
        "b{} | f(a=1)",
    );
    check("[f(a=1)]\nAnd `[f(a=1)]`.", "unread _");
}

#[test]
fn tools_of_cline_are_called_by_tags() {
    check("<read_file>\n<path>a</path>\n</read_file>", "unread _");
    check("I read it.\n\n<execute_command>\n<command>ls", "unread _");
    // Mentions and other tags.
    check("Use <read_file> with a <path>.", "_");
    check("<read_file>", "_");
    check("<answer>\n<path>a</path>\n</answer>", "_");
}

#[test]
fn a_list_that_is_cut_in_a_name_keeps_its_complete_calls() {
    check("[f(q=1), send_m", "f{\"q\":1} unread");
    check("[f(q=1), send me", "_");
    check("<|python_start|>[f(q=1), send_m", "f{\"q\":1} unread");
    check(
        "[TOOL_CALLS]f[CALL_ID]abc[ARGS]{}g[CALL_ID]ab",
        "f#abc{} unread | g[CALL_ID]ab",
    );
}

#[test]
fn labels_and_tags_in_other_forms_are_unread() {
    for text in [
        "**Action:** f\n**Action Input:** {\"q\": 1}",
        "### Action: f\n### Action Input: {\"q\": 1}",
        "<tool_call name=\"f\">{\"q\": 1}</tool_call>",
        "<tool_use>{\"name\": \"f\", \"input\": {}}</tool_use>",
    ] {
        check(text, "unread _");
    }
    for text in [
        "The **Action Input:** is {x}",
        "<tool_call name=\"{name}\">",
        "<tool_use> is a tag",
    ] {
        check(text, "_");
    }
}
