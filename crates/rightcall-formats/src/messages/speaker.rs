//! The speaker of a message: the agent by name, or the user.

use rightcall_core::value::Text;

use crate::case::letters;
use crate::messages::content::{joined_text, text_of};
use crate::node::Node;
pub(crate) use crate::trace::role::is_of_model;
use crate::trace::role::{body, is_of_user};
use crate::trace::{CaseScope, Conversation};

/// Keeps the first question of the user.
pub(crate) fn keep_question(message: &Node<'_>, conversation: &mut Conversation) {
    if conversation.trace().input.is_none() && message.says("role", "user") {
        let content = message.any(&["content", "parts"]);
        conversation.trace().input = content.and_then(text_of);
    }
}

/// Reports a message of another session: one run is one session.
pub(crate) fn note_session(message: &Node<'_>, conversation: &mut Conversation) {
    const SESSIONS: [&str; 15] = [
        "case",
        "chat",
        "conv",
        "conversation",
        "dialog",
        "dialogue",
        "episode",
        "instance",
        "room",
        "sample",
        "session",
        "sid",
        "thread",
        "ticket",
        "trajectory",
    ];
    let is_key = |key: &Text<'_>| {
        // Most messages have these keys alone.
        if matches!(
            key.as_bytes(),
            b"role" | b"content" | b"tool_calls" | b"tool_call_id" | b"name" | b"type" | b"id"
        ) {
            return false;
        }
        let letters = letters(&key.to_display());
        let name = letters.strip_suffix("id").unwrap_or(&letters);
        SESSIONS.contains(&name) || SESSIONS.contains(&letters.as_str())
    };
    let member = message.entries().iter().find(|(key, _)| is_key(key));
    let Some((key, session)) = member.and_then(|(key, value)| Some((key, value.label()?))) else {
        return;
    };
    match &conversation.session {
        Some(known) if *known != session => {
            let key = key.to_display();
            conversation.left_over(format!(
                "messages with different values of `{key}`, which a map with `run: {key}` tells apart"
            ));
        }
        Some(_) => {}
        None => conversation.session = Some(session),
    }
}

/// Sets the speaker of the following message in a conversation, if requested.
pub(crate) fn name_speaker(message: &Node<'_>, conversation: &mut Conversation) {
    if is_of_model(message) {
        conversation.note_agent_message(message);
    }
    if !conversation.has_parts() {
        return;
    }
    let body = body(message);
    let is_user = words_of_user(message).is_some() || message.says("source", "user");
    conversation.note_speaker(is_user);
    let named = |keys: &[&str]| body.label_at(keys).or_else(|| message.label_at(keys));
    // In a tool result the name is the tool's, and other items of a reply have none.
    if is_of_model(message) {
        conversation.enter(CaseScope::Agent, || named(&NAMES));
    } else if !is_user && let Some(name) = named(&NAMES[1..]) {
        conversation.enter(CaseScope::Agent, || Some(name));
    }
}

/// The user's text in a message, if the message is only text.
pub(crate) fn words_of_user(message: &Node<'_>) -> Option<Text<'static>> {
    let content = body(message).any(&["content", "parts", "contents"]);
    content
        .filter(|_| is_of_user(message))
        .and_then(joined_text)
}

/// Keys of the agent's name in a message.
const NAMES: [&str; 7] = [
    "name",
    "source",
    "sender",
    "author_name",
    "authorName",
    "AuthorName",
    "agent_name",
];
