//! OpenTelemetry export requests as JSON: one document, or one request a line. Protobuf is converted to such lines first.

mod json;
mod request;
mod values;

use std::borrow::Cow;

use rightcall_core::value::{Kind, MAX_DEPTH, Reader, Syntax, SyntaxError, Text};

use json::{Reads, node};
use request::Request;
use values::{any_value, attributes, attributes_of};

use crate::case::Fault;
use crate::error::CaseError;
use crate::format::{
    Format, FoundTraces, ItemReader, Lists, Priority, Reading, Recognition, TraceReader, ValuePlace,
};
use crate::messages::json_text;
use crate::node::Node;
use crate::spans::dialects::adot;
use crate::spans::{Attribute, Event, SpanTraces, TraceSpan, unread};
use crate::trace::{Doubt, Suspect, failed};

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
        (
            "question",
            "what the user said last in the first span that holds messages: `gen_ai.input.messages`, `gen_ai.prompt.N`, `llm.input_messages.N`, \
`ai.prompt.messages`, events; else the text, or all, that went into the root: `input.value`, `traceloop.entity.input`, `langfuse.trace.input`",
        ),
        ("asked for, not run", "output messages and choices of model spans that no tool span answers"),
        ("times", "`startTimeUnixNano`, `endTimeUnixNano`"),
        ("errors", "`status`"),
        ("sub-agents", "tool spans inside tool spans"),
    ],
    lacks: &["arguments and results, where the emitter leaves content out"],
    notes: "Files of the collector's file exporter, request bodies that an exporter sent, dumps of a backend; gzip and zstd are unpacked. A trace is
a trajectory; the name of a conversation (`gen_ai.conversation.id`, `session.id`) is kept beside it.

The dialect is recognized span by span; what one dialect leaves out is taken from the next. A call that several spans
tell of counts once: an export that was sent again, a second instrumentation, the client's and the server's side of MCP. Tool spans are
the evidence; what a model asked for and no tool span answers is *not run* (`--read evidence=ran` leaves it out). Calls are in the
order of their start, as spans are exported when they end; `--read order=document` keeps the order of the file.

Log records and span events named `gen_ai.…` belong to the span that they name.

`tool.id` is the id of the call under OpenInference and the id of the tool under UiPath: `--read tool-id=call|tool` settles it.",
    extensions: &["json", "jsonl", "binpb", "pb"],
    example: r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"execute_tool find_order","startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000250000000","attributes":[{"key":"gen_ai.tool.name","value":{"stringValue":"find_order"}}],"status":{"code":2,"message":"timeout"}}]}]}]}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let request = value.first_record();
            Recognition::certain_if(is_request(request))
        },
        |scope| Box::new(Otlp(SpanTraces::new(scope))),
    ),
};

/// True for an export request, with or without spans.
fn is_request(value: &Node<'_>) -> bool {
    let value = value
        .get("trace")
        .filter(|inner| inner.is_object())
        .unwrap_or(value);
    let is_of_tempo = |batch: &Node<'_>| batch.any(SCOPES).is_some_and(Node::is_list);
    ROOTS
        .iter()
        .any(|keys| value.any(keys).is_some_and(Node::is_list))
        || value.list("batches").iter().any(is_of_tempo)
}

/// True for a record that isn't an export request. Metrics are known too, but have no calls.
fn is_unknown(record: &Node<'_>) -> bool {
    let record = record.first_record();
    let is_of_metrics = record.has_any(&["resourceMetrics", "resource_metrics"]);
    !record.entries().is_empty() && !is_of_metrics && !is_request(record)
}

const SPANS: &[&str] = &["resourceSpans", "resource_spans"];
const SCOPES: &[&str] = &["scopeSpans", "scope_spans", "instrumentationLibrarySpans"];
const LOGS: &[&str] = &["resourceLogs", "resource_logs"];
/// Tempo's name for the resources of a trace.
const BATCHES: &[&str] = &["batches"];
const ROOTS: [&[&str]; 2] = [SPANS, LOGS];

struct Otlp(SpanTraces);

const LOG_SCOPES: &[&str] = &["scopeLogs", "scope_logs"];
const LOG_RECORDS: &[&str] = &["logRecords", "log_records"];

