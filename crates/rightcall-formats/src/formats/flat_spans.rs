//! Lists of spans with plain attributes, as written by tests and console exporters.

use std::borrow::Cow;

use rightcall_core::value::python::parse_literal;
use rightcall_core::value::{JsonText, MAX_DEPTH, Text};

use super::platform_span::without_spans;
use crate::format::{Format, Priority, Reading, Recognition};
use crate::messages::json_text;
use crate::node::Node;
use crate::spans::dialects::adot;
use crate::spans::{
    Attribute, Attributes, EXPECTATIONS, Event, SpanReader, SpanTraces, TraceSpan, expectation_in,
    unread,
};
use crate::trace::{Doubt, Suspect, failed, time};

pub(super) static ENTRY: Format = Format {
    name: "flat-spans",
    title: "flat and console spans",
    summary: "spans with plain `attributes`, and log records with the messages of a model call, one after another or in a list",
    reads: &[
        ("calls", "spans and events, in any dialect of `otlp`"),
        ("calls of log records", "`body.output.messages`, results in `body.input.messages`"),
        ("question", "as in `otlp`"),
        ("times", "`start_time`, `end_time`, `startTimeUnixNano`, `endTimeUnixNano`: nanoseconds or ISO 8601"),
        ("errors", "`status`"),
    ],
    lacks: &["arguments and results, where the emitter leaves content out"],
    notes: "What the console exporter of OpenTelemetry for Python prints, objects over several lines one after another; lists of spans with plain
attributes, as tests keep them; what Amazon CloudWatch stores of agents under Bedrock AgentCore: spans with names in camelCase, and
log records whose bodies hold messages, their content often as JSON text; frames of spans with a column for each attribute
(`context.trace_id`, `attributes.llm.output_messages`), as `get_spans_dataframe` of Phoenix gives them, as records or lines of JSON, CSV,
Parquet or Arrow. Spans and log records of one trace belong together and may
be in one file; spans as the platform of UiPath exports them, with names in PascalCase; what the REST API of Phoenix answers, spans
under `data` with their `span_kind` beside the attributes; spans of OpenTelemetry for JavaScript as JSON (`_spanContext`), such as in the
telemetry files of Gemini CLI. Everything said of [`otlp`](otlp.md) holds for these spans.",
    extensions: &["json", "jsonl"],
    example: r#"[{"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331","parent_span_id":null,"name":"execute_tool find_order","start_time":1700000000000000000,"end_time":1700000000250000000,"attributes":{"gen_ai.tool.name":"find_order","gen_ai.tool.call.arguments":"{\"id\": 7}"},"status":{"code":"OK"}}]"#,
    priority: Priority::Spans,
    reading: Reading::Traces(
        |value| {
            let span = value.inner_list(WRAPPERS).first_record();
            let ids = span.any(CONTEXT).unwrap_or(span);
            let in_columns = || span.entries().iter().any(|(key, _)| in_column(key).is_some());
            Recognition::by_marks(&[
                ("trace_id", ids.any(TRACE).is_some()),
                ("span_id", ids.any(SPAN).is_some()),
                ("attributes", span.any(ATTRIBUTES).map_or_else(in_columns, |it| it.is_object() || it.str().is_some_and(|text| text.starts_with('{')))),
            ])
        },
        |scope| SpanReader::boxed(scope, &[&[WRAPPERS]], add),
    ),
};

/// Keys of the span list: in a dump, and in a Phoenix response.
const WRAPPERS: &[&str] = &["spans", "data"];

/// Keys of a span that are read, or that don't affect calls.
const KNOWN: &[&str] = &[
    "parentSpanContext",
    "status",
    "status_code",
    "status_message",
    "Status",
    "duration",
    "span_events",
    "events",
    "resource",
    "scope",
    "kind",
    "links",
];

/// Keys of the ids, if they are in a separate object.
const CONTEXT: &[&str] = &["context", "_spanContext"];
const TRACE: &[&str] = &["trace_id", "traceId", "TraceId", "context.trace_id"];
const SPAN: &[&str] = &["span_id", "spanId", "Id", "context.span_id"];
const ATTRIBUTES: &[&str] = &["attributes", "Attributes"];
const START: &[&str] = &[
    "start_time",
    "start_time_unix_nano",
    "startTimeUnixNano",
    "StartTime",
    "startTime",
];
const END: &[&str] = &[
    "end_time",
    "end_time_unix_nano",
    "endTimeUnixNano",
    "EndTime",
    "endTime",
];

