//! Export requests of OpenTelemetry as JSON, one document or one request a line; protobuf comes as such lines.

use std::borrow::Cow;

use rightcall::value::{JsonWriter, MAX_DEPTH, Text};

use crate::format::{Format, Found, Place, Reading, Recognition, TraceReader};
use crate::messages::json_text;
use crate::node::Node;
use crate::shapes::first_record;
use crate::spans::dialects::adot;
use crate::spans::{Attribute, Attributes, Event, Span, SpanTraces};

pub(super) static ENTRY: Format = Format {
    name: "otlp",
    title: "OpenTelemetry (OTLP)",
    summary: "`resourceSpans` and `resourceLogs` as JSON, JSON Lines or protobuf, with or without lengths, and traces of Tempo; every dialect of spans",
    reads: &[
        ("calls", "spans by the GenAI conventions, MCP, OpenInference, OpenLLMetry, Vercel, ADK, Pydantic AI and UiPath"),
        (
            "arguments",
            "`gen_ai.tool.call.arguments`, `input.value`, `traceloop.entity.input`, `ai.toolCall.args`, `tool_arguments`",
        ),
        (
            "results",
            "`gen_ai.tool.call.result`, `output.value`, `traceloop.entity.output`, `ai.toolCall.result`, `tool_response`",
        ),
        ("asked for, not run", "output messages and choices of model spans that no tool span answers"),
        ("times", "`startTimeUnixNano`, `endTimeUnixNano`"),
        ("errors", "`status`"),
        ("sub-agents", "tool spans inside tool spans"),
    ],
    lacks: &["arguments and results, where the emitter leaves content out"],
    notes: "Files of the collector's file exporter, request bodies that an exporter sent, dumps of a backend; gzip and zstd are unpacked. A trace is
a trajectory; the name of a conversation (`gen_ai.conversation.id`, `session.id`) is kept beside it.

Which dialect a span speaks is told span by span, and what one dialect leaves out is taken from the next. A call that several spans
tell of counts once: an export that was sent again, a second instrumentation, the client's and the server's side of MCP. Tool spans are
the evidence; what a model asked for and no tool span answers is *not run* (`--read evidence=ran` leaves it out). Calls stand in the
order of their start, as spans are exported when they end; `--read order=document` keeps the order of the file.

Log records and span events named `gen_ai.…` belong to the span that they name.

`tool.id` is the id of the call under OpenInference and the id of the tool under UiPath: `--read tool-id=call|tool` settles it.",
    extensions: &["json", "jsonl", "binpb", "pb"],
    example: r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"execute_tool find_order","startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000250000000","attributes":[{"key":"gen_ai.tool.name","value":{"stringValue":"find_order"}}],"status":{"code":2,"message":"timeout"}}]}]}]}"#,
    recognise: |value| {
        let request = first_record(value);
        let request = request.get("trace").filter(|inner| inner.is_object()).unwrap_or(request);
        let is_request = ROOTS.iter().any(|keys| request.any(keys).is_some_and(Node::is_list));
        let is_of_tempo = || request.list("batches").iter().any(|batch| batch.any(SCOPES).is_some_and(Node::is_list));
        if is_request || is_of_tempo() { Recognition::Certain } else { Recognition::No }
    },
    reading: Reading::Traces(|scope| Box::new(Otlp(SpanTraces::new(scope)))),
};

const SPANS: &[&str] = &["resourceSpans", "resource_spans"];
const SCOPES: &[&str] = &["scopeSpans", "scope_spans", "instrumentationLibrarySpans"];
const LOGS: &[&str] = &["resourceLogs", "resource_logs"];
/// What Tempo calls the resources of a trace.
const BATCHES: &[&str] = &["batches"];
const ROOTS: [&[&str]; 2] = [SPANS, LOGS];

struct Otlp(SpanTraces);

impl Otlp {
    fn add(&mut self, value: &Node<'_>, line: u64) {
        if value.is_list() {
            value.items().iter().for_each(|item| self.add(item, line));
            return;
        }
        let lists = |node: &Node<'_>, keys: &[&str], each: &mut dyn FnMut(&Node<'_>)| {
            node.any(keys).map_or(&[][..], Node::items).iter().for_each(each);
        };
        let value = value.get("trace").filter(|inner| inner.is_object()).unwrap_or(value);
        for roots in [SPANS, BATCHES] {
            lists(value, roots, &mut |resource| {
                lists(resource, SCOPES, &mut |scope| {
                    lists(scope, &["spans"], &mut |node| self.0.add(&span(node), line));
                });
            });
        }
        lists(value, LOGS, &mut |resource| {
            lists(resource, &["scopeLogs", "scope_logs"], &mut |scope| {
                lists(scope, &["logRecords", "log_records"], &mut |node| {
                    if let Some(span) = log_record(node) {
                        self.0.add(&span, line);
                    }
                });
            });
        });
    }
}

impl TraceReader for Otlp {
    fn value(&mut self, value: &Node<'_>, place: Place, _: &mut Found) {
        self.add(value, place.line);
    }

    fn finish(&mut self, found: &mut Found) {
        self.0.finish(found);
    }
}

