//! Arguments that are streamed in pieces.

use std::collections::BTreeMap;

use rightcall::value::{Text, TextBuilder};

use crate::node::Node;
use crate::trace::TraceArguments;

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

    /// What they are together: not recorded where a piece is missing, nothing where none came.
    pub(crate) fn finish(self) -> Option<TraceArguments> {
        if self.is_broken {
            return Some(TraceArguments::Absent);
        }
        self.has_any
            .then(|| TraceArguments::Text(self.text.finish()))
    }
}

/// The index of what an event adds to: without an index that of the only one that is open.
pub(crate) fn piece_index<T>(event: &Node<'_>, open: &BTreeMap<i128, T>) -> i128 {
    let only = || open.keys().next().copied().filter(|_| open.len() == 1);
    event
        .get("index")
        .and_then(Node::whole)
        .or_else(only)
        .unwrap_or_default()
}
