use std::io::Write as _;

use crate::{Input, Limits, ReadOptions};

/// The question of the first trajectory, as JSON.
fn question(format: &str, text: &str, questions: bool) -> Option<String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let options = ReadOptions {
        questions,
        ..ReadOptions::default()
    };
    let mut input = Input::open(file.path(), Limits::default(), &options).unwrap();
    assert_eq!(input.format().unwrap().unwrap().name, format, "{text}");
    let traces = input.next_traces().unwrap().unwrap();
    assert_eq!(traces.len(), 1, "{text}");
    traces.into_iter().next().unwrap().1.unwrap().input
}

#[track_caller]
fn check(format: &str, text: &str, expected: &str) {
    assert_eq!(question(format, text, true).as_deref(), Some(expected));
    assert_eq!(question(format, text, false), None);
}

/// Spans in JSON, each with its number, its parent's number, its attributes and further members.
fn spans(spans: &[(u8, u8, &str)]) -> String {
    let span = |(id, parent, attributes): &(u8, u8, &str)| {
        format!(
            r#"{{"trace_id":"t","span_id":"{id}","parent_span_id":"{parent}","name":"s","start_time":{id},"end_time":20,"attributes":{{{attributes}}}}}"#
        )
    };
    let spans: Vec<_> = spans.iter().map(span).collect();
    spans.join("\n")
}

const TOOL: &str = r#""gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"find","input.value":"{\"id\":7}""#;

#[test]
fn what_the_user_said_is_read_in_the_words_of_each_convention() {
    for attributes in [
        r#""gen_ai.input.messages":"[{\"role\":\"system\",\"parts\":[]},{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"q\"}]}]""#,
        r#""gen_ai.prompt.0.role":"system","gen_ai.prompt.0.content":"s","gen_ai.prompt.1.role":"user","gen_ai.prompt.1.content":"q""#,
        r#""llm.input_messages.0.message.role":"user","llm.input_messages.0.message.content":"q""#,
        r#""llm.input_messages.0.message.role":"user","llm.input_messages.0.message.contents.0.message_content.text":"q""#,
        r#""ai.prompt.messages":"[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"q\"}]}]""#,
        r#""gcp.vertex.agent.llm_request":"{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"q\"}]}]}""#,
        r#""input.value":"{\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}""#,
        r#""input.value":"q""#,
        r#""input.value":"{\"question\":\"q\",\"k\":4}""#,
        r#""traceloop.entity.input":"{\"inputs\":{}}","langfuse.trace.input":"q""#,
        r#""mlflow.spanInputs":"\"q\"""#,
    ] {
        check(
            "flat-spans",
            &spans(&[(1, 0, attributes), (2, 1, TOOL)]),
            r#""q""#,
        );
    }
}

#[test]
fn the_first_span_counts_and_in_it_what_is_to_be_answered() {
    let said = |text: &str| {
        format!(
            r#""gen_ai.operation.name":"chat","gen_ai.input.messages":"[{{\"role\":\"user\",\"parts\":[{{\"type\":\"text\",\"content\":\"old\"}}]}},{{\"role\":\"assistant\",\"parts\":[]}},{{\"role\":\"user\",\"parts\":[{{\"type\":\"text\",\"content\":\"{text}\"}}]}}]""#
        )
    };
    let (one, two) = (said("one"), said("two"));
    // Spans are in the order of their ends.
    let text = spans(&[(4, 1, &two), (3, 1, TOOL), (2, 1, &one), (1, 0, "")]);
    check("flat-spans", &text, r#""one""#);
    // The root's input wins over messages passed to a model.
    let root = r#""input.value":"asked""#;
    check(
        "flat-spans",
        &spans(&[(1, 0, root), (2, 1, &one), (3, 1, TOOL)]),
        r#""asked""#,
    );
    // A structured input is shown if there is no text.
    let state = r#""input.value":"{\"n\":1}""#;
    check(
        "flat-spans",
        &spans(&[(1, 0, state), (2, 1, &one), (3, 1, TOOL)]),
        r#""one""#,
    );
    check(
        "flat-spans",
        &spans(&[(1, 0, state), (3, 1, TOOL)]),
        r#"{"n":1}"#,
    );
    // The input of a tool is not a question.
    assert_eq!(question("flat-spans", &spans(&[(3, 0, TOOL)]), true), None);
    let none = r#""input.value":"{}""#;
    let text = spans(&[(1, 0, none), (2, 1, state), (3, 1, TOOL)]);
    assert_eq!(question("flat-spans", &text, true), None);
}

#[test]
fn results_of_tools_are_no_words_of_the_user() {
    let shown = r#""gen_ai.prompt.0.role":"user","gen_ai.prompt.0.content":"[{\"type\":\"text\",\"text\":\"q\"}]","gen_ai.prompt.1.role":"user","gen_ai.prompt.1.content":"[{\"type\":\"tool_result\",\"content\":\"x\"}]""#;
    check(
        "flat-spans",
        &spans(&[(1, 0, shown), (2, 1, TOOL)]),
        r#""q""#,
    );
}

#[test]
fn exports_of_platforms_keep_the_question() {
    check(
        "langfuse",
        r#"{"id":"t","input":{"query":"q"},"observations":[{"id":"a","type":"TOOL","name":"find","input":{"id":7}}]}"#,
        r#""q""#,
    );
    check(
        "langfuse",
        r#"{"id":"t","observations":[{"id":"g","type":"GENERATION","name":"m","input":[{"role":"user","content":"q"}]},{"id":"a","type":"TOOL","parentObservationId":"g","name":"find","input":{"id":7}}]}"#,
        r#""q""#,
    );
    check(
        "langsmith",
        r#"{"id":"a","trace_id":"t","run_type":"chain","name":"agent","inputs":{"messages":[{"type":"human","content":"q"}]}}
{"id":"b","trace_id":"t","parent_run_id":"a","run_type":"tool","name":"find","inputs":{"id":7}}"#,
        r#""q""#,
    );
}

#[test]
fn events_hold_the_question_of_older_conventions() {
    let event = r#"{"name":"gen_ai.user.message","timeUnixNano":"1","attributes":[{"key":"content","value":{"stringValue":"q"}}]}"#;
    let span = |id: &str, attributes: &str, events: &str| {
        format!(
            r#"{{"traceId":"t","spanId":"{id}","name":"s","startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[{attributes}],"events":[{events}]}}"#
        )
    };
    let named = r#"{"key":"gen_ai.tool.name","value":{"stringValue":"find"}}"#;
    let text = format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{},{}]}}]}}]}}"#,
        span("a", "", event),
        span("b", named, "")
    );
    check("otlp", &text, r#""q""#);
}
