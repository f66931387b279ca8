//! Spans of Datadog's LLM observability.

use rightcall_core::value::{MAX_DEPTH, Text};

use super::platform_span::{METADATA, SpanKeys, platform_span};
use crate::format::{Format, Priority, Reading, Recognition};
use crate::json;
use crate::messages::output_of;
use crate::node::Node;
use crate::spans::{Attribute, SpanReader, SpanTraces};
use crate::trace::failed;

pub(super) static ENTRY: Format = Format {
    name: "datadog",
    title: "Datadog LLM Observability",
    summary: "spans with `meta.kind` or `span_kind`, in payloads of the intake and in pages of the export API",
    reads: &[
        ("calls", "spans of the kind `tool`"),
        ("arguments", "`input.value`, JSON or text that holds JSON"),
        ("results", "`output.value`"),
        ("asked for, not run", "`output.messages[].tool_calls` of spans of the kind `llm` that no tool answers"),
        ("question", "`input` of the outermost span, or what the user says in that of a model"),
        ("times", "`start_ns` and `duration`"),
        ("errors", "`status: error`, `meta.error.message`"),
    ],
    lacks: &["ids of calls, where no message of a model tells them"],
    notes: "What the export API answers, `attributes` of each span in a page under `data`; what the SDK and the intake API are sent, `spans` with
their `meta`; and lists of either.",
    extensions: &["json", "jsonl"],
    example: r#"{"data":[{"id":"e1","type":"span","attributes":{"trace_id":"t1","span_id":"s1","parent_id":"undefined","name":"find_order","span_kind":"tool","start_ns":1767225600000000000,"duration":1000000000,"status":"ok","ml_app":"shop","input":{"value":"{\"id\": 7}"},"output":{"value":"shipped"}}}]}"#,
    priority: Priority::Platform,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            let data = record.get("data").unwrap_or(record).first_record();
            let inner = within(data);
            let span = inner.get("spans").unwrap_or(inner).first_record();
            let is_span = span.has("span_id") && span.has("start_ns");
            Recognition::by_marks(&[("start_ns", is_span), ("meta.kind or span_kind", is_span && kind(span).is_some())])
        },
        |scope| SpanReader::boxed(scope, &[], add),
    ),
};

const KEYS: SpanKeys = SpanKeys {
    trace: &["trace_id"],
    id: &["span_id"],
    parent: &["parent_id"],
    name: &["name"],
    start: &["start_ns"],
    end: &["end_ns"],
    known: &[
        "meta",
        "span_kind",
        "input",
        "output",
        "metrics",
        "tags",
        "status",
        "duration",
        "ml_app",
        "metadata",
        "tool_definitions",
    ],
};

fn kind<'n>(span: &'n Node<'_>) -> Option<&'n str> {
    let meta = span.get("meta");
    let kind = meta.and_then(|meta| meta.any(&["kind", "span.kind"]));
    kind.or_else(|| meta?.at(&["span", "kind"]))
        .or_else(|| span.get("span_kind"))
        .and_then(Node::str)
}

fn within<'n, 'a>(data: &'n Node<'a>) -> &'n Node<'a> {
    let attributes = data.get("attributes").filter(|_| data.has("type"));
    attributes.unwrap_or(data)
}

fn add(value: &Node<'_>, line: u64, traces: &mut SpanTraces) {
    let data = value.get("data").unwrap_or(value);
    if value.has("data") {
        traces.look_beside(&Text::default(), value, line);
    }
    if data.is_list() {
        return data.items().iter().for_each(|item| add(item, line, traces));
    }
    let inner = within(data);
    if data.has("attributes") {
        let trace = inner.label_at(KEYS.trace).unwrap_or_default();
        traces.look_beside(&trace, data, line);
    }
    match inner.get("spans").filter(|it| it.is_list()) {
        Some(spans) => {
            traces.look_beside(&Text::default(), inner, line);
            spans.each_item(&mut |it| span(it, line, traces));
        }
        None => span(inner, line, traces),
    }
}

