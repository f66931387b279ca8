//! Filters in a suite.

use rightcall_formats::yaml::YamlNode;

use crate::Filter;

/// The texts of a single text or of a list.
pub(super) fn texts(node: Option<&YamlNode>) -> Vec<String> {
    node.into_iter()
        .flat_map(YamlNode::items)
        .filter_map(YamlNode::text)
        .map(ToOwned::to_owned)
        .collect()
}

/// The filter from `tag`, `agent` and `meta` of an object.
pub(super) fn filter_of(node: &YamlNode) -> Filter {
    let mut filter = Filter {
        tags: texts(node.member("tag")),
        agents: texts(node.member("agent")),
        meta: Vec::new(),
    };
    for (key, values) in node.member("meta").map_or(&[][..], YamlNode::members) {
        for value in values.items() {
            let plain = value
                .text()
                .map_or_else(|| value.to_json(), ToOwned::to_owned);
            filter.or_meta(&key.name, &plain);
        }
    }
    filter
}
