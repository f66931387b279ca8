//! Traces of Jaeger, saved by its UI or returned by its API.

use std::borrow::Cow;

use super::platform_span::{SpanKeys, without_spans};
use rightcall_core::value::Text;

use crate::format::{Format, Priority, Reading, Recognition};
use crate::messages::json_text;
use crate::node::Node;
use crate::spans::{Attribute, Attributes, Event, SpanReader, SpanTraces, TraceSpan};
use crate::trace::failed;

pub(super) static ENTRY: Format = Format {
    name: "jaeger",
    title: "Jaeger traces",
    summary: "`data[].spans[]` with `operationName` and `tags`",
    reads: &[
        ("calls", "spans and their logs, in any dialect of `otlp`"),
        ("question", "as in `otlp`"),
        ("times", "`startTime`, `duration`: microseconds"),
        ("errors", "the tags `error` and `otel.status_description`"),
    ],
    lacks: &["arguments and results, where the emitter leaves content out", "the order of calls within a microsecond"],
    notes:
        "What the interface of Jaeger saves as JSON and what `/api/traces` answers. The parent of a span is its reference of type
`CHILD_OF`. Everything said of [`otlp`](otlp.md) holds for these spans.",
    extensions: &["json"],
    example: r#"{"data":[{"traceID":"0af7651916cd43dd","spans":[{"traceID":"0af7651916cd43dd","spanID":"b7ad6b7169203331","operationName":"execute_tool find_order","references":[],"startTime":1700000000000000,"duration":250000,"tags":[{"key":"gen_ai.tool.name","type":"string","value":"find_order"},{"key":"gen_ai.tool.call.arguments","type":"string","value":"{\"id\": 7}"}],"logs":[]}]}]}"#,
    priority: Priority::Platform,
    reading: Reading::Traces(
        |value| {
            let trace = value.list("data").first().unwrap_or_else(|| value.first_record());
            Recognition::by_marks(&[
                ("data[].traceID", trace.has("traceID")),
                ("data[].spans", trace.get("spans").is_some_and(Node::is_list)),
            ])
        },
        |scope| SpanReader::boxed(scope, &[&[&["data"]]], add_traces),
    ),
};

const KEYS: SpanKeys = SpanKeys {
    trace: &["traceID"],
    id: &["spanID"],
    parent: &["parentSpanID"],
    name: &["operationName"],
    start: &["startTime"],
    end: &[],
    known: &[
        "references",
        "duration",
        "tags",
        "logs",
        "processID",
        "process",
        "flags",
    ],
};

fn add_traces(value: &Node<'_>, line: u64, traces: &mut SpanTraces) {
    if value.has("data") {
        traces.look_beside(&Text::default(), value, line);
    }
    for trace in value.get("data").unwrap_or(value).items_or_self() {
        let mut is_empty = true;
        let id = trace.label_at(KEYS.trace);
        traces.look_beside(&id.clone().unwrap_or_default(), trace, line);
        let spans = trace.get("spans").into_iter();
        spans.for_each(|spans| {
            spans.each_item(&mut |node| {
                is_empty = false;
                traces.add(&span(node), line);
            });
        });
        if is_empty {
            without_spans(trace, id, line, traces);
        }
    }
}

fn span<'a>(node: &Node<'a>) -> TraceSpan<'a> {
    let span = KEYS.span(node);
    let attributes = attributes(node.list("tags"));
    let is_error = attributes.get("error").and_then(Attribute::source) == Some("true");
    let message = attributes
        .label("otel.status_description")
        .or_else(|| attributes.label("status.message"));
    let microseconds = |key: &str| node.whole_at(key);
    let start = microseconds("startTime");
    let parent = node
        .list("references")
        .iter()
        .find(|it| it.str_at("refType").is_none_or(|kind| kind == "CHILD_OF"));
    TraceSpan {
        parent: parent.and_then(|it| it.label_at(KEYS.id)).or(span.parent),
        start: start.map(|start| start.saturating_mul(1000)),
        end: start.and_then(|start| {
            Some(
                start
                    .saturating_add(microseconds("duration")?)
                    .saturating_mul(1000),
            )
        }),
        error: is_error.then(|| message.map_or_else(failed, |message| json_text(&message))),
        attributes,
        events: node.list("logs").iter().map(event).collect(),
        ..span
    }
}

/// A log is an event with its name in a field.
fn event<'a>(log: &Node<'a>) -> Event<'a> {
    let attributes = attributes(log.list("fields"));
    Event {
        name: attributes.label("event").unwrap_or_default(),
        attributes,
        body: None,
    }
}

/// Converts tags to attributes. Values of types other than string may be written as text.
fn attributes<'a>(tags: &[Node<'a>]) -> Attributes<'a> {
    let entries = tags.iter().filter_map(|tag| {
        let (key, value) = (tag.get("key")?.text()?.clone(), tag.get("value")?);
        let is_text = tag.str_at("type").is_none_or(|kind| kind == "string");
        let value = match value.text() {
            Some(text) if !is_text => Attribute::Json(Cow::Owned(text.to_display().into_owned())),
            _ => Attribute::from_node(value),
        };
        Some((key, value))
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn tags_logs_and_references_are_attributes_events_and_parents() {
        let span = |id: &str, parent: &str, start: u64, tags: &str, logs: &str| {
            format!(
                r#"{{"traceID":"t","spanID":"{id}","operationName":"s","references":[{{"refType":"FOLLOWS_FROM","spanID":"z"}},{{"refType":"CHILD_OF","traceID":"t","spanID":"{parent}"}}],"startTime":{start},"duration":5,"tags":[{tags}],"logs":[{logs}]}}"#
            )
        };
        let spans = [
            span(
                "c",
                "b",
                30,
                r#"{"key":"gen_ai.tool.name","type":"string","value":"look"},{"key":"error","type":"bool","value":"true"},{"key":"otel.status_description","type":"string","value":"gone"}"#,
                "",
            ),
            span(
                "b",
                "a",
                20,
                r#"{"key":"gen_ai.tool.name","type":"string","value":"find"}"#,
                "",
            ),
            span(
                "a",
                "",
                10,
                "",
                r#"{"timestamp":11,"fields":[{"key":"event","type":"string","value":"gen_ai.choice"},{"key":"gen_ai.event.content","type":"string","value":"{\"message\":{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"find\",\"arguments\":\"{}\"}}]}}"}]}"#,
            ),
        ];
        check(
            "jaeger",
            &format!(
                r#"{{"data":[{{"traceID":"t","spans":[{}]}}]}}"#,
                spans.join(",")
            ),
            &[r#"find("{}") c @0"#, r#"look(?) in 0 error "gone""#],
        );
    }
}
