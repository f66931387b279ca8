//! `OpenInference`, as Phoenix and many instrumentations write it.

use std::collections::{BTreeMap, BTreeSet};

use rightcall::value::Text;

use super::numbered::{Numbered, NumberedRows, result, take_results};
use super::openllmetry::without_wrapper;
use super::tool_message::tool_message;
use crate::spans::dialect::{Exchange, SpanDialect, Tool, ToolKind, name_without};
use crate::spans::span::TraceSpan;
use crate::trace::Scope;
use crate::trace::conversation::Conversation;
use crate::trace::{Choices, ToolId, TraceArguments, TraceCall};

pub(super) static DIALECT: SpanDialect = SpanDialect { tool, exchange };

fn tool(span: &TraceSpan<'_>, choices: &Choices) -> Option<Tool> {
    let attributes = &span.attributes;
    if !attributes.says("openinference.span.kind", "TOOL") {
        return None;
    }
    let mut call = TraceCall {
        name: attributes
            .label("tool.name")
            .unwrap_or_else(|| name_without(span, &[])),
        arguments: attributes
            .get("input.value")
            .map_or(TraceArguments::Absent, |input| {
                without_wrapper(input.arguments())
            }),
        ..TraceCall::default()
    };
    match choices.tool_id {
        ToolId::Detect | ToolId::Call => call.id = attributes.label("tool.id"),
        ToolId::Tool => call.tool_id = attributes.label("tool.id"),
    }
    if let Some(output) = attributes.get("output.value") {
        match tool_message(output) {
            Some(message) => message.fill(&mut call),
            None => call.output = Some(output.output()),
        }
    }
    if super::uipath::is_synthesized(span) {
        return Some(Tool::new(call, ToolKind::Internal));
    }
    Some(Tool::new(call, ToolKind::Marked))
}

/// What is told of a call: its name, its arguments, its id.
const CALL: [&[&str]; 3] = [&["function", "name"], &["function", "arguments"], &["id"]];

fn exchange(span: &TraceSpan<'_>, exchange: &mut Exchange) {
    let found = Numbered::of(&span.attributes, &["llm."]);
    if found.is_empty() {
        return;
    }
    exchange.is_answered |= found.has(&["llm", "output_messages"]);
    let output = ["llm", "output_messages", "#", "message"];
    let input = ["llm", "input_messages", "#", "message"];
    let calls_in = |message: [&str; 4], list: &str| {
        found.rows(&[&message[..], &[list, "#", "tool_call"]].concat(), CALL)
    };
    let mut calls = calls_in(output, "tool_calls");
    if calls.is_empty() {
        // The contents repeat the calls in their order among other content.
        calls = calls_in(output, "contents");
    }
    let old: [&[&str]; 2] = [&["function_call_name"], &["function_call_arguments_json"]];
    let old = found.rows(&output, old).into_values();
    let old = old.map(|[name, arguments]| [name, arguments, None]);
    exchange
        .asked
        .extend(calls.into_values().chain(old).map(asked));
    let messages = found.rows(
        &input,
        [&["role"], &["content"], &["tool_call_id"], &["name"]],
    );
    let in_inputs = calls_in(input, "tool_calls");
    if !in_inputs.is_empty() {
        exchange.history = history(&messages, in_inputs);
    }
    take_results(messages.into_values(), exchange);
}

fn asked([name, arguments, id]: [Option<Text<'static>>; 3]) -> TraceCall {
    TraceCall {
        name: name.unwrap_or_default(),
        arguments: TraceArguments::Text(arguments.unwrap_or_default()),
        id,
        ..TraceCall::default()
    }
}

/// The calls of all messages that the model was shown, each with its result.
fn history(messages: &NumberedRows<4>, calls: NumberedRows<3>) -> Vec<TraceCall> {
    let mut of_message: BTreeMap<u64, Vec<TraceCall>> = BTreeMap::new();
    for (numbers, call) in calls {
        of_message.entry(numbers.0).or_default().push(asked(call));
    }
    let numbers: BTreeSet<u64> = messages
        .keys()
        .map(|numbers| numbers.0)
        .chain(of_message.keys().copied())
        .collect();
    let mut conversation = Conversation::new(Scope::default());
    for number in numbers {
        conversation.message();
        for call in of_message.remove(&number).into_iter().flatten() {
            conversation.call(call);
        }
        if let Some(result) = messages.get(&(number, 0)).cloned().and_then(result) {
            conversation.result(result);
        }
    }
    conversation.finish().calls
}
