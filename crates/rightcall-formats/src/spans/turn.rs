//! Evidence of the agent's own turn in a span: its messages, why a model stopped, and output that no dialect reads.
//!
//! A run counts as one without calls only if the agent spoke and nothing is left over. If content is kept out of spans, the model's stop
//! reason is the only evidence: a model that stopped to call tools made calls, in whichever span they are.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::iter::once;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::dialect::Exchange;
use super::kind::{is_known_part, is_of_agent};
use super::span::{Attribute, TraceSpan};
use super::trace_spans::TraceSpans;
use super::unread::{is_metadata, is_said};
use rightcall_core::value::Text;

use crate::messages::ending::{FAILED, how_broken};
use crate::messages::parts::is_object_text;
use crate::messages::speaker::is_of_model;
use crate::node::Node;
use crate::trace::role::{model_text, says_something};
use crate::trace::unread::{CONTENTS_AND_CALLS, acts_in_words, in_members};
use crate::trace::words::says_any;

impl Exchange {
    /// Records the content of a reply's message other than calls.
    pub(super) fn note_message(&mut self, message: &Node<'_>) {
        if is_own(message) {
            if let Some(text) = model_text(message) {
                self.look_into(&text);
            }
            if is_of_model(message) {
                self.unread.extend(in_members(message, &CONTENTS_AND_CALLS));
            }
            self.has_spoken |= says_something(message);
            self.left_over.extend(unknown_parts_of(message));
        }
    }

