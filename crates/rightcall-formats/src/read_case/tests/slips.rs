//! Keys in other words, repeated keys, and typos.

use super::*;

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
                    .as_deref()
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
    // A repeated key replaces the first, and null is ignored.
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
        "write a block in a list: [{\"any_order\": …}]",
    );
    let text = r#"{"expected":{"toolCallOrder":["a"]}}"#;
    check_bad(
        text,
        "/expected: expected `calls`, `order`, `counts`, `outputs` or `constraints`, found the key `toolCallOrder`",
        "did you mean `toolCallsOrder`?",
    );
    // Also next to readable criteria.
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
        let call = format!(r#"[{{"name":"f","args":null,"payload":{value}}}]"#);
        check_bad(
            &format!(r#"{{"expected":{call}}}"#),
            "/expected/0: expected the arguments of an expected call under `args`, found none, and an object under the key `payload`",
            "write them under `args`; a call that demands nothing of its arguments has the name alone",
        );
        let call = format!(r#"[{{"name":"f","payload":{value}}}]"#);
        check_bad(
            &format!(r#"{{"expected":{call}}}"#),
            "/expected/0: expected the arguments of an expected call under `args`, found none, and an object under the key `payload`",
            "write them under `args`; a call that demands nothing of its arguments has the name alone",
        );
        check_bad(
            &format!(r#"{{"actual":{call}}}"#),
            "/actual/0: expected the arguments of a call under `args`, found none beside keys that calls do not have",
            A_CALL,
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
    // A tool may really have this name.
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
    // Words of another shape only count if the side is missing.
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
    let members = r#"{"expected":["a"],"constraints":{},"counts":{"a":2},"order":"first"}"#;
    assert_eq!(
        near(members),
        [
            ("constraints".to_owned(), "expected.constraints"),
            ("counts".to_owned(), "expected.counts"),
        ]
    );
    check_bad(
        r#"{"expected":[],"expected_tool_calls":["a"]}"#,
        "expected what is expected under one key, found it under `expected` and `expected_tool_calls`",
        "leave one of the two out",
    );
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

#[test]
fn calls_under_a_key_that_no_evaluator_reads_are_reported() {
    const CALLS: &str = r#"[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"pay","arguments":"{}"}}]}]"#;
    let text = serde_json::to_string(CALLS).unwrap();
    let wrapped = format!(r#"{{"messages":{CALLS}}}"#);
    for key in ["conversation", "history", "transcript", "steps", "run"] {
        for value in [CALLS, &text, &wrapped] {
            for actual in ["", r#""actual":[],"#] {
                let text = format!(r#"{{"id":"a","expected":[],{actual}"{key}":{value}}}"#);
                let case = read(&text);
                assert_eq!(case.near_keys, [(key.into(), "actual")], "{text}");
                let why = format!("calls under `{key}`, which are not read");
                assert_eq!(case.incomplete, Some(why.into()), "{text}");
            }
            // If the run has other calls, these were recorded.
            let text = format!(r#"{{"expected":[],"actual":["x"],"{key}":{value}}}"#);
            let case = read(&text);
            assert_eq!(case.near_keys, [(key.into(), "actual")], "{text}");
            assert_eq!(case.incomplete, None, "{text}");
            let text = format!(r#"{{"expected":[],"actual":["pay"],"{key}":{value}}}"#);
            assert_eq!(read(&text).near_keys, [], "{text}");
        }
    }
    let text = format!(r#"{{"expected":[],"actual":["x"],"output":{CALLS}}}"#);
    assert_eq!(
        read(&text).incomplete,
        Some("calls under `output`, which are not read".into())
    );
    let text = format!(r#"{{"actual":["x"],"expectd_calls":{CALLS}}}"#);
    assert_eq!(
        read(&text).near_keys,
        [("expectd_calls".into(), "expected")]
    );
    for plain in [r#"{"note":{"name":"x"}}"#, r#"["a"]"#, r#""find(id=7)""#] {
        let text = format!(r#"{{"expected":[],"actual":[],"note":{plain}}}"#);
        assert_eq!(
            (read(&text).near_keys, read(&text).incomplete),
            (vec![], None)
        );
    }
}

#[test]
fn a_result_of_another_original_is_no_criteria() {
    const STEP: &str = r#"{"messages":[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"pay","input":{"id":9}}]}]}"#;
    let of = |expected: &str, actual: &str| {
        let text = format!(r#"{{"id":"a","expected":{expected},"actual":{actual}}}"#);
        read_case(&text, &ReadOptions::default())
            .map(|case| names(case.expected.calls.as_deref().unwrap_or_default()))
            .map_err(|error| error.to_string())
    };
    let spans = r#"[{"attributes":{"tool.name":"x"}}]"#;
    // UiPath ignores other keys of its criteria.
    let criteria = r#"{"toolCalls":[{"name":"x","args":{}}],"note":"hi"}"#;
    assert_eq!(of(criteria, spans), Ok(vec!["x".to_owned()]));
    let unknown = |key: &str| {
        Err(format!(
            "/expected: expected `calls`, `order`, `counts`, `outputs` or `constraints`, found the key `{key}`"
        ))
    };
    for actual in [r#"["x"]"#, "[]", r#"[{"role":"assistant","content":"hi"}]"#] {
        assert_eq!(
            of(r#"{"toolCallsOrder":["x"],"note":"hi"}"#, actual),
            unknown("note")
        );
        // An AI SDK result.
        assert_eq!(
            of(r#"{"toolCalls":[],"response":"hi"}"#, actual),
            Ok(Vec::new())
        );
    }
    for actual in ["[]", spans] {
        let result =
            format!(r#"{{"text":"","finishReason":"stop","toolCalls":[],"response":{STEP}}}"#);
        let found = of(&result, actual);
        assert!(
            found == Ok(vec!["pay".to_owned()]) || found.is_err(),
            "{found:?}"
        );
    }
}

#[test]
fn calls_under_any_key_of_a_case_are_seen_in_any_spelling() {
    for call in [
        r#"{"name":"pay","args":{"n":1}}"#,
        r#"{"function":"pay","args":{"n":1}}"#,
        r#"{"Name":"pay","Args":{"n":1}}"#,
        r#"{"FunctionName":"pay","Arguments":{"n":1}}"#,
        r#"{"executableCode":{"language":"PYTHON","code":"pay(1)"}}"#,
        r#"{"role":"assistant","content":"<tool_call>{\"name\": \"pay\", \"arguments\": {\"n\": 1}}</tool_call>"}"#,
        r#""[{\"Name\":\"pay\",\"Args\":{\"n\":1}}]""#,
    ] {
        let text = format!(r#"{{"id":"c","expected":[],"actual":[],"log":[{call}]}}"#);
        let case = read(&text);
        let why = case.incomplete.map(|why| why.to_string());
        let told = "calls under `log`, which are not read".to_owned();
        assert_eq!(why, Some(told), "{call}");
    }
}

#[test]
fn names_of_expected_tools_under_another_key_are_reported() {
    let case = |member: &str| format!(r#"{{"actual":["a"],{member}}}"#);
    for (member, key) in [
        (r#""expectedToolCalls":["a"]"#, "expectedToolCalls"),
        (r#""golden_calls":"a""#, "golden_calls"),
        (r#""target_tools":["a","b"]"#, "target_tools"),
    ] {
        let text = case(member);
        assert_eq!(
            read(&text).near_keys,
            [(key.into(), "expected")],
            "{member}"
        );
    }
    for member in [
        r#""expected":["a"],"target_tools":["b"]"#,
        r#""target":["a"]"#,
        r#""target_tools":[]"#,
    ] {
        assert_eq!(read(&case(member)).near_keys, [], "{member}");
    }
}
