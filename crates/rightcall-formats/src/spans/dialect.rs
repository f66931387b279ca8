//! What a dialect tells of a span.

use rightcall::value::Text;
use serde::{Deserialize, Serialize};

use super::span::TraceSpan;
use crate::trace::Suspect;
use crate::trace::conversation::CallResult;
use crate::trace::{Choices, Trace, TraceArguments, TraceCall};

/// A way to write calls into spans.
pub(crate) struct SpanDialect {
    /// What the span tells of a tool that ran; `None` where the dialect does not take it for a tool span.
    pub(crate) tool: fn(&TraceSpan<'_>, &Choices) -> Option<Tool>,
    /// What the span tells of calls that a model asked for.
    pub(crate) exchange: fn(&TraceSpan<'_>, &mut Exchange),
}

/// What a tool span says of its call. Where no attribute names the tool, its label does.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tool {
    pub(crate) call: TraceCall,
    pub(crate) kind: ToolKind,
    /// The name in the name of the span, for a tool that nothing else names.
    #[serde(skip)]
    pub(crate) label: Text<'static>,
}

impl Tool {
    pub(crate) fn new(call: TraceCall, kind: ToolKind) -> Self {
        Self {
            call,
            kind,
            label: Text::default(),
        }
    }

    /// The same, of a tool that the name of its span may name.
    pub(crate) fn labelled(self, label: impl FnOnce() -> Text<'static>) -> Self {
        let is_named = !self.call.name.is_empty();
        Self {
            label: if is_named { self.label } else { label() },
            ..self
        }
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

/// What a span says of one call of a model.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Exchange {
    /// What the model asked for.
    pub(crate) asked: Vec<TraceCall>,
    /// The results that the model was given, those since its last message.
    pub(crate) results: Vec<CallResult>,
    /// True where what the model said was recorded, whether it asked for calls or not.
    pub(crate) is_answered: bool,
    /// True if a message of the agent was read, or that a model ended for another reason than a call.
    pub(crate) speaks: bool,
    /// Why a model ended, if it called tools and the span shows no call.
    pub(crate) unmet_reason: Option<String>,
    /// What the agent produced and no dialect reads, by kind.
    pub(crate) left_over: Vec<String>,
    /// What looks like a call among those that were read: kept with the span, not with this.
    #[serde(skip)]
    pub(crate) unread: Vec<Suspect>,
    /// Messages in which calls of the run may be, too: the evidence of a trace that has no other.
    pub(crate) history: SpanHistory,
}

/// The calls of messages that a model was shown, or that a graph returned as its state.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SpanHistory {
    /// The calls, each with its result.
    pub(crate) calls: Vec<TraceCall>,
    /// True if the calls are of this run for sure, and of no earlier one.
    pub(crate) is_of_run: bool,
    /// Results without a call.
    pub(crate) orphans: u64,
}

impl SpanHistory {
    /// The history of one conversation, which has been read to its end.
    pub(crate) fn of(trace: Trace) -> Self {
        Self {
            is_of_run: false,
            orphans: trace.report.orphans,
            calls: trace.calls,
        }
    }

    /// How much it says of calls: of two histories the one that says more counts.
    pub(crate) fn weight(&self) -> u64 {
        self.calls.len() as u64 + self.orphans
    }
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

/// The name of the tool in the name of a span; none in one that says only what kind of span it is.
pub(crate) fn tool_in_name(span: &TraceSpan<'_>) -> Text<'static> {
    name_without(span, &["execute_tool ", "running tool: ", "tools/call "])
}

/// The span's name without one of these beginnings.
pub(crate) fn name_without(span: &TraceSpan<'_>, beginnings: &[&str]) -> Text<'static> {
    let name = span.name.to_display();
    let is_bare = |beginning: &&str| *name.trim() == *beginning.trim_end_matches([' ', ':']);
    if beginnings.iter().any(is_bare) {
        return Text::default();
    }
    let short = beginnings
        .iter()
        .find_map(|beginning| name.strip_prefix(beginning))
        .unwrap_or(&name);
    Text::from(short.to_owned())
}
