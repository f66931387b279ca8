//! Traces of `MLflow`, in both of its formats of spans.

use rightcall::value::Text;

use super::flat_spans::span;
use super::platform_span::without_spans;
use crate::format::{Format, Priority, Reading, Recognition};
use crate::node::Node;
use crate::spans::{SpanReader, SpanTraces};

pub(super) static ENTRY: Format = Format {
    name: "mlflow",
    title: "MLflow traces",
    summary: "`info` with `data.spans`",
    reads: &[
        ("calls", "spans with `mlflow.spanType` TOOL, or a tool in any dialect of `otlp`"),
        ("arguments", "`mlflow.spanInputs`"),
        ("results", "`mlflow.spanOutputs`"),
        ("asked for, not run", "`mlflow.spanOutputs` of spans of type LLM and CHAT_MODEL that no tool span answers"),
        ("question", "`mlflow.spanInputs` of the outermost span: what the user says in its messages, else its text or all of it"),
        ("times", "`start_time_unix_nano`, `end_time_unix_nano`; `start_time`, `end_time`"),
        ("errors", "`status`, `status_code`"),
    ],
    lacks: &["ids of calls, where tools are called without a message"],
    notes: "Traces as the SDK exports them, of versions 2 and 3. Values of attributes are JSON text. A number at the end of a span's name is left out
where `mlflow.spanFunctionName` shows that it only counts.",
    extensions: &["json", "jsonl"],
    example: r#"{"info":{"trace_id":"tr-1"},"data":{"spans":[{"trace_id":"AAECAwQFBgcICQoLDA0ODw==","span_id":"AAECAwQFBgc=","parent_span_id":"","name":"find_order","start_time_unix_nano":1,"end_time_unix_nano":2,"status":{"code":"STATUS_CODE_OK"},"attributes":{"mlflow.spanType":"\"TOOL\"","mlflow.spanInputs":"{\"id\": 7}","mlflow.spanOutputs":"\"shipped\""}}]}}"#,
    priority: Priority::Platform,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            if record.at(&["data", "spans"]).is_none() {
                return Recognition::No;
            }
            Recognition::by_marks(&[("data.spans", true), ("info.trace_id", trace_id(record).is_some())])
        },
        |scope| SpanReader::boxed(scope, &[], add),
    ),
};

fn add(value: &Node<'_>, line: u64, traces: &mut SpanTraces) {
    let trace = trace_id(value);
    let spans = value.list_at(&["data", "spans"]);
    if spans.is_empty() {
        without_spans(value, trace.clone(), line, traces);
    }
    for node in spans {
        let mut span = span(node);
        span.trace = trace.clone().unwrap_or(span.trace);
        traces.add(&span, line);
    }
}

fn trace_id(value: &Node<'_>) -> Option<Text<'static>> {
    value.get("info")?.label_at(&["trace_id", "request_id"])
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn spans_are_read_in_both_formats_and_numbered_names_lose_their_number() {
        check(
            "mlflow",
            r#"[{"info":{"request_id":"a"},"data":{"spans":[
                 {"context":{"trace_id":"0x1","span_id":"0x2"},"parent_id":null,"name":"find_1","start_time":5,"end_time":6,"status_code":"ERROR",
                  "attributes":{"mlflow.spanType":"\"TOOL\"","mlflow.spanFunctionName":"\"find\"","mlflow.spanInputs":"{\"id\": 7}","mlflow.spanOutputs":"\"x\""}}]}},
                {"info":{"trace_id":"b"},"data":{"spans":[
                 {"trace_id":"AA==","span_id":"AQ==","parent_span_id":"","name":"find_1","start_time_unix_nano":1,"end_time_unix_nano":2,"status":{"code":"STATUS_CODE_OK"},
                  "attributes":{"mlflow.spanType":"\"TOOL\"","mlflow.spanInputs":"{}"}}]}}]"#,
            &[r#"find({"id": 7}) -> "x" error true"#, "---", "find_1({})"],
        );
    }
}
