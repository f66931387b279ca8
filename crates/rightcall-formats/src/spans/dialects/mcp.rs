//! Spans of the Model Context Protocol: the client side and the server side of a call.

use crate::spans::dialect::{SpanDialect, Tool, ToolKind, no_exchange, tool_in_name};
use crate::spans::span::TraceSpan;
use crate::trace::{Choices, TraceCall};

pub(super) static DIALECT: SpanDialect = SpanDialect {
    tool,
    exchange: no_exchange,
};

/// These spans name their tool as in the conventions, so this dialect only adds their kind.
fn tool(span: &TraceSpan<'_>, _: &Choices) -> Option<Tool> {
    let attributes = &span.attributes;
    if !attributes.says("mcp.method.name", "tools/call") {
        return None;
    }
    let call = TraceCall {
        name: ["gen_ai.tool.name", "mcp.tool.name"]
            .iter()
            .find_map(|key| attributes.label(key))
            .unwrap_or_default(),
        arguments: attributes.arguments("gen_ai.tool.call.arguments"),
        id: attributes.label("gen_ai.tool.call.id"),
        output: attributes.output("gen_ai.tool.call.result"),
        ..TraceCall::default()
    };
    Some(Tool::new(call, ToolKind::Protocol).labelled(|| tool_in_name(span)))
}
