//! Spans as platforms export them: what went in and what came out stand beside the kind of the span.

use rightcall::value::Text;

use crate::messages::content::output_of;
use crate::node::Node;
use crate::spans::dialects::observations::EXPORTED;
use crate::spans::{Attribute, Attributes, TraceSpan, unread};
use crate::trace::time;
use crate::trace::unread::{Doubt, Suspect};

/// Where a platform keeps what it tells of a span.
pub(super) struct PlatformKeys {
    pub(super) trace: &'static str,
    pub(super) id: &'static str,
    pub(super) parent: &'static str,
    pub(super) start: &'static str,
    pub(super) end: &'static str,
    /// Keys beside these, `input` and `output` that are read, or that tell nothing of calls.
    pub(super) known: &'static [&'static str],
    /// Whether a span that says nothing of its kind may have been a call though others were read.
    pub(super) without_kind: Doubt,
}

fn known_keys(keys: &PlatformKeys) -> [&'static str; 7] {
    [
        keys.trace,
        keys.id,
        keys.parent,
        keys.start,
        keys.end,
        "input",
        "output",
    ]
}

/// A span of a kind, with what went in and what came out.
pub(super) fn platform_span<'a>(
    node: &Node<'a>,
    keys: &PlatformKeys,
    kind: Option<&str>,
    input: Option<&Node<'a>>,
    output: Option<&Node<'a>>,
) -> TraceSpan<'a> {
    let mut unread = unread::in_unknown(node, &[&known_keys(keys)[..], keys.known].concat());
    if kind.is_none() {
        unread.push(Suspect::new(
            "a span that does not say of which kind it is",
            keys.without_kind,
        ));
    }
    let kind = kind.map(|kind| (EXPORTED.kind, Attribute::Text(Text::from(kind.to_owned()))));
    let sides = [(EXPORTED.input, input), (EXPORTED.output, output)];
    let sides = sides
        .into_iter()
        .filter_map(|(key, value)| Some((key, Attribute::from_node(value?))));
    let attributes = kind.into_iter().chain(sides);
    TraceSpan {
        trace: node.label_at(&[keys.trace]).unwrap_or_default(),
        id: node.label_at(&[keys.id]).unwrap_or_default(),
        parent: node.label_at(&[keys.parent]),
        name: node.text_at(&["name"]),
        start: node.get(keys.start).and_then(time::of_log),
        end: node.get(keys.end).and_then(time::of_log),
        attributes: Attributes(
            attributes
                .map(|(key, value)| (Text::new(key), value))
                .collect(),
        ),
        unread,
        ..TraceSpan::default()
    }
}

impl TraceSpan<'_> {
    /// The span ended in this error, if it is there.
    pub(super) fn fail(&mut self, error: Option<&Node<'_>>) {
        self.error = error.map(output_of);
    }
}