    /// Records the parts of a message other than calls.
    pub(super) fn note_parts(&mut self, parts: &[Node<'_>]) {
        self.has_spoken |= parts.iter().any(says_something);
        self.left_over.extend(unknown_parts(parts));
    }

    /// Records the type of a part without its other members.
    pub(super) fn note_kind(&mut self, kind: Option<Text<'_>>) {
        let unknown = kind.filter(|kind| !is_known_part(&kind.to_display()));
        let unknown = unknown.map(|kind| format!("a part of the type `{}`", kind.to_display()));
        self.left_over.extend(unknown);
    }

    /// Looks for calls that the model wrote as text, unless it made calls.
    fn look_into(&mut self, text: &str) {
        if self.asked.is_empty() {
            let (calls, unread) = acts_in_words(text);
            self.unread.extend(calls);
            self.left_over.extend(unread);
        }
    }

    /// Records a text of the model.
    pub(super) fn note_text(&mut self, text: &Text<'_>) {
        self.look_into(&text.to_display());
        self.has_spoken |= !text.is_empty();
    }

    fn end(&mut self, reason: &str) {
        if is_of_calls(reason) {
            self.unmet_reason.get_or_insert_with(|| reason.to_owned());
        } else if let Some(kind) = how_broken(reason, self.asked.len(), !self.has_spoken) {
            self.broken.get_or_insert(kind);
        } else {
            self.has_spoken = true;
        }
    }
}

/// The parts of a message whose types are unknown.
pub(crate) fn unknown_parts_of(message: &Node<'_>) -> Vec<String> {
    let body = message.inner(&["kwargs", "data"]);
    let lists = ["content", "parts", "contents"].into_iter();
    lists
        .flat_map(|key| unknown_parts(body.list(key)))
        .collect()
}

/// Parts of unknown types with more than text: they may be calls.
fn unknown_parts(parts: &[Node<'_>]) -> impl Iterator<Item = String> {
    parts.iter().filter_map(|part| {
        let kind = part.str_at("type").filter(|kind| !is_known_part(kind))?;
        holds_object(part).then(|| format!("a part of the type `{kind}`"))
    })
}

/// Records that a model's reply failed or was cut, and that an agent's span has the output of the run, not of a model.
pub(super) fn note_failure(span: &TraceSpan<'_>, is_of_model: bool, exchange: &mut Exchange) {
    if !exchange.asked.is_empty() {
        note_ends(span, exchange);
    }
    if is_of_model && span.error.is_some() {
        exchange.broken = Some(FAILED.to_owned());
    }
    exchange.has_spoken &= !is_of_agent(span);
}

/// Records why the model of a span stopped, if its attributes say so.
fn note_ends(span: &TraceSpan<'_>, exchange: &mut Exchange) {
    let ends = span
        .attributes
        .iter()
        .filter(|(key, _)| is_reason(key.as_bytes()));
    for (_, value) in ends {
        match value.read(|value| each_reason(value, exchange)) {
            Some(()) => {}
            None => value
                .label()
                .as_str()
                .into_iter()
                .for_each(|it| exchange.end(it)),
        }
    }
    exchange.unmet_reason = None;
}

/// Records why the model of a span stopped, if the span shows no call.
pub(super) fn note_reasons(span: &TraceSpan<'_>, is_of_model: bool, exchange: &mut Exchange) {
    let carriers = once(&span.attributes).chain(span.events.iter().map(|event| &event.attributes));
    for (key, value) in carriers.flat_map(|attributes| attributes.iter()) {
        let Some(text) = value.source().filter(|text| !text.is_empty()) else {
            continue;
        };
        if is_reason(key.as_bytes()) {
            match Attribute::Json(Cow::Borrowed(text)).read(|value| each_reason(value, exchange)) {
                Some(()) => {}
                None => exchange.end(text),
            }
        } else if is_of_model && holds_reason(text) && (is_said(key) || is_metadata(key)) {
            Attribute::Json(Cow::Borrowed(text)).read(|value| reasons_in(value, exchange));
        }
    }
    let bodies = span.events.iter().filter_map(|event| event.body.as_ref());
    for body in bodies.filter(|body| holds_reason(body)) {
        Attribute::Json(body.clone()).read(|body| {
            reasons_in(body.get("output").unwrap_or(body), exchange);
        });
    }
}

/// Counts models that stopped to call tools although no span shows such a call: neither their own span nor a later tool span without a
/// known request. `unasked` are the start times of those tool spans.
pub(super) fn tell_unmet_reasons(spans: &mut TraceSpans<'_>, unasked: Vec<Option<i128>>) {
    let unmet: Vec<usize> = (0..spans.seen.len())
        .filter(|&span| spans.seen[span].exchange.unmet_reason.is_some())
        .collect();
    // An enclosing span repeats the stop reason of the model inside.
    let outer: HashSet<usize> = unmet
        .iter()
        .copied()
        .flat_map(|span| spans.ancestors(span).collect::<Vec<_>>())
        .collect();
    let unmet = unmet.into_iter().filter(|span| !outer.contains(span));
    let began = unmet.map(|span| (spans.seen[span].start, Some(span)));
    let mut moments: Vec<_> = began
        .chain(unasked.into_iter().map(|start| (start, None)))
        .collect();
    moments.sort_by_key(|(start, span)| (*start, span.is_none()));
    let mut waiting = VecDeque::new();
    for (_, span) in moments {
        match span {
            Some(span) => waiting.push_back(span),
            None => _ = waiting.pop_front(),
        }
    }
    let in_history = if spans.counts_history() {
        let turns = spans.history.calls.iter().map(|call| call.turn);
        turns.collect::<HashSet<_>>().len()
    } else {
        0
    };
    for span in waiting.into_iter().skip(in_history) {
        let seen = &mut spans.seen[span];
        let reason = seen.exchange.unmet_reason.take().unwrap_or_default();
        let kind = format!("finish reason `{reason}` without a call");
        spans.report.left_over(kind, &seen.place);
    }
}

/// Keys of the stop reason, in lower case.
const REASONS: [&str; 6] = [
    "finish_reason",
    "finish_reasons",
    "finishreason",
    "stop_reason",
    "stopreason",
    "done_reason",
];

fn is_reason(key: &[u8]) -> bool {
    let name = key.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    REASONS
        .iter()
        .any(|reason| name.eq_ignore_ascii_case(reason.as_bytes()))
}

fn holds_reason(text: &str) -> bool {
    static WORDS: LazyLock<[Finder<'static>; 2]> =
        LazyLock::new(|| ["_reason", "Reason"].map(Finder::new));
    WORDS
        .iter()
        .any(|word| word.find(text.as_bytes()).is_some())
}

fn each_reason(value: &Node<'_>, exchange: &mut Exchange) {
    let reasons = value.items_or_self().iter().filter_map(Node::str);
    reasons
        .filter(|reason| !reason.is_empty())
        .for_each(|reason| exchange.end(reason));
}

/// The stop reasons anywhere in a model's output.
fn reasons_in(value: &Node<'_>, exchange: &mut Exchange) {
    value
        .items()
        .iter()
        .for_each(|item| reasons_in(item, exchange));
    for (key, inner) in value.entries() {
        if is_reason(key.as_bytes()) {
            each_reason(inner, exchange);
        } else {
            reasons_in(inner, exchange);
        }
    }
}

/// True for a reason such as `tool_calls`, `tool-calls`, `TOOL_CALL` or `MALFORMED_FUNCTION_CALL`.
fn is_of_calls(reason: &str) -> bool {
    says_any(reason, &["tool", "function"])
}

/// True for a message in a reply without another author.
fn is_own(message: &Node<'_>) -> bool {
    const OTHERS: [&str; 6] = ["human", "user", "system", "tool", "function", "developer"];
    let is_of_other = message.has_any(&["role", "kwargs", "data"])
        || message
            .str_at("type")
            .is_some_and(|kind| OTHERS.contains(&kind));
    is_of_model(message) || !is_of_other
}

/// True for a part with an object that isn't only metadata.
fn holds_object(part: &Node<'_>) -> bool {
    let is_note = |key: &str| says_any(key, &["meta", "cache", "option", "annotation", "usage"]);
    part.entries().iter().any(|(key, value)| {
        let is_object = !value.entries().is_empty() || value.items().iter().any(Node::is_object);
        (is_object || is_object_text(value)) && !is_note(&key.to_display())
    })
}

#[cfg(test)]
mod tests;
