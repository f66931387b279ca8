//! Spans as exported by platforms: with input and output next to the kind.

use rightcall_core::value::Text;

use crate::messages::output_of;
use crate::node::Node;
use crate::spans::dialects::observations::{EXPORTED, unwrapped};
use crate::spans::{
    Attribute, Attributes, EXPECTATIONS, LOST, SpanTraces, TraceSpan, expectation_in, unread,
};
use crate::trace::{Doubt, Suspect, time};

/// The key of notes about a span, by its author or a library.
pub(super) const METADATA: &str = "metadata";

/// The keys of a format for fields that every span has.
pub(super) struct SpanKeys {
    pub(super) trace: &'static [&'static str],
    pub(super) id: &'static [&'static str],
    pub(super) parent: &'static [&'static str],
    pub(super) name: &'static [&'static str],
    pub(super) start: &'static [&'static str],
    pub(super) end: &'static [&'static str],
    /// Other keys that are read, or that don't affect calls.
    pub(super) known: &'static [&'static str],
}

impl SpanKeys {
    /// A span, still without error, attributes and events.
    pub(super) fn span<'a>(&self, node: &Node<'a>) -> TraceSpan<'a> {
        let time = |keys| node.any(keys).and_then(time::from_log);
        let known = [
            self.trace,
            self.id,
            self.parent,
            self.name,
            self.start,
            self.end,
            self.known,
            &EXPECTATIONS,
        ];
        TraceSpan {
            trace: node.label_at(self.trace).unwrap_or_default(),
            id: node.label_at(self.id).unwrap_or_default(),
            parent: node.label_at(self.parent),
            name: node.text_at(self.name),
            start: time(self.start),
            end: time(self.end),
            unread: unread::in_unknown(node, &known.concat()),
            expected: expectation_in(node),
            ..TraceSpan::default()
        }
    }
}

/// A span of a kind, with its input and output. A span without a kind may have been a call.
pub(super) fn platform_span<'a>(
    node: &Node<'a>,
    keys: &SpanKeys,
    kind: Option<&str>,
    [input, output]: [Option<&Node<'a>>; 2],
) -> TraceSpan<'a> {
    let mut span = keys.span(node);
    if kind.is_none() {
        let strange = "a span without a kind";
        span.unread.push(Suspect::new(strange, Doubt::None));
    }
    let kind = kind.map(|kind| Attribute::Text(Text::from(kind.to_owned())));
    span.attributes.add(EXPORTED.kind, kind);
    span.attributes
        .add(EXPORTED.input, input.map(Attribute::from_node));
    span.attributes
        .add(EXPORTED.output, output.map(Attribute::from_node));
    span.attributes
        .add(METADATA, node.get(METADATA).map(Attribute::from_node));
    span
}

/// Reports spans that the file lacks although the trace's own fields count them. A trace without any span is unknown.
pub(super) fn lost_spans(
    number: usize,
    value: &Node<'_>,
    trace: Option<Text<'static>>,
    line: u64,
    traces: &mut SpanTraces,
) {
    let is_unknown = number == 0 && trace.is_none() && unread::tells_of_calls(value.raw());
    let strange = unread::no_span(value)
        .or_else(|| is_unknown.then(|| Suspect::new("a record without spans", Doubt::None)));
    if number == 0 && strange.is_none() && trace.is_none() {
        return;
    }
    let span = TraceSpan {
        trace: trace.unwrap_or_default(),
        unread: strange.into_iter().collect(),
        left_over: vec![LOST.to_owned(); number],
        ..TraceSpan::default()
    };
    traces.add(&span, line);
}

/// A value without spans, for the given trace.
pub(super) fn without_spans(
    value: &Node<'_>,
    trace: Option<Text<'static>>,
    line: u64,
    traces: &mut SpanTraces,
) {
    lost_spans(0, value, trace, line, traces);
}

impl<'a> Attributes<'a> {
    /// The attributes under a key: an object, a list of pairs, or the text of one.
    pub(super) fn in_member(node: &Node<'a>, key: &str) -> Self {
        match node.get(key) {
            Some(inner) if inner.is_object() => Self::from_object(inner),
            Some(inner) if inner.is_list() => Self::from_list(inner),
            Some(inner) => Self::from_text(&unwrapped(inner)),
            None => Self::default(),
        }
    }

    /// Adds an attribute if it has a value.
    pub(super) fn add(&mut self, key: &'static str, value: Option<Attribute<'a>>) {
        self.extend(value.map(|value| (Text::new(key), value)));
    }
}

impl TraceSpan<'_> {
    /// Sets the error of the span, if any.
    pub(super) fn fail(&mut self, error: Option<&Node<'_>>) {
        self.error = error.map(output_of);
    }
}
