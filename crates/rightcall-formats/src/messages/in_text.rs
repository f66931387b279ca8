//! Calls that the model wrote into the text of a message, in one of the notations of open models.

use crate::node::Node;
use crate::notations::{TextArguments, ToolCatalogue, may_hold_calls, read_notations};
use crate::trace::role::{is_of_model, model_text};
use crate::trace::{Conversation, TraceArguments, TraceCall};

/// Reads the calls in what a message of the model says. A message with calls of its own says no more of them.
pub(super) fn read_text(message: &Node<'_>, conversation: &mut Conversation) {
    if !is_of_model(message) {
        return;
    }
    let text = model_text(message).filter(|text| may_hold_calls(text));
    let Some(found) = text.map(|text| read_notations(&text, &ToolCatalogue::default())) else {
        return;
    };
    if found.unread && !found.quoted {
        let notation = found.notation.unwrap_or("an unknown notation");
        conversation.left_over(format!("a call in the text of the model ({notation})"));
    }
    for call in found.calls {
        let arguments = match call.arguments {
            TextArguments::Json(json) => TraceArguments::Json(json),
            TextArguments::Invalid(text) => TraceArguments::Text(text.into()),
        };
        conversation.call(TraceCall {
            name: call.name,
            id: call.id,
            arguments,
            ..TraceCall::default()
        });
    }
}