impl TraceReader for Otlp {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        // Already parsed once, so this cannot fail.
        _ = self.text(value.raw(), MAX_DEPTH, place, found);
    }

    fn text(
        &mut self,
        text: &str,
        max_depth: usize,
        place: ValuePlace,
        found: &mut FoundTraces,
    ) -> Result<bool, Fault> {
        let mut reader = Reader::new(
            text,
            Syntax {
                max_depth,
                ..Syntax::PYTHON
            },
        );
        let (mut is_empty, mut has_span) = (true, false);
        let mut each = |span: TraceSpan<'_>| {
            is_empty = false;
            has_span |= span.unread.is_empty();
            self.0.hold(&span, place.line);
        };
        let read = Request(&mut each)
            .read(&mut reader)
            .and_then(|()| reader.end());
        if read.is_ok() {
            let record = (!has_span)
                .then(|| Node::parse(text, max_depth).ok())
                .flatten();
            if record.as_ref().is_some_and(is_unknown) {
                is_empty = true;
                self.0.drop_held();
            }
            self.0.take_held();
            let record = record.filter(|_| is_empty);
            if record
                .as_ref()
                .is_some_and(|it| found.refuses(place.line, it))
            {
                return Ok(true);
            }
            if is_empty && unread::tells_of_calls(text) {
                found.error(place.line, no_spans());
            } else if let Some(record) = record.filter(is_unknown) {
                found.unknown(place.line, &record);
            }
        } else {
            self.0.drop_held();
        }
        Ok(read.map(|()| !is_empty)?)
    }

    fn lists(&self) -> Option<Lists> {
        Some(&LISTS)
    }

    fn items(&mut self) -> Option<&mut dyn ItemReader> {
        Some(self)
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        self.0.finish(found)
    }
}

#[cold]
fn no_spans() -> CaseError {
    CaseError::new(
        "spans under `resourceSpans`, `scopeSpans` and `spans`",
        "none, but calls or words that spans of tools have",
    )
    .help("are the keys those of OTLP?")
}

const LISTS: [&[&[&str]]; 3] = [
    &[SPANS, SCOPES, &["spans"]],
    &[BATCHES, SCOPES, &["spans"]],
    &[LOGS, LOG_SCOPES, LOG_RECORDS],
];

impl ItemReader for Otlp {
    fn item(&mut self, list: usize, reader: &mut Reader<'_>, line: u64) -> Result<(), SyntaxError> {
        let is_span = LISTS[list].last() == Some(&&["spans"][..]);
        // The text may be incomplete; then all of it is read again.
        let mut spans = Vec::new();
        Request(&mut |span| spans.push(span)).items(reader, "spans", &mut |request, reader| {
            request.one(reader, is_span)
        })?;
        spans.iter().for_each(|span| self.0.add(span, line));
        Ok(())
    }
}

fn span<'a>(reader: &mut Reader<'a>) -> Reads<TraceSpan<'a>> {
    let mut span = TraceSpan::default();
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        match key.as_bytes() {
            b"traceId" | b"trace_id" => span.trace = id_of(label(reader)?),
            b"spanId" | b"span_id" => span.id = id_of(label(reader)?),
            b"parentSpanId" | b"parent_span_id" => span.parent = Some(id_of(label(reader)?)),
            b"name" => {
                span.name = if reader.peek()? == Kind::String {
                    reader.string()?
                } else {
                    skipped(reader)?
                }
            }
            b"startTimeUnixNano" | b"start_time_unix_nano" => span.start = time(&label(reader)?),
            b"endTimeUnixNano" | b"end_time_unix_nano" => span.end = time(&label(reader)?),
            b"attributes" if reader.peek()? == Kind::List => {
                span.attributes = attributes(reader)?.decoded_if_of_mlflow();
            }
            b"events" if reader.peek()? == Kind::List => {
                span.events = node(reader)?.items().iter().map(event).collect();
            }
            b"droppedAttributesCount" | b"droppedEventsCount" => {
                span.is_cut |= reader
                    .raw()?
                    .bytes()
                    .any(|byte| matches!(byte, b'1'..=b'9'));
            }
            b"status" => span.error = error(&node(reader)?),
            b"kind" | b"links" | b"flags" | b"traceState" | b"trace_state" => _ = reader.raw()?,
            _ => {
                let raw = reader.raw()?;
                if unread::tells_of_calls(raw) {
                    span.unread.extend(in_member(&key, raw));
                }
            }
        }
    }
    Ok(span)
}

