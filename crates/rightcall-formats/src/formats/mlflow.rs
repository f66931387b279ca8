//! Traces of `MLflow`, in both of its span formats.

use rightcall_core::value::{MAX_DEPTH, Text};

use super::flat_spans::span;
use super::platform_span::lost_spans;
use crate::format::{Format, Priority, Reading, Recognition};
use crate::node::Node;
use crate::spans::dialects::observations::unwrapped;
use crate::spans::{SpanReader, SpanTraces, TraceSpan, expected_calls, unread};

pub(super) static ENTRY: Format = Format {
    name: "mlflow",
    title: "MLflow traces",
    summary: "`info` with `data.spans`",
    reads: &[
        ("calls", "spans with `mlflow.spanType` TOOL, or a tool in any dialect of `otlp`; of a wrapper of toolsets `call.tool_name` in its inputs"),
        ("arguments", "`mlflow.spanInputs`; `call.args` in those of a wrapper, and the content of a message of a tool"),
        ("results", "`mlflow.spanOutputs`"),
        ("asked for, not run", "`mlflow.spanOutputs` of spans of type LLM and CHAT_MODEL that no tool span answers"),
        ("question", "`mlflow.spanInputs` of the outermost span: what the user says in its messages, else its text or all of it"),
        ("times", "`start_time_unix_nano`, `end_time_unix_nano`; `start_time`, `end_time`"),
        ("errors", "`status`, `status_code`"),
        ("expectations", "`expectation` of the last assessment in `info.assessments` that holds calls"),
    ],
    lacks: &["ids of calls, where tools are called without a message"],
    notes: "Traces as the SDK exports them, of versions 2 and 3. The value of every attribute is JSON text, whatever library set it. A number at the
end of a span's name is left out where `mlflow.spanFunctionName` shows that it only counts. If `mlflow.trace.sizeStats` counts more spans
than there are, calls may be missing.",
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
    let mut number = 0;
    let spans = value.at(&["data", "spans"]);
    let add = &mut |node: &Node<'_>| {
        let mut span = span(node);
        if span.id.is_empty() {
            span.unread.extend(unread::call_among_spans(node));
        }
        span.trace = trace.clone().unwrap_or(span.trace);
        span.attributes = span.attributes.decoded();
        number += 1;
        traces.add(&span, line);
    };
    spans.into_iter().for_each(|spans| spans.each_item(add));
    let assessed = value.list_at(&["info", "assessments"]).iter();
    let mut expected = assessed.filter_map(|it| expected_calls(it.get("expectation")?));
    if let (Some(trace), expected @ Some(_)) = (&trace, expected.next_back()) {
        let about = TraceSpan {
            trace: trace.clone(),
            expected,
            ..TraceSpan::default()
        };
        traces.add(&about, line);
    }
    if let Some(trace) = &trace {
        let parts = [value.get("info"), value.get("data"), Some(value)];
        let parts = parts.into_iter().flatten();
        parts.for_each(|part| traces.look_beside(trace, part, line));
    }
    let lost = number_of_spans(value).map_or(0, |all| all.saturating_sub(number));
    if number == 0 || lost > 0 {
        lost_spans(lost, value, trace, line, traces);
    }
}

/// The number of spans in a trace, from its metadata.
fn number_of_spans(value: &Node<'_>) -> Option<usize> {
    let facts = value
        .get("info")?
        .any(&["trace_metadata", "request_metadata"])?;
    let sizes = unwrapped(facts.get("mlflow.trace.sizeStats")?);
    let sizes = Node::parse(&sizes, MAX_DEPTH).ok()?;
    usize::try_from(sizes.whole_at("num_spans")?).ok()
}

