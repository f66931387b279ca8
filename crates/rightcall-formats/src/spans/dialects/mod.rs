//! What a span tells of calls, one file a dialect.
//!
//! One trace mixes dialects, and so may one span: each says what it can read of a span, the first that calls it a tool span
//! decides, and what it does not know is taken from the next.

mod adk;
pub(crate) mod adot;
pub(crate) mod genai;
mod mcp;
pub(crate) mod observations;
mod openinference;
mod openllmetry;
mod pydantic;
mod uipath;
mod vercel;

use rightcall::value::Text;
use serde::{Deserialize, Serialize};

use super::Span;
use crate::trace::conversation::CallResult;
use crate::trace::{Choices, TraceArguments, TraceCall};

/// A way to write calls into spans.
pub(crate) struct Dialect {
    /// What the span tells of a tool that ran; `None` where the dialect does not take it for a tool span.
    tool: fn(&Span<'_>, &Choices) -> Option<Tool>,
    /// What the span tells of calls that a model asked for.
    exchange: fn(&Span<'_>, &mut Exchange),
}

/// All dialects, the most telling first.
static DIALECTS: [&Dialect; 10] = [
    &genai::DIALECT,
    &mcp::DIALECT,
    &openinference::DIALECT,
    &openllmetry::DIALECT,
    &vercel::DIALECT,
    &adk::DIALECT,
    &adot::DIALECT,
    &pydantic::DIALECT,
    &observations::DIALECT,
    &uipath::DIALECT,
];

/// What a tool span tells of its call.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tool {
    pub(crate) call: TraceCall,
    pub(crate) kind: ToolKind,
}

/// How sure it is that a span is a call of the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ToolKind {
    /// It is.
    #[default]
    Certain,
    /// It is marked as a tool span by its span kind; traces that do so mark all.
    Marked,
    /// It is if nothing else in the trace is marked as a tool span.
    IfNoneIsMarked,
    /// It is the protocol's side of a call, which may have a span of its own around it.
    Protocol,
    /// It stands for several calls.
    Merged,
    /// The framework made it up.
    Internal,
}

/// What a span tells of one call of a model.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Exchange {
    /// What the model asked for.
    pub(crate) asked: Vec<TraceCall>,
    /// The results that the model was given, those since its last message.
    pub(crate) results: Vec<CallResult>,
    /// True where what the model said was recorded, whether it asked for calls or not.
    pub(crate) is_answered: bool,
    /// The calls of all messages that the model was shown: the evidence of a trace that has no other.
    pub(crate) history: Vec<TraceCall>,
}

/// What the dialects together make of a span.
pub(crate) fn read(span: &Span<'_>, choices: &Choices) -> (Option<Tool>, Exchange) {
    let mut found: Option<Tool> = None;
    let mut exchange = Exchange::default();
    for dialect in DIALECTS {
        if let Some(tool) = (dialect.tool)(span, choices) {
            match &mut found {
                None => found = Some(tool),
                Some(first) => {
                    fill(&mut first.call, tool.call);
                    if first.kind == ToolKind::Certain && tool.kind != ToolKind::IfNoneIsMarked {
                        first.kind = tool.kind;
                    }
                }
            }
        }
        if exchange.asked.is_empty() && exchange.results.is_empty() {
            (dialect.exchange)(span, &mut exchange);
        }
    }
    if let Some(tool) = &mut found {
        tool.call.start = span.start;
        tool.call.end = span.end;
        tool.call.error = tool.call.error.take().or_else(|| span.error.clone());
        tool.call.source = Some(span.id.clone());
    }
    (found, exchange)
}

/// Takes over what a call does not know yet.
pub(super) fn fill(call: &mut TraceCall, other: TraceCall) {
    if call.name.is_empty() {
        call.name = other.name;
    }
    if call.arguments == TraceArguments::Absent {
        call.arguments = other.arguments;
    }
    call.id = call.id.take().or(other.id);
    call.tool_id = call.tool_id.take().or(other.tool_id);
    call.output = call.output.take().or(other.output);
    call.error = call.error.take().or(other.error);
}

/// No span of a tool.
fn no_tool(_: &Span<'_>, _: &Choices) -> Option<Tool> {
    None
}

/// Nothing of calls that a model asked for.
fn no_exchange(_: &Span<'_>, _: &mut Exchange) {}

/// The span's name without one of these beginnings.
fn name_without(span: &Span<'_>, beginnings: &[&str]) -> Text<'static> {
    let name = span.name.to_display();
    let short = beginnings
        .iter()
        .find_map(|beginning| name.strip_prefix(beginning))
        .unwrap_or(&name);
    Text::from(short.to_owned())
}
