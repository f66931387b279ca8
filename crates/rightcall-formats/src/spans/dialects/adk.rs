//! Google's Agent Development Kit.

use super::genai::reply;
use crate::spans::dialect::{Exchange, SpanDialect, Tool, ToolKind, tool_in_name};
use crate::spans::span::{Attribute, TraceSpan};
use crate::trace::{Choices, TraceArguments, TraceCall};

pub(super) static DIALECT: SpanDialect = SpanDialect { tool, exchange };

fn tool(span: &TraceSpan<'_>, _: &Choices) -> Option<Tool> {
    let recorded = |key: &str| {
        span.attributes
            .get(key)
            .filter(|value| value.source() != Some("N/A"))
    };
    let mut arguments = recorded("gcp.vertex.agent.tool_call_args");
    let mut response = recorded("gcp.vertex.agent.tool_response");
    if arguments.is_none() && response.is_none() {
        return None;
    }
    // If content is kept out of spans, both are an empty object; a real response hardly ever is.
    let is_empty = |value: Option<&Attribute<'_>>| value.and_then(Attribute::source) == Some("{}");
    if is_empty(arguments) && is_empty(response) {
        (arguments, response) = (None, None);
    }
    let call = TraceCall {
        arguments: arguments.map_or(TraceArguments::Absent, Attribute::arguments),
        output: response.map(Attribute::output),
        ..TraceCall::default()
    };
    Some(Tool::new(call, ToolKind::Certain).labelled(|| tool_in_name(span)))
}

fn exchange(span: &TraceSpan<'_>, exchange: &mut Exchange) {
    if let Some(response) = span.attributes.get("gcp.vertex.agent.llm_response") {
        response.read(|response| {
            response
                .get("content")
                .into_iter()
                .for_each(|content| reply(content, exchange));
        });
    }
}
