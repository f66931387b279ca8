use std::io::Write as _;

use super::messages::*;
use super::*;
use crate::trace::Choices;
use crate::{Input, Limits, ReadOptions};
use prost::Message;

#[derive(Clone, PartialEq, Message)]
struct Scope {
    #[prost(bytes = "vec", repeated, tag = "2")]
    records: Vec<Vec<u8>>,
}

/// A resource with one scope of these records.
fn resource(records: Vec<Vec<u8>>) -> Vec<u8> {
    Scope {
        records: vec![Scope { records }.encode_to_vec()],
    }
    .encode_to_vec()
}

fn value(kind: ValueKind) -> AnyValue {
    AnyValue { kind: Some(kind) }
}

fn entry(key: &str, kind: ValueKind) -> KeyValue {
    KeyValue {
        key: key.to_owned(),
        value: Some(value(kind)),
    }
}

fn spans() -> Vec<u8> {
    let arguments = MapMessage {
        values: vec![
            entry("id", ValueKind::Integer(-7)),
            entry("rate", ValueKind::Float(0.5)),
            entry("deep", ValueKind::Bool(true)),
            entry("bytes", ValueKind::Bytes(b"rightcal".to_vec())),
            entry(
                "list",
                ValueKind::List(ListMessage {
                    values: vec![
                        value(ValueKind::Text("x".to_owned())),
                        AnyValue { kind: None },
                    ],
                }),
            ),
        ],
    };
    let span = SpanMessage {
        trace: vec![0xAB; 16],
        id: vec![1; 8],
        parent: Vec::new(),
        name: "execute_tool find".to_owned(),
        start: 5,
        end: 6,
        attributes: vec![
            entry("gen_ai.tool.name", ValueKind::Text("find".to_owned())),
            entry("gen_ai.tool.call.arguments", ValueKind::Object(arguments)),
        ],
        events: Vec::new(),
        status: Some(Status {
            message: "timeout".to_owned(),
            code: 2,
        }),
    };
    resource(vec![span.encode_to_vec()])
}

fn logs() -> Vec<u8> {
    let call = entry("name", ValueKind::Text("look".to_owned()));
    let function = entry(
        "function",
        ValueKind::Object(MapMessage { values: vec![call] }),
    );
    let calls = ValueKind::List(ListMessage {
        values: vec![value(ValueKind::Object(MapMessage {
            values: vec![function],
        }))],
    });
    let message = ValueKind::Object(MapMessage {
        values: vec![entry("tool_calls", calls)],
    });
    let record = LogMessage {
        time: 7,
        body: Some(value(ValueKind::Object(MapMessage {
            values: vec![entry("message", message)],
        }))),
        attributes: Vec::new(),
        trace_id: vec![0xCD; 16],
        span_id: vec![2; 8],
        observed: 8,
        event_name: "gen_ai.choice".to_owned(),
    };
    resource(vec![record.encode_to_vec()])
}

/// A request with one resource.
fn request(resource: &[u8]) -> Vec<u8> {
    let mut request = vec![RESOURCE];
    prost::encoding::encode_varint(resource.len() as u64, &mut request);
    request.extend(resource);
    request
}

fn with_length(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_be_bytes(), message].concat()
}

fn shown(bytes: &[u8]) -> (Vec<String>, Option<String>) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let options = ReadOptions {
        choices: Choices::default(),
        ..ReadOptions::default()
    };
    let mut input = Input::open(file.path(), Limits::default(), &options).unwrap();
    let mut calls = Vec::new();
    loop {
        match input.next_traces() {
            Ok(Some(traces)) => {
                for (_, trace) in traces {
                    let trace = trace.unwrap();
                    calls.extend(
                        trace
                            .calls
                            .iter()
                            .map(|call| format!("{}{:?}", call.name, call.arguments)),
                    );
                }
            }
            Ok(None) => return (calls, None),
            Err(error) => return (calls, Some(error.to_string())),
        }
    }
}

const FIND: &str = r#"findJson("{\"id\":-7,\"rate\":0.5,\"deep\":true,\"bytes\":\"cmlnaHRjYWw=\",\"list\":[\"x\",null]}")"#;
const LOOK: &str = "lookAbsent";

#[test]
fn requests_are_read_alone_with_lengths_and_packed() {
    let both = [request(&spans()), request(&logs())];
    let files = [
        both.concat(),
        both.iter().flat_map(|it| with_length(it)).collect(),
        both.iter()
            .flat_map(|it| with_length(&zstd::encode_all(&it[..], 1).unwrap()))
            .collect(),
        zstd::encode_all(&both.concat()[..], 1).unwrap(),
    ];
    for bytes in files {
        assert_eq!(
            shown(&bytes),
            (vec![FIND.to_owned(), LOOK.to_owned()], None)
        );
    }
}

#[test]
fn fields_that_nobody_knows_are_skipped_and_broken_messages_told() {
    let unknown = [
        0x10, 0x05, 0x1A, 0x01, b'x', 0x25, 0, 0, 0, 0, 0x29, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    assert_eq!(
        shown(&[&request(&spans())[..], &unknown].concat()),
        (vec![FIND.to_owned()], None)
    );
    let (calls, error) = shown(&[&request(&spans())[..], &request(&logs())[..9]].concat());
    assert_eq!(calls, [FIND]);
    assert!(
        error
            .as_ref()
            .is_some_and(|error| error.contains("ends too early")),
        "{error:?}"
    );
    let broken = request(&[0x12, 0x02, 0x12, 0x05]);
    let error = shown(&[&request(&spans())[..], &broken].concat()).1;
    assert!(
        error
            .as_ref()
            .is_some_and(|error| error.contains("protobuf of OpenTelemetry")),
        "{error:?}"
    );
}

#[test]
fn what_takes_more_memory_than_a_line_is_refused() {
    let error = |bytes: &[u8], framing| {
        let error = Requests::new(bytes, framing, 4096)
            .find_map(Result::err)
            .expect("an error")
            .to_string();
        assert!(
            error.contains("more than 4096 bytes; --max-line allows more"),
            "{error}"
        );
    };
    // Two bytes per span, but many more as JSON.
    error(&request(&resource(vec![Vec::new(); 1000])), Framing::One);
    // Two bytes per attribute, but many more in memory.
    error(
        &request(&resource(vec![[0x4A, 0x00].repeat(600)])),
        Framing::One,
    );
    error(&request(&[0; 5000]), Framing::One);
    error(&with_length(&request(&[0; 5000])), Framing::Lengths);
    error(
        &with_length(&zstd::encode_all(&request(&[0; 5000])[..], 1).unwrap()),
        Framing::Lengths,
    );
}

#[test]
fn text_is_no_protobuf() {
    for text in [
        &b"\n\n{\"resourceSpans\":[]}"[..],
        b"",
        b"\n",
        b"\n{\"a\":\"\xFF\"}",
    ] {
        assert_eq!(framing(text), None);
    }
}
