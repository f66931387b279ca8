//! Errors have a place and a hint.

use super::*;

const LEAVE_OUT: &str = "if the trace did not record arguments, leave `args` out";
const A_COUNT: &str = "write 1, \">= 1\" or [\">=\", 1]";

#[test]
fn arguments_of_a_wrong_kind_are_errors() {
    let check = |args: &str, found: &str| {
        let text = format!(r#"{{"actual":["a","b",{{"name":"c","args":{args}}}]}}"#);
        check_bad(
            &text,
            &format!("/actual/2/args: expected an object or its JSON text, found {found}"),
            LEAVE_OUT,
        );
    };
    check("7", "the number 7");
    check("[1]", "a list");
    check("true", "true");
    check_bad(
        r#"{"expected":["a",{"name":"b","args":"{\"id\": 7"}]}"#,
        "/expected/1/args: expected an object or its JSON text, found the text \"{\"id\": 7\"",
        "complete the JSON: no call has such arguments",
    );
    let free_text = r#"{"expected":[{"name":"b","args":"print(7)"}]}"#;
    assert!(read(free_text).expected.calls.is_some());
}

#[test]
fn names_of_a_wrong_kind_are_errors() {
    check_bad(
        r#"{"actual":[{"args":{}}]}"#,
        "/actual/0/name: expected the name of a tool, found nothing",
        A_CALL,
    );
    check_bad(
        r#"{"expected":[{"name":7}]}"#,
        "/expected/0/name: expected the name of a tool, found the number 7",
        "",
    );
    check_bad(
        r#"{"expected":["a",null]}"#,
        "/expected/1: expected a call, found null",
        A_CALL,
    );
    check_bad(
        r#"{"expected":{"order":["a",{}]}}"#,
        "/expected/order/1: expected the name of a tool, found an object",
        "",
    );
}

#[test]
fn names_in_a_text_are_expected_calls() {
    let listed = read(r#"{"expected":"find_order, refund"}"#);
    let names: Vec<_> = listed
        .expected
        .calls
        .iter()
        .flatten()
        .map(|it| it.name.to_display())
        .collect();
    assert_eq!(names, ["find_order", "refund"]);
}

#[test]
fn sides_of_a_wrong_kind_are_errors() {
    check_bad(
        r#"{"expected":"Paris"}"#,
        "/expected: expected a list of calls or an object with `calls`, `order`, `counts`, `outputs` or `constraints`, found the text \"Paris\"",
        "an expected answer belongs under another key, such as `reference`",
    );
    check_bad(
        r#"{"expected":"Paris, London"}"#,
        "/expected: expected a list of calls or an object with `calls`, `order`, `counts`, `outputs` or `constraints`, found the text \"Paris, London\"",
        "an expected answer belongs under another key, such as `reference`",
    );
    check_bad(
        r#"{"actual":3}"#,
        "/actual: expected a list of calls, spans or messages, found the number 3",
        "if there was no run, leave the key out",
    );
    check_bad(
        r#"{"actual":"[{\"name\":\"f\"}]"}"#,
        "/actual: expected a list of calls, spans or messages, found the text \"[{\\\"name\\\":\\\"f\\\"}]\"",
        "what the text holds can be read without the quotes around it",
    );
    for key in ["messages", "tool_calls", "trajectory"] {
        check_bad(
            &format!(r#"{{"expected":["f"],"{key}":3}}"#),
            &format!("/{key}: expected a list of calls, spans or messages, found the number 3"),
            "if there was no run, leave the key out",
        );
    }
    check_bad(
        r#"{"expected":{"oder":[]}}"#,
        "/expected: expected `calls`, `order`, `counts`, `outputs` or `constraints`, found the key `oder`",
        "did you mean `order`?",
    );
    check_bad(
        r#"{"question":1,"answer":2}"#,
        "expected a case with `expected` or `actual`, found an object with `question`, `answer`",
        "if its calls are under other keys, choose its format with --input-format, or draft a map with `rightcall map FILE`",
    );
    check_bad(
        "[1]",
        "expected a case, which is an object, found a list",
        "a case looks like {\"id\": …, \"expected\": […], \"actual\": […]}",
    );
}

#[test]
fn counts_of_a_wrong_kind_are_errors() {
    let check = |count: &str, place: &str, wanted: &str, found: &str| {
        let text = format!(r#"{{"expected":{{"counts":{{"a/b":{count}}}}}}}"#);
        check_bad(
            &text,
            &format!("/expected/counts/a~1b{place}: expected {wanted}, found {found}"),
            A_COUNT,
        );
    };
    check("-1", "", "a count of 0 or more", "the number -1");
    check("1.5", "", "a count of 0 or more", "the number 1.5");
    check("true", "", "a count of 0 or more", "true");
    check(r#"["=",-2]"#, "/1", "a count of 0 or more", "the number -2");
    check("[1,2]", "/0", "an operator", "the number 1");
    check(
        r#"["="]"#,
        "",
        "an operator and a count",
        "a list of another length",
    );
    check(
        r#"["=",1,2]"#,
        "",
        "an operator and a count",
        "a list of another length",
    );
    check(
        r#""about 3""#,
        "",
        "an operator and a count",
        "the text \"about 3\"",
    );
    check(r#"">=""#, "", "an operator and a count", "the text \">=\"");
}

#[test]
fn other_values_of_a_wrong_kind_are_errors() {
    check_bad(
        r#"{"id":[]}"#,
        "/id: expected a text or a number, found a list",
        "",
    );
    check_bad(
        r#"{"tags":{}}"#,
        "/tags: expected a list of texts, found an object",
        "",
    );
    check_bad(
        r#"{"tags":["a",[]]}"#,
        "/tags/1: expected a text or a number, found a list",
        "",
    );
    check_bad(
        r#"{"description":1}"#,
        "/description: expected a text, found the number 1",
        "",
    );
    check_bad(
        r#"{"actual":[{"name":"a","turn":-1}]}"#,
        "/actual/0/turn: expected a whole number of 0 or more, found the number -1",
        "",
    );
    check_bad(
        r#"{"expected":{"outputs":[{"name":"a","output":{}}]}}"#,
        "/expected/outputs/0/output: expected a text, found an object",
        "write the output as the text that the tool returned",
    );
}

#[test]
fn errors_in_json_have_a_column() {
    let complete = "is the record complete? each line must hold one whole case";
    let object = "each record must be one JSON object";
    check_bad(
        r#"{"id":"é","#,
        "expected a string as key, found the end of the text at column 11",
        complete,
    );
    check_bad(r#"{"id" 1}"#, "expected `:`, found `1` at column 7", object);
    check_bad(
        "{\n \"id\": }",
        "expected a JSON value, found `}` at column 8, one line down",
        object,
    );
    check_bad(
        "{} {}",
        "expected the end of the text, found `{` at column 4",
        object,
    );
    check_bad(
        "",
        "expected a JSON value, found the end of the text at column 1",
        complete,
    );
    check_bad(
        "case 1",
        "expected a JSON value, found `c` at column 1",
        object,
    );
    let deep = format!(
        "{{\"actual\":[{{\"name\":\"a\",\"args\":{}",
        "{\"a\":".repeat(600)
    );
    check_bad(
        &deep,
        "expected less nesting, found more than 512 levels at column 2576",
        "--max-depth sets how deep input may nest, up to 512",
    );
}

#[test]
fn the_options_set_the_depth_limit_up_to_the_maximum() {
    let nested = |depth: usize| format!("{{\"input\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let reads = |max_depth, depth| {
        read_case(
            &nested(depth),
            &ReadOptions {
                max_depth,
                ..ReadOptions::default()
            },
        )
        .is_ok()
    };
    assert!(reads(5, 4) && !reads(5, 5));
    assert!(reads(usize::MAX, 511) && !reads(usize::MAX, 512));
}

#[test]
fn a_record_as_json_text_is_no_name() {
    for record in [
        r#"{\"name\":\"pay\",\"args\":{}}"#,
        r#"[{\"role\":\"assistant\"}]"#,
    ] {
        for other in [
            "\"expected\":[\"x\"],\"actual\"",
            "\"expected\"",
            "\"expected\":[],\"messages\"",
        ] {
            let text = format!(r#"{{{other}:["{record}"]}}"#);
            let error = read_case(&text, &ReadOptions::default()).unwrap_err();
            let said = error.to_string();
            assert!(
                said.contains("expected a call, or the name of a tool alone, found the text"),
                "{said}"
            );
        }
    }
}
