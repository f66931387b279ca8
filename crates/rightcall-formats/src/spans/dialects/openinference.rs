//! `OpenInference`, as Phoenix and many instrumentations write it.

use std::collections::{BTreeMap, BTreeSet};

use rightcall::value::{Text, TextBuilder};

use super::openllmetry::without_wrapper;
use super::tool_message::tool_message;
use crate::messages::content::json_text;
use crate::spans::dialect::{Exchange, SpanDialect, Tool, ToolKind, name_without};
use crate::spans::span::Span;
use crate::trace::Scope;
use crate::trace::conversation::{CallResult, Conversation};
use crate::trace::{Choices, ToolId, TraceArguments, TraceCall};

pub(super) static DIALECT: SpanDialect = SpanDialect { tool, exchange };

fn tool(span: &Span<'_>, choices: &Choices) -> Option<Tool> {
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
        return Some(Tool {
            call,
            kind: ToolKind::Internal,
        });
    }
    Some(Tool {
        call,
        kind: ToolKind::Marked,
    })
}

/// Calls by message and place: their names, arguments, ids.
type Calls = BTreeMap<(u64, u64), [Option<Text<'static>>; 3]>;

fn exchange(span: &Span<'_>, exchange: &mut Exchange) {
    let mut calls = Calls::new();
    let mut in_contents = Calls::new();
    let mut old: BTreeMap<u64, [Option<Text<'static>>; 3]> = BTreeMap::new();
    let mut inputs: BTreeMap<u64, [Option<Text<'static>>; 4]> = BTreeMap::new();
    let mut in_inputs = Calls::new();
    for (key, value) in &span.attributes.0 {
        if !key.as_bytes().starts_with(b"llm.") {
            continue;
        }
        let Some(path) = key.as_str().and_then(|key| key.strip_prefix("llm.")) else {
            continue;
        };
        let steps: Vec<&str> = path.split('.').collect();
        exchange.is_answered |= steps[0] == "output_messages";
        let number = |step: &str| step.parse::<u64>().ok();
        match steps[..] {
            [
                "output_messages",
                message,
                "message",
                "tool_calls",
                place,
                "tool_call",
                ref field @ ..,
            ] => {
                if let (Some(message), Some(place), Some(field)) =
                    (number(message), number(place), field_of(field))
                {
                    calls.entry((message, place)).or_default()[field] = Some(value.label());
                }
            }
            [
                "output_messages",
                message,
                "message",
                "contents",
                place,
                "tool_call",
                ref field @ ..,
            ] => {
                if let (Some(message), Some(place), Some(field)) =
                    (number(message), number(place), field_of(field))
                {
                    in_contents.entry((message, place)).or_default()[field] = Some(value.label());
                }
            }
            [
                "output_messages",
                message,
                "message",
                field @ ("function_call_name" | "function_call_arguments_json"),
            ] => {
                if let Some(message) = number(message) {
                    old.entry(message).or_default()[usize::from(field != "function_call_name")] =
                        Some(value.label());
                }
            }
            [
                "input_messages",
                message,
                "message",
                "tool_calls",
                place,
                "tool_call",
                ref field @ ..,
            ] => {
                if let (Some(message), Some(place), Some(field)) =
                    (number(message), number(place), field_of(field))
                {
                    in_inputs.entry((message, place)).or_default()[field] = Some(value.label());
                }
            }
            [
                "input_messages",
                message,
                "message",
                field @ ("role" | "content" | "tool_call_id" | "name"),
            ] => {
                if let Some(message) = number(message) {
                    let place = ["role", "content", "tool_call_id", "name"]
                        .iter()
                        .position(|it| *it == field)
                        .unwrap_or_default();
                    inputs.entry(message).or_default()[place] = Some(value.label());
                }
            }
            _ => {}
        }
    }
    // The contents repeat the calls in their order among other content.
    let calls = if calls.is_empty() { in_contents } else { calls };
    exchange
        .asked
        .extend(calls.into_values().chain(old.into_values()).map(asked));
    if !in_inputs.is_empty() {
        exchange.history = history(&inputs, in_inputs);
    }
    for [role, content, id, name] in inputs.into_values() {
        match role.as_ref().and_then(|role| role.as_str()) {
            Some("assistant") => exchange.results.clear(),
            Some("tool") => {
                exchange.results.push(CallResult {
                    id,
                    name,
                    output: content.as_ref().map(json_text),
                    error: None,
                });
            }
            _ => {}
        }
    }
}

fn asked([name, arguments, id]: [Option<Text<'static>>; 3]) -> TraceCall {
    TraceCall {
        name: name.unwrap_or_default(),
        arguments: TraceArguments::Text(
            arguments.unwrap_or_else(|| TextBuilder::default().finish()),
        ),
        id,
        ..TraceCall::default()
    }
}

/// The calls of all messages that the model was shown, each with its result.
fn history(messages: &BTreeMap<u64, [Option<Text<'static>>; 4]>, calls: Calls) -> Vec<TraceCall> {
    let mut of_message: BTreeMap<u64, Vec<TraceCall>> = BTreeMap::new();
    for ((message, _), call) in calls {
        of_message.entry(message).or_default().push(asked(call));
    }
    let numbers: BTreeSet<u64> = messages.keys().chain(of_message.keys()).copied().collect();
    let mut conversation = Conversation::new(Scope::default());
    for number in numbers {
        conversation.message();
        of_message
            .remove(&number)
            .into_iter()
            .flatten()
            .for_each(|call| _ = conversation.call(call));
        if let Some([Some(role), content, id, name]) = messages.get(&number)
            && *role == *"tool"
        {
            let output = content.as_ref().map(json_text);
            conversation.result(CallResult {
                id: id.clone(),
                name: name.clone(),
                output,
                error: None,
            });
        }
    }
    conversation.finish().calls
}

fn field_of(steps: &[&str]) -> Option<usize> {
    match steps {
        ["function", "name"] => Some(0),
        ["function", "arguments"] => Some(1),
        ["id"] => Some(2),
        _ => None,
    }
}
