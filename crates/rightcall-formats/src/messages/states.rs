//! States of `LangGraph` graphs: each has the messages of the one before.

use super::dialects::langchain;
use crate::node::Node;
use crate::trace::role::body;

/// The ids of a state's messages, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct State(Vec<String>);

impl State {
    /// `None` for other values, and if a message has no id.
    pub(crate) fn from_node(value: &Node<'_>) -> Option<Self> {
        let messages = value.get("messages").filter(|it| it.is_list())?.items();
        let id = |message: &Node<'_>| Some(id_of(message)?.raw().to_owned());
        let are_messages = messages.iter().all(is_message);
        are_messages
            .then(|| Self(messages.iter().filter_map(id).collect()))
            .filter(|state| state.0.len() == messages.len())
    }

    /// True if this state continues an earlier one.
    pub(crate) fn continues(&self, earlier: &Self) -> bool {
        !earlier.0.is_empty() && self.0.starts_with(&earlier.0)
    }

    /// True for a state of another run: without a message of the last one, or only with its first messages.
    pub(crate) fn follows_no(&self, last: &Self) -> bool {
        let is_known = |id: &String| last.0.contains(id);
        let begins_again = self.0.len() < last.0.len() && last.0.starts_with(&self.0);
        let is_other = !last.0.is_empty() && !self.0.iter().any(is_known);
        !self.0.is_empty() && (begins_again || is_other)
    }
}

/// The id of a message; `None` for null.
pub(crate) fn id_of<'n, 'a>(message: &'n Node<'a>) -> Option<&'n Node<'a>> {
    body(message).get("id").filter(|id| !id.is_null())
}

/// True for a message of `LangChain`.
pub(crate) fn is_message(node: &Node<'_>) -> bool {
    langchain::decides(node) || node.says("type", "system") && node.has("content")
}
