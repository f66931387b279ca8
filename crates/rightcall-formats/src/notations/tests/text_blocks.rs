//! Blocks with values as text, in Python syntax, or between tokens.

use super::*;

#[test]
fn functions_have_parameters() {
    check_typed(
        "<function=get_weather>\n<parameter=city>\n 7\n\n</parameter>\n<parameter=days>\n7\n</parameter>\n</function>\nHi",
        "get_weather{\"city\":\" 7\\n\",\"days\":7} | Hi",
    );
    check(
        "<function=f><parameter=a>1</parameter><parameter=a>&lt;</parameter></function>",
        r#"f{"a":"&lt;"}"#,
    );
    check("<function=f></function>", "f{}");
    check(
        "<tool_call><function=f></function>\n<function=g></function></tool_call>",
        "f{} g{}",
    );
    check("<function=f></function>\n</tool_call> Hi", "f{} | Hi");
    // A value ends at the next parameter or at the end of the function.
    check(
        "<function=f>\n<parameter=a>\n1\n<parameter=b>\n2\n</function>",
        r#"f{"a":"1","b":"2"}"#,
    );
    check(
        "<tool_call><function=f>\n<parameter=a>\n1\n</tool_call> Hi",
        r#"f{"a":"1"} | Hi"#,
    );
    check(
        "<function=f><parameter=a><parameter=b></parameter></function>",
        r#"f{"a":"<parameter=b>"}"#,
    );
    check(
        "<function=f>\n<parameter=a>1</parameter> x <parameter=b>2</parameter>\n</function>",
        r#"f{"a":"1","b":"2"} unread"#,
    );
    check(
        "<tool_call><function=f></function> x </tool_call> Hi",
        "f{} unread | Hi",
    );
    check(
        "<tool_call>\n<function=f>\nx\n</function>\n</tool_call>",
        "f{} unread",
    );
}

#[test]
fn functions_that_are_cut_off_are_invalid() {
    check(
        "<function=f>\n<parameter=a>\n1\n</parameter>\n",
        "f?(<parameter=a>\n1\n</parameter>)",
    );
    check("<function=f>\n<parameter=a>\n1", "f?(<parameter=a>\n1)");
    check("<function=f>\nx", "f?(x)");
    check("<function=f>\n", "unread _");
    check(
        "<function=f>\n<parameter=a>\n1\n<function=g>\n<parameter=b>\n2\n</parameter>\n</function>",
        "f?(<parameter=a>\n1) g{\"b\":\"2\"}",
    );
    for name in ["", "a b", "f(x)", "..."] {
        check(
            &format!("<function={name}>\n<parameter=a>1</parameter>\n</function>"),
            "unread _",
        );
    }
}

