//! Choices of cases in a suite.

use rightcall_formats::yaml::Node;

use crate::Filter;

/// The texts of a text or a list of texts.
pub(super) fn texts(node: Option<&Node>) -> Vec<String> {
    node.into_iter()
        .flat_map(Node::items)
        .filter_map(Node::text)
        .map(ToOwned::to_owned)
        .collect()
}

/// The choice of cases that `tag`, `agent` and `meta` of an object make.
pub(super) fn filter_of(node: &Node) -> Filter {
    let mut filter = Filter {
        tags: texts(node.member("tag")),
        agents: texts(node.member("agent")),
        meta: Vec::new(),
    };
    for (key, values) in node.member("meta").map_or(&[][..], Node::members) {
        for value in values.items() {
            let plain = value
                .text()
                .map_or_else(|| value.to_json(), ToOwned::to_owned);
            filter.or_meta(&key.name, &plain);
        }
    }
    filter
}
