//! Traces of Opik.

use super::platform_span::{SpanKeys, lost_spans, platform_span};
use crate::format::{Format, Priority, Reading, Recognition};
use crate::node::Node;
use crate::spans::{SpanReader, SpanTraces};

pub(super) static ENTRY: Format = Format {
    name: "opik",
    title: "Opik traces",
    summary: "spans with `trace_id` and a `type` of general, tool, llm or guardrail, alone or under `spans`",
    reads: &[
        ("calls", "spans of type `tool`"),
        ("arguments", "`input`"),
        ("results", "`output`, taken out of `{\"output\": …}`"),
        (
            "asked for, not run",
            "`output` of spans of type `llm` that no tool answers",
        ),
        (
            "question",
            "`input` of the trace, of the outermost span, or what the user says in that of a model",
        ),
        ("times", "`start_time`, `end_time`"),
        ("errors", "`error_info.message`"),
    ],
    lacks: &["ids of calls, where no message of a tool tells them"],
    notes: "What the SDK and the REST API of Opik answer, pages under `content` among them, and what `opik export` writes: a trace with its `spans`.",
    extensions: &["json", "jsonl"],
    example: r#"{"trace":{"id":"t1","name":"shop"},"spans":[{"id":"s1","trace_id":"t1","parent_span_id":null,"name":"find_order","type":"tool","start_time":"2026-01-01T00:00:00Z","end_time":"2026-01-01T00:00:01Z","input":{"id":7},"output":{"output":"shipped"}}]}"#,
    priority: Priority::Platform,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            let span = record
                .get("spans")
                .unwrap_or(record)
                .first_record()
                .first_record();
            let is_kind = matches!(
                span.str_at("type"),
                Some("general" | "tool" | "llm" | "guardrail")
            );
            let is_span = span.has("trace_id")
                && span.has("id")
                && span.has("start_time")
                && !span.has("span_id");
            Recognition::by_marks(&[
                ("trace_id", is_span),
                ("type: tool", is_span && is_kind),
                (
                    "input or output",
                    is_span && (span.has("input") || span.has("output")),
                ),
            ])
        },
        |scope| SpanReader::boxed(scope, &[], add),
    ),
};

/// The keys of span fields in an export.
const KEYS: SpanKeys = SpanKeys {
    trace: &["trace_id"],
    id: &["id"],
    parent: &["parent_span_id"],
    name: &["name"],
    start: &["start_time"],
    end: &["end_time"],
    known: &[
        "type",
        "input",
        "output",
        "metadata",
        "usage",
        "error_info",
        "feedback_scores",
        "tags",
        "model",
        "provider",
    ],
};

fn add(value: &Node<'_>, line: u64, traces: &mut SpanTraces) {
    let Some(spans) = value.get("spans").filter(|it| it.is_list()) else {
        let sides = [value.get("input"), value.get("output")];
        let kind = value.str_at("type");
        let mut span = platform_span(value, &KEYS, kind, sides);
        let error = value.get("error_info");
        span.fail(error.map(|it| it.get("message").unwrap_or(it)));
        return traces.add(&span, line);
    };
    let about = value.get("trace").unwrap_or(value);
    let mut trace = about.label_at(&["id"]);
    let mut number = 0;
    spans.each_item(&mut |span| {
        trace = span.label_at(KEYS.trace).or(trace.take());
        number += 1;
        add(span, line, traces);
    });
    let all = about
        .whole_at("span_count")
        .and_then(|it| usize::try_from(it).ok());
    let lost = all.map_or(0, |all| all.saturating_sub(number));
    if number == 0 || lost > 0 {
        lost_spans(lost, value, trace.clone(), line, traces);
    }
    if let Some(trace) = trace.filter(|_| number > 0) {
        traces.add_about(&trace, about, line);
        traces.look_beside(&trace, value, line);
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    #[test]
    fn spans_that_the_trace_counts_may_be_missing() {
        let trace = |count: u8, spans: &str| {
            format!(r#"{{"trace":{{"id":"t","name":"n","span_count":{count}}},"spans":{spans}}}"#)
        };
        let span = r#"{"id":"1","trace_id":"t","name":"m","type":"llm","start_time":"2026-01-01T00:00:00Z","input":{},"output":{"output":"x"}}"#;
        assert_eq!(evidence("opik", &trace(1, &format!("[{span}]"))), ["spoke"]);
        assert_eq!(
            evidence("opik", &trace(3, &format!("[[{span}]]"))),
            ["spoke", "2 spans that are not in the file"]
        );
    }

    #[test]
    fn spans_of_tools_are_calls_and_those_of_models_ask_for_them() {
        let span = |id: &str, kind: &str, rest: &str| {
            format!(
                r#"{{"id":"{id}","trace_id":"t","parent_span_id":null,"name":"find","type":"{kind}","start_time":"2026-01-01T00:00:0{id}Z","end_time":"2026-01-01T00:00:0{id}Z",{rest}}}"#
            )
        };
        let call = |id: &str, name: &str| {
            format!(
                r#"{{"id":"{id}","type":"function","function":{{"name":"{name}","arguments":"{{}}"}}}}"#
            )
        };
        let spans = [
            span(
                "1",
                "llm",
                &format!(
                    r#""input":{{"messages":[]}},"output":{{"choices":[{{"message":{{"role":"assistant","tool_calls":[{},{}]}}}}]}}"#,
                    call("c", "find"),
                    call("d", "hand_off")
                ),
            ),
            span(
                "2",
                "tool",
                r#""input":{"id":7},"output":null,"error_info":{"exception_type":"E","message":"gone","traceback":"t"}"#,
            ),
        ];
        let found = [
            r#"hand_off("{}") d @0 group-1 not run"#,
            r#"find({"id":7}) c @0 group-1 error "gone""#,
        ];
        check("opik", &spans.join("\n"), &found);
        check(
            "opik",
            &format!(
                r#"{{"page":1,"size":2,"total":2,"content":[{}]}}"#,
                spans.join(",")
            ),
            &found,
        );
    }
}
