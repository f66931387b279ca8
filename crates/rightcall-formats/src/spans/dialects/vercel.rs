//! Telemetry of Vercel's AI SDK before it adopted the semantic conventions.

use super::genai::{is_no_reply_text, provider_calls};
use super::observations::answers;
use crate::json;
use crate::node::Node;
use crate::spans::dialect::{Exchange, SpanDialect, Tool, ToolKind};
use crate::spans::span::{Attribute, TraceSpan};
use crate::trace::{Choices, TraceArguments, TraceCall};

pub(super) static DIALECT: SpanDialect = SpanDialect { tool, exchange };

fn tool(span: &TraceSpan<'_>, _: &Choices) -> Option<Tool> {
    let attributes = &span.attributes;
    let call = TraceCall {
        name: attributes.label("ai.toolCall.name")?,
        arguments: attributes
            .any(&["ai.toolCall.args", "ai.toolCall.input"])
            .map_or(TraceArguments::Absent, Attribute::arguments),
        id: attributes.label("ai.toolCall.id"),
        output: attributes
            .any(&["ai.toolCall.result", "ai.toolCall.output"])
            .map(result),
        ..TraceCall::default()
    };
    Some(Tool::new(call, ToolKind::Certain))
}

/// A result, which is always written as JSON text.
fn result(value: &Attribute<'_>) -> String {
    let json = value.source().filter(|text| json::is_whole(text));
    json.map_or_else(|| value.output(), ToOwned::to_owned)
}

/// The outer span of a generation repeats the calls of the last inner one.
fn exchange(span: &TraceSpan<'_>, exchange: &mut Exchange) {
    let attributes = &span.attributes;
    let texts = ["ai.response.text", "ai.response.object"];
    let texts = texts.iter().filter_map(|key| attributes.text(key));
    texts.for_each(|text| exchange.note_text(&text));
    if let Some(calls) = attributes.get("ai.response.toolCalls") {
        calls.read(|calls| {
            exchange.has_spoken |= calls.is_list() && calls.items().is_empty();
            let text = format!("{{\"role\":\"assistant\",\"content\":{}}}", calls.raw());
            if let Ok(message) = Node::parse(
                &text.replace("\"toolCallType\":\"function\"", "\"type\":\"tool-call\""),
                rightcall_core::value::MAX_DEPTH,
            ) {
                provider_calls(&message, exchange);
            }
        });
    }
    if let Some(messages) = attributes.get("ai.prompt.messages") {
        messages.read_last_items(is_no_reply_text, |messages| {
            let messages: Vec<_> = messages.iter().collect();
            answers(&messages, exchange);
        });
    }
}
