//! Recordings, bare and in envelopes.

use crate::tests::shown;
use crate::trace::{Choices, Recordings};

const REPLY: &str = r#"{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"b","name":"look","input":{}}]}"#;

fn recording(response: &str) -> String {
    let history =
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"find","input":{}}]}"#;
    format!(r#"{{"request":{{"messages":[{history}]}},"response":{response}}}"#)
}

#[test]
fn the_reply_counts_and_the_history_where_there_is_none() {
    let read = |text: &str| shown("recordings", text, Choices::default());
    assert_eq!(read(&recording(REPLY)), ["look({}) b @0"]);
    assert_eq!(read(&recording("null")), ["find({}) a @0"]);
    assert_eq!(
        read(&recording(r#"{"error":{"type":"overloaded"}}"#)),
        ["find({}) a @0"]
    );
    assert_eq!(
        read(&recording(
            r#"{"type":"error","error":{"type":"overloaded"}}"#
        )),
        ["find({}) a @0"]
    );
    let whole = Choices {
        recordings: Recordings::Whole,
        ..Choices::default()
    };
    assert_eq!(
        shown("recordings", &recording(REPLY), whole),
        ["find({}) a @0", "look({}) b @1"]
    );
}

#[test]
fn a_reply_may_be_the_text_of_a_stream() {
    let stream = r#""event: x\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[]}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"look\",\"input\":{}}}\n""#;
    assert_eq!(
        shown("recordings", &recording(stream), Choices::default()),
        ["look({}) b @0"]
    );
}

#[test]
fn a_reply_may_be_a_list_and_stand_inside_what_a_library_keeps() {
    let event = |name: &str| {
        format!(
            r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"id":"b","function":{{"name":"{name}","arguments":"{{}}"}}}}]}}}}]}}"#
        )
    };
    let start = r#"{"type":"message_start","message":{"content":[]}}"#;
    let block = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"b","name":"look","input":{}}}"#;
    let read = |text: &str| shown("recordings", text, Choices::default());
    assert_eq!(
        read(&recording(&format!("[{start},{block}]"))),
        ["look({}) b @0"]
    );
    assert_eq!(
        read(&recording(&format!("[{}]", event("look")))),
        [r#"look("{}") b @0"#]
    );
    let stack = format!(
        r#"{{"body":[{{"__type__":"chunk","__data__":{}}}],"is_streaming":true}}"#,
        event("look")
    );
    assert_eq!(read(&recording(&stack)), [r#"look("{}") b @0"#]);
    let cassette = format!(r#"{{"body":{{"string":{REPLY:?}}}}}"#);
    assert_eq!(read(&recording(&cassette)), ["look({}) b @0"]);
}

#[test]
fn messages_beside_a_reply_are_its_history() {
    let read = |text: &str| shown("recordings", text, Choices::default());
    let history = r#"[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"find","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"x"}]"#;
    let reply = r#"{"object":"chat.completion","choices":[{"message":{"role":"assistant","tool_calls":[{"id":"b","function":{"name":"look","arguments":"{}"}}]}}]}"#;
    let log = format!(r#"{{"messages":{history},"kwargs":{{}},"response":{reply}}}"#);
    assert_eq!(read(&log), [r#"look("{}") b @0"#]);
    let whole = Choices {
        recordings: Recordings::Whole,
        ..Choices::default()
    };
    assert_eq!(shown("recordings", &log, whole).len(), 2);
}

#[test]
fn what_says_what_is_expected_is_no_recording() {
    let case = |key: &str| {
        format!(r#"{{"query":"q","response":[{REPLY}],"tool_definitions":[],"{key}":[]}}"#)
    };
    let recognise = |text: &str| super::recognise(&crate::node::Node::parse(text, 512).unwrap());
    assert_eq!(recognise(&case("id")), crate::format::Recognition::Certain);
    for key in [
        "expected",
        "expected_tools",
        "actual",
        "reference_tool_calls",
    ] {
        assert_ne!(
            recognise(&case(key)),
            crate::format::Recognition::Certain,
            "{key}"
        );
    }
}

#[test]
fn what_stands_around_an_exchange_is_taken_off_and_its_id_is_the_cases() {
    let chat = r#"{"object":"chat.completion","choices":[{"message":{"role":"assistant","tool_calls":[{"id":"b","function":{"name":"look","arguments":{}}}]}}]}"#;
    let gemini = r#"{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"b","name":"look","args":{}}}]},"finishReason":"STOP"}]}"#;
    let converse = r#"{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"b","name":"look","input":{}}}]}}}"#;
    let text = serde_json::Value::from(chat).to_string();
    let request = r#"{"model":"m","messages":[{"role":"user","content":"q"}]}"#;
    for enveloped in [
        format!(
            r#"{{"id":"x","custom_id":"case 1","response":{{"status_code":200,"body":{chat}}},"error":null}}"#
        ),
        format!(r#"{{"custom_id":"case 1","result":{{"type":"succeeded","message":{REPLY}}}}}"#),
        format!(r#"{{"key":"case 1","response":{gemini}}}"#),
        format!(
            r#"{{"done":true,"response":{{"inlinedResponses":{{"inlinedResponses":[{{"metadata":{{"key":"case 1"}},"response":{gemini}}}]}}}}}}"#
        ),
        format!(
            r#"{{"id":"case 1","status":"","processed_time":"t","request":{{"contents":[]}},"response":{gemini}}}"#
        ),
        format!(r#"{{"recordId":"case 1","modelInput":{request},"modelOutput":{REPLY}}}"#),
        format!(
            r#"{{"schemaType":"ModelInvocationLog","requestId":"case 1","modelId":"m","operation":"Converse","input":{{"inputBodyJson":{request}}},"output":{{"outputBodyJson":{converse}}}}}"#
        ),
        format!(
            r#"{{"data":[{{"request_id":"case 1","request_body":{request},"response_body":{chat},"response_status":200}}],"error":null}}"#
        ),
        format!(
            r#"{{"log":{{"version":"1.2","entries":[{{"request":{{"url":"/flags"}},"response":{{"status":200,"content":{{"text":"[]"}}}}}},{{"request":{{"url":"/chat","postData":{{"text":"{{}}"}}}},"response":{{"status":200,"content":{{"text":{text}}}}}}}]}}}}"#
        ),
    ] {
        assert_eq!(
            shown("recordings", &enveloped, Choices::default()),
            ["look({}) b @0"],
            "{enveloped}"
        );
        let id = ids(&enveloped);
        assert!(
            id == [Some("case 1".to_owned())] || enveloped.contains("\"log\"") && id == [None],
            "{enveloped}: {id:?}"
        );
    }
}

/// The ids of the runs of a text.
fn ids(text: &str) -> Vec<Option<String>> {
    traces(text)
        .iter()
        .map(|trace| trace.id.as_ref().map(ToString::to_string))
        .collect()
}

fn traces(text: &str) -> Vec<crate::Trace> {
    let (limits, options) = (crate::Limits::default(), crate::ReadOptions::default());
    let input = crate::Input::from_bytes("batch", text.as_bytes().to_vec(), limits, &options);
    let records = input.unwrap().next_traces().unwrap().unwrap();
    records
        .into_iter()
        .map(|(_, trace)| trace.unwrap())
        .collect()
}

#[test]
fn an_exchange_that_failed_has_no_run_and_says_why() {
    let good = format!(r#"{{"custom_id":"a","result":{{"type":"succeeded","message":{REPLY}}}}}"#);
    for (failed, why) in [
        (
            r#"{"custom_id":"b","result":{"type":"errored","error":{"type":"overloaded"}}}"#,
            r#"{"type":"overloaded"}"#,
        ),
        (
            r#"{"custom_id":"b","result":{"type":"expired"}}"#,
            r#""expired""#,
        ),
        (
            r#"{"custom_id":"b","response":null,"error":{"code":"batch_expired"}}"#,
            r#"{"code":"batch_expired"}"#,
        ),
        (
            r#"{"custom_id":"b","response":{"status_code":400,"body":{"error":{"message":"no"}}},"error":null}"#,
            r#"{"message":"no"}"#,
        ),
        (
            r#"{"recordId":"b","modelInput":{},"error":{"errorCode":400}}"#,
            r#"{"errorCode":400}"#,
        ),
        (r#"{"key":"b","error":{"code":3}}"#, r#"{"code":3}"#),
    ] {
        let read = traces(&format!("{good}\n{failed}\n"));
        assert_eq!(
            (read[0].lacks_run, read[1].lacks_run),
            (false, true),
            "{failed}"
        );
        assert_eq!(
            read[1].meta,
            [("error".to_owned(), why.to_owned())],
            "{failed}"
        );
        assert_eq!(
            read[1].to_case(),
            format!(r#"{{"id":"b","expected":{{}},"meta":{{"error":{why}}}}}"#)
        );
    }
}

#[test]
fn traffic_with_others_than_a_model_is_no_run() {
    let read = |text: &str| shown("recordings", text, Choices::default());
    let other = r#"{"method":"GET","path":"/flags","response":{"flags":{}}}"#;
    let reply = format!(r#"{{"method":"POST","path":"/messages","response":{REPLY}}}"#);
    assert_eq!(
        read(&format!("[{other},{reply},{other}]")),
        ["look({}) b @0"]
    );
}
