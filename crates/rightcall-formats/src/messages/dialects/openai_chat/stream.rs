//! Streamed chunks of replies.

use std::collections::BTreeSet;

use rightcall_core::value::Text;

use crate::event_line::is_end;
use crate::format::Stream;
use crate::messages::ending::{StreamEnding, cut_off, note_alternatives};
use crate::messages::pieces::{PieceKey, StreamedCalls, is_lost_piece};
use crate::node::Node;
use crate::trace::{Conversation, TraceCall};

/// Streamed calls.
#[derive(Default)]
pub(super) struct Pieces {
    calls: StreamedCalls,
    /// The id of the reply, if its chunks have one.
    reply: Option<Text<'static>>,
    /// The choices of the reply that are complete.
    ended: BTreeSet<i128>,
    ending: StreamEnding,
    is_reply: bool,
    /// True if the last piece says that it isn't the last one of its reply.
    is_open: bool,
}

impl Pieces {
    /// True if a chunk begins another reply: after the end of one, or with another id.
    fn is_over_before(&self, id: Option<&Text<'static>>, choices: &[Node<'_>]) -> bool {
        let is_other = match (id, &self.reply) {
            (Some(id), Some(reply)) => id != reply,
            _ => false,
        };
        let begins = |choice: &Node<'_>| choice.at(&["delta", "role"]).is_some();
        // Some servers end a reply twice.
        let begins_again = |choice: &Node<'_>| {
            let is_known = id.is_some() && !is_other;
            begins(choice) && !(is_known && choice.str_at("finish_reason").is_some())
        };
        let has_ended = |(position, choice): (usize, &Node<'_>)| {
            self.ended.contains(&number(choice, position)) && (is_other || begins_again(choice))
        };
        choices.iter().enumerate().any(has_ended) || is_other && choices.iter().any(begins)
    }

    fn pieces(&mut self, choice: i128, delta: &Node<'_>) {
        let calls = delta.list("tool_calls");
        for (place, call) in calls.iter().enumerate() {
            self.piece(choice, Some(place).filter(|_| calls.len() > 1), call);
        }
    }

    fn piece(&mut self, choice: i128, place: Option<usize>, call: &Node<'_>) {
        let label =
            |node: &Node<'_>, key: &str| node.label_at(&[key]).filter(|label| !label.is_empty());
        let function = call.any(&["function", "custom"]).unwrap_or(call);
        let key = PieceKey {
            choice,
            index: call.whole_at("index").or(place.map(|place| place as i128)),
        };
        let name = function.name_at(&["name"]).filter(|name| !name.is_empty());
        let piece = self.calls.piece(key, label(call, "id"), name);
        piece.is_free |= call.has("custom");
        piece
            .arguments
            .read(function, &["arguments", "input", "args"]);
    }
}

/// True for a reply of Ollama, or a piece of one: a message, and whether it is the last.
pub(super) fn is_of_ollama(value: &Node<'_>) -> bool {
    let is_flag = |done: &Node<'_>| matches!(done.raw(), "true" | "false");
    value.get("done").is_some_and(is_flag) && value.get("message").is_some_and(Node::is_object)
}

/// True for the `delta` of a chunk without the chunk: a part of a message, with calls that other parts go on with.
pub(super) fn is_bare_delta(value: &Node<'_>) -> bool {
    let calls = value.list("tool_calls");
    let is_whole = |call: &Node<'_>| {
        let arguments = call.at(&["function", "arguments"]).and_then(Node::str);
        arguments.is_some_and(|text| text.trim_end().ends_with('}') && text.starts_with('{'))
            && call.at(&["function", "name"]).is_some()
    };
    !calls.is_empty()
        && calls
            .iter()
            .all(|call| call.whole_at("index").is_some() && call.has("function"))
        && (!value.has("role") || !calls.iter().all(is_whole))
}

/// The index of a choice.
fn number(choice: &Node<'_>, position: usize) -> i128 {
    choice.whole_at("index").unwrap_or(position as i128)
}

impl Stream for Pieces {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        if is_end(event) {
            return self.ending.close();
        }
        let choices = event.list("choices");
        let id = event.label_at(&["id"]).filter(|id| !id.is_empty());
        if self.is_over_before(id.as_ref(), choices) {
            self.end(conversation);
        }
        if !std::mem::replace(&mut self.is_reply, true) {
            conversation.message();
        }
        self.ending.add_piece(conversation);
        self.reply = id.or(self.reply.take());
        if let Some(message) = event.get("message").filter(|_| is_of_ollama(event)) {
            super::calls(message, conversation);
            self.ending.add_content(message, conversation);
            self.ending.read(event);
            self.is_open = !event.is_set("done");
            if !self.is_open {
                self.end(conversation);
            }
            return;
        }
        if is_bare_delta(event) {
            self.pieces(0, event);
            self.ending.add_content(event, conversation);
        }
        for (position, choice) in choices.iter().enumerate() {
            let number = number(choice, position);
            if let Some(delta) = choice.get("delta") {
                self.pieces(number, delta);
                super::note_executed(delta, conversation);
                self.ending.add_content(delta, conversation);
            }
            let call = choice.at(&["delta", "function_call"]);
            if let Some(call) = call.filter(|call| !super::is_empty_call(call)) {
                self.piece(number, None, call);
            }
            if choice
                .str_at("finish_reason")
                .is_some_and(|reason| !reason.is_empty())
            {
                self.ended.insert(number);
            }
        }
        self.ending.read(event);
        conversation.look_at_usage(event);
    }

    fn goes_on_with(&self, value: &Node<'_>) -> bool {
        self.is_reply && is_of_ollama(value)
    }

    fn pass(&mut self, value: &Node<'_>) {
        if is_lost_piece(value) {
            self.calls.lose_piece();
        }
        if is_end(value) {
            self.ending.close();
        }
    }

    fn end(&mut self, conversation: &mut Conversation) {
        if !self.calls.is_empty() {
            note_alternatives(self.ended.len(), conversation);
        }
        let mut made: Vec<(PieceKey, TraceCall)> = Vec::new();
        for (key, call) in self.calls.take() {
            if !self.ended.contains(&key.choice) && !call.arguments.are_whole() {
                cut_off(conversation);
            }
            made.push((key, call.into_call()));
        }
        for (key, call) in &made {
            // A `function_call` has neither index nor id, and may repeat one of the `tool_calls`.
            let is_of_choice = |it: &PieceKey| it.choice == key.choice && it.index.is_some();
            let mut others = made.iter().filter(|(other, _)| is_of_choice(other));
            let is_old = key.index.is_none() && call.id.is_none();
            if !(is_old && others.any(|(_, other)| call.is_equal(other))) {
                conversation.call(call.clone());
            }
        }
        self.ending.end(conversation);
        if self.is_open {
            conversation.reply_broke("a reply that is not done");
        }
        *self = Self::default();
    }
}
