//! Whose turn a message is, by its role, its type or its class.

use crate::node::Node;

/// True for what the user says.
pub(crate) fn is_of_user(message: &Node<'_>) -> bool {
    matches!(
        role(message),
        Some("user" | "human" | "HumanMessage" | "HumanMessageChunk" | "UserMessage")
    )
}

/// True for what the agent says.
pub(crate) fn is_of_model(message: &Node<'_>) -> bool {
    matches!(
        role(message),
        Some("assistant" | "model" | "ai" | "AIMessage" | "AIMessageChunk" | "AssistantMessage")
    )
}

/// What a message holds, which serialized ones keep one level down.
pub(crate) fn body<'n, 'a>(message: &'n Node<'a>) -> &'n Node<'a> {
    message.inner(&["data", "kwargs"])
}

/// The role of a message, which some write as an object with a label, or its class.
pub(crate) fn role<'n>(message: &'n Node<'_>) -> Option<&'n str> {
    let of_role = |node: &'n Node<'_>| {
        let role = node.any(&["role", "Role"])?;
        role.str().or_else(|| role.any(&["value", "Label"])?.str())
    };
    let class = message.list("id").last().filter(|_| message.has("kwargs"));
    of_role(body(message))
        .or_else(|| class.and_then(Node::str))
        .or_else(|| message.at(&["info", "role"])?.str())
        .or_else(|| message.str_at("type"))
}
