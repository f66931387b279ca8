//! Export requests of OpenTelemetry in protobuf: one message, or one after another with their lengths, as collectors write them.
//!
//! They become the JSON that says the same, a resource a line, so that whoever reads OTLP knows one form of it. Only what is
//! read there is declared here; all other fields are skipped.

use std::io::{self, Cursor, Read};

use prost::Message;
use prost::encoding::{self, DecodeContext, WireType};
use rightcall::value::JsonWriter;

use super::whole::to_end;

/// How messages lie in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// One message goes to the end.
    One,
    /// Before each stands its length in four bytes, the highest first. Each may be packed on its own.
    Lengths,
}

/// How many bytes tell protobuf from text.
pub(super) const HEAD: usize = 4096;

const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

/// The key of the list that a request consists of: field 1, with a length.
const RESOURCE: u8 = 0x0A;

/// True for first bytes that more should be looked at for; JSON has at most a line break there.
pub(super) fn may_begin_with(head: &[u8]) -> bool {
    head.first()
        .is_some_and(|&byte| byte <= 8 || byte == RESOURCE)
}

/// How messages lie in a file that begins so; `None` for text.
pub(super) fn framing(head: &[u8]) -> Option<Framing> {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..);
    match head {
        [RESOURCE, rest @ ..] if !rest.iter().all(is_text) => Some(Framing::One),
        [0..=8, _, _, _, RESOURCE, ..] => Some(Framing::Lengths),
        [0..=8, _, _, _, rest @ ..] if rest.starts_with(ZSTD) => Some(Framing::Lengths),
        _ => None,
    }
}

/// The JSON text of each resource.
pub(super) struct Requests<R> {
    reader: R,
    framing: Framing,
    message: Cursor<Vec<u8>>,
    /// The longest message, resource and line.
    most: usize,
}

impl<R: Read> Requests<R> {
    /// The resources of messages; none of either is longer than so many bytes, as protobuf or as JSON.
    pub(super) fn new(reader: R, framing: Framing, most: usize) -> Self {
        Self {
            reader,
            framing,
            message: Cursor::default(),
            most,
        }
    }

    fn next_resource(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.framing == Framing::One {
            return next_resource(&mut self.reader, self.most);
        }
        loop {
            if let Some(resource) = next_resource(&mut self.message, self.most)? {
                return Ok(Some(resource));
            }
            let Some(first) = byte(&mut self.reader)? else {
                return Ok(None);
            };
            let rest = exactly(&mut self.reader, 3, self.most)?;
            let length = u32::from_be_bytes([first, rest[0], rest[1], rest[2]]);
            let mut message = exactly(&mut self.reader, u64::from(length), self.most)?;
            if message.starts_with(ZSTD) {
                let unpacked = to_end(zstd::stream::read::Decoder::new(&message[..])?, self.most)?;
                message = unpacked.ok_or_else(|| too_long(self.most))?;
            }
            self.message = Cursor::new(message);
        }
    }
}

impl<R: Read> Iterator for Requests<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        let resource = self.next_resource().transpose()?;
        Some(resource.and_then(|resource| json(&resource, self.most)))
    }
}

/// The bytes of the next resource in a request; `None` at its end.
fn next_resource(reader: &mut impl Read, most: usize) -> io::Result<Option<Vec<u8>>> {
    while let Some(first) = byte(reader)? {
        let key = varint(reader, first)?;
        match (key >> 3, key & 7) {
            (1, 2) => {
                let length = next_varint(reader)?;
                return exactly(reader, length, most).map(Some);
            }
            (_, 0) => _ = next_varint(reader)?,
            (_, 1) => _ = exactly(reader, 8, most)?,
            (_, 2) => {
                let length = next_varint(reader)?;
                exactly(reader, length, most)?;
            }
            (_, 5) => _ = exactly(reader, 4, most)?,
            _ => return Err(invalid(&format!("no field of a message begins with {key}"))),
        }
    }
    Ok(None)
}