#[test]
fn functions_have_json() {
    check("<function=f>{\"a\": 1}</function>", r#"f{"a": 1}"#);
    check(
        "<function=f>{'a': 1}</function><function=g>{}</function><|eom_id|>",
        r#"f{"a":1} g{}"#,
    );
    check("<function=f>{\"a\": 1}", r#"f{"a": 1}"#);
    check("<function=f>{\"a\": 1}}</function> Hi", r#"f{"a": 1} | Hi"#);
    check("<function=f>{\"a\": 1} x</function>", r#"f{"a": 1} unread"#);
    check(
        "<function=f>{\"a\": x}</function> Hi",
        r#"f?({"a": x}) | Hi"#,
    );
    check("<function=f>{\"a\": 1", r#"f?({"a": 1)"#);
}

#[test]
fn invocations_have_attributes() {
    check_typed(
        "<function_calls>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">7</parameter>\n<parameter name=\"days\">7</parameter>\n</invoke>\n</function_calls>",
        r#"get_weather{"city":"7","days":7}"#,
    );
    check(
        "<invoke name='f'><parameter name = 'a'>1</parameter></invoke> Hi",
        r#"f{"a":"1"} | Hi"#,
    );
    check("<invoke name=\"f\"/> Hi", "f{} | Hi");
    check(
        "<minimax:tool_call>\n<invoke name=\"f\">\n</invoke>\n<invoke name=\"g\">\n</invoke>\n</minimax:tool_call>",
        "f{} g{}",
    );
    check(
        "<invoke name=\"f\"><parameter name=\"a\">1",
        "f?(<parameter name=\"a\">1)",
    );
    check(
        "<invoke name=\"a b\"><parameter name=\"a\">1</parameter></invoke>",
        "unread _",
    );
}

#[test]
fn deepseek_says_which_values_are_text() {
    let tools = r#"[{"type":"function","function":{"name":"f","parameters":{"properties":{"a":{"type":"integer"}}}}}]"#;
    for (attribute, value, expected) in [
        (" string=\"true\"", "7", r#""7""#),
        (" string=\"false\"", "[7, null]", "[7, null]"),
        (" string=\"false\"", "x", r#""x""#),
        ("", "7", "7"),
    ] {
        let text = format!(
            "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n<｜DSML｜parameter name=\"a\"{attribute}>{value}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"
        );
        check_with(tools, &text, &format!("f{{\"a\":{expected}}}"));
    }
}

#[test]
fn invocations_of_claude_2_have_tags() {
    let check = |parameters: &str, expected: &str| {
        let text = format!("<invoke>\n<tool_name>get_weather</tool_name>\n{parameters}");
        check_typed(&text, expected);
    };
    check(
        "<parameters>\n<city>7</city>\n<days>\n7\n</days>\n</parameters>\n</invoke> Hi",
        r#"get_weather{"city":"7","days":7} | Hi"#,
    );
    check("</invoke>", "get_weather{}");
    check(
        "<parameters>\n<city>Os",
        "get_weather?(<parameters>\n<city>Os)",
    );
    check(
        "<parameters>\nx\n<city>Os</city></parameters></invoke>",
        r#"get_weather{"city":"Os"} unread"#,
    );
}

#[test]
fn glm_has_pairs() {
    check_typed(
        "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>\n a </arg_value>\n<arg_key>days</arg_key><arg_value>2</arg_value>\n</tool_call> Hi",
        r#"get_weather{"city":" a ","days":2} | Hi"#,
    );
    check(
        "<tool_call> f <arg_key>a</arg_key><arg_value>1</arg_value></tool_call>",
        r#"f{"a":"1"}"#,
    );
    check("<tool_call>f</tool_call>", "f{}");
    check("<tool_call>\nf\n</tool_call>", "f{}");
    check("<tool_call> f </tool_call>", "unread _");
    check(
        "<tool_call>f\n{\"a\": 1}\n</tool_call> Hi",
        r#"f?({"a": 1}) | Hi"#,
    );
    check(
        "<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value> x</tool_call>",
        "f?(<arg_key>a</arg_key><arg_value>1</arg_value> x)",
    );
    check(
        "<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value>",
        "f?(<arg_key>a</arg_key><arg_value>1</arg_value>)",
    );
    check("<tool_call>f\n<arg_k", "f?(<arg_k)");
    check("<tool_call>f\n", "unread _");
}

#[test]
fn python_blocks_hold_calls() {
    for (begin, end) in [
        ("<|python_start|>[", "]<|python_end|>"),
        ("<|tool_call_start|>[", "]<|tool_call_end|>"),
        ("<function_calls>\n", "\n</function_calls>"),
    ] {
        let check =
            |inside: &str, expected: &str| check(&format!("{begin}{inside}{end}"), expected);
        check("f(a=-1, b=[True, None])", r#"f{"a":-1,"b":[true,null]}"#);
        check("f(from='x'), g()", r#"f{"from":"x"} g{}"#);
        check("f(a=b), g(1)", "f?(a=b) g?(1)");
        check("f() x", "f{} unread");
        check(
            "f(a='x', g()",
            &format!("f?(a='x', g(){})", end.trim_end_matches(|it| it != ']')),
        );
    }
    check("<|python_start|>[f(a=1)", r#"f{"a":1}"#);
    check("<|python_start|>[f(a=1)] Hi", r#"f{"a":1} | Hi"#);
    check("<|python_start|>[f(<|python_end|>", "unread _");
    check(
        "<|python_start|>[f(a='<|python_end|>')]<|python_end|>",
        r#"f{"a":"<|python_end|>"}"#,
    );
    check(
        "<function_calls>\nf(a=1)\ng(b=2)\n</function_calls>",
        r#"f{"a":1} g{"b":2}"#,
    );
    check_typed(
        "<|python_start|>[get_weather('Oslo', 2)]<|python_end|>",
        r#"get_weather{"city":"Oslo","days":2}"#,
    );
    check_typed(
        "<|python_start|>[get_weather('Oslo', city=2)]<|python_end|>",
        "get_weather?('Oslo', city=2)",
    );
}

#[test]
fn built_in_tools_are_called_as_python() {
    check(
        "<|python_tag|>brave_search.call(query=\"a\")<|eom_id|>",
        r#"brave_search{"query":"a"}"#,
    );
    check(
        "<|python_tag|>a.call(x=1); b.call(y=2)",
        r#"a{"x":1} b{"y":2}"#,
    );
    check("<|python_tag|>a.call(x=y)", "a?(x=y)");
    check("<|python_tag|>a.call(x=1", "a?(x=1)");
    check("<|python_tag|>a.call(", "unread _");
    check("<|python_tag|>a.call(x=1).b", "unread _");
    check("<|python_tag|>a(x=1)", "unread _");
}

#[test]
fn tool_code_holds_calls_alone() {
    let fenced = |code: &str| format!("```tool_code\n{code}\n```");
    let check = |code: &str, expected: &str| check(&fenced(code), expected);
    check("f(a=1)\ng(b=2); h()", r#"f{"a":1} g{"b":2} h{}"#);
    check("[f(a=1), g()]", r#"f{"a":1} g{}"#);
    check("print(default_api.f(a=1))", r#"f{"a":1}"#);
    check("f(a=b)\nf('x')", "f?(a=b) f?('x')");
    check("f(a='x", "f?(a='x)");
    for code in [
        "x = f()",
        "print('x')",
        "f()\n# Hi",
        "2 + 2",
        "f() + 1",
        "print(f(), g())",
    ] {
        check(code, "unread _");
    }
    check_typed(
        &format!("Hi\n{}\nDone", fenced("get_weather('x')")),
        r#"get_weather{"city":"x"} | Hi
Done"#,
    );
    super::check("```tool_code\nf(a=1)", r#"f{"a":1}"#);
    super::check("```tool_code\n```", "_");
    super::check("Use ```tool_code fences```.", "_");
}

#[test]
fn mistral_writes_names_before_arguments() {
    check("[TOOL_CALLS]a[ARGS]{\"x\": 1}</s>", r#"a{"x": 1}"#);
    check(
        "Hi [TOOL_CALLS] a [CALL_ID] Ab1 [ARGS] {'x': 1}",
        r#"a#Ab1{"x":1} | Hi"#,
    );
    check("[TOOL_CALLS]a{\"x\": 1}", r#"a{"x": 1}"#);
    check(
        "[TOOL_CALLS]a[ARGS]{}[TOOL_CALLS]b[ARGS]{}c[ARGS]{}",
        "a{} b{} c{}",
    );
    check("[TOOL_CALLS]a{}b{} and {c}", "a{} b{} | and {c}");
    check(
        "[TOOL_CALLS]a[ARGS]{}[TOOL_CALLS][{\"name\": \"b\"}]",
        "a{} b{}",
    );
    check(
        "[TOOL_CALLS]a[ARGS]{\"x\": }[TOOL_CALLS]b[ARGS]{}",
        r#"a?({"x": }) b{}"#,
    );
    check("[TOOL_CALLS]a[ARGS][1]", "a?([1])");
    check("[TOOL_CALLS]a[ARGS]{\"x\": 1}}", r#"a{"x": 1}"#);
    check("[TOOL_CALLS]a[ARGS]", "unread _");
    check("[TOOL_CALLS]a b[ARGS]{}", "unread _");
}

#[test]
fn deepseek_has_tokens() {
    let section = |calls: &str| format!("<｜tool▁calls▁begin｜>{calls}<｜tool▁calls▁end｜>");
    let check = |call: &str, expected: &str| {
        check(
            &section(&format!("<｜tool▁call▁begin｜>{call}<｜tool▁call▁end｜>")),
            expected,
        );
    };
    check(
        "function<｜tool▁sep｜>f\n```json\n{\"a\": 1}\n```",
        r#"f{"a": 1}"#,
    );
    check("function<｜tool▁sep｜>f\n{\"a\": 1}", r#"f{"a": 1}"#);
    check("function<｜tool▁sep｜>f", "f{}");
    check("function<｜tool▁sep｜>f\n```json\n[1]\n```", "f?([1])");
    check(
        "function<｜tool▁sep｜>f\n```json\n{\"a\": 1}}\n```",
        r#"f?({"a": 1}})"#,
    );
    check(
        "f<｜tool▁sep｜>{\"a\": \"<｜tool▁call▁end｜>\"}",
        r#"f{"a": "<｜tool▁call▁end｜>"}"#,
    );
    check("f<｜tool▁sep｜>", "f{}");
    check("f<｜tool▁sep｜>[1]", "f?([1])");
    for call in [
        "a b<｜tool▁sep｜>{}",
        "<｜tool▁sep｜>{}",
        "f",
        "function<｜tool▁sep｜>a b\n{}",
    ] {
        check(call, "unread _");
    }
    let call = "<｜tool▁call▁begin｜>f<｜tool▁sep｜>";
    super::check(&format!("{call}{{\"a\": 1}}"), r#"f{"a": 1}"#);
    super::check(&format!("{call}{{\"a\": {call}{{}}"), r#"f?({"a":) f{}"#);
    super::check(call, "unread _");
    super::check(&format!("Hi {call}{{}} Done"), "f{} | Hi\nDone");
}

#[test]
fn kimi_has_numbers() {
    let check = |call: &str, expected: &str| {
        let text = format!(
            "<|tool_calls_section_begin|><|tool_call_begin|>{call}<|tool_call_end|><|tool_calls_section_end|>"
        );
        check(&text, expected);
    };
    check(
        "functions.f:0<|tool_call_argument_begin|>{\"a\": 1}",
        r#"f#functions.f:0{"a": 1}"#,
    );
    check(" a.b:12 <|tool_call_argument_begin|> {}", "a.b#a.b:12{}");
    check("functions.f:0", "f#functions.f:0{}");
    check(
        "functions.f:0<|tool_call_argument_begin|>",
        "f#functions.f:0{}",
    );
    check(
        "functions.f:0<|tool_call_argument_begin|>{a}}",
        "f#functions.f:0?({a}})",
    );
    check(
        "functions.f:0<|tool_call_argument_begin|>7",
        "f#functions.f:0?(7)",
    );
    for call in ["3", "functions.:0", "functions.3", "a b:0"] {
        check(
            &format!("{call}<|tool_call_argument_begin|>{{}}"),
            "unread _",
        );
    }
    super::check(
        "<|tool_call_begin|>f:0<|tool_call_argument_begin|>{\"a",
        r#"f#f:0?({"a)"#,
    );
    super::check("<|tool_call_begin|>f:0", "unread _");
}
