//! What a dialect tells of a span.

use rightcall::value::Text;
use serde::{Deserialize, Serialize};

use super::span::TraceSpan;
use crate::trace::conversation::CallResult;
use crate::trace::{Choices, TraceArguments, TraceCall};

/// A way to write calls into spans.
pub(crate) struct SpanDialect {
    /// What the span tells of a tool that ran; `None` where the dialect does not take it for a tool span.
    pub(crate) tool: fn(&TraceSpan<'_>, &Choices) -> Option<Tool>,
    /// What the span tells of calls that a model asked for.
    pub(crate) exchange: fn(&TraceSpan<'_>, &mut Exchange),
}

/// What a tool span tells of its call.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tool {
    pub(crate) call: TraceCall,
    pub(crate) kind: ToolKind,
}

impl Tool {
    pub(crate) fn new(call: TraceCall, kind: ToolKind) -> Self {
        Self { call, kind }
    }
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

/// Takes over what a call does not know yet.
pub(crate) fn fill(call: &mut TraceCall, other: TraceCall) {
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
pub(crate) fn no_tool(_: &TraceSpan<'_>, _: &Choices) -> Option<Tool> {
    None
}

/// Nothing of calls that a model asked for.
pub(crate) fn no_exchange(_: &TraceSpan<'_>, _: &mut Exchange) {}

/// The span's name without one of these beginnings.
pub(crate) fn name_without(span: &TraceSpan<'_>, beginnings: &[&str]) -> Text<'static> {
    let name = span.name.to_display();
    let short = beginnings
        .iter()
        .find_map(|beginning| name.strip_prefix(beginning))
        .unwrap_or(&name);
    Text::from(short.to_owned())
}
