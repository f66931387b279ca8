//! `OpenInference`, as Phoenix and many instrumentations write it.

use std::collections::{BTreeMap, BTreeSet};

use rightcall::call::argument_text;
use rightcall::value::{Text, TextBuilder, Value};

use super::openllmetry::without_wrapper;
use super::{Dialect, Exchange, Tool, ToolKind, name_without};
use crate::format::Scope;
use crate::messages::{json_text, output_of};
use crate::node::Node;
use crate::spans::{Attribute, Span};
use crate::trace::conversation::{CallResult, Conversation};
use crate::trace::{Choices, ToolId, TraceArguments, TraceCall};

pub(super) static DIALECT: Dialect = Dialect { tool, exchange };

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

/// A serialized message of a tool of `LangChain`.
pub(super) struct ToolMessage {
    content: String,
    id: Option<Text<'static>>,
    is_error: bool,
}

impl ToolMessage {
    /// The message that a value is, plain or with what it holds one level down.
    pub(super) fn of(node: &Node<'_>) -> Option<Self> {
        if let Some(text) = node.str() {
            return Self::of_repr(text);
        }
        let body = node
            .any(&["kwargs", "data"])
            .filter(|body| body.is_object())
            .unwrap_or(node);
        let is_message =
            body.has("content") && (body.has("tool_call_id") || body.says("type", "tool"));
        is_message.then(|| Self {
            content: body
                .get("content")
                .map_or_else(|| "null".to_owned(), output_of),
            id: body.label_at(&["tool_call_id"]),
            is_error: body.says("status", "error"),
        })
    }

    /// The message as Python shows it: `content='shipped' name='find_order' tool_call_id='c1'`.
    fn of_repr(text: &str) -> Option<Self> {
        let (content, rest) = python_text(text.trim().strip_prefix("content=")?)?;
        let member = |key: &str| {
            rest.split_once(key)
                .and_then(|(_, value)| python_text(value))
                .map(|(value, _)| value)
        };
        Some(Self {
            content: json_text(&content),
            id: Some(member(" tool_call_id=")?),
            is_error: member(" status=").is_some_and(|status| status == *"error"),
        })
    }

    /// Fills in what the call does not know yet; the result is the message's.
    pub(super) fn fill(self, call: &mut TraceCall) {
        call.output = Some(self.content);
        call.id = call.id.take().or(self.id);
        if self.is_error {
            call.error.get_or_insert_with(|| "true".to_owned());
        }
    }
}

/// The message of a tool that an attribute holds.
pub(super) fn tool_message(output: &Attribute<'_>) -> Option<ToolMessage> {
    let text = output.source()?;
    // Few outputs are messages, and those say so.
    let says = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    if !says("tool_call_id") && !says("\"tool") {
        return None;
    }
    output
        .read(ToolMessage::of)
        .flatten()
        .or_else(|| ToolMessage::of_repr(text))
}

/// The string that a Python text begins with, and what follows it.
fn python_text(text: &str) -> Option<(Text<'static>, &str)> {
    let quote = text
        .chars()
        .next()
        .filter(|letter| matches!(letter, '\'' | '"'))?;
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|&(_, letter)| {
        let is_end = letter == quote && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_end
    });
    let (literal, rest) = text.split_at(end?.0 + 1);
    match argument_text(&Text::from(format!("{{'text': {literal}}}"))).0 {
        Value::Object(object) => object
            .get_str("text")
            .and_then(Value::as_text)
            .map(|text| (text.clone().into_owned(), rest)),
        _ => None,
    }
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
