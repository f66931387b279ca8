//! Who speaks in a message: the agent by its name, or the user.

use rightcall::value::Text;

use crate::messages::content::joined_text;
use crate::node::Node;
use crate::trace::{CaseScope, Conversation};

/// Tells a conversation whose message follows, where somebody asks.
pub(crate) fn name_speaker(message: &Node<'_>, conversation: &mut Conversation) {
    if is_of_model(message) {
        conversation.agent_spoke();
    }
    if !conversation.has_parts() {
        return;
    }
    let body = body(message);
    let is_user = words_of_user(message).is_some() || message.says("source", "user");
    conversation.speaks(is_user);
    let named = |keys: &[&str]| body.label_at(keys).or_else(|| message.label_at(keys));
    // The name in the result of a tool is the tool's, and other items of a reply have none.
    if is_of_model(message) {
        conversation.enter(CaseScope::Agent, || named(&NAMES));
    } else if !is_user && let Some(name) = named(&NAMES[1..]) {
        conversation.enter(CaseScope::Agent, || Some(name));
    }
}

/// What the user says in a message, if it is text alone.
pub(crate) fn words_of_user(message: &Node<'_>) -> Option<Text<'static>> {
    let body = body(message);
    let is_of_user = matches!(
        role(message, body),
        Some("user" | "human" | "HumanMessage" | "HumanMessageChunk" | "UserMessage")
    );
    let content = body.any(&["content", "parts", "contents"]);
    content.filter(|_| is_of_user).and_then(joined_text)
}

/// True for what the agent says.
pub(crate) fn is_of_model(message: &Node<'_>) -> bool {
    matches!(
        role(message, body(message)),
        Some("assistant" | "model" | "ai" | "AIMessage" | "AIMessageChunk" | "AssistantMessage")
    )
}

fn body<'n, 'a>(message: &'n Node<'a>) -> &'n Node<'a> {
    message.inner(&["data", "kwargs"])
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