const PARENT: &[&str] = &["parent_span_id", "parent_id", "parentSpanId", "ParentId"];
const NAME: &[&str] = &["name", "Name"];
/// The attribute with the span kind of `OpenInference`, and its values.
const KIND: &str = "openinference.span.kind";
const KINDS: [&str; 10] = [
    "TOOL",
    "LLM",
    "CHAIN",
    "AGENT",
    "RETRIEVER",
    "EMBEDDING",
    "RERANKER",
    "GUARDRAIL",
    "EVALUATOR",
    "PROMPT",
];

fn add(value: &Node<'_>, line: u64, traces: &mut SpanTraces) {
    let inner = value.inner_list(WRAPPERS);
    if inner.is_list() || value.text().is_some() {
        inner.each_item(&mut |item| add_one(item, line, traces));
    } else {
        add_one(value, line, traces);
    }
}

fn add_one(value: &Node<'_>, line: u64, traces: &mut SpanTraces) {
    if value.get("body").is_some_and(adot::is_body) || is_log_record(value) {
        traces.add(&log_record(value), line);
    } else if value.is_object() {
        let mut span = span(value);
        span.attributes = span.attributes.decoded_if_of_mlflow();
        traces.add(&span, line);
    } else {
        without_spans(value, None, line, traces);
    }
}

/// True for a log record of the semantic conventions, as the Python SDK writes it.
fn is_log_record(value: &Node<'_>) -> bool {
    let is_of_model = |name: &str| name.starts_with("gen_ai.");
    let name = value.str_at("event_name");
    let name = name.or_else(|| value.get("attributes")?.str_at("event.name"));
    value.has("body") && name.is_some_and(is_of_model)
}

pub(super) fn span<'a>(node: &Node<'a>) -> TraceSpan<'a> {
    let ids = node.any(CONTEXT).unwrap_or(node);
    let status = node.any(&["status", "status_code"]);
    let code = status
        .and_then(|it| it.any(&["code", "status_code"]).or(Some(it)))
        .and_then(Node::str)
        .unwrap_or_default();
    let message = status
        .and_then(|it| it.any(&["message", "description"]))
        .or_else(|| node.get("status_message"));
    let message = message.and_then(Node::text);
    let is_error = code
        .rsplit('_')
        .next()
        .is_some_and(|code| code.eq_ignore_ascii_case("error"))
        || status
            .and_then(|it| it.get("code"))
            .or(node.get("Status"))
            .and_then(Node::whole)
            == Some(2);
    let parent = node
        .any(PARENT)
        .or_else(|| node.get("parentSpanContext")?.any(SPAN));
    let start = node.any(START).and_then(time_of);
    let end = node.any(END).and_then(time_of);
    let duration = node.whole_at("duration");
    let mut attributes = attributes(node);
    let mut unread = unread::in_unknown(node, &known(node));
    if node.any(ATTRIBUTES).is_none() {
        // Its attributes are under another key, so it is a separate call.
        unread.iter_mut().for_each(|it| it.doubt = Doubt::None);
    } else if attributes.iter().next().is_none() && node.any(ATTRIBUTES).is_some_and(holds_anything)
    {
        let strange = "a span with attributes in a form that is not read";
        unread.push(Suspect::new(strange, Doubt::None));
    }
    // Phoenix keeps OpenInference's kind next to the attributes, where others keep OpenTelemetry's.
    let kind = node
        .any(&["span_kind", "spanKind"])
        .and_then(Node::str)
        .unwrap_or_default();
    let kind = KINDS.iter().find(|known| known.eq_ignore_ascii_case(kind));
    if let Some(kind) = kind.filter(|_| attributes.get(KIND).is_none()) {
        attributes.add(KIND, Some(Attribute::Text(Text::new(kind))));
    }
    TraceSpan {
        trace: ids.any(TRACE).map(id).unwrap_or_default(),
        id: ids.any(SPAN).map(id).unwrap_or_default(),
        parent: parent.map(id),
        name: node.text_at(NAME),
        start,
        end: end.or_else(|| Some(start?.saturating_add(duration?))),
        error: is_error.then(|| {
            message
                .filter(|it| !it.is_empty())
                .map_or_else(failed, json_text)
        }),
        attributes,
        events: node
            .any_list(&["span_events", "events"])
            .iter()
            .map(event)
            .collect(),
        unread,
        expected: expectation_in(node),
        ..TraceSpan::default()
    }
}

