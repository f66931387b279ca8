//! Events of AG-UI, which resemble the events of a UI message stream.

use rightcall_core::value::{MAX_DEPTH, Text};

use crate::messages::dialects::openai_chat;
use crate::node::Node;
use crate::trace::Conversation;

/// True for the name of an event's kind.
pub(super) fn is_kind(kind: &str) -> bool {
    !kind.is_empty() && kind.bytes().all(|it| it == b'_' || it.is_ascii_uppercase())
}

/// True for an event that only AG-UI has.
pub(super) fn is_event(value: &Node<'_>) -> bool {
    let kind = value.str_at("type").unwrap_or_default();
    match kind {
        "RUN_STARTED" | "RUN_FINISHED" => value.has("threadId") && value.has("runId"),
        SNAPSHOT => value.get("messages").is_some_and(Node::is_list),
        _ => {
            is_kind(kind)
                && (kind.starts_with("TOOL_CALL_") && value.has("toolCallId")
                    || kind.starts_with("TEXT_MESSAGE_") && value.has("messageId"))
        }
    }
}

/// The kind of an event by its name in a UI message stream.
pub(super) fn kind_of<'n>(event: &'n Node<'_>) -> &'n str {
    match event.str_at("type").unwrap_or_default() {
        "RUN_STARTED" => "start",
        "RUN_FINISHED" | "RUN_ERROR" => "finish",
        "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_CHUNK" => "text-delta",
        "TOOL_CALL_START" => "tool-input-start",
        "TOOL_CALL_ARGS" => "tool-input-delta",
        "TOOL_CALL_RESULT" => "tool-output-available",
        kind => kind,
    }
}

const SNAPSHOT: &str = "MESSAGES_SNAPSHOT";

/// The state of a stream that events of AG-UI have in addition.
#[derive(Default)]
pub(super) struct AgUi {
    /// The message of the last call: calls of one message are asked for together.
    message: Option<Text<'static>>,
    /// True if events reported calls, so that snapshots repeat them.
    has_calls: bool,
    /// The last messages, as JSON text.
    snapshot: Option<String>,
}

impl AgUi {
    pub(super) fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        match event.str_at("type").unwrap_or_default() {
            "TOOL_CALL_START" => {
                let message = event.label_at(&["parentMessageId"]);
                if self.message != message {
                    conversation.interrupt();
                }
                (self.message, self.has_calls) = (message, true);
            }
            SNAPSHOT => self.snapshot = event.raw_at("messages"),
            _ => {}
        }
    }

    /// Reads the last snapshot, if no events reported calls.
    pub(super) fn end(&mut self, conversation: &mut Conversation) {
        let snapshot = self.snapshot.take().filter(|_| !self.has_calls);
        let messages = snapshot.as_ref().map(|text| Node::parse(text, MAX_DEPTH));
        if let Some(Ok(messages)) = messages {
            for message in messages.items() {
                conversation.part(message, |conversation| {
                    openai_chat::message(message, conversation);
                });
            }
        }
        *self = Self::default();
    }
}
