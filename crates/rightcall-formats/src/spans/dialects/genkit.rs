//! Genkit: actions with the subtypes tool and model.

use rightcall_core::value::Text;

use crate::messages::content::output_of;
use crate::node::Node;
use crate::spans::dialect::{Exchange, SpanDialect, Tool, ToolKind, tool_in_name};
use crate::spans::span::{Attribute, TraceSpan};
use crate::trace::conversation::CallResult;
use crate::trace::{Choices, TraceArguments, TraceCall};

pub(super) static DIALECT: SpanDialect = SpanDialect { tool, exchange };

/// The placeholder for a redacted text.
const REDACTED: &str = "<redacted>";

fn is_of(span: &TraceSpan<'_>, kind: &str) -> bool {
    let subtype = span.attributes.label("genkit:metadata:subtype");
    let subtype = subtype.as_ref().and_then(Text::as_str).unwrap_or_default();
    // Newer versions append a number to the subtype.
    subtype.split('.').next() == Some(kind)
}

fn tool(span: &TraceSpan<'_>, _: &Choices) -> Option<Tool> {
    if !is_of(span, "tool") {
        return None;
    }
    let attributes = &span.attributes;
    let told = |key: &str| {
        let value = attributes.get(key)?;
        (value.source() != Some(REDACTED)).then_some(value)
    };
    let name = attributes.label("genkit:name");
    let call = TraceCall {
        name: name.unwrap_or_default(),
        arguments: told("genkit:input").map_or(TraceArguments::Absent, Attribute::arguments),
        // Every output is written as JSON text.
        output: told("genkit:output").map(|output| {
            let json = output.read(|value| value.raw().to_owned());
            json.unwrap_or_else(|| output.output())
        }),
        ..TraceCall::default()
    };
    Some(Tool::new(call, ToolKind::Certain).labelled(|| tool_in_name(span)))
}

fn exchange(span: &TraceSpan<'_>, exchange: &mut Exchange) {
    if !is_of(span, "model") {
        return;
    }
    if let Some(output) = span.attributes.get("genkit:output") {
        output.read(|reply| {
            // Older versions return candidates.
            let candidate = reply.list("candidates").first();
            let message = candidate.unwrap_or(reply).get("message");
            exchange.is_answered |= message.is_some();
            message.into_iter().for_each(|it| exchange.note_message(it));
            let parts = message.map_or(&[][..], |message| message.list("content"));
            let asked = parts.iter().filter_map(|part| part.get("toolRequest"));
            exchange.asked.extend(
                asked.map(|request| TraceCall::from_node(request, &["name"], &["input"], &["ref"])),
            );
        });
    }
    if let Some(input) = span.attributes.get("genkit:input") {
        input.read(|request| {
            let is_of_model = |message: &Node<'_>| message.says("role", "model");
            let messages = request.list("messages");
            let from = messages.iter().rposition(is_of_model).unwrap_or_default();
            let parts = messages[from..]
                .iter()
                .flat_map(|message| message.list("content"));
            let told = parts.filter_map(|part| part.get("toolResponse"));
            exchange.results.extend(told.map(|response| CallResult {
                id: response.label_at(&["ref"]),
                name: response.label_at(&["name"]),
                output: response.get("output").map(output_of),
                error: None,
                ..CallResult::default()
            }));
        });
    }
}
