//! Calls that are streamed in pieces.

use std::collections::BTreeMap;

use rightcall::value::{Text, TextBuilder};

use crate::node::Node;
use crate::trace::{TraceArguments, TraceCall, Understood};

/// The pieces of a call's arguments that have come.
#[derive(Debug, Default)]
pub(crate) struct ArgumentPieces {
    text: TextBuilder,
    /// Arguments that came as a value, as JSON text.
    value: Option<String>,
    has_any: bool,
    /// A piece came that could not be read.
    is_broken: bool,
}

impl ArgumentPieces {
    /// Adds a piece: more of a text, or all arguments as a value. `None` is one in no form that is known.
    pub(crate) fn push(&mut self, piece: Option<&Node<'_>>) {
        match piece.map(|piece| (piece, piece.text())) {
            Some((_, Some(text))) => {
                self.text.push_text(text);
                self.has_any |= !text.is_empty();
            }
            Some((value, None)) => {
                self.is_broken |= self
                    .value
                    .as_ref()
                    .is_some_and(|known| known != value.raw());
                self.value = Some(value.raw().to_owned());
            }
            None => self.is_broken = true,
        }
        self.is_broken |= self.has_any && self.value.is_some();
    }

    /// Adds the piece under one of these keys of a node, which may say nothing of arguments.
    pub(crate) fn read(&mut self, node: &Node<'_>, keys: &[&str]) {
        match node.any(keys) {
            Some(piece) => self.push(Some(piece)),
            // They may be under a key that is not known.
            None => {
                self.is_broken |= TraceArguments::from_call(node, keys) == TraceArguments::Absent;
            }
        }
    }

    /// The pieces that came are all arguments, as the stream says: they count instead.
    pub(crate) fn replace(&mut self, whole: &Node<'_>) {
        *self = Self::default();
        self.push(Some(whole));
    }

    /// True if the pieces are an object, so that no other has to follow.
    pub(crate) fn are_whole(&self) -> bool {
        let text = self.text.as_text();
        let understood = || TraceArguments::Text(text.clone().into_owned()).understood();
        self.value.is_some() || self.has_any && understood() == Understood::Object
    }

    /// What they are together: not recorded where a piece is missing, nothing where none came.
    pub(crate) fn finish(self) -> Option<TraceArguments> {
        if self.is_broken {
            return Some(TraceArguments::Absent);
        }
        let text = || TraceArguments::Text(self.text.finish());
        self.value
            .map(TraceArguments::Json)
            .or_else(|| self.has_any.then(text))
    }
}

/// A call that comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct StreamedCall {
    pub(crate) id: Option<Text<'static>>,
    pub(crate) name: Option<Text<'static>>,
    pub(crate) arguments: ArgumentPieces,
    /// Its input is a text of its own, and no JSON.
    pub(crate) is_free: bool,
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
        let arguments = arguments.unwrap_or_else(|| TraceArguments::Text(Text::default()));
        TraceCall {
            name: self.name.unwrap_or_default(),
            arguments: match arguments {
                TraceArguments::Text(text) if self.is_free => TraceArguments::Free(text),
                other => other,
            },
            id: self.id,
            ..TraceCall::default()
        }
    }
}

/// Where a piece says that it belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PieceKey {
    /// The number of the alternative reply.
    pub(crate) choice: i128,
    /// The number of the call, if there is one.
    pub(crate) index: Option<i128>,
}

/// The calls of a stream, in the order in which they began.
#[derive(Debug, Default)]
pub(crate) struct StreamedCalls(Vec<(PieceKey, StreamedCall)>);

impl StreamedCalls {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The call that a piece goes on with, or begins. Another id begins another call under the same index, as some servers give all
    /// calls the index 0; so does a name after whole arguments.
    pub(crate) fn piece(
        &mut self,
        key: PieceKey,
        id: Option<Text<'static>>,
        name: Option<Text<'static>>,
    ) -> &mut StreamedCall {
        let last = |test: &dyn Fn(&PieceKey, &StreamedCall) -> bool| {
            self.0.iter().rposition(|(known, call)| test(known, call))
        };
        let of_id =
            last(&|known, call| known.choice == key.choice && id.is_some() && call.id == id);
        let of_index = last(&|known, _| {
            known.choice == key.choice && (key.index.is_none() || known.index == key.index)
        });
        let begins = |call: &StreamedCall| {
            let is_other_id = id.is_some() && call.id.is_some();
            let is_named = name.is_some() && call.name.is_some();
            is_other_id || is_named && (key.index.is_none() || call.arguments.are_whole())
        };
        let place = of_id
            .or(of_index.filter(|&place| !begins(&self.0[place].1)))
            .unwrap_or(self.0.len());
        if place == self.0.len() {
            self.0.push((key, StreamedCall::default()));
        }
        let call = &mut self.0[place].1;
        call.add(id, name);
        call
    }

    /// A piece is lost that may be of any call.
    pub(crate) fn lose_piece(&mut self) {
        self.0
            .iter_mut()
            .for_each(|(_, call)| call.arguments.push(None));
    }

    /// A call that begins, as the stream says.
    pub(crate) fn begin(
        &mut self,
        key: PieceKey,
        id: Option<Text<'static>>,
        name: Option<Text<'static>>,
    ) -> &mut StreamedCall {
        let call = StreamedCall {
            id,
            name,
            ..StreamedCall::default()
        };
        self.0.push((key, call));
        let last = self.0.len() - 1;
        &mut self.0[last].1
    }

    /// The calls, each with where its pieces belong; none are left.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = (PieceKey, StreamedCall)> + use<> {
        std::mem::take(&mut self.0).into_iter()
    }
}

/// True for a value among the events of a stream that is none of them, though it has a piece in it: wrapped, or as JSON text.
pub(crate) fn is_lost_piece(value: &Node<'_>) -> bool {
    value.raw().contains("delta") || value.raw().contains("Delta")
}

/// The index of what an event adds to: without an index that of the only one that is open.
pub(crate) fn piece_index<T>(event: &Node<'_>, open: &BTreeMap<i128, T>) -> i128 {
    let only = || open.keys().next().copied().filter(|_| open.len() == 1);
    event.whole_at("index").or_else(only).unwrap_or_default()
}
