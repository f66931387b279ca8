mod properties;

use proptest::prelude::*;
use rightcall::call::{ArgumentSource, Call, Operator};
use rightcall::value::{HashKey, Integer, Text};

use super::*;

fn read(text: &str) -> Case<'_> {
    read_case(text, &ReadOptions::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn names(calls: &[Call<'_>]) -> Vec<String> {
    calls.iter().map(|call| call.name.to_string()).collect()
}

/// Reads a bad case and compares the message and what helps.
#[track_caller]
fn check_bad(text: &str, message: &str, help: &str) {
    let error = read_case(text, &ReadOptions::default()).unwrap_err();
    assert_eq!(
        (
            error.to_string().as_str(),
            error.help.as_deref().unwrap_or_default()
        ),
        (message, help),
        "{text}"
    );
}

#[test]
fn a_canonical_case_has_all_its_parts() {
    let case = read(
        r#"{"id":"refund-7","expected":[{"name":"find_order","args":{"id":7}},"refund"],"actual":[{"name":"find_order",
        "args":"{\"id\": 7}","id":"c1","tool_id":12,"output":"shipped","error":true,"start":1,"end":2.5,"turn":3,"group":"g",
        "actor":"user","other":[1]},{"name":"refund","args":null,"output":null,"error":false}],"tags":["refund",1],"trial":2,
        "input":{"q":1},"output":"done","description":"why","reward":0.5,"meta":{"model":"m"}}"#,
    );
    assert_eq!(case.id, Some(Text::new("refund-7")));
    let expected = case.expected.calls.as_deref().unwrap();
    assert_eq!(names(expected), ["find_order", "refund"]);
    assert_eq!(
        expected[0].arguments.source(),
        ArgumentSource::Json(r#"{"id":7}"#)
    );
    assert!(expected[1].arguments.is_absent());
    let [first, second] = &case.actual.as_ref().unwrap().calls[..] else {
        panic!()
    };
    let arguments = ArgumentSource::Text {
        text: Text::new("{\"id\": 7}"),
        json: r#""{\"id\": 7}""#,
    };
    assert_eq!(first.arguments.source(), arguments);
    let (first, second, has_no_arguments) = (
        first.metadata(),
        second.metadata(),
        second.arguments.is_absent(),
    );
    assert_eq!(
        (first.id.clone(), first.tool_id.clone()),
        (Some(Text::new("c1")), Some(Text::new("12")))
    );
    assert_eq!(
        (first.output, first.error, first.start, first.end),
        (Some("\"shipped\""), Some("true"), Some("1"), Some("2.5"))
    );
    assert_eq!(
        (first.turn, first.group.clone(), first.actor.clone()),
        (Some(3), Some(Text::new("g")), Some(Text::new("user")))
    );
    assert_eq!(
        (second.output, second.error, has_no_arguments),
        (None, Some("false"), true)
    );
    assert_eq!(case.tags, [Text::new("refund"), Text::new("1")]);
    assert_eq!(
        (case.trial, case.input, case.output),
        (Some("2"), Some("{\"q\":1}"), Some("\"done\""))
    );
    assert_eq!(case.description, Some(Text::new("why")));
    assert_eq!(
        case.meta,
        [(Text::new("reward"), "0.5"), (Text::new("model"), "\"m\"")]
    );
    assert!(case.native.is_none());
}

#[test]
fn a_side_that_is_absent_or_null_is_missing() {
    for text in ["{}", r#"{"id":1}"#, r#"{"expected":null,"actual":null}"#] {
        let case = read(text);
        assert!(case.actual.is_none() && case.expected.is_empty(), "{text}");
    }
    assert!(
        read(r#"{"expected":[],"actual":[]}"#)
            .actual
            .unwrap()
            .calls
            .is_empty()
    );
}

#[test]
fn an_expectation_may_state_order_counts_and_outputs() {
    let case = read(
        r#"{"expected":{"calls":["a"],"order":["a","b"],"counts":{"a":["!=",1],"b":">= 2","c":3,"d":["~",0],
        "e":"18446744073709551616"},"outputs":[{"name":"a","output":"x","id":"t"}]}}"#,
    );
    let expected = case.expected;
    assert_eq!(names(expected.calls.as_deref().unwrap()), ["a"]);
    assert_eq!(expected.order.unwrap(), [Text::new("a"), Text::new("b")]);
    let counts = expected.counts.unwrap();
    let operators: Vec<_> = counts.iter().map(|count| count.operator.clone()).collect();
    assert_eq!(
        operators,
        ["!=", ">=", "=", "~", "="].map(|text| Operator::parse(&Text::new(text)))
    );
    assert_eq!(counts[1].count, Integer::from(2_usize));
    assert_eq!(counts[4].count.to_string(), "18446744073709551616");
    let output = &expected.outputs.unwrap()[0];
    assert_eq!(
        (&output.name, &output.tool_id, &output.output),
        (&Text::new("a"), &Some(Text::new("t")), &Text::new("x"))
    );
}

