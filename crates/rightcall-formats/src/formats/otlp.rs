//! Export requests of OpenTelemetry as JSON, one document or one request a line; protobuf comes as such lines.

use std::borrow::Cow;

use rightcall::value::{JsonWriter, Kind, MAX_DEPTH, Reader, Syntax, SyntaxError, Text};

use crate::error::CaseError;
use crate::format::{
    Format, Found, ItemReader, Lists, Place, Priority, Reading, Recognition, TraceReader,
};
use crate::messages::content::json_text;
use crate::node::Node;
use crate::spans::dialects::adot;
use crate::spans::{Attribute, Attributes, Event, Span, SpanTraces, unread};
use crate::trace::unread::{Doubt, Suspect};

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
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let request = value.first_record();
            let request = request.get("trace").filter(|inner| inner.is_object()).unwrap_or(request);
            let is_request = ROOTS.iter().any(|keys| request.any(keys).is_some_and(Node::is_list));
            let is_of_tempo = || request.list("batches").iter().any(|batch| batch.any(SCOPES).is_some_and(Node::is_list));
            if is_request || is_of_tempo() { Recognition::Certain } else { Recognition::No }
        },
        |scope| Box::new(Otlp(SpanTraces::new(scope))),
    ),
};

const SPANS: &[&str] = &["resourceSpans", "resource_spans"];
const SCOPES: &[&str] = &["scopeSpans", "scope_spans", "instrumentationLibrarySpans"];
const LOGS: &[&str] = &["resourceLogs", "resource_logs"];
/// What Tempo calls the resources of a trace.
const BATCHES: &[&str] = &["batches"];
const ROOTS: [&[&str]; 2] = [SPANS, LOGS];

struct Otlp(SpanTraces);

const LOG_SCOPES: &[&str] = &["scopeLogs", "scope_logs"];
const LOG_RECORDS: &[&str] = &["logRecords", "log_records"];

impl TraceReader for Otlp {
    fn value(&mut self, value: &Node<'_>, place: Place, found: &mut Found) {
        // What has been read once can be read again.
        _ = self.text(value.raw(), MAX_DEPTH, place, found);
    }

    fn text(
        &mut self,
        text: &str,
        max_depth: usize,
        place: Place,
        found: &mut Found,
    ) -> Result<(), SyntaxError> {
        let mut reader = Reader::new(
            text,
            Syntax {
                max_depth,
                ..Syntax::PYTHON
            },
        );
        let mut is_empty = true;
        let mut each = |span: Span<'_>| {
            is_empty = false;
            self.0.hold(&span, place.line);
        };
        let read = request(&mut reader, &mut each).and_then(|()| reader.end());
        if read.is_ok() {
            self.0.take_held();
            if is_empty && unread::in_text(text) {
                found.error(place.line, no_spans());
            }
        } else {
            self.0.drop_held();
        }
        read
    }

    fn lists(&self) -> Option<Lists> {
        Some(&LISTS)
    }

    fn items(&mut self) -> Option<&mut dyn ItemReader> {
        Some(self)
    }

    fn finish(&mut self, found: &mut Found) -> bool {
        self.0.finish(found)
    }
}

#[cold]
fn no_spans() -> CaseError {
    CaseError::new(
        "spans under `resourceSpans`, `scopeSpans` and `spans`",
        "none, but words that spans of tools have",
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
        let span = if is_span {
            Some(span(reader)?)
        } else {
            log_record(&node(reader)?)
        };
        if let Some(span) = span {
            self.0.add(&span, line);
        }
        Ok(())
    }
}

type Reads<T> = Result<T, SyntaxError>;

/// Reads a request, or a list of them. Spans are read straight from the text, as a request may hold very many.
fn request<'a>(reader: &mut Reader<'a>, each: &mut dyn FnMut(Span<'a>)) -> Reads<()> {
    if reader.peek()? == Kind::List {
        return items(reader, &mut |reader| request(reader, each));
    }
    members(reader, &mut |reader, key| match key {
        // A trace may be wrapped.
        "trace" if reader.peek()? == Kind::Object => request(reader, each),
        _ if SPANS.contains(&key) || BATCHES.contains(&key) => {
            inner(reader, SCOPES, &mut |reader| {
                inner_items(reader, &["spans"], &mut |reader| {
                    if reader.peek()? == Kind::Object {
                        span(reader).map(&mut *each)
                    } else {
                        reader.raw().map(drop)
                    }
                })
            })
        }
        _ if LOGS.contains(&key) => inner(reader, LOG_SCOPES, &mut |reader| {
            inner_items(reader, LOG_RECORDS, &mut |reader| {
                log_record(&node(reader)?).map(&mut *each);
                Ok(())
            })
        }),
        _ => reader.raw().map(drop),
    })
}

