//! States of `LangGraph` graphs: each has the messages of the one before.

use rightcall_core::value::Text;

use super::dialects::langchain;
use crate::node::Node;
use crate::trace::role::{body, is_of_model};

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

/// The updates of a stream so far.
#[derive(Debug, Default)]
pub(crate) struct Updates {
    /// The node that began the run.
    first: Option<Text<'static>>,
    /// True if that node sent the last update, and its message is an answer.
    has_answered: bool,
}

impl Updates {
    /// True if an update begins another run of the graph: the node that began the run has answered, and runs again without another one
    /// between.
    pub(crate) fn begin_again(&self, update: &Node<'_>) -> bool {
        self.has_answered && node_of(update).as_ref() == self.first.as_ref()
    }

    /// Adds the next update.
    pub(crate) fn add(&mut self, update: &Node<'_>) {
        let node = node_of(update);
        if self.first.is_none() {
            self.first.clone_from(&node);
        }
        let messages = update
            .entries()
            .iter()
            .flat_map(|(_, it)| it.list("messages"));
        let calls = |message: &Node<'_>| !body(message).list("tool_calls").is_empty();
        let is_answer = |message: &Node<'_>| is_of_model(message) && !calls(message);
        self.has_answered = node == self.first && messages.last().is_some_and(is_answer);
    }
}

/// The node of an update.
fn node_of(update: &Node<'_>) -> Option<Text<'static>> {
    match update.entries() {
        [(node, _)] => Some(node.clone().into_owned()),
        _ => None,
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
