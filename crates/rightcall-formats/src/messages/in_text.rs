//! Calls in the text of a message, in a notation of open models.

use rightcall_core::value::MAX_DEPTH;

use crate::catalogue::ToolCatalogue;
use crate::messages::parts::{names_action, pass_over_text};
use crate::node::Node;
use crate::notations::{TextArguments, TextCalls, may_hold_calls, read_notations};
use crate::trace::role::{is_of_model, model_text};
use crate::trace::unread::{action_in_json, calls_in_words, in_text_of_model};
use crate::trace::{Conversation, TraceArguments, TraceCall};

/// Reads the calls in the text of a model's message. Skipped if the message has structured calls.
pub(crate) fn read_text(message: &Node<'_>, conversation: &mut Conversation) {
    if !is_of_model(message) {
        return;
    }
    match model_text(message) {
        Some(text) => read_said(&text, conversation),
        None => read_other_text(message, conversation),
    }
}

/// Reports a call in a text of a message or a reply without content.
pub(crate) fn read_other_text(message: &Node<'_>, conversation: &mut Conversation) {
    if holds_other_text(message) {
        conversation.left_over(ELSEWHERE);
    }
}

/// The leftover kind of a call in a text under a key other than the content's.
pub(super) const ELSEWHERE: &str = "a call in a text under an unknown key";

/// True for the key of a thought of the model.
pub(super) fn is_of_thoughts(key: &str) -> bool {
    key.contains("think") || key.contains("reason")
}

/// True for a message without content whose other members, or those of its parts, are a text with a call.
fn holds_other_text(message: &Node<'_>) -> bool {
    let members = message.entries().iter();
    let parts = members.clone().flat_map(|(_, member)| member.items());
    let mut texts = members
        .chain(parts.flat_map(Node::entries))
        .filter(|(key, _)| !is_of_thoughts(&key.to_display()));
    texts.any(|(_, text)| text.str().is_some_and(holds_call))
}

/// Skips the content of a message, unless it is the JSON text of parts.
pub(crate) fn pass_over_content(content: &Node<'_>, conversation: &mut Conversation) {
    if content.str().is_some_and(are_parts) {
        conversation.left_over("the JSON text of parts of a message");
    } else {
        pass_over_text(content, conversation);
    }
}

/// True for the JSON text of a list of parts, or of a message with one, with a call: a part of an action, or a text that contains one.
pub(crate) fn are_parts(text: &str) -> bool {
    let is_action = |part: &Node<'_>| match part.str_at("type") {
        Some("text") => part.str_at("text").is_some_and(holds_call),
        Some(kind) => names_action(kind),
        // A part of Haystack or Gemini has its kind as its only key.
        None => {
            matches!(part.entries(), [(key, call)] if call.is_object() && names_action(&key.to_display()))
        }
    };
    text.starts_with(['[', '{'])
        && Node::parse(text.trim_end(), MAX_DEPTH).is_ok_and(|parts| {
            let parts = parts.any(&["parts", "content", "blocks"]).unwrap_or(&parts);
            parts.items().iter().any(is_action)
        })
}

/// True for a text with a call in a known notation.
pub(super) fn holds_call(text: &str) -> bool {
    let (calls, unread) = calls_in_words(text);
    !calls.is_empty() || unread.is_some()
}

/// Reads the calls in a text of the model.
pub(crate) fn read_said(text: &str, conversation: &mut Conversation) {
    // The JSON text of a text: the message was encoded twice.
    let text = text.trim_start();
    let inner = text
        .starts_with('"')
        .then(|| Node::parse(text.trim_end(), MAX_DEPTH).ok());
    let text = inner
        .as_ref()
        .and_then(|it| it.as_ref()?.str())
        .unwrap_or(text);
    let found = if may_hold_calls(text) {
        read_notations(text, &ToolCatalogue::default())
    } else {
        TextCalls::default()
    };
    if found.unread && !found.quoted {
        let notation = found.notation.unwrap_or("an unknown notation");
        conversation.left_over(in_text_of_model(notation));
    } else if found.calls.is_empty() && are_parts(text) {
        conversation.left_over("the JSON text of parts of a message");
    } else if found.calls.is_empty()
        && let Some(kind) = action_in_json(text)
    {
        conversation.left_over(kind);
    }
    let is_unmarked = found.is_unmarked();
    for call in found.calls {
        let arguments = match call.arguments {
            TextArguments::Json(json) => TraceArguments::Json(json),
            TextArguments::Invalid(text) => TraceArguments::Text(text.into()),
        };
        conversation.call(TraceCall {
            name: call.name,
            id: call.id,
            arguments,
            is_unmarked,
            ..TraceCall::default()
        });
    }
}
