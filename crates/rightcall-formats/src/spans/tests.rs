//! Tests the rules for spans on flat lists.

mod gaps;

use crate::tests::shown;
use crate::trace::Choices;

/// A span: id, parent, start, end, name, attributes.
struct Line(
    &'static str,
    &'static str,
    u64,
    u64,
    &'static str,
    &'static str,
);

fn list(spans: &[Line]) -> String {
    let spans: Vec<_> = spans
        .iter()
        .map(|Line(id, parent, start, end, name, attributes)| {
            format!(
                r#"{{"trace_id":"t","span_id":"{id}","parent_span_id":"{parent}","name":"{name}","start_time":{start},"end_time":{end},"attributes":{{{attributes}}}}}"#
            )
        })
        .collect();
    format!("[{}]", spans.join(",\n"))
}

#[track_caller]
fn check_with(choices: &[(&str, &str)], spans: &[Line], expected: &[&str]) {
    let mut all = Choices::default();
    choices
        .iter()
        .for_each(|(key, value)| all.set(key, value).unwrap());
    assert_eq!(shown("flat-spans", &list(spans), all), expected);
}

#[track_caller]
fn check(spans: &[Line], expected: &[&str]) {
    check_with(&[], spans, expected);
}

const ASKS: &str = r#""gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"find\",\"arguments\":{\"id\":7}},{\"type\":\"tool_call\",\"id\":\"c2\",\"name\":\"final\",\"arguments\":\"{}\"}]}]""#;

#[test]
fn every_dialect_names_tool_arguments_and_result() {
    for (name, attributes, expected) in [
        (
            "execute_tool find",
            r#""gen_ai.operation.name":"execute_tool","gen_ai.tool.call.id":"c","gen_ai.tool.call.arguments":{"id":7},"gen_ai.tool.call.result":"x""#,
            r#"find({"id":7}) c -> "x""#,
        ),
        (
            "tools/call find",
            r#""mcp.method.name":"tools/call","gen_ai.tool.call.arguments":"{}""#,
            r#"find("{}")"#,
        ),
        (
            "find",
            r#""openinference.span.kind":"TOOL","tool.id":"c","input.value":"{'id': 7}","output.value":"{\"content\": \"x\", \"tool_call_id\": \"c\"}""#,
            r#"find("{'id': 7}") c -> "x""#,
        ),
        (
            "Search",
            r#""openinference.span.kind":"TOOL","tool.name":"find","input.value":"{\"args\": [], \"kwargs\": {\"id\": 7}}","output.value":"x""#,
            r#"find({"id": 7}) -> "x""#,
        ),
        (
            "find.tool",
            r#""traceloop.span.kind":"tool","traceloop.entity.input":"{\"args\": [], \"kwargs\": {\"id\": 7}}","traceloop.entity.output":"\"x\"""#,
            r#"find({"id": 7}) -> "x""#,
        ),
        (
            "t",
            r#""traceloop.span.kind":"tool","traceloop.entity.name":"find","traceloop.entity.input":"{\"input_str\":\"{'id': 7}\",\"inputs\":null}""#,
            r#"find("{'id': 7}")"#,
        ),
        (
            "ai.toolCall",
            r#""ai.toolCall.name":"find","ai.toolCall.id":"c","ai.toolCall.args":"{}","ai.toolCall.result":"[1]""#,
            r#"find("{}") c -> [1]"#,
        ),
        (
            "execute_tool find",
            r#""gen_ai.tool.name":"find","gcp.vertex.agent.tool_call_args":"{\"id\": 7}","gcp.vertex.agent.tool_response":"N/A""#,
            r#"find("{\"id\": 7}")"#,
        ),
        (
            "running tool: find",
            r#""tool_arguments":"{}","tool_response":"x""#,
            r#"find("{}") -> "x""#,
        ),
        (
            "step",
            r#""tool.name":"find","tool.id":"t7","input.value":"{}","output.value":"x""#,
            r#"find("{}") t7 -> "x""#,
        ),
    ] {
        check(&[Line("a", "", 1, 2, name, attributes)], &[expected]);
    }
}

