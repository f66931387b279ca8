//! Messages, replies and chunk streams.

use crate::tests::check;

#[test]
fn one_message_may_answer_several_calls() {
    check(
        "openai-chat",
        r#"[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"find","arguments":"{}"}},{"id":"b","function":{"name":"look","arguments":"{}"}}]},
            {"role":"tool","content":"x\n\ny","tool_responses":[{"tool_call_id":"b","role":"tool","content":"y"},{"tool_call_id":"a","role":"tool","content":"x"}]}]"#,
        &[
            r#"find("{}") a @0 group-1 -> "x""#,
            r#"look("{}") b @0 group-1 -> "y""#,
        ],
    );
}

#[test]
fn calls_are_paired_with_their_results() {
    check(
        "openai-chat",
        r#"[{"role":"user","content":"q"},
            {"role":"assistant","tool_calls":[
                {"id":"c","type":"function","function":{"name":"find","arguments":"{\"id\": 7}"}},
                {"id":"d","type":"custom","custom":{"name":"sql","input":"SELECT 1"}},
                {"function":{"name":"look","arguments":{"n":1.0}}}]},
            {"role":"tool","tool_call_id":"d","content":[{"type":"text","text":"1"}]},
            {"role":"tool","tool_call_id":"c","content":"shipped"},
            {"role":"tool","name":"look","content":"x"},
            {"role":"tool","tool_call_id":"gone","content":"x"}]"#,
        &[
            r#"find("{\"id\": 7}") c @1 group-1 -> "shipped""#,
            r#"sql(free "SELECT 1") d @1 group-1 -> "1""#,
            r#"look({"n":1.0}) @1 group-1 -> "x""#,
            "1 orphans",
        ],
    );
}

#[test]
fn the_old_function_call_and_a_stored_reply_are_read() {
    check(
        "openai-chat",
        r#"{"messages":[{"role":"assistant","function_call":{"name":"find","arguments":""}},{"role":"function","name":"find","content":"x"}]}"#,
        &[r#"find("") @0 -> "x""#],
    );
    check(
        "openai-chat",
        r#"{"object":"chat.completion","choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"find","arguments":"{}"}}]}}]}"#,
        &[r#"find("{}") c @0"#],
    );
}

#[test]
fn a_stream_is_put_together_by_index() {
    check(
        "openai-chat",
        r#"data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c","function":{"name":"find","arguments":""}}]}}]}

data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"d","function":{"name":"look"}}]}}]}
data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]}}]}
data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}
data: [DONE]
"#,
        &[
            r#"find("{\"a\":1}") c @0 group-1"#,
            r#"look("") d @0 group-1"#,
        ],
    );
}