#[test]
fn names_and_keys_with_escapes_are_decoded() {
    let case = read(r#"{"\u0069d":"\u00e9","expected":[{"n\u0061me":"a\n\ud83d"}]}"#);
    assert_eq!(case.id, Some(Text::new("é")));
    assert_eq!(
        names(case.expected.calls.as_deref().unwrap()),
        ["a\n\\ud83d"]
    );
}

#[test]
fn pythons_numbers_are_read() {
    let case = read(r#"{"expected":[{"name":"a","args":{"x":NaN,"y":[-Infinity,1e999]}}]}"#);
    assert_eq!(
        case.expected.calls.unwrap()[0].arguments.source(),
        ArgumentSource::Json(r#"{"x":NaN,"y":[-Infinity,1e999]}"#)
    );
}

#[test]
fn the_hash_key_is_that_of_the_options() {
    let options = ReadOptions {
        hash_key: HashKey(1, 2),
        ..ReadOptions::default()
    };
    assert_eq!(read_case("{}", &options).unwrap().hash_key, HashKey(1, 2));
}

const LEAVE_OUT: &str = "if the trace did not record arguments, leave `args` out";
const A_CALL: &str = "a call is an object such as {\"name\": \"find_order\", \"args\": {\"id\": 7}}, or a name alone";
const A_COUNT: &str = "write 1, \">= 1\" or [\">=\", 1]";

#[test]
fn arguments_of_a_wrong_kind_are_told() {
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
}

#[test]
fn names_of_a_wrong_kind_are_told() {
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
fn sides_of_a_wrong_kind_are_told() {
    check_bad(
        r#"{"expected":"Paris"}"#,
        "/expected: expected a list of calls or an object with `calls`, `order`, `counts`, `outputs` or `constraints`, found the text \"Paris\"",
        "an expected answer belongs under another key, such as `reference`",
    );
    check_bad(
        r#"{"actual":3}"#,
        "/actual: expected a list of calls, spans or messages, found the number 3",
        "if there was no run, leave `actual` out",
    );
    check_bad(
        r#"{"expected":{"oder":[]}}"#,
        "/expected: expected `calls`, `order`, `counts`, `outputs` or `constraints`, found the key `oder`",
        "did you mean `order`?",
    );
    check_bad(
        r#"{"question":1,"answer":2}"#,
        "expected a case with `expected` or `actual`, found an object with `question`, `answer`",
        "if its calls stand under other keys, name its format with --input-format",
    );
    check_bad(
        "[1]",
        "expected a case, which is an object, found a list",
        "a case looks like {\"id\": …, \"expected\": […], \"actual\": […]}",
    );
}

#[test]
fn counts_of_a_wrong_kind_are_told() {
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
fn other_values_of_a_wrong_kind_are_told() {
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
fn broken_json_is_told_with_its_column() {
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
fn the_depth_limit_is_that_of_the_options_up_to_the_greatest() {
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

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        ".{0,6}".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::vec((key(), inner), 0..4)
                .prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

/// Keys that readers know, mostly.
fn key() -> impl Strategy<Value = String> {
    const KEYS: &[&str] = &[
        "id",
        "expected",
        "actual",
        "calls",
        "order",
        "counts",
        "outputs",
        "name",
        "args",
        "arguments",
        "tool",
        "toolName",
        "input",
        "attributes",
        "tool.name",
        "tool.id",
        "input.value",
        "role",
        "type",
        "content",
        "tool_calls",
        "tool_call_id",
        "function",
        "intermediate_data",
        "tool_uses",
        "tools_called",
        "expected_tools",
        "actualCalls",
        "expectedCalls",
        "user_input",
        "reference_tool_calls",
        "reference_outputs",
        "toolCallsOrder",
        "tool_calls_count",
        "messages",
        "tags",
        "meta",
        "turn",
        "start_time",
        "input_parameters",
    ];
    prop_oneof![9 => prop::sample::select(KEYS).prop_map(str::to_owned), 1 => ".{0,4}"]
}

#[test]
fn an_expected_call_may_name_the_arguments_that_are_compared() {
    let read = |keys: &str| {
        let text = format!(
            r#"{{"expected":[{{"name":"a","args":{{}},"compare_args":{keys}}}],"actual":[]}}"#
        );
        read_case(&text, &ReadOptions::default())
            .map(|case| {
                case.expected.calls.unwrap()[0]
                    .metadata()
                    .compare_args
                    .map(str::to_owned)
            })
            .map_err(|error| error.to_string())
    };
    assert_eq!(read("null"), Ok(None));
    assert_eq!(read(r#"["x", "y"]"#), Ok(Some(r#"["x", "y"]"#.to_owned())));
    let error =
        "/expected/0/compare_args: expected a list of names of arguments, found the text \"x\"";
    assert_eq!(read("\"x\""), Err(error.to_owned()));
    assert_eq!(
        read("[7]"),
        Err(
            "/expected/0/compare_args/0: expected the name of an argument, found the number 7"
                .to_owned()
        )
    );
}

#[test]
fn two_keys_for_one_field_are_told_both() {
    let leave_out = "leave one of the two out";
    let check = |call: &str, what: &str| {
        let text = format!(r#"{{"expected":[{call}]}}"#);
        check_bad(&text, &format!("/expected/0: expected {what}"), leave_out);
    };
    let arguments = "the arguments under one key, found them under";
    check(
        r#"{"name":"f","args":{"a":1},"arguments":{"a":1}}"#,
        &format!("{arguments} `args` and `arguments`"),
    );
    check(
        r#"{"name":"f","input":{},"args":{"a":1}}"#,
        &format!("{arguments} `input` and `args`"),
    );
    check(
        r#"{"kwargs":{},"name":"f","parameters":{"a":1}}"#,
        &format!("{arguments} `kwargs` and `parameters`"),
    );
    check(
        r#"{"name":"f","args":{},"toolName":"g"}"#,
        "the name of the tool under one key, found it under `name` and `toolName`",
    );
    check(
        r#"{"name":"f","args":{},"actor":"user","requestor":"helper"}"#,
        "the actor under one key, found it under `actor` and `requestor`",
    );
    // A key that comes again counts anew, and null says nothing.
    let case = read(
        r#"{"expected":[{"name":"f","args":{"a":1},"args":{"b":2},"input":null},{"name":"g","args":null,"input":{"c":3}}]}"#,
    );
    let calls = case.expected.calls.unwrap();
    assert_eq!(
        calls[0].arguments.source(),
        ArgumentSource::Json(r#"{"b":2}"#)
    );
    assert_eq!(
        calls[1].arguments.source(),
        ArgumentSource::Json(r#"{"c":3}"#)
    );
    let text = r#"{"expected":{"order":["a"],"toolCallsOrder":["b"]}}"#;
    check_bad(
        text,
        "/expected: expected what is expected under one key, found it under `order` and `toolCallsOrder`",
        leave_out,
    );
}

#[test]
fn slips_of_keys_are_told() {
    let check = |call: &str, key: &str, meant: &str| {
        for side in ["expected", "actual"] {
            let text = format!(r#"{{"{side}":[{call}]}}"#);
            check_bad(
                &text,
                &format!("/{side}/0: expected a key of a call, found the key `{key}`"),
                &format!("did you mean `{meant}`?"),
            );
        }
    };
    check(r#"{"name":"f","argz":{"a":1}}"#, "argz", "args");
    check(
        r#"{"name":"f","arguements":{"a":1}}"#,
        "arguements",
        "arguments",
    );
    check(r#"{"name":"f","args":{},"ouput":"x"}"#, "ouput", "output");
    check(
        r#"{"name":"f","args":{},"compareArgs":[]}"#,
        "compareArgs",
        "compare_args",
    );
    check_bad(
        r#"{"expected":{"any_order":["a"]}}"#,
        "/expected: expected `calls`, `order`, `counts`, `outputs` or `constraints`, found the key `any_order`",
        "a block stands in a list: [{\"any_order\": …}]",
    );
    let text = r#"{"expected":{"toolCallOrder":["a"]}}"#;
    check_bad(
        text,
        "/expected: expected `calls`, `order`, `counts`, `outputs` or `constraints`, found the key `toolCallOrder`",
        "did you mean `toolCallsOrder`?",
    );
    // Beside criteria that can be read too.
    let text = r#"{"expected":{"toolCallsOrder":["a"],"toolCallCount":{"a":2}}}"#;
    assert!(
        read_case(text, &ReadOptions::default())
            .unwrap_err()
            .found
            .contains("toolCallCount")
    );
    let text = r#"{"expected":{"outputs":[{"name":"a","output":"x","args":{"id":7}}]}}"#;
    check_bad(
        text,
        "/expected/outputs/0: expected `name`, `output` or `tool_id`, found the key `args`",
        "what is demanded of the arguments belongs into `calls`",
    );
}

#[test]
fn an_expected_call_whose_arguments_may_stand_elsewhere_is_no_name_alone() {
    for value in [r#"{"id":7}"#, r#""{\"id\":7}""#] {
        let call = format!(r#"[{{"name":"f","payload":{value}}}]"#);
        check_bad(
            &format!(r#"{{"expected":{call}}}"#),
            "/expected/0: expected the arguments of an expected call under `args`, found none, and an object under the key `payload`",
            "write them under `args`; a call that demands nothing of its arguments has the name alone",
        );
        let case = format!(r#"{{"actual":{call}}}"#);
        assert_eq!(
            read(&case).actual.unwrap().calls[0].metadata().other_keys,
            [Text::new("payload")]
        );
    }
    let case = read(r#"{"expected":[{"name":"f","args":{},"payload":{"id":7},"note":"x"}]}"#);
    assert_eq!(
        case.expected.calls.unwrap()[0].metadata().other_keys,
        [Text::new("payload"), Text::new("note")]
    );
}

#[test]
fn a_call_as_screens_show_it_is_no_name() {
    let text = r#"{"expected":["find_order(id=7, lang=\"en\")"]}"#;
    let error = read_case(text, &ReadOptions::default()).unwrap_err();
    assert_eq!(
        (&*error.pointer, error.help.as_deref()),
        (
            "/expected/0",
            Some(r#"write {"name":"find_order","args":{"id":7,"lang":"en"}}"#)
        )
    );
    for text in [
        r#"{"actual":["find(x)"]}"#,
        r#"{"expected":[{"name":"find(x)"}]}"#,
        r#"{"expected":{"order":["a","find(x)"]}}"#,
    ] {
        let error = read_case(text, &ReadOptions::default()).unwrap_err();
        assert!(
            error.found.contains("find(x)") && error.help.as_deref() == Some(A_CALL),
            "{text}: {error}"
        );
    }
    // A tool of that name can still be meant.
    assert!(
        read_case(
            r#"{"expected":["Search (beta)",{"name":"find(x)","args":{}}]}"#,
            &ReadOptions::default()
        )
        .is_ok()
    );
}

#[test]
fn keys_of_a_case_that_are_nearly_others_are_remembered() {
    let near = |text: &str| -> Vec<(String, &str)> {
        read(text)
            .near_keys
            .iter()
            .map(|(key, meant)| (key.to_string(), *meant))
            .collect()
    };
    let found =
        near(r#"{"expectd":[],"acutal":[],"tag":"x","inputs":1,"expected":[],"actual":[]}"#);
    let wanted = [
        ("expectd", "expected"),
        ("acutal", "actual"),
        ("tag", "tags"),
        ("inputs", "input"),
    ];
    assert_eq!(found, wanted.map(|(key, meant)| (key.to_owned(), meant)));
    // Words of another shape are one only where the side is missing.
    assert_eq!(
        near(r#"{"expected_tools":[{"name":"a"}],"actual":[]}"#),
        [("expected_tools".to_owned(), "expected")]
    );
    for text in [
        r#"{"expected_tools":[{"name":"a","args":{}}],"tools_called":[]}"#,
        r#"{"expected":["a"],"actual":[],"reference_outputs":[]}"#,
        r#"{"expected":["a"],"model":"m","reward":1,"domain":"d","question":"q","meta":{"tag":1},"info":{},"task_id":7}"#,
    ] {
        assert_eq!(near(text), [], "{text}");
    }
    check_bad(
        r#"{"id":1,"expectd":[]}"#,
        "expected a case with `expected` or `actual`, found an object with `expectd`",
        "did you mean `expected`?",
    );
}

#[test]
fn a_requestor_is_an_actor() {
    let case = read(
        r#"{"actual":[{"name":"a","args":{},"requestor":"user"},{"name":"b","args":{},"requestor":"assistant"}]}"#,
    );
    let actors: Vec<_> = case
        .actual
        .unwrap()
        .calls
        .iter()
        .map(|call| call.metadata().actor.clone())
        .collect();
    assert_eq!(actors, [Some(Text::new("user")), None]);
}

#[test]
fn a_partial_match_is_not_taken_for_a_whole_one() {
    let call = |partial: bool| {
        format!(r#"{{"expected":[{{"name":"a","args":{{}},"allow_partial_match":{partial}}}]}}"#)
    };
    assert!(read_case(&call(false), &ReadOptions::default()).is_ok());
    check_bad(
        &call(true),
        "/expected/0/allow_partial_match: expected false: a partial match is not computed, found true",
        "name the arguments that must match in `compare_args`",
    );
}

proptest! {
    #[test]
    fn any_text_is_a_case_or_an_error(text in r#"[\[\]{}":,a-z0-9\\ ]{0,40}"#) {
        let _ = read_case(&text, &ReadOptions::default());
    }

    #[test]
    fn any_json_is_a_case_or_an_error(
        entries in prop::collection::vec((key(), json()), 0..5),
        format in prop::option::of(prop::sample::select(crate::FORMATS)),
    ) {
        let text = serde_json::Value::from_iter(entries).to_string();
        let _ = read_case(&text, &ReadOptions { format, ..ReadOptions::default() });
    }

    #[test]
    fn keys_may_stand_in_any_order(
        (keys, call_keys) in (Just(vec![0, 1, 2, 3, 4]).prop_shuffle(), Just(vec![0, 1, 2, 3]).prop_shuffle()),
        (name, args) in (".{0,8}", prop::collection::vec((".{0,4}", json()), 0..4)),
    ) {
        let name_json = serde_json::to_string(&name).unwrap();
        let args = serde_json::Value::from_iter(args).to_string();
        // Keys that begin with a dollar are matchers in what is expected.
        prop_assume!(!args.contains("\"$"));
        let members = [format!("\"name\":{name_json}"), format!("\"args\":{args}"), "\"turn\": 4".into(), "\"x\":[{}]".into()];
        let call = format!("{{{}}}", call_keys.iter().map(|&at: &usize| members[at].as_str()).collect::<Vec<_>>().join(" , "));
        let members = [
            format!("\"id\":{name_json}"),
            format!("\"expected\": [{call}]"),
            format!("\"actual\":[{call},{call}]"),
            "\"trial\":0".into(),
            "\"more\":{}".into(),
        ];
        let text = format!("{{{}}}", keys.iter().map(|&at: &usize| members[at].as_str()).collect::<Vec<_>>().join(","));
        let case = read(&text);
        prop_assert_eq!(case.id.map(|id| id.to_string()), Some(name.clone()));
        prop_assert_eq!((case.trial, case.meta), (Some("0"), vec![(Text::new("more"), "{}")]));
        let calls: Vec<_> = case.expected.calls.unwrap().into_iter().chain(case.actual.unwrap().calls).collect();
        prop_assert_eq!(calls.len(), 3);
        for call in calls {
            prop_assert_eq!(call.name.to_string(), name.clone());
            prop_assert_eq!(call.arguments.source(), ArgumentSource::Json(&args));
            prop_assert_eq!(call.metadata().turn, Some(4));
        }
    }
}
