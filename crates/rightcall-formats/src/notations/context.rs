//! What all readers of notations share: the text, the tools, and what reading a block results in.

use super::calls::{TextCall, TextCalls};
use super::markers::Marker;
use super::places::Searches;
use crate::catalogue::ToolCatalogue;

/// How deep texts inside texts are read: quotations in quotations, calls in reasoning.
const MAX_DEPTH: usize = 3;

/// Reads a text that is part of another.
type ReadPart = fn(&str, &ToolCatalogue, usize) -> TextCalls;

/// A text that is read.
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

    /// The text from a place on.
    pub(super) fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    /// A part of the text, without the space around it.
    pub(super) fn trimmed(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to.max(from)).unwrap_or_default().trim()
    }

    /// Reads a part of the text on its own; `None` where parts are nested too deep.
    pub(super) fn read_part(&self, part: &str) -> Option<TextCalls> {
        (self.depth < MAX_DEPTH).then(|| (self.read_part)(part, self.tools, self.depth + 1))
    }

    /// The first place of a text from `from` on.
    pub(super) fn find(&self, needle: &'static str, from: usize) -> Option<usize> {
        self.searches.next(self.text, needle, false, from)
    }

    /// The first place of one of these texts from `from` on.
    pub(super) fn first(&self, needles: &[&'static str], from: usize) -> Option<usize> {
        needles.iter().filter_map(|it| self.find(it, from)).min()
    }

    /// The first place of one of these texts at the start of a line from `from` on.
    pub(super) fn first_on_line(&self, needles: &[&'static str], from: usize) -> Option<usize> {
        let searches = &self.searches;
        let places = needles
            .iter()
            .filter_map(|it| searches.next(self.text, it, true, from));
        places.min()
    }

    /// Where a block ends that is not closed by its values: at the next end marker or begin marker, else with the text.
    pub(super) fn block_end(&self, marker: &Marker, from: usize) -> BlockEnd {
        let end = self.first(marker.ends, from);
        let at = end.into_iter().chain(self.find(marker.begin, from)).min();
        let at = at.unwrap_or(self.text.len());
        BlockEnd {
            at,
            after: self.after_end(marker, at).unwrap_or(at),
        }
    }

    /// The place after the end marker that is at `at`.
    pub(super) fn after_end(&self, marker: &Marker, at: usize) -> Option<usize> {
        let rest = self.rest(at);
        let end = marker.ends.iter().find(|end| rest.starts_with(**end));
        end.map(|end| at + end.len())
    }
}

/// The end of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockEnd {
    /// Where its content ends.
    pub(super) at: usize,
    /// Where the end marker ends.
    pub(super) after: usize,
}

/// What follows a marker.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A block.
    Block(CallBlock),
    /// A template, up to this place.
    Template(usize),
    /// No content of a call.
    Mention,
}

/// A block of calls.
#[derive(Debug, Default)]
pub(super) struct CallBlock {
    pub(super) calls: Vec<TextCall>,
    /// True if something in it was not parsed.
    pub(super) unread: bool,
    /// True if it is not closed as its notation demands.
    pub(super) is_broken: bool,
    /// The notation, where the marker has several.
    pub(super) notation: Option<&'static str>,
    /// Where it ends.
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

    /// A block of one call.
    pub(super) fn one(call: TextCall, end: usize) -> Self {
        Self {
            calls: vec![call],
            end,
            ..Self::default()
        }
    }

    /// Adds what follows in the same wrapper.
    pub(super) fn add(&mut self, next: Self) {
        self.calls.extend(next.calls);
        self.unread |= next.unread;
        self.is_broken |= next.is_broken;
        self.notation = self.notation.or(next.notation);
        self.end = next.end;
    }

    /// The same, not closed.
    pub(super) fn broken(self) -> Self {
        Self {
            is_broken: true,
            ..self
        }
    }

    /// The same in a notation.
    pub(super) fn of(self, notation: &'static str) -> Self {
        Self {
            notation: Some(notation),
            ..self
        }
    }
}
