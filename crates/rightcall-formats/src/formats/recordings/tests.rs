//! Recordings, bare and in envelopes.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use super::event_stream::tests::framed;
use crate::tests::{check_gaps, shown};
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
        format!(r#"{{"id":"case 1","req":{request},"res":{REPLY}}}"#),
        format!(
            r#"{{"id":"case 1","ms":7,"req":{{"body":{text}}},"resp":{{"status":200,"body":{chat}}}}}"#,
            text = serde_json::Value::from(request)
        ),
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

fn traces(text: &str) -> Vec<crate::trace::Trace> {
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
            crate::tests::case_of(&read[1]),
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

/// A body as JSON text.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zlib(text: &str) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a body of each kind")]
fn a_body_may_be_described_in_pieces_or_encoded() {
    let read = |body: &str| {
        let exchange = format!(
            r#"{{"request":{{"method":"POST","body":{{"kind":"json","value":{{"messages":[{{"role":"user","content":"q"}}]}}}}}},"response":{{"status":200,"body":{body}}}}}"#
        );
        let parsed = exchange.replace(r#""body""#, r#""parsed_body""#);
        let found = shown("recordings", &exchange, Choices::default());
        assert_eq!(
            found,
            shown("recordings", &parsed, Choices::default()),
            "{body}"
        );
        found
    };
    let call = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"b","name":"look","input":{}}}"#;
    let start = r#"{"type":"message_start","message":{"content":[]}}"#;
    let sse = |event: &str| format!("event: x\ndata: {event}\n\n");
    let stream = sse(start) + &sse(call);
    let base64 = |bytes: &[u8]| json(&STANDARD.encode(bytes));
    let hex = |bytes: &[u8]| {
        use std::fmt::Write as _;

        let mut digits = String::new();
        bytes
            .iter()
            .for_each(|byte| _ = write!(digits, "{byte:02x}"));
        json(&digits)
    };
    let numbers = |bytes: &[u8]| {
        let numbers: Vec<_> = bytes.iter().map(u8::to_string).collect();
        numbers.join(",")
    };
    let gzip = packed(REPLY);
    let half = stream.len() / 2;
    for body in [
        format!(r#"{{"kind":"json","value":{REPLY}}}"#),
        format!(r#"{{"kind":"text","value":{}}}"#, json(REPLY)),
        format!(
            r#"{{"kind":"sse","chunks":[{},{}]}}"#,
            json(&sse(start)),
            json(&sse(call))
        ),
        format!(
            r#"{{"kind":"sse","chunks":[{},{}]}}"#,
            json(&stream[..half]),
            json(&stream[half..])
        ),
        // Whole events without the line between them.
        format!(
            r#"{{"kind":"sse","chunks":[{},{}]}}"#,
            json(sse(start).trim_end()),
            json(sse(call).trim_end())
        ),
        format!(r#"{{"kind":"base64","data":{}}}"#, base64(REPLY.as_bytes())),
        format!(r#"{{"encoding":"base64","text":{}}}"#, base64(&gzip)),
        format!(
            r#"{{"type":"Buffer","data":[{}]}}"#,
            numbers(REPLY.as_bytes())
        ),
        format!("[{},{}]", json(&sse(start)), json(&sse(call))),
        format!("[{},{}]", json(start), json(call)),
        format!("[{},{}]", json(&REPLY[..30]), json(&REPLY[30..])),
        format!(
            r#"[{{"event":"x","data":{}}},{{"event":"x","data":{}}}]"#,
            json(start),
            json(call)
        ),
        format!(r#"[{{"event":"x","data":{start}}},{{"event":"x","data":{call}}}]"#),
        format!(
            r#"[{{"at":1,"chunk":{}}},{{"at":2,"chunk":{}}}]"#,
            json(&sse(start)),
            json(&sse(call))
        ),
        format!(
            r#"{{"contentType":"text/event-stream","content":{}}}"#,
            json(&stream)
        ),
        json(REPLY),
        json(&json(REPLY)),
        base64(REPLY.as_bytes()),
        base64(stream.as_bytes()),
        base64(&gzip),
        base64(&zlib(REPLY)),
        hex(&gzip),
        format!("[{}]", base64(&gzip)),
        json(&format!("[{}]", base64(&gzip))),
        format!("[{},{}]", hex(&gzip[..20]), hex(&gzip[20..])),
    ] {
        assert_eq!(read(&body), ["look({}) b @0"], "{body}");
    }
}

#[test]
fn an_event_whose_data_is_no_json_is_left_over() {
    let exchange = |data: &str| {
        let stream = format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"role\":\"assistant\",\"content\":\"a\"}},\"finish_reason\":\"stop\"}}]}}\n\n{data}\n\n"
        );
        format!(
            r#"{{"request":{{"messages":[]}},"response":{}}}"#,
            json(&stream)
        )
    };
    let left_over = "an event of a stream whose data is no JSON";
    check_gaps(
        "recordings",
        &exchange(r#"data: {"choices":[{"delta":"#),
        &[left_over],
    );
    check_gaps("recordings", &exchange("data: [DONE]"), &[""]);
}

#[test]
fn event_streams_of_aws_are_read() {
    let converse = [
        framed("messageStart", r#"{"role":"assistant"}"#),
        framed(
            "contentBlockStart",
            r#"{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"b","name":"look"}}}"#,
        ),
        framed(
            "contentBlockDelta",
            r#"{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{}"}}}"#,
        ),
        framed("contentBlockStop", r#"{"contentBlockIndex":0}"#),
        framed("messageStop", r#"{"stopReason":"tool_use"}"#),
    ];
    let inside = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"b","name":"look","input":{}}}"#;
    let invoked = framed(
        "chunk",
        &format!(r#"{{"bytes":"{}"}}"#, STANDARD.encode(inside)),
    );
    for (bytes, found) in [
        (converse.concat(), r#"look("{}") b @0"#),
        (invoked, "look({}) b @0"),
    ] {
        let body = format!(
            r#"{{"body":{{"string":{}}}}}"#,
            json(&STANDARD.encode(bytes))
        );
        assert_eq!(
            shown("recordings", &recording(&body), Choices::default()),
            [found]
        );
    }
}

#[test]
fn a_har_file_may_hold_pieces_of_what_was_packed() {
    let text = format!("[{}]", json(&STANDARD.encode(packed(REPLY))));
    let har = |content: &str| {
        format!(
            r#"{{"log":{{"version":"1.2","entries":[{{"request":{{"url":"/messages","postData":{{"mimeType":"application/json","text":{}}}}},"response":{{"status":200,"content":{content}}}}}]}}}}"#,
            json(r#"{"messages":[{"role":"user","content":"q"}]}"#)
        )
    };
    let content = |text: &str| {
        format!(
            r#"{{"mimeType":"application/json","encoding":"base64","text":{}}}"#,
            json(text)
        )
    };
    assert_eq!(
        shown("recordings", &har(&content(&text)), Choices::default()),
        ["look({}) b @0"]
    );
    let read = traces(&har(&content("[\"AAAAAAAAAAA=\"]")));
    assert!(read[0].lacks_run && !read[0].report.notes.is_empty());
}

#[test]
fn a_reply_that_cannot_be_decoded_is_left_over_and_one_that_failed_is_not() {
    let of = |response: &str| {
        let request = r#"{"messages":[{"role":"user","content":"q"}]}"#;
        traces(&format!(r#"{{"request":{request},"response":{response}}}"#)).remove(0)
    };
    let unknown = of(r#"{"status":200,"body":"\u0001\u0002binary"}"#);
    assert_eq!(
        unknown.incomplete.as_deref(),
        Some("a reply in an encoding that is not known")
    );
    assert!(unknown.lacks_run);
    let failed = of(r#"{"status":503,"body":"upstream failed"}"#);
    assert_eq!(
        failed.incomplete.as_deref(),
        Some("nothing of the agent's own turn was read")
    );
}

#[test]
fn a_reply_without_calls_says_how_to_read_those_of_its_history() {
    let reply = r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn"}"#;
    let read = traces(&recording(reply)).remove(0);
    assert_eq!((read.calls.len(), read.lacks_run), (0, false));
    assert!(
        read.report
            .notes
            .iter()
            .any(|note| note.contains("recordings=whole")),
        "{:?}",
        read.report.notes
    );
    assert!(traces(&recording(REPLY))[0].report.notes.is_empty());
}

#[test]
fn calls_beside_a_reply_are_read_in_any_form() {
    for calls in [
        r#"[{"id":"b","type":"function","function":{"name":"look","arguments":{}}}]"#,
        r#"[{"type":"tool_call","tool_call_id":"b","name":"look","arguments":{}}]"#,
        r#"{"b":{"name":"look","arguments":{}}}"#,
        r#""[{\"id\": \"b\", \"name\": \"look\", \"arguments\": {}}]""#,
    ] {
        let row = format!(
            r#"{{"request":{{"messages":[{{"role":"user","content":"q"}}]}},"response":"done","tool_calls":{calls}}}"#
        );
        assert_eq!(
            shown("recordings", &row, Choices::default()),
            ["look({}) b @0"],
            "{calls}"
        );
    }
}

#[test]
fn a_reply_in_a_form_that_is_not_known_is_no_run_without_calls() {
    let request = r#"{"messages":[{"role":"user","content":"q"}]}"#;
    let read = |body: &str| {
        let text = format!(r#"{{"request":{request},"response":{{"status":200,"body":{body}}}}}"#);
        traces(&text).remove(0)
    };
    let of = |body: &str| {
        let trace = read(body);
        assert!(trace.lacks_run);
        trace.incomplete.unwrap_or_default()
    };
    for body in [
        r#"{"content":"AAAA"}"#,
        r#"{"chunks":[[0.1,"AAAA"]]}"#,
        r#"{"blob":{"part":1}}"#,
    ] {
        assert_eq!(of(body), "a reply in a form that is not known", "{body}");
    }
    // Bedrock returns only an error message.
    assert_eq!(
        of(r#""{\"message\":\"malformed\"}""#),
        "nothing of the agent's own turn was read"
    );
    let packed = STANDARD.encode(REPLY);
    let trace = read(&format!(r#"{{"base64_string":"{packed}"}}"#));
    assert_eq!(trace.calls.len(), 1);
}
