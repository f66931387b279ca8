//! Shared by all notation readers: the text, the tools, and the result of reading a block.

use super::calls::{TextCall, TextCalls};
use super::markers::Marker;
use super::places::Searches;
use crate::catalogue::ToolCatalogue;

/// The maximum nesting of texts: quotations in quotations, calls in reasoning.
const MAX_DEPTH: usize = 3;

/// Reads a part of a text as a separate text.
type ReadPart = fn(&str, &ToolCatalogue, usize) -> TextCalls;

/// The text being read.
pub(super) struct Context<'t> {
    pub(super) text: &'t str,
    pub(super) tools: &'t ToolCatalogue,
    depth: usize,
    read_part: ReadPart,
    searches: Searches,
}

impl<'t> Context<'t> {
    pub(super) fn new(
        text: &'t str,
        tools: &'t ToolCatalogue,
        depth: usize,
        read_part: ReadPart,
    ) -> Self {
        Self {
            text,
            tools,
            depth,
            read_part,
            searches: Searches::default(),
        }
    }

    /// The text from an offset on.
    pub(super) fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    /// A part of the text, trimmed.
    pub(super) fn trimmed(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to.max(from)).unwrap_or_default().trim()
    }

    /// Reads a part of the text on its own; `None` if it is nested too deep.
    pub(super) fn read_part(&self, part: &str) -> Option<TextCalls> {
        (self.depth < MAX_DEPTH).then(|| (self.read_part)(part, self.tools, self.depth + 1))
    }

    /// The first occurrence of a text from `from` on.
    pub(super) fn find(&self, needle: &'static str, from: usize) -> Option<usize> {
        self.searches.next(self.text, needle, false, from)
    }

    /// The first occurrence of any of these texts from `from` on.
    pub(super) fn first(&self, needles: &[&'static str], from: usize) -> Option<usize> {
        needles.iter().filter_map(|it| self.find(it, from)).min()
    }

    /// The first occurrence of any of these texts at the start of a line from `from` on.
    pub(super) fn first_on_line(&self, needles: &[&'static str], from: usize) -> Option<usize> {
        let searches = &self.searches;
        let places = needles
            .iter()
            .filter_map(|it| searches.next(self.text, it, true, from));
        places.min()
    }

    /// The end of a block that its values don't close: at the next end marker or begin marker, or at the end of the text.
    pub(super) fn block_end(&self, marker: &Marker, from: usize) -> BlockEnd {
        let end = self.first(marker.ends, from);
        let at = end.into_iter().chain(self.find(marker.begin, from)).min();
        let at = at.unwrap_or(self.text.len());
        BlockEnd {
            at,
            after: self.after_end(marker, at).unwrap_or(at),
        }
    }

    /// The offset after the end marker at `at`.
    pub(super) fn after_end(&self, marker: &Marker, at: usize) -> Option<usize> {
        let rest = self.rest(at);
        let end = marker.ends.iter().find(|end| rest.starts_with(**end));
        end.map(|end| at + end.len())
    }
}

/// The end of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockEnd {
    /// The end of its content.
    pub(super) at: usize,
    /// The offset after the end marker.
    pub(super) after: usize,
}

/// The content after a marker.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A block.
    Block(CallBlock),
    /// A template, with its end offset.
    Template(usize),
    /// The marker is only mentioned, no call follows.
    Mention,
}

/// A block of calls.
#[derive(Debug, Default)]
pub(super) struct CallBlock {
    pub(super) calls: Vec<TextCall>,
    /// True if a part of it was not parsed.
    pub(super) unread: bool,
    /// True if it isn't closed as its notation requires.
    pub(super) is_broken: bool,
    /// The notation, for markers shared by several.
    pub(super) notation: Option<&'static str>,
    /// Its end offset.
    pub(super) end: usize,
}

impl CallBlock {
    /// A block that was not parsed.
    pub(super) fn unread(end: usize) -> Self {
        Self {
            unread: true,
            is_broken: true,
            end,
            ..Self::default()
        }
    }

    /// A block with one call.
    pub(super) fn one(call: TextCall, end: usize) -> Self {
        Self {
            calls: vec![call],
            end,
            ..Self::default()
        }
    }

    /// Adds the next block in the same wrapper.
    pub(super) fn add(&mut self, next: Self) {
        self.calls.extend(next.calls);
        self.unread |= next.unread;
        self.is_broken |= next.is_broken;
        self.notation = self.notation.or(next.notation);
        self.end = next.end;
    }

    /// Marks it as not closed.
    pub(super) fn broken(self) -> Self {
        Self {
            is_broken: true,
            ..self
        }
    }

    /// Sets the notation.
    pub(super) fn of(self, notation: &'static str) -> Self {
        Self {
            notation: Some(notation),
            ..self
        }
    }
}
