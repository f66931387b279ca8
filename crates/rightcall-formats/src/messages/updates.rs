//! Updates of a `LangGraph` graph: the messages of one node each.

use rightcall_core::value::Text;

use crate::node::Node;
use crate::trace::role::{body, is_of_model};

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
