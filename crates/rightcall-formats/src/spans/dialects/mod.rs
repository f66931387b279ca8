//! Reads calls from spans, one file per dialect.
//!
//! Dialects are mixed within one trace, and even within one span. Each dialect reads what it can; the first that recognizes a tool span
//! decides, and facts that it lacks are filled from the later ones.

mod adk;
pub(crate) mod adot;
mod envelope;
pub(crate) mod genai;
mod genkit;
mod mcp;
pub(super) mod numbered;
pub(crate) mod observations;
mod openinference;
mod openllmetry;
mod pydantic;
mod state;
mod tool_message;
mod uipath;
mod vercel;

use super::dialect::{Exchange, SpanDialect, Tool, ToolKind, fill};
use super::span::TraceSpan;
use crate::trace::Choices;

/// All dialects, most specific first.
static DIALECTS: [&SpanDialect; 11] = [
    &genai::DIALECT,
    &mcp::DIALECT,
    &openinference::DIALECT,
    &openllmetry::DIALECT,
    &vercel::DIALECT,
    &adk::DIALECT,
    &adot::DIALECT,
    &genkit::DIALECT,
    &pydantic::DIALECT,
    &observations::DIALECT,
    &uipath::DIALECT,
];

/// Reads a span with all dialects.
pub(crate) fn read(span: &TraceSpan<'_>, choices: &Choices) -> (Option<Tool>, Exchange) {
    let mut found: Option<Tool> = None;
    let mut exchange = Exchange::default();
    for dialect in DIALECTS {
        if let Some(tool) = (dialect.tool)(span, choices) {
            match &mut found {
                None => found = Some(tool),
                Some(first) => add(first, tool),
            }
        }
        if exchange.asked.is_empty() && exchange.results.is_empty() {
            (dialect.exchange)(span, &mut exchange);
        }
    }
    let Some(tool) = &mut found else {
        state::read(span, &mut exchange);
        return (None, exchange);
    };
    let wrapped = observations::take_inputs_of_mlflow(span, &mut tool.call);
    envelope::open(&mut tool.call, &tool.label);
    if tool.call.name.is_empty() {
        tool.call.name = wrapped.unwrap_or_else(|| std::mem::take(&mut tool.label));
    }
    if tool.call.name == *"(merged tools)" {
        tool.kind = ToolKind::Merged;
    }
    tool.call.start = span.start;
    tool.call.end = span.end;
    tool.call.error = tool.call.error.take().or_else(|| span.error.clone());
    (found, exchange)
}

/// Adds the facts of another dialect about the same tool.
fn add(first: &mut Tool, tool: Tool) {
    fill(&mut first.call, tool.call);
    if first.label.is_empty() {
        first.label = tool.label;
    }
    if first.kind == ToolKind::Certain && tool.kind != ToolKind::IfNoneIsMarked {
        first.kind = tool.kind;
    }
}