/// Call-like values in an unknown member of a span, which may hold a known one under another name.
#[cold]
fn in_member(key: &Text<'_>, raw: &str) -> Vec<Suspect> {
    let member = crate::json::object(|writer| _ = writer.key_text(key).raw(raw));
    let node = Node::parse(&member, MAX_DEPTH);
    let mut found = node.map_or_else(|_| Vec::new(), |node| unread::in_unknown(&node, &[]));
    if found.is_empty() {
        let looks = format!("`{}` of a span", key.to_display());
        found.push(Suspect::new(looks, Doubt::None));
    }
    found
}

/// A string, or a number as text; empty for other values.
fn label<'a>(reader: &mut Reader<'a>) -> Reads<Text<'a>> {
    match reader.peek()? {
        Kind::String => reader.string(),
        Kind::Number => reader.raw().map(Text::new),
        _ => skipped(reader),
    }
}

fn skipped<'a>(reader: &mut Reader<'a>) -> Reads<Text<'a>> {
    reader.raw().map(|_| Text::default())
}

fn time(label: &Text<'_>) -> Option<i128> {
    let digits = label.as_bytes();
    let add = |time: u64, digit: &u8| {
        Some(time * 10 + u64::from(digit.checked_sub(b'0').filter(|it| *it < 10)?))
    };
    // Fewer than 20 digits cannot overflow.
    let plain = if (1..20).contains(&digits.len()) {
        digits.iter().try_fold(0, add)
    } else {
        None
    };
    let time = match plain {
        Some(time) => Some(i128::from(time)),
        None => label.as_str()?.parse().ok(),
    };
    time.filter(|&time| time != 0)
}

fn error(status: &Node<'_>) -> Option<String> {
    let code = status.get("code");
    let is_error = code.and_then(Node::whole) == Some(2)
        || code.and_then(Node::str) == Some("STATUS_CODE_ERROR");
    let message = status
        .get("message")
        .and_then(Node::text)
        .filter(|message| !message.is_empty());
    is_error.then(|| message.map_or_else(failed, json_text))
}

fn event<'a>(node: &Node<'a>) -> Event<'a> {
    Event {
        name: node.text_at(&["name"]),
        attributes: attributes_of(node),
        body: None,
    }
}

/// A generative AI event in a log record, as a child span with that event. Of other records, only call-like values.
fn log_record<'a>(node: &Node<'a>) -> Option<TraceSpan<'a>> {
    let attributes = attributes_of(node);
    let name = node.any(&["eventName", "event_name"]).and_then(Node::text);
    let name = name.cloned().or_else(|| attributes.label("event.name"));
    let body = node.get("body").map(|body| match any_value(body) {
        Attribute::Text(text) => Cow::Owned(json_text(&text)),
        Attribute::Json(json) => json,
    });
    let time = node
        .any(&["timeUnixNano", "observedTimeUnixNano"])
        .and_then(Node::whole);
    let id = |keys: &[&str]| node.any(keys).and_then(Node::label).map(id_of);
    let span = TraceSpan {
        trace: id(&["traceId", "trace_id"]).unwrap_or_default(),
        parent: id(&["spanId", "span_id"]),
        start: time,
        end: time,
        ..TraceSpan::default()
    };
    let holds_messages =
        |body: &str| Node::parse(body, MAX_DEPTH).is_ok_and(|body| adot::is_body(&body));
    let is_event = name
        .as_ref()
        .is_some_and(|name| name.as_bytes().starts_with(b"gen_ai."))
        || body.as_deref().is_some_and(holds_messages);
    if !is_event {
        let strange = unread::in_attributes(&attributes, &name.unwrap_or_default());
        return strange.map(|strange| TraceSpan {
            unread: vec![strange],
            ..span
        });
    }
    Some(TraceSpan {
        events: vec![Event {
            name: name.unwrap_or_default(),
            attributes,
            body,
        }],
        ..span
    })
}