fn trace_id(value: &Node<'_>) -> Option<Text<'static>> {
    value.get("info")?.label_at(&["trace_id", "request_id"])
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, check_gaps, evidence};

    fn trace(info: &str, spans: &str) -> String {
        format!(r#"{{"info":{{"trace_id":"a"{info}}},"data":{{"spans":{spans}}}}}"#)
    }

    /// A span with this name; its attribute values are JSON texts.
    fn span(id: u8, name: &str, attributes: &[(&str, &str)]) -> String {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(key, json)| format!(r#""{key}":{}"#, crate::json::quoted(json)))
            .collect();
        format!(
            r#"{{"trace_id":"AA==","span_id":"{id}","parent_span_id":"","name":"{name}","start_time_unix_nano":{id},"end_time_unix_nano":{},"status":{{"code":"STATUS_CODE_OK"}},"attributes":{{{}}}}}"#,
            id + 1,
            attributes.join(",")
        )
    }

    const TOOL: (&str, &str) = ("mlflow.spanType", "\"TOOL\"");

    #[track_caller]
    fn check_span(name: &str, attributes: &[(&str, &str)], found: &[&str]) {
        let attributes = [&[TOOL], attributes].concat();
        let spans = format!("[{}]", span(1, name, &attributes));
        check("mlflow", &trace("", &spans), found);
    }

    #[test]
    fn every_attribute_is_json_text() {
        check_span(
            "execute_tool temp",
            &[
                ("gen_ai.operation.name", "\"execute_tool\""),
                ("gen_ai.tool.name", "\"temp\""),
                ("gen_ai.tool.call.id", "\"c\""),
                ("gen_ai.tool.call.arguments", r#""{\"id\": 7}""#),
                ("mlflow.spanOutputs", r#"{"r": 1}"#),
            ],
            &[r#"temp("{\"id\": 7}") c -> {"r": 1}"#],
        );
        check_span(
            "execute_tool temp",
            &[
                ("gen_ai.tool.name", "\"temp\""),
                ("mlflow.spanInputs", r#"{"c": "A"}"#),
            ],
            &[r#"temp({"c": "A"})"#],
        );
        check_span(
            "execute_tool (merged tools)",
            &[("gen_ai.tool.name", "\"(merged tools)\"")],
            &["1 merged from others"],
        );
        check_span(
            "execute_tool (merged tools)",
            &[],
            &["1 merged from others"],
        );
        // Spans exported by MLflow to other systems have the same attributes.
        let elsewhere = r#"[{"trace_id":"t","span_id":"1","name":"s","start_time":1,"end_time":2,"attributes":{"mlflow.spanType":"\"TOOL\"","gen_ai.tool.name":"\"temp\"","mlflow.spanInputs":"{\"c\": 1}"}}]"#;
        check("flat-spans", elsewhere, &[r#"temp({"c": 1})"#]);
        let request = r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0a","spanId":"01","name":"s","attributes":[{"key":"mlflow.spanType","value":{"stringValue":"\"TOOL\""}},{"key":"gen_ai.tool.name","value":{"stringValue":"\"temp\""}}]}]}]}]}"#;
        check("otlp", request, &["temp(?)"]);
    }

    #[test]
    fn inputs_of_mlflow_count_more_than_the_words_of_others() {
        let words = [
            ("gen_ai.operation.name", "\"execute_tool\""),
            ("gen_ai.tool.name", "\"find\""),
            ("gen_ai.tool.call.arguments", r#""{\"id\": 7}""#),
        ];
        check_span("s", &words, &[r#"find("{\"id\": 7}")"#]);
        let inputs = ("mlflow.spanInputs", r#"{"id": 8}"#);
        check_span(
            "s",
            &[&words[..], &[inputs]].concat(),
            &[r#"find({"id": 8})"#],
        );
        let null = ("mlflow.spanInputs", "null");
        check_span(
            "s",
            &[&words[..], &[null]].concat(),
            &[r#"find("{\"id\": 7}")"#],
        );
        // Exported spans without an MLflow kind work too.
        let elsewhere = r#"[{"trace_id":"t","span_id":"1","name":"s","start_time":1,"end_time":2,"attributes":{"gen_ai.operation.name":"\"execute_tool\"","gen_ai.tool.name":"\"find\"","gen_ai.tool.call.arguments":"\"{\\\"id\\\": 7}\""}}]"#;
        check("flat-spans", elsewhere, &[r#"find("{\"id\": 7}")"#]);
    }

    #[test]
    fn a_wrapper_of_toolsets_is_a_call_of_the_tool_that_it_was_given() {
        let found = [r#"find({"id":7})"#];
        for (name, inputs) in [
            (
                "ToolManager.handle_call",
                r#"{"call":{"tool_name":"find","args":{"id":7}}}"#,
            ),
            (
                "ToolManager.handle_call",
                r#"{"call":{"tool_name":"find","args":{"id":7}},"allow_partial":false}"#,
            ),
            (
                "whatever",
                r#"{"allow_partial":false,"call":{"tool_name":"find","args":{"id":7}}}"#,
            ),
            (
                "ToolManager.execute",
                r#"{"tool_call":{"name":"find","arguments":{"id":7}}}"#,
            ),
            (
                "MCPServer.call_tool",
                r#"{"name":"find","tool_args":{"id":7},"ctx":{}}"#,
            ),
            (
                "tool",
                r#"{"type":"tool_call","name":"find","args":{"id":7}}"#,
            ),
            (
                "find",
                r#"[{"role":"tool","parts":[{"type":"tool_call","name":"find","arguments":{"id":7}}]}]"#,
            ),
            (
                "find",
                r#"{"messages":[{"role":"tool","content":{"id":7}}]}"#,
            ),
        ] {
            check_span(name, &[("mlflow.spanInputs", inputs)], &found);
        }
        // The wrapper's name wins over an attribute. If the wrapper has no arguments, all inputs are the arguments.
        let inputs = r#"{"call": {"tool_name": "find"}}"#;
        check_span(
            "s",
            &[
                ("gen_ai.tool.name", "\"wrapper\""),
                ("mlflow.spanInputs", inputs),
            ],
            &[&format!("find({inputs})")],
        );
        let inputs = r#"{"call":{"tool_name":"find","args":"{\"id\":7}","tool_call_id":"c"}}"#;
        check_span(
            "ToolManager.handle_call",
            &[("mlflow.spanInputs", inputs)],
            &[r#"find("{\"id\":7}") c"#],
        );
        // A tool's own parameters may look like a wrapper.
        for inputs in [
            r#"{"tool_name":"x","args":{}}"#,
            r#"{"call":"x"}"#,
            r#"{"call":{"number":7}}"#,
        ] {
            check_span(
                "dial",
                &[("mlflow.spanInputs", inputs)],
                &[&format!("dial({inputs})")],
            );
        }
    }

    #[test]
    fn arguments_may_be_the_content_of_a_message_to_the_tool() {
        let found = [r#"add({"a": 2})"#];
        for inputs in [
            r#"[{"role": "tool", "content": {"a": 2}}]"#,
            r#"{"role": "tool", "content": {"a": 2}}"#,
            r#"[{"role": "user", "content": "q"}, {"role": "tool", "content": {"a": 2}}]"#,
            r#"[{"role": "assistant", "content": [{"toolUse": {"name": "add", "input": {"a": 2}}}]}]"#,
        ] {
            check_span("add", &[("mlflow.spanInputs", inputs)], &found);
        }
        let named = [
            ("gen_ai.tool.name", "\"add\""),
            (
                "mlflow.spanInputs",
                r#"[{"role": "tool", "content": {"a": 2}}]"#,
            ),
        ];
        check_span("s", &named, &found);
        let text = [(
            "mlflow.spanInputs",
            r#"[{"role": "tool", "content": [{"text": "{\"a\": 2}"}]}]"#,
        )];
        check_span("add", &text, &[r#"add("{\"a\": 2}")"#]);
    }

    #[test]
    fn spans_may_be_in_lists_in_lists_and_some_may_be_missing() {
        let tool = span(1, "find", &[TOOL]);
        check("mlflow", &trace("", &format!("[[{tool}]]")), &["find(?)"]);
        check(
            "mlflow",
            &format!("[[{}]]", trace("", &format!("[{tool}]"))),
            &["find(?)"],
        );
        let sizes = r#","trace_metadata":{"mlflow.trace.sizeStats":"{\"num_spans\": 3}"}"#;
        let root = span(1, "agent", &[("mlflow.spanType", "\"AGENT\"")]);
        assert_eq!(
            evidence("mlflow", &trace(sizes, &format!("[{root}]"))),
            ["silent", "2 spans that are not in the file"]
        );
        assert_eq!(evidence("mlflow", &trace("", "[]")), ["silent"]);
    }

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

    #[test]
    fn a_merged_span_alone_is_no_run_without_calls() {
        let merged = span(1, "(merged tools)", &[("mlflow.spanType", "\"TOOL\"")]);
        let find = span(2, "find", &[("mlflow.spanType", "\"TOOL\"")]);
        check_gaps(
            "mlflow",
            &trace("", &format!("[{merged}]")),
            &["1 call left out: merged from others"],
        );
        check_gaps("mlflow", &trace("", &format!("[{merged},{find}]")), &[""]);
    }
}
