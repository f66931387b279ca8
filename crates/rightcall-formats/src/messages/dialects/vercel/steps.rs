//! Steps of a run: their calls and results in the content, in separate lists, or in both.

use rightcall_core::value::Text;

use super::{call, unpacked};
use crate::messages::in_text::{read_other_text, read_said};
use crate::messages::listed::{each_call, holds_call};
use crate::node::Node;
use crate::trace::Conversation;

/// True for a step of a result; a copied step has only its content.
pub(super) fn is_step(value: &Node<'_>) -> bool {
    has_tool_calls(value) || value.has("finishReason") && value.has_any(&["content", "response"])
}

/// True for a value with a list of calls (possibly empty), or the text of one. Other libraries have other calls under this key.
pub(super) fn has_tool_calls(value: &Node<'_>) -> bool {
    // Calls of LlamaIndex have other arguments.
    let is_own = |call: &Node<'_>| {
        unpacked(call).has_any(&["toolName", "toolCallId"]) && !call.has("toolKwargs")
    };
    let are_own = |calls: &Node<'_>| calls.is_list() && calls.items().iter().all(is_own);
    // Messages of Spring AI have such a list too, those of the user an empty one.
    if value.has("messageType") {
        return false;
    }
    value.get("toolCalls").is_some_and(are_own)
        || holds_call(value, "toolCalls", |call| {
            call.has("toolName") && !call.has("toolKwargs")
        })
}

/// True for a whole result with its calls.
pub(super) fn is_result(value: &Node<'_>) -> bool {
    has_tool_calls(value) && !value.has_any(&["stepType", "stepNumber"])
}

/// Keys that whole results have, and rows with one, but steps don't.
const OF_RESULT: [&str; 6] = [
    "steps",
    "prompt",
    "input",
    "output",
    "responseMessages",
    "rawResponse",
];

/// True for a whole result, and for the first step of a run: by its number, by its type before version 5, else by the only reply so far.
pub(super) fn begins_run(step: &Node<'_>) -> bool {
    if step.has("role") || !is_step(step) {
        return false;
    }
    if is_result(step) && step.has_any(&OF_RESULT) {
        return true;
    }
    if let Some(number) = step.whole_at("stepNumber") {
        return number == 0;
    }
    if let Some(kind) = step.str_at("stepType") {
        return kind == "initial";
    }
    let replies = step.list_at(&["response", "messages"]).iter();
    replies.filter(|it| it.says("role", "assistant")).count() == 1
}

/// The key of the id of a call.
const ID: &[&str] = &["toolCallId"];

/// True for a call in the content of a message or step.
fn is_call(part: &Node<'_>) -> bool {
    part.says("type", "tool-call")
}

/// The ids of calls or results.
fn ids_of<'n, 'a: 'n>(parts: impl IntoIterator<Item = &'n Node<'a>>) -> Vec<Text<'static>> {
    let parts = parts.into_iter();
    parts.filter_map(|it| unpacked(it).label_at(ID)).collect()
}

/// Reads the content of a message or step, and the lists of a step. Mastra lists all calls, but keeps only some in the content.
pub(super) fn read(message: &Node<'_>, is_said: bool, conversation: &mut Conversation) {
    let content = message.list("content");
    let listed = ids_of(message.list("toolCalls"));
    if is_said && has_tool_calls(message) {
        conversation.agent_spoke();
        let calls = message.list("toolCalls");
        match message.str_at("text") {
            _ if !calls.is_empty() => {}
            Some(text) => read_said(text, conversation),
            None => read_other_text(message, conversation),
        }
    }
    match message.get("content").filter(|_| !message.has("role")) {
        Some(content) if content.is_object() => {
            conversation.left_over("what is under `content`");
        }
        Some(content) => content
            .str()
            .into_iter()
            .for_each(|text| read_said(text, conversation)),
        None => {}
    }
    // Without ids, the calls in the content and in the list are the same.
    let is_repeated = listed.is_empty() && content.iter().any(is_call);
    if !is_repeated {
        each_call(
            message,
            "toolCalls",
            conversation,
            &mut |part, _, conversation| {
                conversation.call(call(unpacked(part)));
            },
        );
    }
    for part in content {
        let id = part.label_at(ID).filter(|_| is_call(part));
        if id.is_none_or(|id| !listed.contains(&id)) {
            super::part(part, is_said, conversation);
        }
    }
    let results = content.iter().filter(|part| !is_call(part));
    let answered = ids_of(results);
    for part in message.list("toolResults").iter().filter(|_| !is_repeated) {
        let id = unpacked(part).label_at(ID);
        if id.is_none_or(|id| !answered.contains(&id)) {
            super::result(part, conversation);
        }
    }
}
