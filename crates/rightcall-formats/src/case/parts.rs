//! What is expected of each agent, node or turn of a run.

use crate::node::Node;

/// True for a list of what is expected of each part: other values under its key mean something else.
pub(crate) fn tells_of_parts(list: &Node<'_>) -> bool {
    let members = || {
        let entries = list.entries().iter().map(|(_, member)| member);
        entries.chain(list.items())
    };
    members().next().is_some() && members().all(|member| member.has("expected"))
}