fn span<'a>(node: &Node<'a>) -> Span<'a> {
    let status = node.get("status");
    let code = status.and_then(|it| it.get("code"));
    let is_error = code.and_then(Node::whole) == Some(2) || code.and_then(Node::str) == Some("STATUS_CODE_ERROR");
    let message = status.and_then(|it| it.get("message")).and_then(Node::text);
    Span {
        trace: node.any(&["traceId", "trace_id"]).map(id).unwrap_or_default(),
        id: node.any(&["spanId", "span_id"]).map(id).unwrap_or_default(),
        parent: node.any(&["parentSpanId", "parent_span_id"]).map(id),
        name: node.get("name").and_then(Node::text).cloned().unwrap_or_default(),
        start: node.any(&["startTimeUnixNano", "start_time_unix_nano"]).and_then(Node::whole).filter(|&time| time != 0),
        end: node.any(&["endTimeUnixNano", "end_time_unix_nano"]).and_then(Node::whole).filter(|&time| time != 0),
        error: is_error.then(|| message.filter(|it| !it.is_empty()).map_or_else(|| "true".to_owned(), json_text)),
        attributes: attributes(node),
        events: node.list("events").iter().map(event).collect(),
    }
}

fn event<'a>(node: &Node<'a>) -> Event<'a> {
    Event { name: node.get("name").and_then(Node::text).cloned().unwrap_or_default(), attributes: attributes(node), body: None }
}

/// A log record that is an event of generative AI, as a span with that event inside the span it belongs to.
fn log_record<'a>(node: &Node<'a>) -> Option<Span<'a>> {
    let attributes = attributes(node);
    let name = node.any(&["eventName", "event_name"]).and_then(Node::text).cloned().or_else(|| attributes.label("event.name"))?;
    let body = node.get("body").map(|body| match any_value(body) {
        Attribute::Text(text) => Cow::Owned(json_text(&text)),
        Attribute::Json(json) => json,
    });
    let time = node.any(&["timeUnixNano", "observedTimeUnixNano"]).and_then(Node::whole);
    Some(Span {
        trace: node.any(&["traceId", "trace_id"]).map(id)?,
        parent: node.any(&["spanId", "span_id"]).map(id),
        start: time,
        end: time,
        events: vec![Event { name, attributes, body }],
        ..Span::default()
    })
    .filter(|span| {
        let event = &span.events[0];
        let holds_messages = |body: &str| Node::parse(body, MAX_DEPTH).is_ok_and(|body| adot::is_body(&body));
        event.name.as_bytes().starts_with(b"gen_ai.") || event.body.as_deref().is_some_and(holds_messages)
    })
}

fn attributes<'a>(node: &Node<'a>) -> Attributes<'a> {
    let entries = node.list("attributes").iter().filter_map(|entry| {
        let key = entry.get("key")?.text()?.clone();
        let value = entry.get("value").filter(|value| !value.entries().is_empty())?;
        Some((key, any_value(value)))
    });
    Attributes(entries.collect())
}

/// An id: hex digits in either case, or base64 as generic printers of protobuf write it.
fn id(node: &Node<'_>) -> Text<'static> {
    let label = node.label().unwrap_or_default();
    match label.as_str() {
        Some(hex) if hex.bytes().any(|byte| byte.is_ascii_uppercase()) && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Text::from(hex.to_ascii_lowercase())
        }
        _ => label,
    }
}

/// One of the values that OTLP knows, as a text or as plain JSON.
fn any_value<'a>(value: &Node<'a>) -> Attribute<'a> {
    if let Some(text) = value.any(&["stringValue", "string_value"]).and_then(Node::text) {
        return Attribute::Text(text.clone());
    }
    let mut writer = JsonWriter::new();
    write(&mut writer, value);
    Attribute::Json(Cow::Owned(writer.finish().to_string()))
}

fn write(writer: &mut JsonWriter, value: &Node<'_>) {
    let Some((kind, inner)) = value.entries().iter().find(|(_, inner)| !inner.is_null()) else {
        writer.null();
        return;
    };
    match kind.as_str().unwrap_or_default() {
        "arrayValue" | "array_value" => {
            writer.begin_list();
            inner.list("values").iter().for_each(|item| write(writer, item));
            writer.end_list();
        }
        "kvlistValue" | "kvlist_value" => {
            writer.begin_object();
            for entry in inner.list("values") {
                writer.key_text(&entry.get("key").and_then(Node::text).cloned().unwrap_or_default());
                match entry.get("value") {
                    Some(value) => write(writer, value),
                    None => _ = writer.null(),
                }
            }
            writer.end_object();
        }
        // Integers of 64 bits are written as text.
        "intValue" | "int_value" => match inner.whole() {
            Some(number) => _ = writer.raw(&number.to_string()),
            None => _ = writer.raw(inner.raw()),
        },
        _ => match inner.text() {
            Some(text) => _ = writer.text(text),
            None => _ = writer.raw(inner.raw()),
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::messages::check;

    #[test]
    fn traces_of_tempo_are_requests_under_other_names() {
        let scopes = r#""scopeSpans":[{"spans":[{"traceId":"AAEC","spanId":"AAED","name":"execute_tool find","attributes":[{"key":"gen_ai.tool.name","value":{"stringValue":"find"}}]}]}]"#;
        for text in [
            format!(r#"{{"batches":[{{"resource":{{}},{scopes}}}]}}"#),
            format!(r#"{{"trace":{{"resourceSpans":[{{{scopes}}}]}}}}"#),
        ] {
            check("otlp", &text, &["find(?)"]);
        }
    }
}
