//! Who speaks in a message: the agent by its name, or the user.

use crate::messages::content::joined_text;
use crate::node::Node;
use crate::trace::{CaseScope, Conversation};

/// Tells a conversation whose message follows, where somebody asks.
pub(crate) fn name_speaker(message: &Node<'_>, conversation: &mut Conversation) {
    if !conversation.has_parts() {
        return;
    }
    let body = message
        .any(&["data", "kwargs"])
        .filter(|body| body.is_object())
        .unwrap_or(message);
    let role = role(message, body);
    let is_user = match role {
        Some("user" | "human" | "HumanMessage" | "HumanMessageChunk" | "UserMessage") => body
            .any(&["content", "parts", "contents"])
            .is_some_and(|it| joined_text(it).is_some()),
        _ => message.says("source", "user"),
    };
    conversation.speaks(is_user);
    // The name in the result of a tool is the tool's, and other items of a reply have none.
    let is_of_model = matches!(
        role,
        Some("assistant" | "model" | "ai" | "AIMessage" | "AIMessageChunk" | "AssistantMessage")
    );
    let named = |keys: &[&str]| body.label_at(keys).or_else(|| message.label_at(keys));
    if is_of_model {
        conversation.enter(CaseScope::Agent, || named(&NAMES));
    } else if !is_user && let Some(name) = named(&NAMES[1..]) {
        conversation.enter(CaseScope::Agent, || Some(name));
    }
}

/// Under which keys a message names the agent that speaks.
const NAMES: [&str; 7] = [
    "name",
    "source",
    "sender",
    "author_name",
    "authorName",
    "AuthorName",
    "agent_name",
];

/// The role of a message, which some write as an object with a label, or its class.
fn role<'n>(message: &'n Node<'_>, body: &'n Node<'_>) -> Option<&'n str> {
    let of_role = |node: &'n Node<'_>| {
        let role = node.any(&["role", "Role"])?;
        role.str().or_else(|| role.any(&["value", "Label"])?.str())
    };
    let class = message.list("id").last().filter(|_| message.has("kwargs"));
    of_role(body)
        .or_else(|| class.and_then(Node::str))
        .or_else(|| message.at(&["info", "role"])?.str())
        .or_else(|| message.str_at("type"))
}