type ReadOne<'r, 'a> = &'r mut dyn FnMut(&mut Reader<'a>) -> Reads<()>;

/// The items of a list; any other value is skipped.
fn items<'a>(reader: &mut Reader<'a>, each: ReadOne<'_, 'a>) -> Reads<()> {
    if reader.peek()? != Kind::List {
        return reader.raw().map(drop);
    }
    let mut first = reader.enter_list()?;
    while reader.next_item(&mut first)? {
        each(reader)?;
    }
    Ok(())
}

/// The members of an object; any other value is skipped.
fn members<'a>(
    reader: &mut Reader<'a>,
    each: &mut dyn FnMut(&mut Reader<'a>, &str) -> Reads<()>,
) -> Reads<()> {
    if reader.peek()? != Kind::Object {
        return reader.raw().map(drop);
    }
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        each(reader, key.as_str().unwrap_or_default())?;
    }
    Ok(())
}

/// The items of the lists under these keys.
fn inner_items<'a>(reader: &mut Reader<'a>, keys: &[&str], each: ReadOne<'_, 'a>) -> Reads<()> {
    members(reader, &mut |reader, key| {
        if keys.contains(&key) {
            items(reader, each)
        } else {
            reader.raw().map(drop)
        }
    })
}

/// The items of the lists under these keys in each item of a list.
fn inner<'a>(reader: &mut Reader<'a>, keys: &[&str], each: ReadOne<'_, 'a>) -> Reads<()> {
    items(reader, &mut |reader| inner_items(reader, keys, each))
}

/// A value as a tree: for what is small or rare.
fn node<'a>(reader: &mut Reader<'a>) -> Reads<Node<'a>> {
    Node::parse(reader.raw()?, MAX_DEPTH)
}

fn span<'a>(reader: &mut Reader<'a>) -> Reads<Span<'a>> {
    let mut span = Span::default();
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
            b"attributes" => span.attributes = attributes(reader)?,
            b"events" => span.events = node(reader)?.items().iter().map(event).collect(),
            b"status" => span.error = error(&node(reader)?),
            b"kind" | b"links" | b"flags" | b"traceState" | b"trace_state" => _ = reader.raw()?,
            // What is no member of a span may be one under another name.
            _ => {
                if unread::in_text(reader.raw()?) {
                    span.unread.push(Suspect::new(
                        format!("`{}` of a span", key.to_display()),
                        Doubt::None,
                    ));
                }
            }
        }
    }
    Ok(span)
}

/// A string, or the text of a number; of anything else nothing.
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
    // Up to this length no number is too large.
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
    is_error.then(|| message.map_or_else(|| "true".to_owned(), json_text))
}

fn attributes<'a>(reader: &mut Reader<'a>) -> Reads<Attributes<'a>> {
    let mut attributes = Vec::with_capacity(USUAL);
    items(reader, &mut |reader| {
        let (mut key, mut value, mut other) = (None, None, None);
        if reader.peek()? != Kind::Object {
            return reader.raw().map(drop);
        }
        let mut first = reader.enter_object()?;
        while let Some(member) = reader.next_key(&mut first)? {
            match member.as_bytes() {
                b"key" if reader.peek()? == Kind::String => key = Some(reader.string()?),
                b"value" => value = attribute(reader)?,
                // Without one of its members an attribute is known by what it holds alone.
                _ => other = attribute(reader)?,
            }
        }
        match (key, value) {
            (Some(key), Some(value)) => attributes.push((key, value)),
            (key, value) => attributes.extend(
                value
                    .filter(|_| key.is_none())
                    .or(other)
                    .map(|lost| (Text::default(), lost)),
            ),
        }
        Ok(())
    })?;
    Ok(Attributes(attributes))
}

/// As many attributes a span of a model usually has.
const USUAL: usize = 12;

