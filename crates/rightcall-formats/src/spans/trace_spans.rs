//! The spans of one trace.

use std::collections::HashSet;
use std::collections::hash_map::Entry;

use rightcall_core::value::Text;

use super::dialect::{Exchange, SpanHistory, Tool};
use super::question::SpanInput;
use super::stored::StoredSpan;
use crate::trace::open_calls::TextMap;
use crate::trace::unread::{Doubt, Suspect, Suspects};
use crate::trace::{LeftOut, Report};

/// The spans of a trace.
#[derive(Default)]
pub(super) struct TraceSpans<'a> {
    pub(super) id: Text<'a>,
    pub(super) conversation: Option<Text<'a>>,
    pub(super) seen: Vec<StoredSpan<'a>>,
    pub(super) by_id: TextMap<Text<'a>, usize>,
    pub(super) report: Report,
    /// The history with the most calls that a model received or a graph returned; the last one of these.
    pub(super) history: SpanHistory,
    /// The longest list of unknown parts in the agent's earlier messages, and the place of its span.
    pub(super) earlier: Option<(String, Vec<String>)>,
    /// True if a span has its own data on calls, so that histories aren't needed.
    has_evidence: bool,
    /// True if a message of the agent was read.
    pub(super) agent_spoke: bool,
    /// The last span of a model or a tool: its start, its place, and how it failed.
    last: Option<(Option<i128>, String, Option<String>)>,
    pub(super) suspects: Suspects,
    /// The attribute used to join runs with cases, from the first span that has it.
    pub(super) join: Option<Text<'a>>,
    /// The largest number of spans that the carrier counts.
    pub(super) counted: u64,
    /// The first expectation.
    pub(super) expected: Option<String>,
}

/// The leftover kind of a span without a kind.
const WITHOUT_KIND: &str = "a span without a kind, which may be a tool's";

/// True if a span has its own data on calls, so that the histories of its trace aren't needed.
pub(super) fn tells_of_calls(tool: Option<&Tool>, exchange: &Exchange) -> bool {
    tool.is_some() || exchange.is_answered || !exchange.asked.is_empty()
}

impl<'a> TraceSpans<'a> {
    /// Adds a stored span.
    pub(super) fn add(&mut self, mut span: StoredSpan<'a>) {
        (0..span.repeated_attributes).for_each(|_| self.report.drop(LeftOut::RepeatedAttribute));
        let place = self.by_id.entry(span.id.clone());
        if !span.id.is_empty() && matches!(place, Entry::Occupied(_)) {
            if span.tool.is_some() || !span.exchange.asked.is_empty() {
                self.report.drop(LeftOut::ExportedAgain);
            }
            return;
        }
        let broken = span.exchange.broken.take();
        let acts =
            span.exchange.has_spoken || !span.exchange.asked.is_empty() || span.tool.is_some();
        let is_last = self
            .last
            .as_ref()
            .is_none_or(|(start, ..)| *start <= span.start);
        if (acts || broken.is_some()) && is_last {
            self.last = Some((span.start, span.place.clone(), broken));
        }
        self.counted = self.counted.max(span.counted);
        self.expected = self.expected.take().or(span.expected.take());
        for suspect in std::mem::take(&mut span.unread) {
            self.suspects.add(suspect);
        }
        place.insert_entry(self.seen.len());
        self.id = span.trace.clone();
        self.conversation = self.conversation.take().or(span.conversation.take());
        self.join = self.join.take().or(span.join.take());
        self.agent_spoke |= span.exchange.has_spoken;
        for kind in std::mem::take(&mut span.exchange.left_over) {
            self.report.left_over(kind, &span.place);
        }
        let longest = self.earlier.as_ref().map_or(0, |(_, parts)| parts.len());
        if span.earlier.len() > longest {
            let parts = std::mem::take(&mut span.earlier);
            self.earlier = Some((span.place.clone(), parts));
        }
        let history = std::mem::take(&mut span.exchange.history);
        self.has_evidence |= tells_of_calls(span.tool.as_ref(), &span.exchange);
        if history.weight() >= self.history.weight() {
            self.history = history;
        }
        self.seen.push(span);
    }

    /// Reports the last reply if it failed or was cut.
    pub(super) fn report_broken(&mut self) {
        if let Some((_, place, Some(kind))) = self.last.take() {
            self.report.left_over(kind, &place);
        }
    }

    /// Reports spans without a kind next to a model's span: they may be tools, unless they are around or inside of it.
    pub(super) fn report_without_kind(&mut self) {
        let is_model = |&span: &usize| self.seen[span].is_of_model;
        let around: HashSet<_> = (0..self.seen.len())
            .filter(is_model)
            .flat_map(|model| self.ancestors(model))
            .collect();
        let is_beside = |&span: &usize| {
            self.seen[span].may_be_tool
                && !around.contains(&span)
                && !self.ancestors(span).any(|outer| is_model(&outer))
        };
        let found: Vec<_> = (0..self.seen.len()).filter(is_beside).collect();
        let has_model = self.seen.iter().any(|span| span.is_of_model);
        for span in found {
            let place = &self.seen[span].place;
            if has_model {
                self.report.left_over(WITHOUT_KIND.to_owned(), place);
            } else {
                self.suspects
                    .add(Suspect::new(WITHOUT_KIND, Doubt::None).within(place));
            }
        }
    }

    /// True if the calls in the history are the calls of the run, unless other spans show some.
    pub(super) fn counts_history(&self) -> bool {
        !self.has_evidence || self.history.is_of_run
    }

    /// The user's text in the first span that has one, or else the input of the root, as JSON text.
    pub(super) fn question(&mut self) -> Option<String> {
        let standing = |index: usize| {
            let span = &self.seen[index];
            let input = span.input.as_ref()?;
            let depth = self.ancestors(index).count();
            let rank = input.rank(depth == 0)?;
            Some((rank, span.start, depth, index))
        };
        let (.., index) = (0..self.seen.len()).filter_map(standing).min()?;
        self.seen[index].input.take().map(SpanInput::into_json)
    }

    /// The part of the run that a span belongs to: its own, or else the part of the nearest enclosing span.
    pub(super) fn part_of(&self, index: usize) -> Option<Text<'static>> {
        let own = self.seen[index].part.clone();
        let around = || {
            self.ancestors(index)
                .find_map(|around| self.seen[around].part.clone())
        };
        own.or_else(around).map(Text::into_owned)
    }

    /// The enclosing spans, nearest first.
    pub(super) fn ancestors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let mut at = index;
        // The number of spans limits the walk, in case of a cycle of parents.
        (0..self.seen.len()).map_while(move |_| {
            at = *self.by_id.get(self.seen[at].parent.as_ref()?)?;
            (at != index).then_some(at)
        })
    }
}
