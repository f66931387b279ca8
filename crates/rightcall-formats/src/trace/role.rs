//! The speaker of a message, by its role, type or class.

use std::borrow::Cow;

use rightcall_core::value::Text;

use crate::node::Node;
use crate::trace::words::says_any;

/// Roles, types and classes of the user's messages.
const USER: [&str; 5] = [
    "user",
    "human",
    "HumanMessage",
    "HumanMessageChunk",
    "UserMessage",
];

/// Roles, types and classes of the agent's messages.
const MODEL: [&str; 14] = [
    "assistant",
    "model",
    "ai",
    "AIMessage",
    "AIMessageChunk",
    "AssistantMessage",
    "agent",
    "agent.message",
    "assistant.message",
    "model_output",
    "chatbot",
    "bot",
    "gpt",
    "chatgpt",
];

/// Roles of others than the user and the agent, who make no calls.
const OTHERS: [&str; 10] = [
    "caller",
    "client",
    "context",
    "customer",
    "developer",
    "instruction",
    "instructions",
    "narrator",
    "prompt",
    "system",
];

/// True for the role of the user, of the agent, or of others who make no calls.
pub(crate) fn is_known_role(role: &str) -> bool {
    [&USER[..], &MODEL, &OTHERS]
        .iter()
        .any(|words| is_word_of(Some(role), words))
}

/// Keys of the agent's answer in a row.
const ANSWERS: [&str; 9] = [
    "actual_output",
    "answer",
    "completion",
    "final_output",
    "generation",
    "model_output",
    "output",
    "prediction",
    "response",
];

/// True for the key of the agent's answer in a row.
pub(crate) fn is_of_answer(key: &Text<'_>) -> bool {
    ANSWERS.iter().any(|answer| *key == **answer)
}

/// True for a message of the user.
pub(crate) fn is_of_user(message: &Node<'_>) -> bool {
    is_word_of(role(message), &USER)
}

/// True for a message of the agent. Pydantic AI marks it by the kind of the message, ATIF by the source of the step.
pub(crate) fn is_of_model(message: &Node<'_>) -> bool {
    // Asked several times of each message, and most have one of these roles.
    match plain_role(message) {
        Some("assistant") => return true,
        Some("user" | "tool" | "system") => return false,
        _ => {}
    }
    is_word_of(role(message), &MODEL)
        || message.says("kind", "response") && message.get("parts").is_some_and(Node::is_list)
        || message.says("source", "agent") && message.has("step_id")
}

fn is_word_of(role: Option<&str>, words: &[&str]) -> bool {
    role.is_some_and(|role| words.iter().any(|word| role.eq_ignore_ascii_case(word)))
}

/// The role of a message whose body is elsewhere.
fn plain_role<'n>(message: &'n Node<'_>) -> Option<&'n str> {
    let mut role = None;
    for (key, value) in message.entries() {
        match key.as_bytes() {
            b"role" => role = value.str(),
            b"data" | b"kwargs" | b"init_parameters" => return None,
            _ => {}
        }
    }
    role
}

/// Keys of the body of a serialized message.
const BODIES: [&str; 3] = ["data", "kwargs", "init_parameters"];

/// The body of a message, which is one level down in serialized messages.
pub(crate) fn body<'n, 'a>(message: &'n Node<'a>) -> &'n Node<'a> {
    message.inner(&BODIES)
}

/// The role of a message (possibly an object with a label), or its class.
pub(crate) fn role<'n>(message: &'n Node<'_>) -> Option<&'n str> {
    if let Some(role) = plain_role(message) {
        return Some(role);
    }
    let of_role = |node: &'n Node<'_>| {
        let role = node.any(&["role", "Role", "from", "_role"])?;
        role.str().or_else(|| role.any(&["value", "Label"])?.str())
    };
    let inner = || message.get("message").filter(|it| it.is_object());
    let class = message.list("id").last().filter(|_| message.has("kwargs"));
    of_role(body(message))
        .or_else(|| of_role(inner()?))
        .or_else(|| class.and_then(Node::str))
        .or_else(|| message.at(&["info", "role"])?.str())
        .or_else(|| message.str_at("type"))
}

/// The text of a model's message, without other parts such as reasoning.
pub(crate) fn model_text<'n>(message: &'n Node<'_>) -> Option<Cow<'n, str>> {
    const CONTENTS: [&str; 11] = [
        "content",
        "_content",
        "parts",
        "contents",
        "blocks",
        "items",
        "Items",
        "text",
        "value",
        "completion",
        "output_text",
    ];
    if let Some(text) = message.str() {
        return Some(Cow::Borrowed(text));
    }
    let content = body(message).any(&CONTENTS)?;
    if let Some(text) = content.str() {
        return Some(Cow::Borrowed(text));
    }
    let is_text = |part: &Node<'_>| {
        let kind = part.any(&["type", "kind", "part_kind"]).and_then(Node::str);
        kind.is_none_or(|kind| matches!(kind, "text" | "output_text")) && !part.is_set("thought")
    };
    // In Pydantic AI and in spans the text of a part has another key.
    let of_kind = |part: &'n Node<'_>| {
        let is_text = part.says("part_kind", "text") || part.says("type", "text");
        part.str_at("content").filter(|_| is_text)
    };
    let said = |part: &'n Node<'_>| {
        // A text of an assistant of OpenAI is an object with annotations.
        let text = part.any(&["text", "Text"]);
        let text = text.and_then(|text| text.get("value").unwrap_or(text).str());
        part.str()
            .or_else(|| text.filter(|_| is_text(part)))
            .or_else(|| of_kind(part))
    };
    let texts: Vec<_> = content.items().iter().filter_map(said).collect();
    (!texts.is_empty()).then(|| Cow::Owned(texts.join("\n")))
}

/// Keys of the content in a message.
const SAID: [&str; 12] = [
    "_content",
    "content",
    "parts",
    "text",
    "contents",
    "blocks",
    "items",
    "message",
    "refusal",
    "completion",
    "output_text",
    "value",
];

/// True for text, and for a message with content or with a list of calls, which may be empty. Thoughts and empty texts are what is left of
/// a reply that failed, or the beginning of one.
pub(crate) fn says_something(message: &Node<'_>) -> bool {
    let body = message.inner(&["kwargs", "data", "message"]);
    let is_list = |key: &str| body.get(key).is_some_and(Node::is_list);
    message.text().is_some_and(|text| !text.is_empty())
        || SAID
            .iter()
            .any(|key| body.get(key).is_some_and(is_something))
        || ["tool_calls", "toolCalls"].into_iter().any(is_list)
}

fn is_something(content: &Node<'_>) -> bool {
    if let Some(text) = content.text() {
        return !text.is_empty();
    }
    if content.is_list() {
        return content.items().iter().any(is_something);
    }
    let kind = content
        .any(&["type", "part_kind", "kind"])
        .and_then(Node::str)
        .unwrap_or_default();
    if says_any(kind, &["think", "reason"]) || content.is_set("thought") {
        return false;
    }
    let text = content.any(&["text", "content"]).and_then(Node::text);
    match text.filter(|_| kind.is_empty() || says_any(kind, &["text"])) {
        Some(text) => !text.is_empty(),
        None => !content.entries().is_empty(),
    }
}
