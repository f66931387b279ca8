//! Tool spans. Their events differ in meaning from those of model spans: a message to the tool is its input, and the choice is its
//! result, as in Strands.

use rightcall_core::value::MAX_DEPTH;

use super::{INPUT, OUTPUT, asked, results};
use crate::node::Node;
use crate::spans::dialect::{Exchange, Tool, ToolKind, fill, tool_in_name};
use crate::spans::dialects::openllmetry;
use crate::spans::dialects::tool_message::tool_message;
use crate::spans::span::{Attribute, Event, TraceSpan};
use crate::trace::conversation::failed;
use crate::trace::{Choices, TraceArguments, TraceCall};

pub(super) fn is_tool(span: &TraceSpan<'_>) -> bool {
    let attributes = &span.attributes;
    attributes.get("gen_ai.tool.name").is_some()
        || attributes.says("gen_ai.operation.name", "execute_tool")
}

pub(super) fn tool(span: &TraceSpan<'_>, _: &Choices) -> Option<Tool> {
    if !is_tool(span) {
        return None;
    }
    let attributes = &span.attributes;
    // OpenLLMetry writes its own attributes' values here too, including the wrappers of callbacks.
    let is_wrapped = attributes.says("traceloop.span.kind", "tool");
    // Koog writes OpenInference's `input.value` and `output.value`.
    let of_other = |key| {
        let is_plain = !is_wrapped && attributes.get("openinference.span.kind").is_none();
        attributes.get(key).filter(|_| is_plain)
    };
    let (arguments, result) = (
        // The second key is of OpenLIT, the third of Sentry.
        [
            "gen_ai.tool.call.arguments",
            "gen_ai.tool.args",
            "gen_ai.tool.input",
        ]
        .iter()
        .find_map(|key| attributes.get(key))
        .or_else(|| of_other("input.value")),
        attributes
            .any(&["gen_ai.tool.call.result", "gen_ai.tool.output"])
            .or_else(|| of_other("output.value")),
    );
    let mut call = TraceCall {
        name: attributes.label("gen_ai.tool.name").unwrap_or_default(),
        id: attributes.label("gen_ai.tool.call.id"),
        ..TraceCall::default()
    };
    if is_wrapped {
        openllmetry::fill_wrapped(&mut call, arguments, result);
    } else {
        call.arguments = arguments.map_or(TraceArguments::Absent, Attribute::arguments);
        match result.and_then(tool_message) {
            Some(message) => message.fill(&mut call),
            None => call.output = result.map(Attribute::output),
        }
    }
    if attributes.says("gen_ai.tool.status", "error") {
        call.error = Some(failed());
    }
    span.events
        .iter()
        .for_each(|event| tool_event(event, &mut call));
    Some(Tool::new(call, ToolKind::Certain).labelled(|| tool_in_name(span)))
}

/// The tool call in a log record, if the record belongs to a tool span.
pub(in crate::spans) fn call_of_record(record: &TraceSpan<'_>) -> Option<TraceCall> {
    let mut call = TraceCall::default();
    for event in &record.events {
        tool_event(event, &mut call);
        fill(&mut call, call_of_body(event));
    }
    let says_something = call.arguments != TraceArguments::Absent || call.output.is_some();
    says_something.then_some(call)
}

