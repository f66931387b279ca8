//! Traces of Genkit, as stored by its developer tools.

use super::platform_span::{SpanKeys, without_spans};
use crate::format::{Format, Priority, Reading, Recognition};
use crate::messages::output_of;
use crate::node::Node;
use crate::spans::{Attributes, SpanReader, SpanTraces, TraceSpan};
use crate::trace::failed;

pub(super) static ENTRY: Format = Format {
    name: "genkit",
    title: "Genkit traces",
    summary: "a `traceId` with a map of `spans` whose attributes begin with `genkit:`",
    reads: &[
        ("calls", "spans whose `genkit:metadata:subtype` is `tool`: `genkit:name`; spans in any dialect of `otlp`"),
        ("arguments", "`genkit:input`"),
        ("results", "`genkit:output`"),
        ("asked for, not run", "`toolRequest` in `genkit:output` of spans of models that no tool span answers"),
        ("question", "`genkit:input` of the outermost span, or what the user says in that of a model"),
        ("times", "`startTime`, `endTime`"),
        ("errors", "`status`, `genkit:state: error`"),
        ("ids", "`ref` of a `toolRequest`"),
    ],
    lacks: &["ids of calls, where the model's plugin gives none"],
    notes: "Files under `.genkit/traces`, as the developer tools of every language store them. What Genkit exports through OpenTelemetry has
the same attributes and is read as [`otlp`](otlp.md). Input and output that were left out (`<redacted>`) are not recorded.",
    extensions: &["json", "jsonl"],
    example: r#"{"traceId":"t1","displayName":"shop","startTime":1735689600000,"endTime":1735689600900,"spans":{"b":{"spanId":"b","traceId":"t1","parentSpanId":"a","startTime":1735689600100,"endTime":1735689600200.5,"displayName":"find_order","attributes":{"genkit:type":"action","genkit:metadata:subtype":"tool","genkit:name":"find_order","genkit:input":"{\"id\":7}","genkit:output":"\"shipped\"","genkit:state":"success"},"status":{"code":0}}}}"#,
    priority: Priority::Platform,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            let spans = record.get("spans").map_or(&[][..], Node::entries);
            let is_own = |span: &Node<'_>| {
                let attributes = span.get("attributes").map_or(&[][..], Node::entries);
                attributes.iter().any(|(key, _)| key.as_bytes().starts_with(b"genkit:"))
            };
            if spans.is_empty() {
                return Recognition::No;
            }
            Recognition::by_marks(&[
                ("spans", true),
                ("traceId", record.has("traceId")),
                ("attributes that begin with `genkit:`", spans.iter().any(|(_, span)| is_own(span))),
            ])
        },
        |scope| SpanReader::boxed(scope, &[], add),
    ),
};

const KEYS: SpanKeys = SpanKeys {
    trace: &["traceId"],
    id: &["spanId"],
    parent: &["parentSpanId"],
    name: &["displayName"],
    start: &["startTime"],
    end: &["endTime"],
    known: &[
        "attributes",
        "links",
        "instrumentationLibrary",
        "spanKind",
        "sameProcessAsParentSpan",
        "status",
        "timeEvents",
    ],
};

fn add(value: &Node<'_>, line: u64, traces: &mut SpanTraces) {
    let spans = value.get("spans").map_or(&[][..], Node::entries);
    if spans.is_empty() {
        without_spans(value, None, line, traces);
    }
    let trace = value.label_at(&["traceId"]);
    traces.look_beside(&trace.clone().unwrap_or_default(), value, line);
    for (_, node) in spans {
        node.each_item(&mut |node| {
            let mut span = span(node);
            span.trace = trace.clone().unwrap_or(span.trace);
            traces.add(&span, line);
        });
    }
}

fn span<'a>(node: &Node<'a>) -> TraceSpan<'a> {
    let attributes = Attributes::in_member(node, "attributes");
    let status = node.get("status");
    let message = status.and_then(|it| it.get("message"));
    let is_error = status.and_then(|it| it.whole_at("code")) == Some(2)
        || attributes.says("genkit:state", "error");
    TraceSpan {
        error: is_error.then(|| message.map_or_else(failed, output_of)),
        attributes,
        ..KEYS.span(node)
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    fn span(id: &str, at: u64, status: &str, kind: &str, name: &str, rest: &str) -> String {
        format!(
            r#""{id}":{{"spanId":"{id}","traceId":"t","parentSpanId":"r","startTime":{at},"endTime":{}.5,"displayName":"{name}","attributes":{{"genkit:type":"action","genkit:metadata:subtype":"{kind}","genkit:name":"{name}"{rest}}},"status":{status}}}"#,
            at + 5
        )
    }

    #[test]
    fn spans_of_tools_are_calls_and_those_of_models_tell_what_was_asked_for() {
        let asked = r#","genkit:output":"{\"message\":{\"role\":\"model\",\"content\":[{\"toolRequest\":{\"ref\":\"c\",\"name\":\"find\",\"input\":{\"id\":7}}},{\"toolRequest\":{\"name\":\"look\",\"input\":{}}}]}}""#;
        let shown = r#","genkit:input":"{\"messages\":[{\"role\":\"model\",\"content\":[{\"toolRequest\":{\"name\":\"look\"}}]},{\"role\":\"tool\",\"content\":[{\"toolResponse\":{\"name\":\"look\",\"output\":1}}]}]}","genkit:output":"{\"message\":{\"role\":\"model\",\"content\":[{\"text\":\"x\"}]}}""#;
        let spans = [
            span("d", 1_735_689_600_030, "{\"code\":0}", "model", "m", shown),
            span(
                "c",
                1_735_689_600_020,
                r#"{"code":2,"message":"gone"}"#,
                "tool",
                "find",
                r#","genkit:input":"{\"id\":7}","genkit:state":"error""#,
            ),
            span("b", 1_735_689_600_010, "{\"code\":0}", "model", "m", asked),
        ];
        let trace = format!(
            r#"{{"traceId":"t","displayName":"r","spans":{{{}}}}}"#,
            spans.join(",")
        );
        check(
            "genkit",
            &trace,
            &[
                "look({}) @0 group-1 -> 1",
                r#"find("{\"id\":7}") c @0 group-1 error "gone""#,
            ],
        );
        let hidden = span(
            "c",
            1,
            "{}",
            "tool",
            "find",
            r#","genkit:input":"<redacted>","genkit:output":"<redacted>""#,
        );
        check(
            "genkit",
            &format!(r#"{{"traceId":"t","spans":{{{hidden}}}}}"#),
            &["find(?)"],
        );
    }
}