fn byte(reader: &mut impl Read) -> io::Result<Option<u8>> {
    let mut byte = [0];
    match reader.read_exact(&mut byte) {
        Ok(()) => Ok(Some(byte[0])),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

fn next_varint(reader: &mut impl Read) -> io::Result<u64> {
    let first = byte(reader)?.ok_or_else(cut_off)?;
    varint(reader, first)
}

fn varint(reader: &mut impl Read, first: u8) -> io::Result<u64> {
    let (mut value, mut last, mut shift) = (u64::from(first & 0x7F), first, 7);
    while last & 0x80 != 0 {
        last = byte(reader)?.ok_or_else(cut_off)?;
        if shift > 63 {
            return Err(invalid("a number of more than 64 bits"));
        }
        value |= u64::from(last & 0x7F) << shift;
        shift += 7;
    }
    Ok(value)
}

/// So many bytes, of at most so many; memory grows with what there is, whatever length was claimed.
fn exactly(reader: &mut impl Read, length: u64, most: usize) -> io::Result<Vec<u8>> {
    if length > most as u64 {
        return Err(too_long(most));
    }
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length {
        Ok(bytes)
    } else {
        Err(cut_off())
    }
}

#[cold]
fn too_long(most: usize) -> io::Error {
    invalid(&format!(
        "a message or resource takes more than {most} bytes; --max-line allows more"
    ))
}

fn cut_off() -> io::Error {
    io::Error::new(
        io::ErrorKind::UnexpectedEof,
        "a message of protobuf ends too early",
    )
}

fn invalid(found: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("protobuf of OpenTelemetry was expected: {found}"),
    )
}

/// A resource of spans, or else one of log records: no record of either kind can be read as the other.
fn json(resource: &[u8], most: usize) -> io::Result<Vec<u8>> {
    match json_of::<Span>(resource, most, ["resourceSpans", "scopeSpans", "spans"]) {
        Err(Unread::Other(error)) => {
            let logs =
                json_of::<LogRecord>(resource, most, ["resourceLogs", "scopeLogs", "logRecords"]);
            logs.map_err(|unread| {
                if let Unread::Other(_) = unread {
                    invalid(&error)
                } else {
                    too_long(most)
                }
            })
        }
        text => text.map_err(|_| too_long(most)),
    }
}

/// Why a resource is not read.
enum Unread {
    TooLong,
    /// It is no resource of such records.
    Other(String),
}

/// A span may be this part of what a line may be: its attributes can take many times their bytes.
const SPAN: usize = 4;

/// The JSON of a resource. Only one of its records is held as more than bytes at a time.
fn json_of<R: Record>(
    resource: &[u8],
    most: usize,
    [resources, scopes, records]: [&str; 3],
) -> Result<Vec<u8>, Unread> {
    let mut writer = JsonWriter::new();
    writer
        .begin_object()
        .key(resources)
        .begin_list()
        .begin_object()
        .key(scopes)
        .begin_list();
    for scope in Parts(resource) {
        writer.begin_object().key(records).begin_list();
        for record in Parts(scope?) {
            let record = record?;
            if record.len() > most / SPAN {
                return Err(Unread::TooLong);
            }
            R::decode(record)
                .map_err(|error| Unread::Other(error.to_string()))?
                .write(&mut writer);
            if writer.len() > most {
                return Err(Unread::TooLong);
            }
        }
        writer.end_list().end_object();
    }
    writer.end_list().end_object().end_list().end_object();
    Ok(writer.finish().as_str().as_bytes().to_vec())
}

/// A span or a log record.
trait Record: Message + Default {
    fn write(&self, writer: &mut JsonWriter);
}

/// The messages in field 2 of a message: the scopes of a resource, the records of a scope.
struct Parts<'b>(&'b [u8]);

impl<'b> Iterator for Parts<'b> {
    type Item = Result<&'b [u8], Unread>;

    fn next(&mut self) -> Option<Self::Item> {
        let part = self.part();
        if part.is_err() {
            self.0 = &[];
        }
        part.map_err(Unread::Other).transpose()
    }
}

impl<'b> Parts<'b> {
    fn part(&mut self) -> Result<Option<&'b [u8]>, String> {
        while !self.0.is_empty() {
            let told = |error: prost::DecodeError| error.to_string();
            let (tag, wire_type) = encoding::decode_key(&mut self.0).map_err(told)?;
            if (tag, wire_type) == (2, WireType::LengthDelimited) {
                let length = usize::try_from(encoding::decode_varint(&mut self.0).map_err(told)?)
                    .unwrap_or(usize::MAX);
                let Some((part, rest)) = self.0.split_at_checked(length) else {
                    return Err("a part ends too early".to_owned());
                };
                self.0 = rest;
                return Ok(Some(part));
            }
            encoding::skip_field(wire_type, tag, &mut self.0, DecodeContext::default())
                .map_err(told)?;
        }
        Ok(None)
    }
}