/// The value of an attribute, most often a text; `None` where there is none.
fn attribute<'a>(reader: &mut Reader<'a>) -> Reads<Option<Attribute<'a>>> {
    let mut ahead = reader.clone();
    if ahead.peek()? == Kind::Object {
        let mut first = ahead.enter_object()?;
        if let Some(key) = ahead.next_key(&mut first)?
            && ahead.peek()? == Kind::String
        {
            let plain = match key.as_bytes() {
                b"stringValue" | b"string_value" => Some(Attribute::Text(ahead.string()?)),
                // Integers of 64 bits are written as text.
                b"intValue" | b"int_value" => ahead
                    .raw()?
                    .get(1..)
                    .and_then(|text| text.strip_suffix('"'))
                    .and_then(plain_integer),
                _ => None,
            };
            if plain.is_some() && ahead.next_key(&mut first)?.is_none() {
                *reader = ahead;
                return Ok(plain);
            }
        }
    }
    let value = node(reader)?;
    Ok(if value.entries().is_empty() {
        None
    } else {
        Some(any_value(&value))
    })
}

/// An integer as it would be written again.
fn plain_integer(text: &str) -> Option<Attribute<'_>> {
    let is_plain = matches!(text.as_bytes(), [b'1'..=b'9', rest @ ..] if rest.len() < 18 && rest.iter().all(u8::is_ascii_digit));
    is_plain.then_some(Attribute::Json(Cow::Borrowed(text)))
}

fn attributes_of<'a>(node: &Node<'a>) -> Attributes<'a> {
    let entries = node.list("attributes").iter().filter_map(|entry| {
        let key = entry.get("key")?.text()?.clone();
        let value = entry
            .get("value")
            .filter(|value| !value.entries().is_empty())?;
        Some((key, any_value(value)))
    });
    Attributes(entries.collect())
}

fn event<'a>(node: &Node<'a>) -> Event<'a> {
    Event {
        name: node
            .get("name")
            .and_then(Node::text)
            .cloned()
            .unwrap_or_default(),
        attributes: attributes_of(node),
        body: None,
    }
}

/// A log record that is an event of generative AI, as a span with that event inside the span it belongs to.
fn log_record<'a>(node: &Node<'a>) -> Option<Span<'a>> {
    let attributes = attributes_of(node);
    let name = node
        .any(&["eventName", "event_name"])
        .and_then(Node::text)
        .cloned()
        .or_else(|| attributes.label("event.name"))?;
    let body = node.get("body").map(|body| match any_value(body) {
        Attribute::Text(text) => Cow::Owned(json_text(&text)),
        Attribute::Json(json) => json,
    });
    let time = node
        .any(&["timeUnixNano", "observedTimeUnixNano"])
        .and_then(Node::whole);
    Some(Span {
        trace: node
            .any(&["traceId", "trace_id"])
            .and_then(Node::label)
            .map(id_of)?,
        parent: node
            .any(&["spanId", "span_id"])
            .and_then(Node::label)
            .map(id_of),
        start: time,
        end: time,
        events: vec![Event {
            name,
            attributes,
            body,
        }],
        ..Span::default()
    })
    .filter(|span| {
        let event = &span.events[0];
        let holds_messages =
            |body: &str| Node::parse(body, MAX_DEPTH).is_ok_and(|body| adot::is_body(&body));
        event.name.as_bytes().starts_with(b"gen_ai.")
            || event.body.as_deref().is_some_and(holds_messages)
    })
}

/// An id: hex digits in either case, or base64 as generic printers of protobuf write it.
fn id_of(label: Text<'_>) -> Text<'static> {
    let digits = label.as_bytes();
    if digits.iter().any(u8::is_ascii_uppercase) && digits.iter().all(u8::is_ascii_hexdigit) {
        return Text::from(label.to_string().to_ascii_lowercase());
    }
    label.into_owned()
}

/// One of the values that OTLP knows, as a text or as plain JSON.
fn any_value<'a>(value: &Node<'a>) -> Attribute<'a> {
    if let Some(text) = value
        .any(&["stringValue", "string_value"])
        .and_then(Node::text)
    {
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
        // What stands in another form is kept as it is.
        "arrayValue" | "array_value" | "kvlistValue" | "kvlist_value"
            if !inner.has("values") && !inner.entries().is_empty() =>
        {
            writer.raw(inner.raw());
        }
        "arrayValue" | "array_value" => {
            writer.begin_list();
            inner
                .list("values")
                .iter()
                .for_each(|item| write(writer, item));
            writer.end_list();
        }
        "kvlistValue" | "kvlist_value" => {
            writer.begin_object();
            for entry in inner.list("values") {
                writer.key_text(
                    &entry
                        .get("key")
                        .and_then(Node::text)
                        .cloned()
                        .unwrap_or_default(),
                );
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
    use crate::tests::check;

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
