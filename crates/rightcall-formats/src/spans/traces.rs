//! Sorts the spans of a file into traces, keeping only the data on calls.

use rightcall_core::value::Text;

use super::dialect::{Exchange, SpanHistory};
use super::expectation::{self, expectation_in};
use super::question::SpanInput;
use super::span::TraceSpan;
use super::stored::StoredSpan;
use super::trace_spans::{TraceSpans, tells_of_calls};
use super::{dialects, earlier, evidence, kind, parts, turn, unread};
use crate::format::FoundTraces;
use crate::groups::{RecordGroup, RecordGroups};
use crate::messages::content::json_text;
use crate::node::Node;
use crate::trace::unread::each_call_beside;
use crate::trace::{CaseScope, Join, Scope, Trace};

/// The traces of a file. Their spans may be in any order, so the stored parts wait until the end of the file.
pub(crate) struct SpanTraces {
    scope: Scope,
    kept: RecordGroups,
}

/// The leftover kind of spans that the carrier names or counts.
pub(crate) const LOST: &str = "spans that are not in the file";

/// The leftover kind of a model's span that the carrier shortened.
const CUT: &str = "a model's span with dropped attributes or events";

/// The number of bytes of spans assembled to traces at a time.
const BATCH: usize = 1 << 18;

impl SpanTraces {
    pub(crate) fn new(scope: Scope) -> Self {
        Self {
            scope,
            kept: RecordGroups::new(),
        }
    }

    pub(crate) fn add(&mut self, span: &TraceSpan<'_>, line: u64) {
        self.hold(span, line);
        self.take_held();
    }

    /// Adds the input and the expectation of a trace; other spans hold the rest.
    pub(crate) fn add_about(&mut self, trace: &Text<'_>, about: &Node<'_>, line: u64) {
        self.look_beside(trace, about, line);
        let input = about.get("input").filter(|_| self.scope.questions);
        let kept = StoredSpan {
            trace: trace.reborrow(),
            input: input.and_then(SpanInput::from_node),
            expected: expectation_in(about),
            ..StoredSpan::default()
        };
        if kept.input.is_none() && kept.expected.is_none() {
            return;
        }
        self.kept
            .hold(trace.as_bytes(), line, |out| kept.write(out));
        self.kept.take_held();
    }

    /// Looks for calls of a trace outside its spans.
    pub(crate) fn look_beside(&mut self, trace: &Text<'_>, about: &Node<'_>, line: u64) {
        let mut unread = Vec::new();
        each_call_beside(about, &mut |it| unread.push(it));
        if !unread.is_empty() {
            let span = TraceSpan {
                trace: trace.clone().into_owned(),
                unread,
                ..TraceSpan::default()
            };
            self.add(&span, line);
        }
    }

    /// Adds a span provisionally. It is dropped if the text around it cannot be read to the end.
    pub(crate) fn hold(&mut self, span: &TraceSpan<'_>, line: u64) {
        let kept = kept(span, &self.scope);
        self.kept
            .hold(span.trace.as_bytes(), line, |out| kept.write(out));
    }

    /// Commits the held spans.
    pub(crate) fn take_held(&mut self) {
        self.kept.take_held();
    }

    /// Drops the held spans.
    pub(crate) fn drop_held(&mut self) {
        self.kept.drop_held();
    }

    /// Adds the next traces to `found`; true while there are more.
    pub(crate) fn finish(&mut self, found: &mut FoundTraces) -> bool {
        let mut size = 0;
        while size < BATCH {
            let Some(group) = found.next_group(&mut self.kept) else {
                return false;
            };
            size += group.records.len();
            found.trace(group.line, trace(&group, &self.scope));
        }
        true
    }
}