#[derive(Clone, PartialEq, Message)]
struct Span {
    #[prost(bytes = "vec", tag = "1")]
    trace: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    parent: Vec<u8>,
    #[prost(string, tag = "5")]
    name: String,
    #[prost(fixed64, tag = "7")]
    start: u64,
    #[prost(fixed64, tag = "8")]
    end: u64,
    #[prost(message, repeated, tag = "9")]
    attributes: Vec<KeyValue>,
    #[prost(message, repeated, tag = "11")]
    events: Vec<Event>,
    #[prost(message, optional, tag = "15")]
    status: Option<Status>,
}

#[derive(Clone, PartialEq, Message)]
struct Event {
    #[prost(fixed64, tag = "1")]
    time: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(message, repeated, tag = "3")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(string, tag = "2")]
    message: String,
    #[prost(int32, tag = "3")]
    code: i32,
}

#[derive(Clone, PartialEq, Message)]
struct LogRecord {
    #[prost(fixed64, tag = "1")]
    time: u64,
    #[prost(message, optional, tag = "5")]
    body: Option<AnyValue>,
    #[prost(message, repeated, tag = "6")]
    attributes: Vec<KeyValue>,
    #[prost(bytes = "vec", tag = "9")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "10")]
    span_id: Vec<u8>,
    #[prost(fixed64, tag = "11")]
    observed: u64,
    #[prost(string, tag = "12")]
    event_name: String,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct AnyValue {
    #[prost(oneof = "Kind", tags = "1, 2, 3, 4, 5, 6, 7")]
    kind: Option<Kind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Kind {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(bool, tag = "2")]
    Bool(bool),
    #[prost(int64, tag = "3")]
    Integer(i64),
    #[prost(double, tag = "4")]
    Float(f64),
    #[prost(message, tag = "5")]
    List(Values),
    #[prost(message, tag = "6")]
    Object(Entries),
    #[prost(bytes = "vec", tag = "7")]
    Bytes(Vec<u8>),
}

#[derive(Clone, PartialEq, Message)]
struct Values {
    #[prost(message, repeated, tag = "1")]
    values: Vec<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct Entries {
    #[prost(message, repeated, tag = "1")]
    values: Vec<KeyValue>,
}

impl Record for Span {
    fn write(&self, writer: &mut JsonWriter) {
        writer.begin_object();
        write_ids(
            writer,
            [
                ("traceId", &self.trace),
                ("spanId", &self.id),
                ("parentSpanId", &self.parent),
            ],
        );
        writer.key("name").str(&self.name);
        write_times(
            writer,
            [
                ("startTimeUnixNano", self.start),
                ("endTimeUnixNano", self.end),
            ],
        );
        write_attributes(writer, &self.attributes);
        writer.key("events").begin_list();
        for event in &self.events {
            writer.begin_object().key("name").str(&event.name);
            write_times(writer, [("timeUnixNano", event.time)]);
            write_attributes(writer, &event.attributes);
            writer.end_object();
        }
        writer.end_list();
        if let Some(status) = &self.status {
            writer
                .key("status")
                .begin_object()
                .key("code")
                .raw(&status.code.to_string());
            writer.key("message").str(&status.message).end_object();
        }
        writer.end_object();
    }
}

impl Record for LogRecord {
    fn write(&self, writer: &mut JsonWriter) {
        writer.begin_object();
        write_ids(
            writer,
            [("traceId", &self.trace_id), ("spanId", &self.span_id)],
        );
        write_times(
            writer,
            [
                ("timeUnixNano", self.time),
                ("observedTimeUnixNano", self.observed),
            ],
        );
        if !self.event_name.is_empty() {
            writer.key("eventName").str(&self.event_name);
        }
        if let Some(body) = &self.body {
            writer.key("body");
            body.write(writer);
        }
        write_attributes(writer, &self.attributes);
        writer.end_object();
    }
}

impl AnyValue {
    fn write(&self, writer: &mut JsonWriter) {
        writer.begin_object();
        match &self.kind {
            None => {}
            Some(Kind::Text(text)) => _ = writer.key("stringValue").str(text),
            Some(Kind::Bool(value)) => _ = writer.key("boolValue").bool(*value),
            Some(Kind::Integer(number)) => _ = writer.key("intValue").str(&number.to_string()),
            Some(Kind::Float(number)) => _ = writer.key("doubleValue").float(*number),
            Some(Kind::List(list)) => {
                writer
                    .key("arrayValue")
                    .begin_object()
                    .key("values")
                    .begin_list();
                list.values.iter().for_each(|value| value.write(writer));
                writer.end_list().end_object();
            }
            Some(Kind::Object(object)) => {
                writer.key("kvlistValue").begin_object().key("values");
                write_entries(writer, &object.values);
                writer.end_object();
            }
            Some(Kind::Bytes(bytes)) => _ = writer.key("bytesValue").str(&base64(bytes)),
        }
        writer.end_object();
    }
}

fn write_ids<const N: usize>(writer: &mut JsonWriter, ids: [(&str, &[u8]); N]) {
    for (key, id) in ids.into_iter().filter(|(_, id)| !id.is_empty()) {
        let digits = id.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let hex: String = digits
            .filter_map(|digit| char::from_digit(u32::from(digit), 16))
            .collect();
        writer.key(key).str(&hex);
    }
}

fn write_times<const N: usize>(writer: &mut JsonWriter, times: [(&str, u64); N]) {
    for (key, time) in times.into_iter().filter(|(_, time)| *time != 0) {
        writer.key(key).str(&time.to_string());
    }
}

fn write_attributes(writer: &mut JsonWriter, attributes: &[KeyValue]) {
    writer.key("attributes");
    write_entries(writer, attributes);
}

fn write_entries(writer: &mut JsonWriter, entries: &[KeyValue]) {
    writer.begin_list();
    for entry in entries {
        writer.begin_object().key("key").str(&entry.key);
        if let Some(value) = &entry.value {
            writer.key("value");
            value.write(writer);
        }
        writer.end_object();
    }
    writer.end_list();
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three
            .iter()
            .fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte))
            << (8 * (3 - three.len()));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= three.len() {
                char::from(digit)
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::trace::Choices;
    use crate::{Input, Limits, ReadOptions};

    #[derive(Clone, PartialEq, Message)]
    struct Scope {
        #[prost(bytes = "vec", repeated, tag = "2")]
        records: Vec<Vec<u8>>,
    }

    /// A resource with one scope of such records.
    fn resource(records: Vec<Vec<u8>>) -> Vec<u8> {
        Scope {
            records: vec![Scope { records }.encode_to_vec()],
        }
        .encode_to_vec()
    }

    fn value(kind: Kind) -> AnyValue {
        AnyValue { kind: Some(kind) }
    }

    fn entry(key: &str, kind: Kind) -> KeyValue {
        KeyValue {
            key: key.to_owned(),
            value: Some(value(kind)),
        }
    }

    fn spans() -> Vec<u8> {
        let arguments = Entries {
            values: vec![
                entry("id", Kind::Integer(-7)),
                entry("rate", Kind::Float(0.5)),
                entry("deep", Kind::Bool(true)),
                entry("bytes", Kind::Bytes(b"rightcal".to_vec())),
                entry(
                    "list",
                    Kind::List(Values {
                        values: vec![value(Kind::Text("x".to_owned())), AnyValue { kind: None }],
                    }),
                ),
            ],
        };
        let span = Span {
            trace: vec![0xAB; 16],
            id: vec![1; 8],
            parent: Vec::new(),
            name: "execute_tool find".to_owned(),
            start: 5,
            end: 6,
            attributes: vec![
                entry("gen_ai.tool.name", Kind::Text("find".to_owned())),
                entry("gen_ai.tool.call.arguments", Kind::Object(arguments)),
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
        let call = entry("name", Kind::Text("look".to_owned()));
        let function = entry("function", Kind::Object(Entries { values: vec![call] }));
        let calls = Kind::List(Values {
            values: vec![value(Kind::Object(Entries {
                values: vec![function],
            }))],
        });
        let message = Kind::Object(Entries {
            values: vec![entry("tool_calls", calls)],
        });
        let record = LogRecord {
            time: 7,
            body: Some(value(Kind::Object(Entries {
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

    /// A request of one resource.
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
    const LOOK: &str = r#"lookJson("{}")"#;

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
        // Two bytes a span, and many more as JSON.
        error(&request(&resource(vec![Vec::new(); 1000])), Framing::One);
        // Two bytes an attribute, and many more in memory.
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
}