/// True for a value that is neither null nor empty.
fn holds_anything(value: &Node<'_>) -> bool {
    !value.is_null() && !["{}", "[]", "\"\""].contains(&value.raw())
}

/// The attribute in a column of a data frame.
fn in_column<'k>(key: &'k Text<'_>) -> Option<&'k str> {
    key.as_str()?.strip_prefix("attributes.")
}

/// Keys of a span that are read or don't affect calls, including attribute columns.
fn known<'n>(node: &'n Node<'_>) -> Vec<&'n str> {
    let keys = node.entries().iter();
    let columns = keys.filter(|(key, _)| in_column(key).is_some());
    let mut known = [
        CONTEXT, TRACE, SPAN, ATTRIBUTES, START, END, PARENT, NAME, KNOWN,
    ]
    .concat();
    known.extend(EXPECTATIONS);
    known.extend(columns.filter_map(|(key, _)| key.as_str()));
    known
}

/// The attributes of a span, which a data frame has as columns. Nested ones are flattened.
fn attributes<'a>(node: &Node<'a>) -> Attributes<'a> {
    // The UiPath platform exports attributes as JSON text.
    let key = ATTRIBUTES.iter().find(|key| node.get(key).is_some());
    let mut attributes =
        key.map_or_else(Attributes::default, |key| Attributes::in_member(node, key));
    let columns = node.entries().iter().filter(|(_, value)| !value.is_null());
    let columns = columns.filter_map(|(key, value)| {
        let key = Text::from(in_column(key)?.to_owned());
        Some((key, Attribute::from_node(value)))
    });
    attributes.extend(columns);
    let mut flat = Vec::new();
    for (key, value) in attributes.iter() {
        let Some(key) = key.as_str() else { continue };
        let word = key.split('.').next();
        let json = match value {
            Attribute::Json(json) if NESTED.iter().any(|nested| word == Some(nested)) => {
                json.clone()
            }
            // Data frames write lists as Python literals.
            Attribute::Text(text) if word == Some("llm") && text.as_bytes().starts_with(b"[") => {
                Cow::Owned(list_in(text))
            }
            _ => continue,
        };
        _ = Node::parse(&json, MAX_DEPTH).map(|value| flatten(key, &value, &mut flat));
    }
    attributes.extend(flat);
    attributes
}

/// The list in a text (JSON or a Python literal) as JSON text; other texts unchanged.
fn list_in(text: &Text<'_>) -> String {
    match parse_literal(text) {
        Ok(list) => JsonText::from_value(&list).into_string(),
        Err(_) => text.to_display().into_owned(),
    }
}

/// Attributes of `OpenInference` that some exports nest under these keys.
const NESTED: [&str; 5] = ["llm", "openinference", "tool", "input", "output"];

/// No key of the conventions is longer.
const LONGEST_KEY: usize = 256;

/// Flattens a value: each inner value gets a key of all keys and indices on its path.
fn flatten(key: &str, value: &Node<'_>, flat: &mut Vec<(Text<'static>, Attribute<'static>)>) {
    if key.len() > LONGEST_KEY {
        return;
    }
    for (place, item) in value.items().iter().enumerate() {
        leaf(&format!("{key}.{place}"), item, flat);
    }
    for (inner, item) in value.entries() {
        leaf(&format!("{key}.{}", inner.to_display()), item, flat);
    }
}

fn leaf(key: &str, value: &Node<'_>, flat: &mut Vec<(Text<'static>, Attribute<'static>)>) {
    if let Some(text) = value.text() {
        let text = Attribute::Text(text.clone().into_owned());
        flat.push((Text::from(key.to_owned()), text));
    } else if value.is_object() || value.is_list() {
        flatten(key, value, flat);
    } else if !value.is_null() {
        let json = Attribute::Json(Cow::Owned(value.raw().to_owned()));
        flat.push((Text::from(key.to_owned()), json));
    }
}

