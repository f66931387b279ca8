//! Expectations for each agent, node or turn of a run.

use crate::node::Node;

/// True for a list with an expectation per part; other values under this key mean something else.
pub(crate) fn tells_of_parts(list: &Node<'_>) -> bool {
    let members = || {
        let entries = list.entries().iter().map(|(_, member)| member);
        entries.chain(list.items())
    };
    members().next().is_some() && members().all(|member| member.has("expected"))
}
