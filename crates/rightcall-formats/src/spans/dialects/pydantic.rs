//! Pydantic AI before it took to the semantic conventions.

use super::genai::provider_calls;
use crate::messages::content::output_of;
use crate::spans::dialect::{Exchange, SpanDialect, Tool, ToolKind, name_without};
use crate::spans::span::TraceSpan;
use crate::trace::conversation::CallResult;
use crate::trace::{Choices, TraceCall};

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
        name: attributes
            .label("gen_ai.tool.name")
            .unwrap_or_else(|| name_without(span, &["running tool: "])),
        arguments: attributes.arguments("tool_arguments"),
        output: attributes.output("tool_response"),
        ..TraceCall::default()
    };
    Some(Tool::new(call, ToolKind::Certain))
}

/// Events as a list in an attribute.
fn exchange(span: &TraceSpan<'_>, exchange: &mut Exchange) {
    let Some(events) = span.attributes.get("events") else {
        return;
    };
    events.read(|events| {
        for event in events.items() {
            match event.str_at("event.name") {
                Some("gen_ai.choice") => event
                    .get("message")
                    .into_iter()
                    .for_each(|message| provider_calls(message, exchange)),
                Some("gen_ai.assistant.message") => exchange.results.clear(),
                Some("gen_ai.tool.message") => exchange.results.push(CallResult {
                    id: event.label_at(&["id"]),
                    name: event.label_at(&["name"]),
                    output: event.get("content").map(output_of),
                    error: None,
                }),
                _ => {}
            }
        }
    });
}
