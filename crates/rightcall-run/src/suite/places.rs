//! Where a suite names tools, and where its gates choose cases.

use std::path::Path;

use rightcall_core::value::pointer::{child, item};
use rightcall_core::value::{Syntax, decode_with};
use rightcall_formats::read_text;
use rightcall_formats::yaml::YamlNode;

use super::filter::filter_of;
use crate::Filter;

/// A part of a suite, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct SuitePlace<T> {
    /// What is there.
    pub part: T,
    /// The line, from 1.
    pub line: u64,
    /// The RFC 6901 pointer.
    pub pointer: String,
}

type Names = Vec<SuitePlace<String>>;

/// The tools that the settings of the evaluators of a suite name, and the cases that its gates choose. Profiles count too.
///
/// Empty for a file that cannot be read.
pub fn places_in_suite(path: &Path, max_document: usize) -> (Names, Vec<SuitePlace<Filter>>) {
    let text = read_text(path, max_document).unwrap_or_default();
    let (mut tools, mut filters) = (Vec::new(), Vec::new());
    if let Ok(root) = YamlNode::parse(&text) {
        in_settings(&root, "", &mut tools, &mut filters);
        for (key, profile) in root.member("profiles").map_or(&[][..], YamlNode::members) {
            let at = child("/profiles", &key.name);
            in_settings(profile, &at, &mut tools, &mut filters);
        }
    }
    (tools, filters)
}

fn in_settings(
    node: &YamlNode,
    pointer: &str,
    tools: &mut Names,
    filters: &mut Vec<SuitePlace<Filter>>,
) {
    let at = child(pointer, "evaluators");
    for (index, entry) in items(node.member("evaluators")).iter().enumerate() {
        for (key, value) in entry.members() {
            in_setting(
                &key.name,
                value,
                &child(&item(&at, index), &key.name),
                tools,
            );
        }
    }
    let at = child(pointer, "gates");
    for (index, gate) in items(node.member("gates")).iter().enumerate() {
        let part = filter_of(gate);
        if !part.is_everything() {
            let chosen = ["tag", "meta", "agent"]
                .iter()
                .find_map(|key| gate.member(key));
            filters.push(SuitePlace {
                part,
                line: chosen.map_or(gate.line, |it| it.line),
                pointer: item(&at, index),
            });
        }
    }
}

fn items(node: Option<&YamlNode>) -> &[YamlNode] {
    node.map_or(&[][..], YamlNode::items)
}

/// The tools in a setting. Keys may be written with their objects, as in `weigh.tools`.
fn in_setting(key: &str, node: &YamlNode, pointer: &str, tools: &mut Names) {
    match key {
        "forbidden" | "required" | "tool_name" | "weigh.tools" => {
            texts(node, pointer, &mut |text, line, at| {
                add(tools, text, line, at);
            });
        }
        "counts" | "match.tools" => {
            for (name, value) in node.members() {
                add(tools, &name.name, value.line, &child(pointer, &name.name));
            }
        }
        "match.aliases" => {
            for (name, value) in node.members() {
                let at = child(pointer, &name.name);
                add(tools, &name.name, name.line, &at);
                texts(value, &at, &mut |text, line, at| add(tools, text, line, at));
            }
        }
        "order" => texts(node, pointer, &mut |text, line, at| {
            let sides = text.split(" before ").filter(|_| text.contains(" before "));
            sides.for_each(|name| add(tools, name.trim(), line, at));
        }),
        "relations" => texts(node, pointer, &mut |text, line, at| {
            let sides = text.split(['=', '<', '>', '!']).map(str::trim);
            sides
                .filter(|it| !it.is_empty())
                .for_each(|name| add(tools, name, line, at));
        }),
        "rules" => {
            for (index, rule) in node.items().iter().enumerate() {
                let json = format!("[{}]", rule.to_json());
                let rules = decode_with(&json, Syntax::PYTHON);
                for name in rules.iter().flat_map(rightcall_core::tools_in_rules) {
                    add(tools, &name, rule.line, &item(pointer, index));
                }
            }
        }
        "weigh" | "match" => {
            for (inner, value) in node.members() {
                let at = child(pointer, &inner.name);
                in_setting(&format!("{key}.{}", inner.name), value, &at, tools);
            }
        }
        _ => {}
    }
}

fn add(tools: &mut Names, name: &str, line: u64, pointer: &str) {
    tools.push(SuitePlace {
        part: name.to_owned(),
        line,
        pointer: pointer.to_owned(),
    });
}

/// Visits a list of texts, or a single text.
fn texts(node: &YamlNode, pointer: &str, each: &mut dyn FnMut(&str, u64, &str)) {
    if let Some(text) = node.text() {
        return each(text, node.line, pointer);
    }
    for (index, text) in node.items().iter().enumerate() {
        if let Some(name) = text.text() {
            each(name, text.line, &item(pointer, index));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const SUITE: &str = "cases: c.jsonl
evaluators:
  - evaluator: constraints
    forbidden: [a]
    counts: {b: 1}
    order: [c before d]
    relations: ['e >= f']
    rules:
      - verify before g
      - {call: h*, at_most: 1}
  - {evaluator: trajectory, weigh: {effects: 5, tools: [i]}, match: {aliases: {j: k}, tools: {l: {args: ignore}}}}
  - {evaluator: strands/tool-called, tool_name: m}
gates:
  - trajectory: {mean: '>= 0.5'}
  - trajectory: {mean: '>= 0.5'}
    tag: refund
profiles:
  ci:
    evaluators: [{evaluator: constraints, required: n}]
    gates: [{trajectory: {mean: '>= 0.9'}, meta: {model: x}}]
";

    #[test]
    fn tools_and_filters_have_their_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("suite.yaml");
        fs::write(&path, SUITE).unwrap();
        let (tools, filters) = places_in_suite(&path, 1 << 20);
        let told: Vec<_> = tools
            .iter()
            .map(|it| (&*it.part, it.line, &*it.pointer))
            .collect();
        assert_eq!(
            told,
            [
                ("a", 4, "/evaluators/0/forbidden/0"),
                ("b", 5, "/evaluators/0/counts/b"),
                ("c", 6, "/evaluators/0/order/0"),
                ("d", 6, "/evaluators/0/order/0"),
                ("e", 7, "/evaluators/0/relations/0"),
                ("f", 7, "/evaluators/0/relations/0"),
                ("g", 9, "/evaluators/0/rules/0"),
                ("verify", 9, "/evaluators/0/rules/0"),
                ("h*", 10, "/evaluators/0/rules/1"),
                ("i", 11, "/evaluators/1/weigh/tools/0"),
                ("j", 11, "/evaluators/1/match/aliases/j"),
                ("k", 11, "/evaluators/1/match/aliases/j"),
                ("l", 11, "/evaluators/1/match/tools/l"),
                ("m", 12, "/evaluators/2/tool_name"),
                ("n", 19, "/profiles/ci/evaluators/0/required"),
            ]
        );
        let told: Vec<_> = filters
            .iter()
            .map(|it| (it.part.to_string(), it.line))
            .collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!((told[0].1, told[1].1), (16, 20));
        assert_eq!(filters[1].pointer, "/profiles/ci/gates/0");
    }
}
