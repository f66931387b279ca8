//! Calls refused by a human: they never ran.

use rightcall_core::call::Executor;
use rightcall_core::value::Text;

use crate::trace::{CallResult, Conversation};

/// The error of a refused call.
pub(crate) fn denied() -> String {
    "\"denied\"".to_owned()
}

/// Reads an answer that refuses a call, with an optional message.
pub(crate) fn refuse(
    id: Option<Text<'static>>,
    error: Option<String>,
    conversation: &mut Conversation,
) {
    let refused = conversation.result(CallResult {
        id,
        error: Some(error.unwrap_or_else(denied)),
        ..CallResult::default()
    });
    if let Some(place) = refused {
        conversation.trace().calls[place].executor = Executor::Nobody;
    }
}

/// Marks the last call with this id as refused; it may already have a result.
pub(crate) fn mark_refused(
    id: &Text<'static>,
    error: Option<String>,
    conversation: &mut Conversation,
) {
    let calls = conversation.trace().calls.iter_mut().rev();
    if let Some(call) = calls.into_iter().find(|call| call.id.as_ref() == Some(id)) {
        call.executor = Executor::Nobody;
        call.error = Some(error.unwrap_or_else(denied));
    }
}
