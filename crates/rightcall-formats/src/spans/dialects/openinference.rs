//! `OpenInference`, as written by Phoenix and many instrumentations.

use std::collections::{BTreeMap, BTreeSet};

use rightcall_core::value::Text;

use super::numbered::{Numbered, NumberedRows, result, take_results};
use super::observations::replied;
use super::openllmetry::without_wrapper;
use super::tool_message::tool_message;
use crate::node::Node;
use crate::notations::DSPY_END;
use crate::spans::dialect::{
    Exchange, SpanDialect, SpanHistory, Tool, ToolKind, is_event_of_tool, tool_in_name,
};
use crate::spans::span::{Attribute, TraceSpan};
use crate::trace::Scope;
use crate::trace::conversation::Conversation;
use crate::trace::{Choices, ToolId, Trace, TraceArguments, TraceCall, Understood};

pub(super) static DIALECT: SpanDialect = SpanDialect { tool, exchange };

fn tool(span: &TraceSpan<'_>, choices: &Choices) -> Option<Tool> {
    let attributes = &span.attributes;
    let is_tool = attributes.says("openinference.span.kind", "TOOL");
    if !is_tool || is_event_of_tool(span) {
        return None;
    }
    let mut call = TraceCall {
        name: attributes.label("tool.name").unwrap_or_default(),
        arguments: attributes
            .get("input.value")
            .or_else(|| {
                attributes
                    .get("tool.parameters")
                    .filter(|it| !is_schema(it))
            })
            .map_or(TraceArguments::Absent, |input| {
                // A tool with one parameter has its value here, without the name of the parameter.
                let arguments = without_wrapper(input.arguments());
                match arguments.understood() {
                    Understood::Object => arguments,
                    _ => TraceArguments::Absent,
                }
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
    let is_end_of_dspy = || method(span).is_some_and(|tool| tool == DSPY_END);
    let is_named = attributes.get("tool.name").is_some();
    let is_internal = super::uipath::is_synthesized(span) || !is_named && is_end_of_dspy();
    let kind = if is_internal {
        ToolKind::Internal
    } else if !is_named && is_handoff(span) {
        ToolKind::HandOff
    } else {
        ToolKind::Marked
    };
    let label = || method(span).map_or_else(|| tool_in_name(span), Text::from);
    Some(Tool::new(call, kind).labelled(label))
}

/// True for the span of a hand-off in `OpenAI`'s Agents SDK. The call that asks for it has another name, in the span of the model.
fn is_handoff(span: &TraceSpan<'_>) -> bool {
    span.name.as_bytes().starts_with(b"handoff to ")
}

/// The tool of a span that has the name of a method, as in `DSPy`.
fn method(span: &TraceSpan<'_>) -> Option<String> {
    let label = tool_in_name(span);
    let tool = label.to_display();
    tool.strip_suffix(".__call__").map(str::to_owned)
}

/// `tool.parameters` is a schema by the specification, but some instrumentations write the arguments there. A schema has `properties`, or
/// a type for each parameter.
fn is_schema(parameters: &Attribute<'_>) -> bool {
    const TYPES: [&str; 14] = [
        "string", "str", "number", "float", "integer", "int", "boolean", "bool", "object", "dict",
        "array", "list", "null", "any",
    ];
    let is_type = |value: &Node<'_>| {
        let word = value.str().or_else(|| value.str_at("type"));
        word.is_some_and(|word| TYPES.contains(&word)) || value.has_any(&["anyOf", "oneOf", "$ref"])
    };
    let read = parameters.read(|node| {
        let entries = node.entries();
        let are_types = !entries.is_empty() && entries.iter().all(|(_, value)| is_type(value));
        !node.is_object() || node.has("properties") || are_types
    });
    read.unwrap_or(true)
}

/// The fields of a call: its name, its arguments, its id.
const CALL: [&[&str]; 3] = [&["function", "name"], &["function", "arguments"], &["id"]];

fn exchange(span: &TraceSpan<'_>, exchange: &mut Exchange) {
    let attributes = &span.attributes;
    if is_event_of_tool(span) {
        let kind = "an event of a tool whose name is not recorded";
        exchange.left_over.push(kind.to_owned());
    }
    let found = Numbered::of(attributes, &["llm."]);
    let is_answered = found.has(&["llm", "output_messages"]);
    if !is_answered && attributes.says("openinference.span.kind", "LLM") {
        // Some instrumentations keep only the provider's raw reply.
        let output = attributes.get("output.value");
        output
            .into_iter()
            .for_each(|output| replied(output, exchange));
    }
    if found.is_empty() {
        return;
    }
    exchange.is_answered |= is_answered;
    let output = ["llm", "output_messages", "#", "message"];
    let input = ["llm", "input_messages", "#", "message"];
    let calls_in = |message: [&str; 4], list: &str| {
        found.rows(&[&message[..], &[list, "#", "tool_call"]].concat(), CALL)
    };
    let mut calls = calls_in(output, "tool_calls");
    let contents = [&output[..], &["contents", "#", "message_content"]].concat();
    let contents = found.rows(&contents, [&["text"], &["type"]]);
    let contents: Vec<_> = contents.into_values().collect();
    if calls.is_empty() {
        // The contents repeat the calls, in order, among other content.
        calls = calls_in(output, "contents");
    }
    let texts = found.rows(&output, [&["role"], &["content"]]).into_values();
    let texts = texts.filter(|[role, _]| role.as_ref().is_none_or(|role| *role == *"assistant"));
    let texts = texts.filter_map(|[_, text]| text);
    texts.for_each(|text| exchange.note_text(&text));
    for [text, kind] in contents {
        text.into_iter().for_each(|text| exchange.note_text(&text));
        exchange.note_kind(kind);
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
        exchange.history = SpanHistory::of(history(&messages, in_inputs));
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

/// The calls of all messages passed to the model, each with its result.
fn history(messages: &NumberedRows<4>, calls: NumberedRows<3>) -> Trace {
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
    conversation.finish()
}
