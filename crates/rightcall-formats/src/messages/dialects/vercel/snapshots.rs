//! Snapshots of a UI message: a stream of the same message, each time with more parts or another state of a call.

use rightcall_core::value::Text;

use super::stored;
use crate::node::Node;

/// True if a message is a later snapshot of the one before: it has the same id, and all of its calls. Without an id generator, all
/// messages have the same empty id.
pub(super) fn replaces(message: &Node<'_>, before: &Node<'_>) -> bool {
    let (Some(id), Some(parts), Some(earlier)) =
        (message.label_at(&["id"]), parts(message), parts(before))
    else {
        return false;
    };
    let calls: Vec<_> = parts.iter().filter_map(call_id).collect();
    before.label_at(&["id"]) == Some(id)
        && message.str_at("role") == before.str_at("role")
        && earlier.len() <= parts.len()
        && earlier
            .iter()
            .filter_map(call_id)
            .all(|id| calls.contains(&id))
}

fn parts<'n, 'a>(message: &'n Node<'a>) -> Option<&'n [Node<'a>]> {
    let parts = stored(message).get("parts").filter(|it| it.is_list())?;
    message.has("role").then(|| parts.items())
}

fn call_id(part: &Node<'_>) -> Option<Text<'static>> {
    part.inner(&["toolInvocation"]).label_at(&["toolCallId"])
}
