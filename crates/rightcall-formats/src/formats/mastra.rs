//! Traces of Mastra, from its storage and its exporters.

use rightcall_core::value::Text;

use super::platform_span::{SpanKeys, platform_span, without_spans};
use crate::format::{Format, Priority, Reading, Recognition};
use crate::node::Node;
use crate::spans::{Attributes, Revised, RevisedSpanReader, Revisions, SpanTraces};
use crate::trace::words::says_any;
use crate::trace::{Doubt, Suspect, failed};

pub(super) static ENTRY: Format = Format {
    name: "mastra",
    title: "Mastra traces",
    summary: "spans with `spanType` and `entityType`, alone or under `spans`, and events with an `exportedSpan`",
    reads: &[
        ("calls", "spans whose `spanType`, in events `type`, is `tool_call`, `mcp_tool_call` or `client_tool_call`: `entityId`, else `entityName`"),
        ("arguments", "`input`"),
        ("results", "`output`"),
        ("asked for, not run", "`output.toolCalls` of spans of models that no tool span answers"),
        ("question", "`input` of the outermost span, or what the user says in that of a model"),
        ("ids", "`attributes.toolCallId`"),
        ("times", "`startedAt`, `endedAt`, in events `startTime`, `endTime`"),
        ("errors", "`errorInfo.message`, `error`, `attributes.success: false`"),
    ],
    lacks: &["ids of calls, where no model span has them"],
    notes: "Traces as the API and the storage of Mastra hold them, with names in camelCase, and the events that its exporters receive, such as
`span_ended`: those of one span are put together. The label of a span, such as `tool: 'find_order'`, is
not the name of its tool. Traces that Mastra sends through OpenTelemetry are read as [`otlp`](otlp.md).",
    extensions: &["json", "jsonl"],
    example: r#"{"traceId":"t1","spans":[{"traceId":"t1","spanId":"b","parentSpanId":"a","name":"tool: 'find_order'","spanType":"tool_call","entityType":"tool","entityId":"find_order","entityName":"find_order","startedAt":"2026-01-01T00:00:00.500Z","endedAt":"2026-01-01T00:00:01.000Z","input":{"id":7},"output":"shipped","attributes":{"success":true}}]}"#,
    priority: Priority::Platform,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            if is_exported(record.get(EXPORTED_SPAN).unwrap_or(record)) {
                return Recognition::Certain;
            }
            let span = record.get("spans").unwrap_or(record).first_record().first_record();
            let is_span = span.has("spanType") && span.has("spanId");
            Recognition::by_marks(&[
                ("spanType", is_span),
                ("traceId", is_span && span.has("traceId")),
                ("entityId or startedAt", is_span && span.has_any(&["entityId", "entityType", "startedAt"])),
            ])
        },
        |scope| RevisedSpanReader::boxed(scope, &REVISED),
    ),
};

const KEYS: SpanKeys = SpanKeys {
    trace: &["traceId"],
    id: &["spanId", "id"],
    parent: &["parentSpanId"],
    name: &["name"],
    start: &["startedAt", "startTime"],
    end: &["endedAt", "endTime"],
    known: &[
        "spanType",
        "type",
        "entityType",
        "entityId",
        "entityName",
        "input",
        "output",
        "attributes",
        "metadata",
        "tags",
        "links",
        "error",
        "errorInfo",
        "scope",
        "isEvent",
        "isRootSpan",
        "requestContext",
    ],
};

/// The key of the span in an event.
const EXPORTED_SPAN: &str = "exportedSpan";

static REVISED: Revised = Revised {
    lists: &[],
    hold,
    put_together: |_, span, line, traces| add_span(span, line, traces),
    other: add,
};

/// True for a span as exporters receive it.
fn is_exported(span: &Node<'_>) -> bool {
    let has_kind = span.str_at("type").is_some() && span.has("isRootSpan");
    has_kind && span.has("traceId") && span.has("id")
}

/// Holds the span of an event, which has all that is known so far.
fn hold(value: &Node<'_>, line: u64, revisions: &mut Revisions) -> bool {
    let span = value.get(EXPORTED_SPAN).unwrap_or(value);
    let is_exported = is_exported(span);
    if is_exported {
        let trace = span.label_at(KEYS.trace).unwrap_or_default();
        revisions.hold(&trace, "", span, line);
    }
    is_exported
}

fn add(value: &Node<'_>, line: u64, traces: &mut SpanTraces) {
    let Some(spans) = value.get("spans") else {
        return add_span(value, line, traces);
    };
    let trace = value.label_at(KEYS.trace);
    traces.look_beside(&trace.clone().unwrap_or_default(), value, line);
    let mut is_empty = true;
    spans.each_item(&mut |span| {
        is_empty = false;
        add_span(span, line, traces);
    });
    if is_empty {
        without_spans(value, trace, line, traces);
    }
}

