//! Assembles calls from streamed pieces.

use std::collections::BTreeMap;

use rightcall_core::value::{Text, TextBuilder};

use crate::node::Node;
use crate::trace::{TraceArguments, TraceCall, Understood};

/// The pieces of a call's arguments so far.
#[derive(Debug, Default)]
pub(crate) struct ArgumentPieces {
    text: TextBuilder,
    /// Arguments sent as a value, as JSON text.
    value: Option<String>,
    has_any: bool,
    /// True if a piece could not be read.
    is_broken: bool,
}

impl ArgumentPieces {
    /// Adds a piece: more text, or all arguments as a value. `None` is a piece in an unknown form.
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

    /// Adds the piece under one of these keys, if there is one.
    pub(crate) fn read(&mut self, node: &Node<'_>, keys: &[&str]) {
        match node.any(keys) {
            Some(piece) => self.push(Some(piece)),
            // They may be under an unknown key.
            None => {
                self.is_broken |= TraceArguments::from_call(node, keys) == TraceArguments::Absent;
            }
        }
    }

    /// Replaces the pieces by the complete arguments from the stream.
    pub(crate) fn replace(&mut self, whole: &Node<'_>) {
        *self = Self::default();
        self.push(Some(whole));
    }

    /// True if the pieces form an object, so that no more are needed.
    pub(crate) fn are_whole(&self) -> bool {
        let text = self.text.as_text();
        let understood = || TraceArguments::Text(text.clone().into_owned()).understood();
        self.value.is_some() || self.has_any && understood() == Understood::Object
    }

    /// The assembled arguments: absent if a piece is missing, `None` if there were no pieces.
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

/// A call assembled from pieces.
#[derive(Debug, Default)]
pub(crate) struct StreamedCall {
    pub(crate) id: Option<Text<'static>>,
    pub(crate) name: Option<Text<'static>>,
    pub(crate) arguments: ArgumentPieces,
    /// True if its input is free text, not JSON.
    pub(crate) is_free: bool,
    /// True if the provider of the model runs it.
    pub(crate) is_of_provider: bool,
}

impl StreamedCall {
    /// Adds the id and name of a piece; earlier values win.
    pub(crate) fn add(&mut self, id: Option<Text<'static>>, name: Option<Text<'static>>) {
        self.id = self.id.take().or(id);
        self.name = self.name.take().or(name);
    }

    /// The call as assembled so far.
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
            ..TraceCall::default().by_provider_if(self.is_of_provider)
        }
    }
}

/// The call that a piece belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PieceKey {
    /// The index of the alternative reply.
    pub(crate) choice: i128,
    /// The index of the call, if given.
    pub(crate) index: Option<i128>,
}

/// The calls of a stream, in order of appearance.
#[derive(Debug, Default)]
pub(crate) struct StreamedCalls(Vec<(PieceKey, StreamedCall)>);

impl StreamedCalls {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The call that a piece continues or begins. Some servers use index 0 for all calls, so another id begins another call even under
    /// the same index. So does a name after complete arguments.
    pub(crate) fn piece(
        &mut self,
        key: PieceKey,
        id: Option<Text<'static>>,
        name: Option<Text<'static>>,
    ) -> &mut StreamedCall {
        let last = |test: &dyn Fn(&PieceKey, &StreamedCall) -> bool| {
            self.0.iter().rposition(|(known, call)| test(known, call))
        };
        let is_same = |known: &PieceKey, call: &StreamedCall| {
            known.choice == key.choice && id.is_some() && call.id == id
        };
        let is_at = |known: &PieceKey| {
            key.index.is_none() || known.index.is_none() || known.index == key.index
        };
        // A name under another index begins a call, even with the same id.
        let of_id = last(&|known, call| is_same(known, call) && is_at(known))
            .or_else(|| last(&|known, call| is_same(known, call) && name.is_none()));
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

    /// Records that a piece of an unknown call was lost.
    pub(crate) fn lose_piece(&mut self) {
        self.0
            .iter_mut()
            .for_each(|(_, call)| call.arguments.push(None));
    }

    /// Begins a call on an explicit start event.
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

    /// Removes and returns the calls, each with the key of its pieces.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = (PieceKey, StreamedCall)> + use<> {
        std::mem::take(&mut self.0).into_iter()
    }
}

/// True for a value in a stream that isn't an event but contains a piece: wrapped, or as JSON text.
pub(crate) fn is_lost_piece(value: &Node<'_>) -> bool {
    value.raw().contains("delta") || value.raw().contains("Delta")
}

/// The index that an event adds to; by default the only open item.
pub(crate) fn piece_index<T>(event: &Node<'_>, open: &BTreeMap<i128, T>) -> i128 {
    let only = || open.keys().next().copied().filter(|_| open.len() == 1);
    event.whole_at("index").or_else(only).unwrap_or_default()
}