#[test]
fn values_of_one_span_may_come_from_several_dialects() {
    check(
        &[Line(
            "a",
            "",
            1,
            2,
            "s",
            r#""gen_ai.tool.name":"find","openinference.span.kind":"TOOL","tool.name":"other","input.value":"{}","traceloop.span.kind":"tool","traceloop.entity.output":"1""#,
        )],
        &[r#"find("{}") -> 1"#],
    );
}

#[test]
fn calls_stand_by_their_start_unless_the_document_is_to_decide() {
    let spans = [
        Line("b", "", 5, 6, "execute_tool b", r#""gen_ai.tool.name":"b""#),
        Line("a", "", 1, 2, "execute_tool a", r#""gen_ai.tool.name":"a""#),
    ];
    check(&spans, &["a(?)", "b(?)"]);
    check_with(&[("order", "document")], &spans, &["b(?)", "a(?)"]);
}

#[test]
fn what_was_asked_for_tells_turn_and_group_and_what_nobody_ran() {
    let spans = [
        Line("llm", "", 1, 2, "chat m", ASKS),
        Line(
            "tool",
            "",
            3,
            4,
            "execute_tool find",
            r#""gen_ai.tool.name":"find","gen_ai.tool.call.result":"x""#,
        ),
    ];
    let found = r#"find({"id":7}) c1 @0 group-1 -> "x""#;
    let not_run = r#"final("{}") c2 @0 group-1 not run"#;
    check(&spans, &[not_run, found]);
    check_with(
        &[("evidence", "ran")],
        &spans,
        &[found, "1 not in the chosen evidence"],
    );
    // Without a tool span the requests are the only evidence, and they don't show what ran.
    check(
        &spans[..1],
        &[
            r#"find({"id":7}) c1 @0 group-1"#,
            r#"final("{}") c2 @0 group-1"#,
        ],
    );
}

#[test]
fn results_come_from_the_next_input_where_no_tool_span_has_them() {
    let answers = r#""gen_ai.input.messages":[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"find","arguments":{}}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"x"}]}],"gen_ai.output.messages":[{"role":"assistant","parts":[]}]"#;
    check(
        &[
            Line("l2", "", 5, 6, "chat m", answers),
            Line("l1", "", 1, 2, "chat m", ASKS),
        ],
        &[
            r#"find({"id":7}) c1 @0 group-1 -> "x""#,
            r#"final("{}") c2 @0 group-1"#,
        ],
    );
}

#[test]
fn a_span_around_a_model_call_may_repeat_what_was_asked() {
    check(
        &[
            Line("llm", "agent", 2, 3, "chat m", ASKS),
            Line("agent", "", 1, 9, "invoke_agent a", ASKS),
        ],
        &[
            r#"find({"id":7}) c1 @0 group-1"#,
            r#"final("{}") c2 @0 group-1"#,
            "2 recorded twice",
        ],
    );
}

#[test]
fn a_call_that_several_instrumentations_saw_counts_once() {
    const FIND: &str = r#""gen_ai.tool.name":"find","gen_ai.tool.call.arguments":"{\"id\": 7}""#;
    check(
        &[
            Line(
                "inner",
                "outer",
                2,
                3,
                "execute_tool find",
                r#""gen_ai.tool.name":"find","gen_ai.tool.call.arguments":{"id":7},"gen_ai.tool.call.result":"x""#,
            ),
            Line("outer", "", 1, 4, "execute_tool find", FIND),
            Line("inner", "outer", 2, 3, "execute_tool find", FIND),
        ],
        &[
            r#"find("{\"id\": 7}") -> "x""#,
            "1 exported again",
            "1 recorded twice",
        ],
    );
    check(
        &[
            Line(
                "tool",
                "",
                1,
                9,
                "execute_tool srv_find",
                r#""gen_ai.tool.name":"srv_find""#,
            ),
            Line(
                "client",
                "tool",
                2,
                8,
                "tools/call find",
                r#""mcp.method.name":"tools/call","gen_ai.tool.name":"find""#,
            ),
            Line(
                "server",
                "client",
                3,
                7,
                "tools/call find",
                r#""mcp.method.name":"tools/call","gen_ai.tool.name":"find""#,
            ),
        ],
        &["srv_find(?)", "2 recorded twice"],
    );
    // Different arguments mean a different call: an agent that calls itself.
    check(
        &[
            Line("outer", "", 1, 4, "execute_tool find", FIND),
            Line(
                "inner",
                "outer",
                2,
                3,
                "execute_tool find",
                r#""gen_ai.tool.name":"find","gen_ai.tool.call.arguments":"{}""#,
            ),
        ],
        &[r#"find("{\"id\": 7}")"#, r#"find("{}") in 0"#],
    );
}

#[test]
fn calls_of_sub_agents_know_the_call_around_them_and_can_be_left_out() {
    let spans = [
        Line(
            "tool",
            "sub",
            3,
            4,
            "execute_tool find",
            r#""gen_ai.tool.name":"find""#,
        ),
        Line(
            "sub",
            "ask",
            2,
            5,
            "invoke_agent helper",
            r#""gen_ai.operation.name":"invoke_agent","gen_ai.agent.name":"helper""#,
        ),
        Line(
            "ask",
            "",
            1,
            6,
            "execute_tool ask",
            r#""gen_ai.tool.name":"ask""#,
        ),
    ];
    check(&spans, &["ask(?)", "find(?) helper in 0"]);
    check_with(
        &[("sub-agents", "drop")],
        &spans,
        &["ask(?)", "1 of sub-agents"],
    );
}

#[test]
fn tool_spans_that_are_marked_decide_for_all_of_a_trace() {
    check(
        &[
            Line(
                "a",
                "",
                1,
                2,
                "s",
                r#""openinference.span.kind":"TOOL","tool.name":"find""#,
            ),
            Line(
                "b",
                "",
                3,
                4,
                "s",
                r#""openinference.span.kind":"CHAIN","tool.name":"look""#,
            ),
        ],
        &["find(?)", "1 not marked as a tool's, where others are"],
    );
    check(
        &[Line(
            "b",
            "",
            3,
            4,
            "s",
            r#""openinference.span.kind":"CHAIN","tool.name":"look""#,
        )],
        &["look(?)"],
    );
}

#[test]
fn start_success_and_finish_of_one_run_are_one_call() {
    check(
        &[
            Line(
                "a",
                "p",
                1,
                9,
                "run",
                r#""tool.name":"find","input.value":"{}""#,
            ),
            Line("b", "p", 1, 1, "start", r#""tool.name":"find""#),
            Line(
                "c",
                "p",
                9,
                9,
                "success",
                r#""tool.name":"find","output.value":"x""#,
            ),
            Line(
                "d",
                "p",
                10,
                11,
                "run",
                r#""tool.name":"find","input.value":"{}""#,
            ),
        ],
        &[r#"find("{}") -> "x""#, r#"find("{}")"#, "2 recorded twice"],
    );
}

#[test]
fn merged_and_made_up_spans_are_left_out() {
    let spans = [
        Line(
            "a",
            "",
            1,
            2,
            "execute_tool (merged tools)",
            r#""gen_ai.tool.name":"(merged tools)""#,
        ),
        Line(
            "b",
            "",
            3,
            4,
            "s",
            r#""tool.name":"find","tool.synthesized":true"#,
        ),
    ];
    check(
        &spans,
        &["1 merged from others", "1 internal to the framework"],
    );
    check_with(
        &[("internal", "keep")],
        &spans,
        &["find(?)", "1 merged from others"],
    );
}

#[test]
fn tool_id_is_the_call_or_the_tool() {
    let marked = [Line(
        "a",
        "",
        1,
        2,
        "s",
        r#""openinference.span.kind":"TOOL","tool.name":"find","tool.id":"x""#,
    )];
    let case = |choice: &str| {
        let mut choices = Choices::default();
        choices.set("tool-id", choice).unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, list(&marked).as_bytes()).unwrap();
        let options = crate::ReadOptions {
            choices,
            ..crate::ReadOptions::default()
        };
        let mut input =
            crate::Input::open(file.path(), crate::Limits::default(), &options).unwrap();
        let trace = input.next_traces().unwrap().unwrap().remove(0).1.unwrap();
        (
            trace.calls[0].id.is_some(),
            trace.calls[0].tool_id.is_some(),
        )
    };
    assert_eq!(
        [case("detect"), case("call"), case("tool")],
        [(true, false), (true, false), (false, true)]
    );
}

#[test]
fn otlp_values_and_events_are_read() {
    let request = r#"{"resourceSpans":[{"scopeSpans":[{"spans":[
        {"traceId":"0AF7","spanId":"B1","name":"execute_tool find","startTimeUnixNano":"5","endTimeUnixNano":7,"status":{"code":"STATUS_CODE_ERROR","message":"timeout"},
         "attributes":[{"key":"gen_ai.tool.name","value":{"stringValue":"find"}},
            {"key":"gen_ai.tool.call.arguments","value":{"kvlistValue":{"values":[{"key":"id","value":{"intValue":"9007199254740993"}},{"key":"l","value":{"arrayValue":{"values":[{"doubleValue":1.0},{"boolValue":true},{}]}}}]}}}]},
        {"traceId":"0af7","spanId":"b2","name":"chat m","startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[],
         "events":[{"name":"gen_ai.choice","attributes":[{"key":"gen_ai.event.content","value":{"stringValue":"{\"message\":{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"find\",\"arguments\":\"{}\"}}]}}"}}]}]}]}]}]}"#;
    let one_line = request.replace('\n', " ");
    for text in [request.to_owned(), format!("{one_line}\n{one_line}\n")] {
        let mut found = shown("otlp", &text, Choices::default());
        found.retain(|line| !line.contains("exported again"));
        assert_eq!(
            found,
            [r#"find({"id":9007199254740993,"l":[1.0,true,null]}) c @0 error "timeout""#]
        );
    }
}

#[test]
fn log_records_are_events_of_their_spans() {
    let record = |name: &str, body: &str| {
        format!(
            r#"{{"timeUnixNano":"1","traceId":"t","spanId":"s","eventName":"{name}","body":{{"stringValue":"{}"}}}}"#,
            body.replace('"', "\\\"")
        )
    };
    let choice = record(
        "gen_ai.choice",
        r#"{"message":{"tool_calls":[{"id":"c","function":{"name":"find","arguments":"{}"}}]}}"#,
    );
    let result =
        record("gen_ai.tool.message", r#"{"id":"c","content":"x"}"#).replace("\"1\"", "\"2\"");
    let text =
        format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{result},{choice}]}}]}}]}}"#);
    assert_eq!(
        shown("otlp", &text, Choices::default()),
        [r#"find("{}") c @0 -> "x""#]
    );
}