/// An id: hex digits in either case, or base64 as written by generic protobuf printers.
fn id_of(label: Text<'_>) -> Text<'_> {
    let digits = label.as_bytes();
    // A fold over all digits, without an early exit, is easier to vectorize.
    let has_uppercase = digits
        .iter()
        .fold(false, |any, it| any | it.is_ascii_uppercase());
    if has_uppercase && digits.iter().all(u8::is_ascii_hexdigit) {
        return Text::from(label.to_string().to_ascii_lowercase());
    }
    label
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, error_of, evidence};
    use crate::trace::Choices;

    const TOOL: &str = r#"{"traceId":"0a","spanId":"01","name":"s","attributes":[{"key":"gen_ai.tool.name","value":{"stringValue":"find"}}]}"#;

    fn request(spans: &str) -> String {
        format!(
            r#"{{"resourceSpans":[{{"resource":{{}},"scopeSpans":[{{"scope":{{}},{spans}}}]}}]}}"#
        )
    }

    #[test]
    fn lists_in_lists_and_single_objects_are_lists() {
        let text = crate::json::quoted(TOOL);
        for spans in [
            format!(r#""spans":[[{TOOL}]]"#),
            format!(r#""spans":{TOOL}"#),
        ] {
            check("otlp", &request(&spans), &["find(?)"]);
        }
        let scopes = format!(r#"{{"resourceSpans":[[{{"scopeSpans":{{"spans":[{TOOL}]}}}}]]}}"#);
        check("otlp", &scopes, &["find(?)"]);
        // Values that aren't spans are reported.
        for spans in [
            format!(r#""spans":[{text}]"#),
            format!(r#""spans":[],"spanz":[{TOOL}]"#),
            format!(r#""spans":{text}"#),
        ] {
            let error = error_of("otlp", &request(&spans), Choices::default());
            assert!(error.to_string().contains("of a request"), "{error}");
        }
    }

    #[test]
    fn attributes_may_be_wrapped_or_text() {
        let span = |attributes: &str| {
            request(&format!(
                r#""spans":[{{"traceId":"0a","spanId":"01","name":"s","attributes":[{attributes}]}}]"#
            ))
        };
        let pair = r#"{"key":"gen_ai.tool.name","value":{"stringValue":"find"}}"#;
        for attributes in [
            format!("[{pair}]"),
            format!(r#"{{"wrapped":{pair}}}"#),
            crate::json::quoted(pair),
            r#"{"key":"gen_ai.tool.name","value":"find"}"#.to_owned(),
            r#"{"key":"gen_ai.tool.name","value":"{\"stringValue\":\"find\"}"}"#.to_owned(),
            r#"{"key":"gen_ai.tool.name","value":[{"stringValue":"find"}]}"#.to_owned(),
            r#"{"key":"gen_ai.tool.name","value":{"inner":{"stringValue":"find"}}}"#.to_owned(),
        ] {
            check("otlp", &span(&attributes), &["find(?)"]);
        }
    }

    #[test]
    fn a_model_whose_attributes_were_dropped_shows_no_turn() {
        let chat = |rest: &str| {
            request(&format!(
                r#""spans":[{{"traceId":"0a","spanId":"01","name":"chat","attributes":[{{"key":"gen_ai.operation.name","value":{{"stringValue":"chat"}}}}],{rest}}}]"#
            ))
        };
        assert_eq!(
            evidence("otlp", &chat(r#""droppedAttributesCount":0"#)),
            ["silent"]
        );
        let lost = [
            "silent",
            "1 a model's span with dropped attributes or events",
        ];
        assert_eq!(
            evidence("otlp", &chat(r#""droppedAttributesCount":3"#)),
            lost
        );
        assert_eq!(evidence("otlp", &chat(r#""droppedEventsCount":"3""#)), lost);
    }

    #[test]
    fn log_records_of_others_are_told_if_they_name_a_tool() {
        let record = |attributes: &str| {
            format!(
                r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{"timeUnixNano":"1","body":{{"stringValue":"x"}},"attributes":[{attributes}]}}]}}]}}]}}"#
            )
        };
        let tool = record(
            r#"{"key":"event.name","value":{"stringValue":"tool_result"}},{"key":"tool_name","value":{"stringValue":"Bash"}}"#,
        );
        let error = error_of("otlp", &tool, Choices::default());
        assert!(error.to_string().contains("tool_name"), "{error}");
        let other = record(r#"{"key":"event.name","value":{"stringValue":"request"}}"#);
        assert!(evidence("otlp", &other).is_empty());
        // An event without a trace is still an event.
        let said = r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"gen_ai.choice","body":{"stringValue":"{\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}"}}]}]}]}"#;
        assert_eq!(evidence("otlp", said), ["spoke"]);
    }

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
