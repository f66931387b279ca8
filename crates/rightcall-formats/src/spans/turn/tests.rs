use crate::tests::{evidence, shown};
use crate::trace::Choices;

/// A span of a trace: its id, its parent's id, its attributes and its events.
fn span(id: u32, parent: u32, attributes: &str, events: &str) -> String {
    format!(
        r#"{{"trace_id":"t","span_id":"{id}","parent_span_id":"{parent}","name":"chat m","start_time":{id},"end_time":{},"attributes":{{{attributes}}},"span_events":[{events}]}}"#,
        200 - id
    )
}

#[track_caller]
fn check(spans: &[String], expected: &[&str]) {
    assert_eq!(
        evidence("flat-spans", &spans.join("\n")),
        expected,
        "{spans:?}"
    );
}

#[track_caller]
fn check_one(attributes: &str, events: &str, expected: &[&str]) {
    check(&[span(1, 0, attributes, events)], expected);
}

const CHAT: &str = r#""gen_ai.operation.name":"chat""#;

fn ended(reason: &str) -> String {
    format!(r#"{CHAT},"gen_ai.response.finish_reasons":["{reason}"]"#)
}

fn tool(name: &str) -> String {
    format!(r#""gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"{name}""#)
}

#[test]
fn every_dialect_shows_that_the_agent_spoke() {
    for attributes in [
        r#""gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"x\"}],\"finish_reason\":\"stop\"}]""#,
        r#""gen_ai.output.messages":[{"role":"assistant","content":"x"}]"#,
        r#""gen_ai.response.finish_reasons":["stop"]"#,
        r#""gen_ai.response.finish_reasons":"[\"end_turn\"]""#,
        r#""openinference.span.kind":"LLM","llm.output_messages.0.message.role":"assistant","llm.output_messages.0.message.content":"x""#,
        r#""openinference.span.kind":"LLM","llm.output_messages.0.message.contents.0.message_content.type":"text","llm.output_messages.0.message.contents.0.message_content.text":"x""#,
        r#""openinference.span.kind":"LLM","output.value":"x""#,
        r#""openinference.span.kind":"LLM","output.value":"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}]}""#,
        r#""gen_ai.completion.0.role":"assistant","gen_ai.completion.0.content":"x""#,
        r#""gen_ai.completion.0.finish_reason":"stop""#,
        r#""ai.response.text":"x""#,
        r#""ai.response.finishReason":"stop""#,
        r#""gcp.vertex.agent.llm_response":"{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"x\"}]}}""#,
        r#""genkit:metadata:subtype":"model","genkit:output":"{\"message\":{\"role\":\"model\",\"content\":[{\"text\":\"x\"}]}}""#,
        r#""events":"[{\"event.name\":\"gen_ai.choice\",\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}]""#,
        r#""all_messages_events":"[{\"event.name\":\"gen_ai.user.message\",\"role\":\"user\",\"content\":\"q\"},{\"event.name\":\"gen_ai.assistant.message\",\"role\":\"assistant\",\"content\":\"x\"}]""#,
        r#""pydantic_ai.all_messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"x\"}]}]""#,
        r#""langfuse.observation.type":"generation","langfuse.observation.output":"x""#,
        r#""langfuse.observation.type":"generation","langfuse.observation.output":"{\"role\":\"assistant\",\"content\":\"x\"}""#,
        r#""langsmith.span.kind":"llm","gen_ai.completion":"{\"generations\":[[{\"text\":\"x\"}]]}""#,
        r#""mlflow.spanType":"\"CHAT_MODEL\"","mlflow.spanOutputs":"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}]}""#,
        r#""output.value":"{\"messages\":[{\"type\":\"human\",\"content\":\"q\"},{\"type\":\"ai\",\"content\":\"x\"}]}""#,
        r#""traceloop.entity.output":"{\"outputs\":{\"messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":\"x\"}]}}""#,
        r#""gen_ai.output.messages":[{"role":"assistant","content":"","tool_calls":[]}]"#,
    ] {
        check_one(attributes, "", &["spoke"]);
    }
    for event in [
        r#"{"name":"gen_ai.choice","attributes":{"message":"x","finish_reason":"end_turn"}}"#,
        r#"{"name":"gen_ai.choice","attributes":{"message":"[{\"text\":\"x\"}]"}}"#,
        r#"{"name":"gen_ai.choice","attributes":{"gen_ai.event.content":"{\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}"}}"#,
        r#"{"name":"gen_ai.choice","attributes":{},"body":{"index":0,"finish_reason":"stop","message":{}}}"#,
        r#"{"name":"gen_ai.client.inference.operation.details","attributes":{"gen_ai.output.messages":[{"role":"assistant","parts":[{"type":"text","content":"x"}]}]}}"#,
    ] {
        check_one(CHAT, event, &["spoke"]);
    }
}

#[test]
fn what_others_said_and_what_a_root_returned_are_no_turns_of_the_agent() {
    for attributes in [
        CHAT,
        r#""gen_ai.input.messages":[{"role":"user","parts":[{"type":"text","content":"q"}]}]"#,
        r#""openinference.span.kind":"AGENT","input.value":"q","output.value":"x""#,
        r#""openinference.span.kind":"CHAIN","output.value":"{\"output\":\"x\"}""#,
        r#""langsmith.span.kind":"chain","gen_ai.completion":"{\"output\":\"x\"}""#,
        r#""mlflow.spanType":"\"AGENT\"","mlflow.spanOutputs":"\"x\"""#,
        r#""langfuse.observation.type":"span","langfuse.observation.output":"x""#,
        r#""output.value":"{\"messages\":[{\"type\":\"ai\",\"content\":\"before\"},{\"type\":\"human\",\"content\":\"q\"}]}""#,
        r#""gen_ai.output.messages":[{"role":"assistant"}]"#,
        r#""gen_ai.output.messages":[]"#,
    ] {
        check_one(attributes, "", &["silent"]);
    }
    let asked = r#"{"name":"gen_ai.user.message","attributes":{"content":"q"}}"#;
    check_one(CHAT, asked, &["silent"]);
}

#[test]
fn a_model_that_ended_to_call_tools_made_calls() {
    for (attributes, reason) in [
        (ended("tool_calls"), "tool_calls"),
        (
            format!(r#"{CHAT},"gen_ai.response.finish_reasons":"[\"tool_use\"]""#),
            "tool_use",
        ),
        (r#""gen_ai.completion.0.finish_reason":"tool_calls""#.to_owned(), "tool_calls"),
        (r#""ai.response.finishReason":"tool-calls""#.to_owned(), "tool-calls"),
        (
            r#""gen_ai.output.messages":[{"role":"assistant","parts":[],"finish_reason":"tool_call"}]"#.to_owned(),
            "tool_call",
        ),
        (
            r#""langsmith.span.kind":"llm","gen_ai.completion":"{\"generations\":[[{\"generation_info\":{\"finish_reason\":\"tool_calls\"},\"message\":{\"kwargs\":{\"content\":\"\"}}}]]}""#.to_owned(),
            "tool_calls",
        ),
        (
            r#""mlflow.spanType":"\"LLM\"","mlflow.spanOutputs":"{\"stop_reason\":\"tool_use\",\"content\":[]}""#.to_owned(),
            "tool_use",
        ),
        (
            r#""gcp.vertex.agent.llm_response":"{\"finish_reason\":\"MALFORMED_FUNCTION_CALL\"}","gen_ai.operation.name":"generate_content""#.to_owned(),
            "MALFORMED_FUNCTION_CALL",
        ),
    ] {
        let lost = format!("1 finish reason `{reason}` without a call");
        check_one(&attributes, "", &["silent", &lost]);
    }
    let event =
        r#"{"name":"gen_ai.choice","attributes":{"message":"x","finish_reason":"tool_use"}}"#;
    let lost = "1 finish reason `tool_use` without a call";
    check_one(CHAT, event, &["spoke", lost]);
}

#[test]
fn the_call_of_a_model_may_be_in_the_span_of_its_tool_alone() {
    let asks = |id| span(id, 0, &ended("tool_calls"), "");
    let ran = |id| span(id, 0, &tool("find"), "");
    let last = |id| span(id, 0, &ended("stop"), "");
    let lost = "1 finish reason `tool_calls` without a call";
    check(&[asks(1), ran(2), last(3)], &["spoke"]);
    check(&[last(3), ran(2), asks(1)], &["spoke"]);
    check(&[asks(1), ran(2), asks(3), last(4)], &["spoke", lost]);
    check(&[asks(1), asks(2), ran(3), ran(4), last(5)], &["spoke"]);
    check(
        &[asks(1), ran(2), ran(3), asks(4), last(5)],
        &["spoke", lost],
    );
    check(&[ran(1), asks(2), last(3)], &["spoke", lost]);
    // A span around the model's may repeat its reason.
    let outer = span(1, 0, r#""ai.response.finishReason":"tool-calls""#, "");
    let inner = span(2, 1, r#""ai.response.finishReason":"tool-calls""#, "");
    check(&[inner, outer, ran(3), last(4)], &["spoke"]);
    // An explicitly requested call belongs to another model.
    let asked = r#""gen_ai.output.messages":[{"role":"assistant","parts":[{"type":"tool_call","name":"find","arguments":{}}],"finish_reason":"tool_call"}]"#;
    check(&[span(1, 0, asked, ""), ran(2), asks(3)], &["spoke", lost]);
    check(&[span(1, 0, asked, ""), ran(2)], &["spoke"]);
}

#[test]
fn parts_of_a_type_that_is_not_known_are_left_over_if_they_hold_an_object() {
    let reply = |part: &str| {
        format!(
            r#""gen_ai.output.messages":[{{"role":"assistant","parts":[{{"type":"text","content":"x"}},{part}]}}]"#
        )
    };
    let lost = ["spoke", "1 a part of the type `action`"];
    check_one(
        &reply(r#"{"type":"action","payload":{"do":"ls"}}"#),
        "",
        &lost,
    );
    check_one(
        &reply(r#"{"type":"action","steps":[{"do":"ls"}]}"#),
        "",
        &lost,
    );
    for part in [
        r#"{"type":"action","note":"ls"}"#,
        r#"{"type":"mood","metadata":{"id":7}}"#,
        r#"{"type":"image","source":{"url":"u"}}"#,
    ] {
        check_one(&reply(part), "", &["spoke"]);
    }
    let asked = r#""gen_ai.input.messages":[{"role":"user","parts":[{"type":"action","payload":{"do":"ls"}}]}]"#;
    check_one(asked, "", &["silent"]);
    let content = r#""langfuse.observation.type":"generation","langfuse.observation.output":"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"action\",\"payload\":{\"do\":\"ls\"}}]}""#;
    check_one(content, "", &lost);
}

#[test]
fn the_calls_of_a_state_since_its_question_are_of_the_run() {
    let state = |messages: &str| {
        let messages = messages.replace('"', "\\\"");
        format!(
            r#""input.value":"{{\"messages\":[{{\"type\":\"human\",\"content\":\"q\"}}]}}","output.value":"{{\"messages\":[{messages}]}}""#
        )
    };
    let user = r#"{"type":"human","content":"q"}"#;
    let before = r#"{"type":"human","content":"p"}"#;
    let asks = r#"{"type":"ai","content":"","tool_calls":[{"name":"find","args":{},"id":"c"}]}"#;
    let said = r#"{"type":"ai","content":"x"}"#;
    let model = span(
        2,
        1,
        r#""langsmith.span.kind":"llm","gen_ai.completion":"x""#,
        "",
    );
    let ran = span(3, 1, &tool("find"), "");
    let other = span(3, 1, &tool("look"), "");
    let with = |messages: &[&str], other: &String| {
        let state = span(1, 0, &state(&messages.join(",")), "");
        let text = format!("{state}\n{other}");
        let calls = shown("flat-spans", &text, Choices::default());
        (calls.join(" "), evidence("flat-spans", &text).join(", "))
    };
    let all = |calls: &str, evidence: &str| (calls.to_owned(), evidence.to_owned());
    assert_eq!(
        with(&[user, asks, said], &model),
        all("find({}) c @1", "spoke")
    );
    assert_eq!(with(&[before, asks, user, said], &model), all("", "spoke"));
    assert_eq!(with(&[asks, said], &model), all("find({}) c @0", "spoke"));
    assert_eq!(with(&[user, asks, said], &ran), all("find(?)", "spoke"));
    let lost = "spoke, 1 a call in the messages of a state that no span shows";
    assert_eq!(with(&[user, asks, said], &other), all("look(?)", lost));
    assert_eq!(with(&[user, asks, asks, said], &ran), all("find(?)", lost));
}