#[test]
fn each_line_is_a_conversation_and_so_is_each_entry_of_a_map() {
    let conversation = r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"find","arguments":"{}"}}]}]}"#;
    check(
        "openai-chat",
        &format!("{conversation}\n{conversation}\n"),
        &[r#"find("{}") @0"#, "---", r#"find("{}") @0"#],
    );
    check(
        "openai-chat",
        &format!(r#"{{"a":{conversation},"b":{conversation}}}"#),
        &[r#"find("{}") @0"#, "---", r#"find("{}") @0"#],
    );
}

/// Chunks of one reply with these calls.
fn chunks(id: &str, calls: &[&str]) -> String {
    let chunk = |calls: &&str| {
        format!(
            r#"{{"id":"{id}","object":"chat.completion.chunk","choices":[{{"index":0,"delta":{{"role":"assistant","tool_calls":[{calls}]}},"finish_reason":null}}]}}"#
        )
    };
    let end = format!(
        r#"{{"id":"{id}","object":"chat.completion.chunk","choices":[{{"index":0,"delta":{{}},"finish_reason":"tool_calls"}}]}}"#
    );
    let lines: Vec<_> = calls.iter().map(chunk).chain([end]).collect();
    lines.join("\n")
}

#[test]
fn another_id_begins_another_call_whatever_its_index() {
    let found = [
        r#"find("{\"a\":1}") c @0 group-1"#,
        r#"find("{\"a\":2}") d @0 group-1"#,
    ];
    let whole = |id: &str, number: u8| {
        format!(
            r#"{{"index":0,"id":"{id}","function":{{"name":"find","arguments":"{{\"a\":{number}}}"}}}}"#
        )
    };
    check(
        "openai-chat",
        &chunks("r", &[&whole("c", 1), &whole("d", 2)]),
        &found,
    );
    let pieces = [
        r#"{"index":0,"id":"c","function":{"name":"find","arguments":"{\"a\""}}"#,
        r#"{"index":0,"function":{"arguments":":1}"}}"#,
        r#"{"index":0,"id":"d","function":{"name":"find","arguments":"{\"a\""}}"#,
        r#"{"index":0,"function":{"arguments":":2}"}}"#,
    ];
    check("openai-chat", &chunks("r", &pieces), &found);
    // Without an index, calls are distinguished by id; every piece may repeat the id.
    let repeated = [
        r#"{"id":"c","function":{"name":"find","arguments":"{\"a\""}},{"id":"d","function":{"name":"find","arguments":"{\"a\""}}"#,
        r#"{"id":"d","function":{"arguments":":2}"}}"#,
        r#"{"id":"c","function":{"arguments":":1}"}}"#,
    ];
    check("openai-chat", &chunks("r", &repeated), &found);
    // Without ids, a name after complete arguments begins another call.
    let nameless = [&whole("", 1), &whole("", 2)].map(|it| it.replace(r#""id":"","#, ""));
    check(
        "openai-chat",
        &chunks("r", &[&nameless[0], &nameless[1]]),
        &[
            r#"find("{\"a\":1}") @0 group-1"#,
            r#"find("{\"a\":2}") @0 group-1"#,
        ],
    );
}

#[test]
fn what_whole_messages_hold_may_be_streamed() {
    let calls = [
        r#"{"index":0,"id":"c","function":{"name":"find","arguments":""}}"#,
        r#"{"index":0,"function":{"arguments":{"a":1}}},{"index":1,"id":"d","type":"custom","custom":{"name":"sql","input":"SELECT"}}"#,
        r#"{"index":1,"custom":{"input":" 1"}},{"index":2,"id":"e","name":"look","arguments":"{}"}"#,
    ];
    check(
        "openai-chat",
        &chunks("r", &calls),
        &[
            r#"find({"a":1}) c @0 group-1"#,
            r#"sql(free "SELECT 1") d @0 group-1"#,
            r#"look("{}") e @0 group-1"#,
        ],
    );
    let old = chunks("r", &[""]).replace(
        r#""tool_calls":[]"#,
        r#""function_call":{"name":"find","arguments":"{}"}"#,
    );
    check("openai-chat", &old, &[r#"find("{}") @0"#]);
}

#[test]
fn streams_one_after_another_are_replies_of_one_run() {
    let call = r#"{"index":0,"id":"ID","function":{"name":"find","arguments":"{}"}}"#;
    let found = [r#"find("{}") k1 @0"#, r#"find("{}") k2 @1"#];
    let of = |reply: &str, id: &str| chunks(reply, &[&call.replace("ID", id)]);
    for ids in [("c1", "c2"), ("", "")] {
        let text = format!("{}\n{}", of(ids.0, "k1"), of(ids.1, "k2"));
        check("openai-chat", &text, &found);
    }
    // Some servers use a new id for each chunk.
    let pieces = chunks(
        "ID",
        &[
            r#"{"index":0,"id":"k","function":{"name":"find","arguments":"{\"a\""}}"#,
            r#"{"index":0,"function":{"arguments":":1}"}}"#,
        ],
    );
    let numbered: Vec<_> = pieces
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let role = if number > 0 {
                r#""role":"assistant","#
            } else {
                ""
            };
            line.replace(r#""id":"ID""#, &format!(r#""id":"{number}""#))
                .replace(role, "")
        })
        .collect();
    check(
        "openai-chat",
        &numbered.join("\n"),
        &[r#"find("{\"a\":1}") k @0"#],
    );
}

#[test]
fn tools_say_in_several_ways_that_they_failed() {
    for (said, error) in [
        (r#""error":true"#, "true"),
        (r#""error":"gone""#, r#""gone""#),
        (r#""is_error":true"#, "true"),
        (r#""isError":true"#, "true"),
        (r#""status":"error""#, "true"),
    ] {
        check(
            "openai-chat",
            &format!(
                r#"[{{"role":"assistant","tool_calls":[{{"id":"c","function":{{"name":"find","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"c","content":"x",{said}}}]"#
            ),
            &[&format!(r#"find("{{}}") c @0 -> "x" error {error}"#)],
        );
    }
}

#[test]
fn flat_calls_and_results_of_several_calls_are_read() {
    check(
        "openai-chat",
        r#"[{"role":"assistant","tool_calls":[{"id":"a","name":"find","arguments":{"id":7}},{"id":"b","name":"look","arguments":"{}"}]},
            {"role":"tool","tool_messages":[{"role":"tool","id":"b","content":"B"},{"role":"tool","id":"a","content":"A"}]}]"#,
        &[
            r#"find({"id":7}) a @0 group-1 -> "A""#,
            r#"look("{}") b @0 group-1 -> "B""#,
        ],
    );
}

#[test]
fn a_reply_may_be_streamed_twice_under_one_id() {
    let chunk = |delta: &str, reason: &str| {
        format!(
            r#"{{"id":"r","object":"chat.completion.chunk","choices":[{{"index":0,"delta":{delta},"finish_reason":{reason}}}]}}"#
        )
    };
    let call = r#"{"role":"assistant","tool_calls":[{"index":0,"id":"c","function":{"name":"find","arguments":"{}"}}]}"#;
    let reply = [chunk(call, "null"), chunk("{}", r#""tool_calls""#)].join("\n");
    check(
        "openai-chat",
        &format!("{reply}\n{reply}\n"),
        &[r#"find("{}") c @0"#, r#"find("{}") c @1"#],
    );
}

#[test]
fn a_part_of_an_unknown_kind_is_left_over_in_messages_of_any_format() {
    crate::tests::check_gaps(
        "openai-chat",
        "{\"messages\":[{\"role\":\"assistant\",\"content\":\"x\"}]}\n{\"messages\":[{\"role\":\"assistant\",\"parts\":[{\"type\":\"gizmo\",\"gizmo\":{\"a\":1}}]}]}",
        &["", "a part of the type `gizmo`"],
    );
}
