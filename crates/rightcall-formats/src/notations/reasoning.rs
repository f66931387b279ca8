//! Reasoning, which is not read for calls.

use memchr::memmem;

use super::calls::{TextArguments, TextCall};
use super::context::Context;
use super::places::{REASONING_TAGS as TAGS, starts_line};
use super::precheck::may_hold_calls;

/// A tag of reasoning.
#[derive(Clone, Copy, Debug)]
pub(super) enum ReasoningTag {
    /// The tag, and its closing tag.
    Opening(&'static str, &'static str),
    Closing(&'static str),
}

/// The tag at this offset.
pub(super) fn reasoning_tag(text: &str, at: usize) -> Option<ReasoningTag> {
    let rest = &text[at..];
    TAGS.iter().find_map(|&(opening, closing)| {
        if rest.starts_with(opening) {
            return Some(ReasoningTag::Opening(opening, closing));
        }
        rest.starts_with(closing)
            .then_some(ReasoningTag::Closing(closing))
    })
}

/// The offset after the first tag between two offsets that closes reasoning without an opening tag.
pub(super) fn first_closing(text: &str, from: usize, to: usize) -> Option<usize> {
    let part = text.get(from..to).unwrap_or_default().as_bytes();
    let ends = TAGS.iter().filter_map(|(_, closing)| {
        let mut places = memmem::find_iter(part, closing.as_bytes()).map(|at| from + at);
        places
            .find(|at| closes(text, *at, closing))
            .map(|at| at + closing.len())
    });
    ends.min()
}

/// True if a closing tag ends reasoning. Inside a line and followed by a space, it is only mentioned.
pub(super) fn closes(text: &str, at: usize, closing: &str) -> bool {
    starts_line(text, at) || !text[at + closing.len()..].starts_with([' ', '\t'])
}

/// The number of complete calls in reasoning, with or without its tags.
pub(super) fn calls_in_reasoning(context: &Context<'_>, reasoning: &str) -> usize {
    let inner = without_tags(reasoning);
    if !may_hold_calls(inner) {
        return 0;
    }
    let found = context.read_part(inner).unwrap_or_default();
    let is_complete = |call: &&TextCall| matches!(call.arguments, TextArguments::Json(_));
    found.calls.iter().filter(is_complete).count()
}

/// Reasoning without its tags.
fn without_tags(reasoning: &str) -> &str {
    let opened = TAGS
        .iter()
        .find_map(|(opening, _)| reasoning.strip_prefix(opening));
    let inner = opened.unwrap_or(reasoning);
    let closed = TAGS
        .iter()
        .find_map(|(_, closing)| inner.strip_suffix(closing));
    closed.unwrap_or(inner).trim()
}
