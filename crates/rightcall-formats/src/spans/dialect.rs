//! Dialects: how to read a span.

use rightcall_core::value::Text;
use serde::{Deserialize, Serialize};

use super::span::TraceSpan;
use crate::trace::Suspect;
use crate::trace::conversation::CallResult;
use crate::trace::{Choices, Trace, TraceArguments, TraceCall};

/// A convention for calls in spans.
pub(crate) struct SpanDialect {
    /// The tool call of a span; `None` if the dialect doesn't recognize a tool span.
    pub(crate) tool: fn(&TraceSpan<'_>, &Choices) -> Option<Tool>,
    /// Reads the calls that a model requested.
    pub(crate) exchange: fn(&TraceSpan<'_>, &mut Exchange),
}

/// The tool call of a span. If no attribute names the tool, the label does.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tool {
    pub(crate) call: TraceCall,
    pub(crate) kind: ToolKind,
    /// The tool name within the span name, as a fallback.
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

    /// Sets the label, for a tool that may be named by its span.
    pub(crate) fn labelled(self, label: impl FnOnce() -> Text<'static>) -> Self {
        let is_named = !self.call.name.is_empty();
        Self {
            label: if is_named { self.label } else { label() },
            ..self
        }
    }
}

/// How certain it is that a span is a call of the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ToolKind {
    /// Certain.
    #[default]
    Certain,
    /// The span kind marks it as a tool span; in such traces all tool spans are marked.
    Marked,
    /// A call only if no span in the trace is marked as a tool span.
    IfNoneIsMarked,
    /// The protocol side of a call. The call itself may have a span around it.
    Protocol,
    /// A span for several calls.
    Merged,
    /// Synthesized by the framework.
    Internal,
    /// A hand-off to another agent. The model requested it with a separate call.
    HandOff,
}

/// The data of a span about one model call.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Exchange {
    /// The calls requested by the model.
    pub(crate) asked: Vec<TraceCall>,
    /// The results passed to the model since its last message.
    pub(crate) results: Vec<CallResult>,
    /// True if the output of the model was recorded, with or without calls.
    pub(crate) is_answered: bool,
    /// True if the agent's message was read, or if the model stopped for a reason other than a call.
    pub(crate) has_spoken: bool,
    /// The stop reason, if it was a tool call but the span shows no call.
    pub(crate) unmet_reason: Option<String>,
    /// How the reply failed or was cut.
    pub(crate) broken: Option<String>,
    /// Agent output that no dialect reads, by kind.
    pub(crate) left_over: Vec<String>,
    /// Call-like values among the read ones. They are kept with the span, not here.
    #[serde(skip)]
    pub(crate) unread: Vec<Suspect>,
    /// Messages that may also contain calls of the run: used for a trace without other evidence.
    pub(crate) history: SpanHistory,
}

/// The calls in messages passed to a model, or returned by a graph as its state.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SpanHistory {
    /// The calls, each with its result.
    pub(crate) calls: Vec<TraceCall>,
    /// True if the calls certainly belong to this run and not to an earlier one.
    pub(crate) is_of_run: bool,
    /// Results without a call.
    pub(crate) orphans: u64,
}

impl SpanHistory {
    /// The history in a completely read conversation.
    pub(crate) fn of(trace: Trace) -> Self {
        Self {
            is_of_run: false,
            orphans: trace.report.orphans,
            calls: trace.calls,
        }
    }

    /// The amount of evidence: of two histories, the one with more counts.
    pub(crate) fn weight(&self) -> u64 {
        self.calls.len() as u64 + self.orphans
    }
}

/// Fills the missing facts of a call from another record of it.
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

/// For dialects without tool spans.
pub(crate) fn no_tool(_: &TraceSpan<'_>, _: &Choices) -> Option<Tool> {
    None
}

/// For dialects without model calls.
pub(crate) fn no_exchange(_: &TraceSpan<'_>, _: &mut Exchange) {}

/// The tool name in a span name; empty if the span name is only a kind.
pub(crate) fn tool_in_name(span: &TraceSpan<'_>) -> Text<'static> {
    name_without(span, &["execute_tool ", "running tool: ", "tools/call "])
}

/// The span's name without one of these prefixes.
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

/// True for `BeeAI`'s spans of the start, the success and the end of one call, which does not say the name of its tool.
pub(crate) fn is_event_of_tool(span: &TraceSpan<'_>) -> bool {
    let attributes = &span.attributes;
    let (Some(target), Some(event)) = (attributes.text("target"), attributes.text("name")) else {
        return false;
    };
    attributes.says("openinference.span.kind", "TOOL")
        && attributes.get("tool.name").is_none()
        && ends_in_event(&target.to_display())
        && target.as_bytes().ends_with(event.as_bytes())
}

/// True for a target such as `tool.search.start`.
fn ends_in_event(target: &str) -> bool {
    let event = target.rsplit_once('.').map(|(_, event)| event);
    target.starts_with("tool.")
        && matches!(
            event,
            Some("start" | "success" | "finish" | "error" | "retry")
        )
}
