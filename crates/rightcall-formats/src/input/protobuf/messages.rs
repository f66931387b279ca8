//! The needed parts of spans and log records, and their conversion to equivalent JSON.

use prost::Message;
use rightcall_core::value::JsonWriter;

/// A span or a log record.
pub(super) trait RecordMessage: Message + Default {
    fn write(&self, writer: &mut JsonWriter);
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SpanMessage {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) trace: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    pub(super) parent: Vec<u8>,
    #[prost(string, tag = "5")]
    pub(super) name: String,
    #[prost(fixed64, tag = "7")]
    pub(super) start: u64,
    #[prost(fixed64, tag = "8")]
    pub(super) end: u64,
    #[prost(message, repeated, tag = "9")]
    pub(super) attributes: Vec<KeyValue>,
    #[prost(message, repeated, tag = "11")]
    pub(super) events: Vec<EventMessage>,
    #[prost(message, optional, tag = "15")]
    pub(super) status: Option<Status>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct EventMessage {
    #[prost(fixed64, tag = "1")]
    pub(super) time: u64,
    #[prost(string, tag = "2")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "3")]
    pub(super) attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Status {
    #[prost(string, tag = "2")]
    pub(super) message: String,
    #[prost(int32, tag = "3")]
    pub(super) code: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct LogMessage {
    #[prost(fixed64, tag = "1")]
    pub(super) time: u64,
    #[prost(message, optional, tag = "5")]
    pub(super) body: Option<AnyValue>,
    #[prost(message, repeated, tag = "6")]
    pub(super) attributes: Vec<KeyValue>,
    #[prost(bytes = "vec", tag = "9")]
    pub(super) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "10")]
    pub(super) span_id: Vec<u8>,
    #[prost(fixed64, tag = "11")]
    pub(super) observed: u64,
    #[prost(string, tag = "12")]
    pub(super) event_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct KeyValue {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(message, optional, tag = "2")]
    pub(super) value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct AnyValue {
    #[prost(oneof = "ValueKind", tags = "1, 2, 3, 4, 5, 6, 7")]
    pub(super) kind: Option<ValueKind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum ValueKind {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(bool, tag = "2")]
    Bool(bool),
    #[prost(int64, tag = "3")]
    Integer(i64),
    #[prost(double, tag = "4")]
    Float(f64),
    #[prost(message, tag = "5")]
    List(ListMessage),
    #[prost(message, tag = "6")]
    Object(MapMessage),
    #[prost(bytes = "vec", tag = "7")]
    Bytes(Vec<u8>),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ListMessage {
    #[prost(message, repeated, tag = "1")]
    pub(super) values: Vec<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct MapMessage {
    #[prost(message, repeated, tag = "1")]
    pub(super) values: Vec<KeyValue>,
}

impl RecordMessage for SpanMessage {
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

impl RecordMessage for LogMessage {
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
            Some(ValueKind::Text(text)) => _ = writer.key("stringValue").str(text),
            Some(ValueKind::Bool(value)) => _ = writer.key("boolValue").bool(*value),
            Some(ValueKind::Integer(number)) => _ = writer.key("intValue").str(&number.to_string()),
            Some(ValueKind::Float(number)) => _ = writer.key("doubleValue").float(*number),
            Some(ValueKind::List(list)) => {
                writer
                    .key("arrayValue")
                    .begin_object()
                    .key("values")
                    .begin_list();
                list.values.iter().for_each(|value| value.write(writer));
                writer.end_list().end_object();
            }
            Some(ValueKind::Object(object)) => {
                writer.key("kvlistValue").begin_object().key("values");
                write_entries(writer, &object.values);
                writer.end_object();
            }
            Some(ValueKind::Bytes(bytes)) => _ = writer.key("bytesValue").str(&base64(bytes)),
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