fn add_span(node: &Node<'_>, line: u64, traces: &mut SpanTraces) {
    let kind = node
        .any(&["spanType", "type"])
        .and_then(Node::str)
        .map(kind);
    let sides = [node.get("input"), node.get("output")];
    let mut span = platform_span(node, &KEYS, kind, sides);
    if kind == Some("tool") {
        // The quoted label of the span is more precise than the entity's name.
        let name = node.label_at(&["entityId", "entityName"]);
        let label = span.name.to_display();
        let quoted = label
            .split('\'')
            .nth(1)
            .map(|name| Text::from(name.to_owned()));
        span.name = name.or(quoted).unwrap_or_default();
    }
    let attributes = Attributes::in_member(node, "attributes");
    let has_failed = attributes.get("success").and_then(|it| it.source()) == Some("false");
    // A chunk is a piece of the enclosing span's content.
    let chunk = attributes
        .label("chunkType")
        .filter(|kind| says_any(&kind.to_display(), &["tool"]));
    span.unread.extend(chunk.map(|kind| {
        let looks = format!("`chunkType: {}`", kind.to_display());
        Suspect::new(looks, Doubt::Piece)
    }));
    let id = attributes
        .get("toolCallId")
        .filter(|_| kind == Some("tool"));
    span.attributes.add("gen_ai.tool.call.id", id.cloned());
    let is_kept = |(key, _): &(Text<'_>, _)| *key != *"chunkType";
    span.attributes
        .extend(attributes.into_iter().filter(is_kept));
    let error = node.any(&["errorInfo", "error"]);
    span.fail(error.map(|it| it.get("message").unwrap_or(it)));
    if has_failed && span.error.is_none() {
        span.error = Some(failed());
    }
    traces.add(&span, line);
}

/// The span kind of other platforms for a Mastra type.
fn kind(of_mastra: &str) -> &str {
    match of_mastra {
        "tool_call" | "mcp_tool_call" | "client_tool_call" => "tool",
        "model_generation" | "llm_generation" | "model_step" | "model_inference" => "llm",
        "agent_run" => "agent",
        kind if KINDS.contains(&kind) => "span",
        kind => kind,
    }
}

/// Span types without calls.
const KINDS: [&str; 14] = [
    "generic",
    "model_chunk",
    "llm_chunk",
    "processor_run",
    "scorer_run",
    "memory_operation",
    "workflow_run",
    "workflow_step",
    "workflow_conditional",
    "workflow_conditional_eval",
    "workflow_parallel",
    "workflow_loop",
    "workflow_sleep",
    "workflow_wait_event",
];

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    fn span(id: u8, kind: &str, rest: &str) -> String {
        format!(
            r#"{{"traceId":"t","spanId":"{id}","parentSpanId":"0","spanType":"{kind}","startedAt":"2026-01-01T00:00:0{id}.000Z","endedAt":"2026-01-01T00:00:0{id}.500Z",{rest}}}"#
        )
    }

    #[test]
    fn the_tool_is_the_entity_and_not_the_label() {
        let tool = span(
            2,
            "tool_call",
            r#""name":"tool: 'find'","entityType":"tool","entityId":"find","entityName":"Find","input":{"id":7},"output":{"ok":true},"attributes":{"success":true}"#,
        );
        let root = span(
            1,
            "agent_run",
            r#""name":"agent run: 'clerk'","entityType":"agent","entityId":"clerk","input":"q","output":"ok""#,
        );
        let found = [r#"find({"id":7}) -> {"ok":true}"#];
        let trace = format!(r#"{{"traceId":"t","spans":[{root},{tool}]}}"#);
        check("mastra", &trace, &found);
        check("mastra", &format!("{root}\n{tool}"), &found);
        assert_eq!(evidence("mastra", &format!("{root}\n")), ["silent"]);
        let failed = span(
            2,
            "mcp_tool_call",
            r#""name":"mcp tool: 'find'","input":{},"errorInfo":{"message":"gone"}"#,
        );
        check("mastra", &failed, &[r#"find({}) error "gone""#]);
        let failed = span(
            2,
            "tool_call",
            r#""name":"x","entityId":"find","input":{},"attributes":{"success":false}"#,
        );
        check("mastra", &failed, &["find({}) error true"]);
    }

    #[test]
    fn spans_of_models_ask_for_calls_and_speak() {
        let asks = span(
            1,
            "model_step",
            r#""name":"step: 0","output":{"text":"","toolCalls":[{"type":"tool-call","toolCallId":"c","toolName":"find","input":{"id":7}}]},"attributes":{"finishReason":"tool-calls"}"#,
        );
        check("mastra", &asks, &[r#"find({"id":7}) c @0"#]);
        let said = span(
            1,
            "model_generation",
            r#""name":"llm","output":{"text":"x"},"attributes":{"finishReason":"stop"}"#,
        );
        assert_eq!(evidence("mastra", &said), ["spoke"]);
        let lost = span(
            1,
            "model_generation",
            r#""name":"llm","output":{},"attributes":{"finishReason":"tool-calls"}"#,
        );
        assert_eq!(
            evidence("mastra", &lost),
            ["silent", "1 finish reason `tool-calls` without a call"]
        );
    }

    #[test]
    fn events_of_one_span_are_put_together() {
        let event = |kind: &str, rest: &str| {
            format!(
                r#"{{"type":"{kind}","exportedSpan":{{"id":"2","traceId":"t","name":"tool: 'find'","type":"tool_call","entityId":"find","startTime":"2026-01-01T00:00:01.000Z","input":{{"id":7}},"attributes":{{"toolCallId":"c"}},"isRootSpan":false{rest}}}}}"#
            )
        };
        let begun = event("span_started", "");
        let ended = event(
            "span_ended",
            r#","output":"x","endTime":"2026-01-01T00:00:02.000Z""#,
        );
        let found = [r#"find({"id":7}) c -> "x""#];
        check("mastra", &format!("{begun}\n{ended}\n"), &found);
        check("mastra", &format!("[{begun},{ended}]"), &found);
        check("mastra", &begun, &[r#"find({"id":7}) c"#]);
    }
}