/// The stored part of a span: its data on calls, and its position in the trace.
fn kept<'s>(span: &'s TraceSpan<'_>, scope: &Scope) -> StoredSpan<'s> {
    let visits = scope.choices.calls.scope();
    let (tool, mut exchange) = match visits {
        None => dialects::read(span, &scope.choices),
        Some(subject) => (parts::visit(span, subject), Exchange::default()),
    };
    // Most spans have a call and need no search for unread ones.
    let (is_of_model, mut unread) =
        if visits.is_some() || tool.is_some() || !exchange.asked.is_empty() {
            (false, unread::beside(span))
        } else {
            let is_of_model = kind::is_of_model(span) || exchange.is_answered;
            turn::note_reasons(span, is_of_model, &mut exchange);
            (is_of_model, unread::suspects(span, is_of_model, &exchange))
        };
    if tells_of_calls(tool.as_ref(), &exchange) {
        exchange.history = SpanHistory::default();
    }
    exchange.left_over.extend(span.left_over.iter().cloned());
    let partly = std::mem::take(&mut exchange.unread).into_iter();
    unread.extend(partly.map(|it| it.within(&unread::place_of(span))));
    let is_exchange = is_of_model || exchange.is_answered || !exchange.asked.is_empty();
    turn::note_failure(span, is_exchange, &mut exchange);
    if span.is_cut && is_exchange {
        exchange.left_over.push(CUT.to_owned());
    }
    let earlier = if visits.is_none() && (is_exchange || tool.is_some()) {
        earlier::unknown_parts(span, tool.is_some())
    } else {
        Vec::new()
    };
    let is_whole = exchange.left_over.is_empty()
        && exchange.unmet_reason.is_none()
        && exchange.broken.is_none()
        && !span.may_be_tool;
    let place = if is_whole && earlier.is_empty() {
        String::new()
    } else {
        unread::place_of(span)
    };
    let input = if scope.questions && tool.is_none() {
        SpanInput::of(span)
    } else {
        None
    };
    let is_tool = tool.is_some();
    StoredSpan {
        trace: span.trace.reborrow(),
        id: span.id.reborrow(),
        parent: span
            .parent
            .as_ref()
            .map(Text::reborrow)
            .filter(|parent| !parent.is_empty() && *parent != span.id),
        start: span.start,
        end: span.end,
        tool,
        exchange,
        of_tool: if span.id.is_empty() {
            dialects::genai::call_of_record(span).map(Box::new)
        } else {
            None
        },
        reply: span.attributes.text("gen_ai.response.id"),
        agent: if is_tool { None } else { agent_of(span) },
        conversation: text_of(span, &["gen_ai.conversation.id", "session.id"]),
        part: parts::part_of(span, scope.choices.scope),
        join: match scope.join {
            Join::Key(key) => span.attributes.text(key),
            _ => None,
        },
        input,
        expected: expectation::of_span(span),
        repeated_attributes: span.attributes.repeated() as u64,
        counted: span.counted,
        earlier,
        place,
        is_of_model,
        may_be_tool: span.may_be_tool,
        unread,
    }
}

fn text_of<'s>(span: &'s TraceSpan<'_>, keys: &[&str]) -> Option<Text<'s>> {
    keys.iter().find_map(|key| span.attributes.text(key))
}

/// The agent that a span represents.
fn agent_of<'s>(span: &'s TraceSpan<'_>) -> Option<Text<'s>> {
    let is_agent = || span.attributes.says("openinference.span.kind", "AGENT");
    text_of(span, &["gen_ai.agent.name", "agent.name"])
        .or_else(|| is_agent().then(|| span.name.reborrow()))
}

/// Assembles a trace from its spans.
fn trace(group: &RecordGroup, scope: &Scope) -> Trace {
    let mut spans = TraceSpans::default();
    for kept in group.records().filter_map(StoredSpan::read) {
        spans.add(kept);
    }
    let calls = evidence::calls(&mut spans, &scope.choices);
    earlier::report(&mut spans);
    spans.report_broken();
    if calls.is_empty() {
        spans.report_without_kind();
    }
    if spans.counted > spans.seen.len() as u64 {
        let place = format!("where {} are counted", spans.counted);
        spans.report.left_over(LOST.to_owned(), &place);
    }
    let suspects = std::mem::take(&mut spans.suspects);
    suspects.tell(&mut spans.report, calls.len(), |it| {
        it.may_repeat(calls.as_slice())
    });
    let (calls, visits) = match scope.choices.calls.scope() {
        None => (calls, Vec::new()),
        Some(_) => (Vec::new(), calls),
    };
    let conversation = spans
        .conversation
        .as_ref()
        .map(|id| ("conversation".to_owned(), json_text(id)));
    let join = match (scope.join, &spans.join) {
        (Join::Key(key), Some(value)) => Some((key.to_owned(), json_text(value))),
        _ => None,
    };
    let parts = match scope.choices.scope {
        CaseScope::Run => Vec::new(),
        _ => parts::parts_of(&spans),
    };
    Trace {
        input: scope.questions.then(|| spans.question()).flatten(),
        id: Some(spans.id.into_owned()).filter(|id| !id.is_empty()),
        calls,
        visits,
        parts,
        // A visit of an agent or node proves that it ran.
        agent_spoke: spans.agent_spoke || scope.choices.calls.scope().is_some(),
        expected: spans.expected,
        expects_as_cases_do: true,
        meta: conversation.into_iter().chain(join).collect(),
        report: spans.report,
        ..Trace::default()
    }
}
