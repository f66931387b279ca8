//! How a reply ended: a reply that says that it called a tool must hold a call.

use rightcall::value::Text;

use crate::messages::in_text::read_said;
use crate::messages::parts::letters;
use crate::node::Node;
use crate::trace::{Conversation, count_suspects};

/// The kind of what is left over of a reply that ends inside a call.
const CUT_OFF: &str = "a stream that broke off inside a call";

/// Notes how a message or a whole reply ended, if it says so. This many of its calls were read.
pub(crate) fn note_ending(reply: &Node<'_>, calls: usize, conversation: &mut Conversation) {
    each_ending(reply, &mut |holder, reason| {
        if !is_of_tools(reason) {
            return conversation.agent_spoke();
        }
        // Calls that were read and do not look like any are in texts.
        let are_in_text = || calls > count_suspects(reply);
        if count_suspects(holder) == 0 && !are_in_text() {
            without_call(reason, conversation);
        }
    });
}

/// Notes why a step or a reply ended that holds this many calls.
pub(crate) fn note_reason(reason: &str, calls: usize, conversation: &mut Conversation) {
    if !is_of_tools(reason) {
        conversation.agent_spoke();
    } else if calls == 0 {
        without_call(reason, conversation);
    }
}

/// A reply whose reason to end is a call, which is missing.
pub(crate) fn without_call(reason: &str, conversation: &mut Conversation) {
    conversation.left_over(format!("finish reason `{reason}` without a call"));
}

/// A stream that ends before a call in it does.
pub(crate) fn cut_off(conversation: &mut Conversation) {
    conversation.left_over(CUT_OFF);
}

/// The reason of a reply for its end, with the part of the reply that ended so: itself, or one of several alternatives.
fn each_ending<'n, 'a>(reply: &'n Node<'a>, each: &mut dyn FnMut(&'n Node<'a>, &'n str)) {
    for (key, value) in reply.entries() {
        match key.as_str().unwrap_or_default() {
            "finish_reason" | "finishReason" | "stop_reason" | "stopReason" => {
                value.str().into_iter().for_each(|it| each(reply, it));
            }
            "status" if is_whole_response(reply) => {
                let ended = |status: &&str| matches!(*status, "completed" | "requires_action");
                value
                    .str()
                    .filter(ended)
                    .into_iter()
                    .for_each(|it| each(reply, it));
            }
            "choices" | "candidates" => {
                for choice in value.items() {
                    each_ending(choice, each);
                }
            }
            "response_metadata" => {
                each_ending(value, &mut |_, reason| each(reply, reason));
            }
            "data" | "kwargs" | "message" if value.is_object() => each_ending(value, each),
            _ => {}
        }
    }
}

/// True for a reply that says what it is, and how it ended as its status.
fn is_whole_response(reply: &Node<'_>) -> bool {
    let kinds = ["response", "realtime.response", "interaction"];
    reply
        .str_at("object")
        .is_some_and(|kind| kinds.contains(&kind))
}

/// True for a reason such as `tool_calls`, `toolUse` or `FUNCTION_CALL`.
fn is_of_tools(reason: &str) -> bool {
    let letters = letters(reason);
    let words = ["toolcall", "tooluse", "functioncall", "requiresaction"];
    words.iter().any(|word| letters.contains(word))
}

/// The ending of a reply that is streamed.
#[derive(Debug, Default)]
pub(crate) struct StreamEnding {
    /// How many calls the run had before the reply.
    before: Option<usize>,
    /// The reason that is known.
    reason: Option<Text<'static>>,
    /// What the reply said.
    text: String,
}

impl StreamEnding {
    /// The reply begins, or goes on.
    pub(crate) fn goes_on(&mut self, conversation: &Conversation) {
        self.before.get_or_insert_with(|| conversation.seen());
    }

    /// The reply says more, if this is text.
    pub(crate) fn says(&mut self, piece: Option<&Node<'_>>, conversation: &mut Conversation) {
        if let Some(text) = piece.and_then(Node::str).filter(|text| !text.is_empty()) {
            self.text.push_str(text);
            conversation.agent_spoke();
        }
    }

    /// An event says how the reply ended, if it does.
    pub(crate) fn read(&mut self, event: &Node<'_>) {
        each_ending(event, &mut |_, reason| {
            let is_better = self.reason.is_none() || is_of_tools(reason);
            if is_better && !reason.is_empty() {
                self.reason = Some(Text::from(reason.to_owned()));
            }
        });
    }

    /// True if a reply has begun and is not over.
    pub(crate) fn has_begun(&self) -> bool {
        self.before.is_some()
    }

    /// True if the reply has said how it ended.
    pub(crate) fn is_known(&self) -> bool {
        self.reason.is_some()
    }

    /// The reply is over, and its calls are read.
    pub(crate) fn end(&mut self, conversation: &mut Conversation) {
        let ended = std::mem::take(self);
        // What holds calls of its own says no more of them.
        if ended.before == Some(conversation.seen()) {
            read_said(&ended.text, conversation);
        }
        let Some(reason) = ended.reason else { return };
        let calls = ended.before.map(|before| conversation.seen() - before);
        note_reason(&reason.to_display(), calls.unwrap_or(1), conversation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_tools_are_known_in_all_spellings() {
        for reason in [
            "tool_calls",
            "tool-calls",
            "tool_use",
            "toolUse",
            "TOOL_CALL",
            "function_call",
            "MALFORMED_FUNCTION_CALL",
            "requires_action",
        ] {
            assert!(is_of_tools(reason), "{reason}");
        }
        for reason in [
            "stop",
            "end_turn",
            "STOP",
            "length",
            "max_tokens",
            "COMPLETE",
            "",
        ] {
            assert!(!is_of_tools(reason), "{reason}");
        }
    }
}
