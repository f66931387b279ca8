//! Pydantic AI before it adopted the semantic conventions.

use super::genai::{chosen, provider_calls};
use crate::node::Node;
use crate::spans::dialect::{Exchange, SpanDialect, SpanHistory, Tool, ToolKind, tool_in_name};
use crate::spans::span::TraceSpan;
use crate::trace::conversation::{CallResult, Conversation};
use crate::trace::{Choices, Scope, TraceCall};

pub(super) static DIALECT: SpanDialect = SpanDialect { tool, exchange };

fn tool(span: &TraceSpan<'_>, _: &Choices) -> Option<Tool> {
    let attributes = &span.attributes;
    let is_named = span.name.as_bytes().starts_with(b"running tool: ");
    if !is_named
        && attributes
            .any(&["tool_arguments", "tool_response"])
            .is_none()
    {
        return None;
    }
    let call = TraceCall {
        name: attributes.label("gen_ai.tool.name").unwrap_or_default(),
        arguments: attributes.arguments("tool_arguments"),
        output: attributes.output("tool_response"),
        ..TraceCall::default()
    };
    Some(Tool::new(call, ToolKind::Certain).labelled(|| tool_in_name(span)))
}

/// Events as a list in an attribute: those of one reply, or of an agent's whole run.
fn exchange(span: &TraceSpan<'_>, exchange: &mut Exchange) {
    if let Some(events) = span.attributes.get("events") {
        events.read(|events| {
            for event in events.items() {
                match event.str_at("event.name") {
                    Some("gen_ai.choice") => {
                        exchange.is_answered = true;
                        let message = event.get("message").into_iter();
                        message.for_each(|message| chosen(message, exchange));
                    }
                    Some("gen_ai.assistant.message") => exchange.results.clear(),
                    Some("gen_ai.tool.message") => exchange.results.push(result(event)),
                    _ => {}
                }
            }
        });
    }
    if let Some(events) = span.attributes.get("all_messages_events") {
        exchange.history = events.read(history).unwrap_or_default();
        events.read(|events| {
            let is_reply = |event: &&Node<'_>| event.says("event.name", "gen_ai.assistant.message");
            let replies = events.items().iter().filter(is_reply);
            replies.for_each(|reply| exchange.note_message(reply));
        });
    }
}

fn result(event: &Node<'_>) -> CallResult {
    CallResult::from_node(event, &["id"], &["name"], &["content"])
}

/// The calls of all messages, each with its result.
fn history(events: &Node<'_>) -> SpanHistory {
    let mut conversation = Conversation::new(Scope::default());
    for event in events.items() {
        match event.str_at("event.name") {
            Some("gen_ai.assistant.message") => {
                let mut reply = Exchange::default();
                provider_calls(event, &mut reply);
                conversation.message();
                let calls = reply.asked.into_iter();
                calls.for_each(|call| _ = conversation.call(call));
            }
            Some("gen_ai.tool.message") => _ = conversation.result(result(event)),
            _ => {}
        }
    }
    SpanHistory::of(conversation.finish())
}
