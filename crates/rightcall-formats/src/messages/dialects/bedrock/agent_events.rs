//! Events of an agent of Strands in TypeScript: several events report the same call.

use super::{result, strands_blocks};
use crate::node::Node;
use crate::trace::{Conversation, TraceCall};

/// True for such an event.
pub(super) fn is_event(value: &Node<'_>) -> bool {
    value
        .str_at("type")
        .is_some_and(|kind| kind.ends_with("Event"))
        && (message_of(value).is_some()
            || value
                .any(&["toolUse", "contentBlock"])
                .is_some_and(Node::is_object)
            || result_of(value).is_some()
            || is_of_model(value))
}

/// True for an event of the model. The message at its end repeats it.
pub(super) fn is_of_model(value: &Node<'_>) -> bool {
    let event = value.get("event").and_then(|event| event.str_at("type"));
    event.is_some_and(|kind| kind.starts_with("model"))
}

/// The message in an event.
pub(super) fn message_of<'n, 'a>(value: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let message = value
        .get("message")
        .or_else(|| value.at(&["stopData", "message"]));
    message
        .or_else(|| value.at(&["result", "lastMessage"]))
        .filter(|it| strands_blocks(it))
}

fn result_of<'n, 'a>(value: &'n Node<'a>) -> Option<&'n Node<'a>> {
    value
        .at(&["result", "toolResult"])
        .filter(|it| it.is_object())
}

/// Reads an event about one call, which may be known already.
pub(super) fn read(event: &Node<'_>, conversation: &mut Conversation) {
    if let Some(call) = event.get("toolUse") {
        let id = call.label_at(&["toolUseId"]);
        if !id.is_some_and(|id| conversation.has_call_id(&id)) {
            conversation.message();
            conversation.call(TraceCall::from_node(
                call,
                &["name"],
                &["input"],
                &["toolUseId"],
            ));
        }
    }
    if let Some(output) = result_of(event) {
        conversation.result(result(output));
    }
}