fn span(node: &Node<'_>, line: u64, traces: &mut SpanTraces) {
    let meta = node.get("meta").unwrap_or(node);
    let sides = ["input", "output"].map(|key| meta.get(key).map(side));
    let [input, output] = sides
        .each_ref()
        .map(|side| Node::parse(side.as_deref()?, MAX_DEPTH).ok());
    let mut span = platform_span(node, &KEYS, kind(node), [input.as_ref(), output.as_ref()]);
    let metadata = meta.get(METADATA).filter(|_| node.has("meta"));
    span.attributes
        .add(METADATA, metadata.map(Attribute::from_node));
    let duration = node.whole_at("duration");
    span.end = span
        .end
        .or_else(|| Some(span.start?.saturating_add(duration?)));
    let message = meta
        .get("error.message")
        .or_else(|| meta.at(&["error", "message"]));
    let is_error = node.says("status", "error");
    span.error = is_error.then(|| message.map_or_else(failed, output_of));
    traces.add(&span, line);
}

/// An input or output: a value, or messages in another format.
fn side(node: &Node<'_>) -> String {
    let are_messages =
        |list: &&Node<'_>| list.is_list() && list.items().iter().all(Node::is_object);
    let messages = node.get("messages").or(Some(node));
    match (node.get("value"), messages.filter(are_messages)) {
        (None, Some(messages)) => messages_text(messages.items()),
        (value, _) => value.unwrap_or(node).raw().to_owned(),
    }
}

fn messages_text(messages: &[Node<'_>]) -> String {
    json::list(|writer| {
        for message in messages {
            writer.begin_object();
            for (key, value) in message.entries() {
                if *key == *"tool_calls" && value.is_list() {
                    let calls = value.items().iter();
                    writer.key("tool_calls").begin_list();
                    calls.for_each(|call| _ = writer.raw(&call_text(call)));
                    writer.end_list();
                } else if *key != *"tool_results" {
                    writer.key_text(key).raw(value.raw());
                }
            }
            writer.end_object();
            for result in message.list("tool_results") {
                let raw = |key: &str| result.get(key).map_or("null", Node::raw);
                writer.begin_object().key("role").str("tool");
                writer.key("tool_call_id").raw(raw("tool_id"));
                writer.key("content").raw(raw("result")).end_object();
            }
        }
    })
}

/// A call in the form of Chat Completions; calls in other forms are unchanged.
fn call_text(call: &Node<'_>) -> String {
    if !call.has("name") {
        return call.raw().to_owned();
    }
    json::object(|writer| {
        json::raw(writer, "id", call.get("tool_id").map(Node::raw));
        writer
            .key("function")
            .raw(&json::object_without(call, &["tool_id"]));
    })
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn payloads_and_pages_hold_the_same_spans() {
        let found = [
            "hand_off({}) d @0 group-1 not run",
            r#"find({"id": 7}) c @0 group-1 error "gone""#,
        ];
        let call = |id: &str, name: &str| {
            format!(r#"{{"name":"{name}","arguments":{{}},"tool_id":"{id}","type":"function"}}"#)
        };
        let (asked, failed) = (
            format!("[{},{}]", call("c", "find"), call("d", "hand_off")),
            r#"{"value":"{\"id\": 7}"}"#,
        );
        let place = |id: &str| {
            format!(
                r#""trace_id":"t","span_id":"{id}","parent_id":"undefined","name":"find","start_ns":{id},"duration":1"#
            )
        };
        let spans = [
            format!(
                r#"{{{},"meta":{{"kind":"llm","input":{{"messages":[]}},"output":{{"messages":[{{"role":"assistant","content":"","tool_calls":{asked}}}]}}}}}}"#,
                place("1")
            ),
            format!(
                r#"{{{},"status":"error","meta":{{"kind":"tool","input":{failed},"error.message":"gone"}}}}"#,
                place("2")
            ),
        ];
        let list = spans.join(",");
        check(
            "datadog",
            &format!(
                r#"{{"data":{{"type":"span","attributes":{{"ml_app":"a","spans":[{list}]}}}}}}"#
            ),
            &found,
        );
        check(
            "datadog",
            &format!(r#"{{"event_type":"span","spans":[{list}]}}"#),
            &found,
        );
        let pages = [
            format!(
                r#"{{{},"span_kind":"llm","input":{{"messages":[]}},"output":{{"messages":[{{"role":"assistant","content":"","tool_calls":{asked}}}]}}}}"#,
                place("1")
            ),
            format!(
                r#"{{{},"span_kind":"tool","status":"error","input":{failed},"meta":{{"input":{failed},"error.message":"gone"}}}}"#,
                place("2")
            ),
        ];
        let pages = pages.map(|it| format!(r#"{{"id":"e","type":"span","attributes":{it}}}"#));
        check(
            "datadog",
            &format!(r#"{{"data":[{}],"meta":{{}}}}"#, pages.join(",")),
            &found,
        );
    }
}