/// Reads an event of a tool span: a message to the tool is its input, a choice its result.
fn tool_event(event: &Event<'_>, call: &mut TraceCall) {
    let name = event.name.to_display();
    let mut told = TraceCall {
        id: event.attributes.label("id"),
        ..TraceCall::default()
    };
    match name.strip_prefix("gen_ai.") {
        Some("tool.message") => {
            told.arguments = content_of(event, &["content"])
                .map_or(TraceArguments::Absent, |content| content.arguments());
        }
        Some("choice") => {
            told.output = content_of(event, &["message", "content"]).map(|it| it.output());
        }
        Some("client.inference.operation.details") => {
            let mut exchange = Exchange::default();
            for key in [INPUT, OUTPUT] {
                let messages = event.attributes.get(key);
                _ = messages.and_then(|messages| {
                    messages.read(|messages| {
                        messages
                            .items()
                            .iter()
                            .for_each(|message| asked(message, &mut exchange));
                        results(messages.items(), &mut exchange);
                    })
                });
            }
            let result = exchange.results.into_iter().next();
            told = exchange.asked.into_iter().next().unwrap_or_default();
            told.output = result.and_then(|result| result.output);
        }
        _ => return,
    }
    fill(call, told);
}

/// The value under the first of these keys, in the body of an event or in an attribute.
fn content_of(event: &Event<'_>, keys: &[&str]) -> Option<Attribute<'static>> {
    let Some(body) = &event.body else {
        let keys = keys.iter().chain(&["gen_ai.event.content"]);
        return keys
            .copied()
            .find_map(|key| event.attributes.get(key))
            .cloned()
            .map(Attribute::into_owned);
    };
    let content =
        |body: &Node<'_>| Attribute::from_node(body.any(keys).unwrap_or(body)).into_owned();
    Attribute::Json(body.clone()).read(content)
}

/// The tool call in the body of a record: the tool's input and output.
fn call_of_body(event: &Event<'_>) -> TraceCall {
    let body = event.body.as_deref();
    let body = body.and_then(|body| Node::parse(body, MAX_DEPTH).ok());
    let side = |name: &str, key: &str| {
        let message = body.as_ref()?.at(&[name, "messages"])?.items().first()?;
        let content = message.get("content")?;
        let value = content.get(key).unwrap_or(content);
        Some((Attribute::from_node(value), content.label_at(&["id"])))
    };
    let (input, output) = (side("input", "content"), side("output", "message"));
    let id = input.as_ref().and_then(|(_, id)| id.clone());
    TraceCall {
        id,
        arguments: input.map_or(TraceArguments::Absent, |(input, _)| input.arguments()),
        output: output.map(|(output, _)| output.output()),
        ..TraceCall::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    const TOOL: &str = r#""gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"find","gen_ai.tool.call.id":"c""#;
    const FOUND: [&str; 1] = [r#"find("{\"id\":7}") c -> [{"text":"x"}]"#];

    fn span(attributes: &str, events: &str) -> String {
        format!(
            r#"{{"trace_id":"t","span_id":"1","name":"execute_tool find","start_time":1,"end_time":9,"attributes":{{{attributes}}},"span_events":[{events}]}}"#
        )
        .replace('\n', " ")
    }

    const EVENTS: &str = r#"{"name":"gen_ai.tool.message","attributes":{"role":"tool","content":"{\"id\":7}","id":"c"}},
        {"name":"gen_ai.choice","attributes":{"message":"[{\"text\":\"x\"}]","id":"c"}}"#;

    #[test]
    fn in_the_span_of_a_tool_the_message_is_the_input_and_the_choice_the_result() {
        check("flat-spans", &span(TOOL, EVENTS), &FOUND);
        let asks = r#"{"trace_id":"t","span_id":"0","name":"chat","start_time":0,"end_time":1,"attributes":{"gen_ai.operation.name":"chat"},"span_events":[{"name":"gen_ai.choice","attributes":{"finish_reason":"tool_use","message":"[{\"toolUse\":{\"toolUseId\":\"c\",\"name\":\"find\",\"input\":{\"id\":7}}}]"}}]}"#;
        let told = r#"{"trace_id":"t","span_id":"2","name":"chat","start_time":10,"end_time":11,"attributes":{"gen_ai.operation.name":"chat"},"span_events":[{"name":"gen_ai.tool.message","attributes":{"content":"[{\"toolResult\":{\"toolUseId\":\"c\",\"content\":[{\"text\":\"x\"}]}}]"}},{"name":"gen_ai.choice","attributes":{"message":"[{\"text\":\"done\"}]","finish_reason":"end_turn"}}]}"#;
        let all = [asks, &span(TOOL, EVENTS), told].join("\n");
        check(
            "flat-spans",
            &all,
            &[r#"find("{\"id\":7}") c @0 -> [{"text":"x"}]"#],
        );
        // Without a tool span, its result is in the next model input.
        let models = [asks, told].join("\n");
        check("flat-spans", &models, &[r#"find({"id":7}) c @0 -> "x""#]);
        // The cycle span repeats both.
        let cycle = r#"{"trace_id":"t","span_id":"3","name":"execute_event_loop_cycle","start_time":0,"end_time":9,"attributes":{},"span_events":[{"name":"gen_ai.choice","attributes":{"message":"[{\"toolUse\":{\"toolUseId\":\"c\",\"name\":\"find\",\"input\":{\"id\":7}}}]","tool.result":"[{\"toolResult\":{\"toolUseId\":\"c\",\"content\":[{\"text\":\"x\"}]}}]"}}]}"#;
        check("flat-spans", cycle, &[r#"find({"id":7}) c @0 -> "x""#]);
    }

    #[test]
    fn details_of_an_operation_hold_the_parts_of_both_messages() {
        let event = r#"{"name":"gen_ai.client.inference.operation.details","attributes":{
            "gen_ai.input.messages":"[{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"find\",\"arguments\":{\"id\":7}}]}]",
            "gen_ai.output.messages":"[{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"c\",\"response\":[{\"text\":\"x\"}]}]}]"}}"#;
        check(
            "flat-spans",
            &span(TOOL, event),
            &[r#"find({"id":7}) c -> "x""#],
        );
    }

    #[test]
    fn a_status_and_log_records_belong_to_the_span_of_the_tool() {
        let failed = format!(r#"{TOOL},"gen_ai.tool.status":"error""#);
        check("flat-spans", &span(&failed, ""), &["find(?) c error true"]);
        let record = |name: &str, body: &str| {
            let body = body.replace('"', "\\\"");
            format!(
                r#"{{"timeUnixNano":"2","traceId":"t","spanId":"1","eventName":"{name}","body":{{"stringValue":"{body}"}}}}"#
            )
        };
        let input = record(
            "gen_ai.tool.message",
            r#"{"content":"{\"id\":7}","id":"c"}"#.replace('\\', "\\\\").as_str(),
        );
        let result = record("gen_ai.choice", r#"{"message":[{"text":"x"}]}"#);
        let tool = r#"{"traceId":"t","spanId":"1","name":"execute_tool find","startTimeUnixNano":"1","endTimeUnixNano":"9","attributes":[{"key":"gen_ai.tool.name","value":{"stringValue":"find"}},{"key":"gen_ai.tool.call.id","value":{"stringValue":"c"}}]}"#;
        let request = format!(
            r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{input},{result}]}}]}}],"resourceSpans":[{{"scopeSpans":[{{"spans":[{tool}]}}]}}]}}"#
        );
        check("otlp", &request, &FOUND);
    }

    #[test]
    fn the_body_of_a_record_of_agentcore_may_be_of_a_tool() {
        let record = r#"{"traceId":"t","spanId":"1","timeUnixNano":2,"body":{"input":{"messages":[{"role":"tool","content":{"content":"{\"id\":7}","role":"tool","id":"c"}}]},"output":{"messages":[{"role":"assistant","content":{"message":"[{\"text\":\"x\"}]","id":"c"}}]}},"attributes":{"event.name":"strands.telemetry.tracer"}}"#;
        let both = format!("{}\n{record}", span(TOOL, ""));
        check("flat-spans", &both, &FOUND);
        let other = format!("{record}\n{}", span(TOOL, ""));
        check("flat-spans", &other, &FOUND);
    }
}
