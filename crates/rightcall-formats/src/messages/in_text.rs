//! Calls in the text of a message, in a notation of open models.

use crate::catalogue::ToolCatalogue;
use crate::node::Node;
use crate::notations::{TextArguments, may_hold_calls, read_notations};
use crate::trace::role::{is_of_model, model_text};
use crate::trace::{Conversation, TraceArguments, TraceCall};

/// Reads the calls in the text of a model's message. Skipped if the message has structured calls.
pub(crate) fn read_text(message: &Node<'_>, conversation: &mut Conversation) {
    let text = model_text(message).filter(|_| is_of_model(message));
    text.iter().for_each(|text| read_said(text, conversation));
}

/// Reads the calls in a text of the model.
pub(crate) fn read_said(text: &str, conversation: &mut Conversation) {
    if !may_hold_calls(text) {
        return;
    }
    let found = read_notations(text, &ToolCatalogue::default());
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
