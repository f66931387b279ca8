//! Spans of the Model Context Protocol: the client's and the server's side of a call.

use crate::spans::dialect::{SpanDialect, Tool, ToolKind, name_without, no_exchange};
use crate::spans::span::{Attribute, Span};
use crate::trace::{Choices, TraceArguments, TraceCall};

pub(super) static DIALECT: SpanDialect = SpanDialect {
    tool,
    exchange: no_exchange,
};

/// These spans name their tool as the conventions say, so what this dialect adds is their kind.
fn tool(span: &Span<'_>, _: &Choices) -> Option<Tool> {
    let attributes = &span.attributes;
    if !attributes.says("mcp.method.name", "tools/call") {
        return None;
    }
    let call = TraceCall {
        name: attributes
            .label("gen_ai.tool.name")
            .unwrap_or_else(|| name_without(span, &["tools/call "])),
        arguments: attributes
            .get("gen_ai.tool.call.arguments")
            .map_or(TraceArguments::Absent, Attribute::arguments),
        id: attributes.label("gen_ai.tool.call.id"),
        output: attributes
            .get("gen_ai.tool.call.result")
            .map(Attribute::output),
        ..TraceCall::default()
    };
    Some(Tool {
        call,
        kind: ToolKind::Protocol,
    })
}