/// A log record, as a child span of its span.
fn log_record<'a>(node: &Node<'a>) -> TraceSpan<'a> {
    let time = node
        .any(&[
            "timeUnixNano",
            "observedTimeUnixNano",
            "timestamp",
            "observed_timestamp",
        ])
        .and_then(time_of);
    TraceSpan {
        trace: node.any(TRACE).map(id).unwrap_or_default(),
        parent: node.any(SPAN).map(id),
        start: time,
        end: time,
        attributes: Attributes::in_member(node, "attributes"),
        events: vec![event(node)],
        ..TraceSpan::default()
    }
}

fn event<'a>(node: &Node<'a>) -> Event<'a> {
    let attributes = Attributes::in_member(node, "attributes");
    let name = Some(node.text_at(&["event_name", "name"])).filter(|name| !name.is_empty());
    let name = name.or_else(|| attributes.label("event.name"));
    Event {
        name: name.unwrap_or_default(),
        attributes,
        body: node.get("body").map(|body| Cow::Borrowed(body.raw())),
    }
}

fn id(node: &Node<'_>) -> Text<'static> {
    let label = node.label().unwrap_or_default();
    label
        .as_str()
        .and_then(|it| it.strip_prefix("0x"))
        .map(|hex| Text::from(hex.to_owned()))
        .unwrap_or(label)
}

fn time_of(node: &Node<'_>) -> Option<i128> {
    // OpenTelemetry for JavaScript keeps seconds and nanoseconds.
    if let [seconds, nanoseconds] = node.items() {
        let seconds = seconds.whole()?.checked_mul(1_000_000_000)?;
        return seconds.checked_add(nanoseconds.whole()?);
    }
    node.whole().or_else(|| node.str().and_then(time::from_iso))
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn a_frame_has_a_column_for_each_attribute_and_may_nest_them() {
        let span = |id: &str, kind: &str, columns: &str| {
            format!(
                r#"{{"name":"find","span_kind":"{kind}","parent_id":null,"start_time":"2025-01-01T00:00:0{id}Z","end_time":"2025-01-01T00:00:0{id}Z","status_code":"OK","context.trace_id":"t","context.span_id":"{id}",{columns}}}"#
            )
        };
        let call =
            r#"{"tool_call":{"id":"c","function":{"name":"find","arguments":"{\"id\":7}"}}}"#;
        let asked = [
            format!(r#""attributes.llm.output_messages":[{{"message":{{"role":"assistant","tool_calls":[{call}]}}}}]"#),
            r#""attributes.llm.output_messages":[{"message.role":"assistant","message.tool_calls":[{"tool_call.id":"c","tool_call.function.name":"find","tool_call.function.arguments":"{\"id\":7}"}]}]"#.to_owned(),
            format!(r#""attributes":{{"llm":{{"output_messages":[{{"message":{{"role":"assistant","tool_calls":[{call}]}}}}]}}}}"#),
        ];
        let ran = r#""attributes.tool.name":"find","attributes.input.value":"{\"id\":7}","attributes.output.value":"x","attributes.llm.model_name":null"#;
        for asked in asked {
            let frame = format!("{}\n{}\n", span("1", "LLM", &asked), span("2", "TOOL", ran));
            check("flat-spans", &frame, &[r#"find("{\"id\":7}") c @0 -> "x""#]);
        }
    }

    #[test]
    fn spans_of_uipaths_platform_hold_attributes_as_text() {
        let attributes =
            r#"{\"tool.name\":\"find\",\"input.value\":\"{\\\"id\\\":7}\",\"output.value\":\"x\"}"#;
        check(
            "flat-spans",
            &format!(
                r#"[{{"Id":"2","TraceId":"t","ParentId":"1","Name":"find","StartTime":"2025-01-01T00:00:00Z","EndTime":"2025-01-01T00:00:01Z","Status":2,"Attributes":"{attributes}"}}]"#
            ),
            &[r#"find("{\"id\":7}") -> "x" error true"#],
        );
    }
}
