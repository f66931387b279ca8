//! `UiPath`: any span with a `tool.name` is a call.

use crate::spans::dialect::{SpanDialect, Tool, ToolKind, no_exchange};
use crate::spans::span::{Attribute, TraceSpan};
use crate::trace::{Choices, ToolId, TraceArguments, TraceCall};

pub(super) static DIALECT: SpanDialect = SpanDialect {
    tool,
    exchange: no_exchange,
};

fn tool(span: &TraceSpan<'_>, choices: &Choices) -> Option<Tool> {
    let attributes = &span.attributes;
    let is_of_openinference = attributes.says("openinference.span.kind", "TOOL");
    let mut call = TraceCall {
        name: attributes.label("tool.name")?,
        // The dialect of OpenInference knows which inputs are arguments.
        arguments: if is_of_openinference {
            TraceArguments::Absent
        } else {
            attributes.arguments("input.value")
        },
        output: attributes.output("output.value"),
        ..TraceCall::default()
    };
    match choices.tool_id {
        ToolId::Call => call.id = attributes.label("tool.id"),
        ToolId::Detect if is_of_openinference => {}
        ToolId::Detect | ToolId::Tool => call.tool_id = attributes.label("tool.id"),
    }
    let kind = if is_synthesized(span) {
        ToolKind::Internal
    } else {
        ToolKind::IfNoneIsMarked
    };
    Some(Tool::new(call, kind))
}

/// True for spans synthesized by the framework.
pub(super) fn is_synthesized(span: &TraceSpan<'_>) -> bool {
    let value = span
        .attributes
        .get("tool.synthesized")
        .and_then(Attribute::source)
        .unwrap_or_default();
    !matches!(value, "" | "false" | "False" | "0" | "null")
}
