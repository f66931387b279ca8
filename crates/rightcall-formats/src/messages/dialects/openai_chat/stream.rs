//! Streamed chunks of replies.

use std::collections::BTreeSet;

use rightcall_core::value::Text;

use crate::format::Stream;
use crate::messages::ending::{StreamEnding, cut_off};
use crate::messages::pieces::{PieceKey, StreamedCalls, is_lost_piece};
use crate::node::Node;
use crate::trace::Conversation;

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

/// The index of a choice.
fn number(choice: &Node<'_>, position: usize) -> i128 {
    choice.whole_at("index").unwrap_or(position as i128)
}

impl Stream for Pieces {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        let choices = event.list("choices");
        let id = event.label_at(&["id"]).filter(|id| !id.is_empty());
        if self.is_over_before(id.as_ref(), choices) {
            self.end(conversation);
        }
        if !std::mem::replace(&mut self.is_reply, true) {
            conversation.message();
        }
        self.ending.goes_on(conversation);
        self.reply = id.or(self.reply.take());
        if let Some(message) = event.get("message").filter(|_| is_of_ollama(event)) {
            super::calls(message, conversation);
            self.ending.says(message.get("content"), conversation);
            self.ending.read(event);
            if event.is_set("done") {
                self.end(conversation);
            }
            return;
        }
        for (position, choice) in choices.iter().enumerate() {
            let number = number(choice, position);
            let calls = choice.list_at(&["delta", "tool_calls"]);
            for (place, call) in calls.iter().enumerate() {
                self.piece(number, Some(place).filter(|_| calls.len() > 1), call);
            }
            if let Some(call) = choice.at(&["delta", "function_call"]) {
                self.piece(number, None, call);
            }
            self.ending
                .says(choice.at(&["delta", "content"]), conversation);
            if choice
                .str_at("finish_reason")
                .is_some_and(|reason| !reason.is_empty())
            {
                self.ended.insert(number);
            }
        }
        self.ending.read(event);
    }

    fn goes_on_with(&self, value: &Node<'_>) -> bool {
        self.is_reply && is_of_ollama(value)
    }

    fn pass(&mut self, value: &Node<'_>) {
        if is_lost_piece(value) {
            self.calls.lose_piece();
        }
    }

    fn end(&mut self, conversation: &mut Conversation) {
        for (key, call) in self.calls.take() {
            if !self.ended.contains(&key.choice) && !call.arguments.are_whole() {
                cut_off(conversation);
            }
            conversation.call(call.into_call());
        }
        self.ending.end(conversation);
        *self = Self::default();
    }
}
