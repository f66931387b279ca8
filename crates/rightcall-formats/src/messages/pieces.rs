//! Arguments that are streamed in pieces.

use std::collections::BTreeMap;

use rightcall::value::{Text, TextBuilder};

use crate::node::Node;
use crate::trace::{TraceArguments, TraceCall};

/// The pieces of a call's arguments that have come.
#[derive(Debug, Default)]
pub(crate) struct ArgumentPieces {
    text: TextBuilder,
    has_any: bool,
    /// A piece came that could not be read.
    is_broken: bool,
}

impl ArgumentPieces {
    /// Adds a piece; `None` for one that is in no form that is known.
    pub(crate) fn push(&mut self, piece: Option<&Text<'_>>) {
        match piece {
            Some(piece) => {
                self.text.push_text(piece);
                self.has_any |= !piece.is_empty();
            }
            None => self.is_broken = true,
        }
    }

    /// Adds the piece under one of these keys of a node, which may say nothing of arguments.
    pub(crate) fn read(&mut self, node: &Node<'_>, keys: &[&str]) {
        match node.any(keys) {
            Some(piece) => self.push(piece.text()),
            // They may stand under a key that nobody knows.
            None => {
                self.is_broken |= TraceArguments::from_call(node, keys) == TraceArguments::Absent;
            }
        }
    }

    /// What they are together: not recorded where a piece is missing, nothing where none came.
    pub(crate) fn finish(self) -> Option<TraceArguments> {
        if self.is_broken {
            return Some(TraceArguments::Absent);
        }
        self.has_any
            .then(|| TraceArguments::Text(self.text.finish()))
    }
}

/// A call that comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct StreamedCall {
    pub(crate) id: Option<Text<'static>>,
    pub(crate) name: Option<Text<'static>>,
    pub(crate) arguments: ArgumentPieces,
}

impl StreamedCall {
    /// What a piece says of the call; what was said before stays.
    pub(crate) fn add(&mut self, id: Option<Text<'static>>, name: Option<Text<'static>>) {
        self.id = self.id.take().or(id);
        self.name = self.name.take().or(name);
    }

    /// The call as far as it has come.
    pub(crate) fn into_call(self) -> TraceCall {
        let arguments = self.arguments.finish();
        TraceCall {
            name: self.name.unwrap_or_default(),
            arguments: arguments.unwrap_or_else(|| TraceArguments::Text(Text::default())),
            id: self.id,
            ..TraceCall::default()
        }
    }
}

/// The index of what an event adds to: without an index that of the only one that is open.
pub(crate) fn piece_index<T>(event: &Node<'_>, open: &BTreeMap<i128, T>) -> i128 {
    let only = || open.keys().next().copied().filter(|_| open.len() == 1);
    event.whole_at("index").or_else(only).unwrap_or_default()
}
