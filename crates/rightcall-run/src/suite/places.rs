//! The places in a suite that name tools, state rules, or select cases for gates.

use std::path::{Path, PathBuf};

use rightcall_core::folded;
use rightcall_core::value::pointer::{child, item};
use rightcall_core::value::{Syntax, decode_with};
use rightcall_formats::read_text;
use rightcall_formats::yaml::YamlNode;

use super::filter::filter_of;
use super::uipath;
use crate::Filter;

/// A part of a suite, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct SuitePlace<T> {
    /// The part at this place.
    pub part: T,
    /// The line, from 1.
    pub line: u64,
    /// The RFC 6901 pointer.
    pub pointer: String,
}

/// A tool that a setting names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteTool {
    /// Its name, or a pattern with `*` and `?`.
    pub name: String,
    /// True if every right run calls it.
    pub is_demanded: bool,
    /// The file of the suite, or of an evaluator of an eval set.
    pub file: PathBuf,
}

/// Parts of a suite with their places, profiles included.
#[derive(Debug, Default)]
pub struct SuitePlaces {
    /// The tools that the settings of evaluators name.
    pub tools: Vec<SuitePlace<SuiteTool>>,
    /// The rules in the settings of evaluators, as JSON text.
    pub rules: Vec<SuitePlace<String>>,
    /// The filters of gates.
    pub filters: Vec<SuitePlace<Filter>>,
    /// The file being read.
    file: PathBuf,
}

impl SuitePlaces {
    /// The places of a suite; empty for a file that cannot be read.
    pub fn read(path: &Path, max_document: usize) -> Self {
        let mut places = Self {
            file: path.to_owned(),
            ..Self::default()
        };
        let text = read_text(path, max_document).unwrap_or_default();
        let Ok(root) = YamlNode::parse(&text) else {
            return places;
        };
        places.in_settings(&root, "");
        for (key, profile) in root.member("profiles").map_or(&[][..], YamlNode::members) {
            places.in_settings(profile, &child("/profiles", &key.name));
        }
        for file in uipath::evaluators_of(&text, path, max_document) {
            let text = read_text(&file, max_document).unwrap_or_default();
            places.file = file;
            let root = YamlNode::parse(&text);
            for (key, config) in root.iter().flat_map(YamlNode::members) {
                if matches!(&*folded(&key.name), "evaluatorconfig" | "config") {
                    places.in_entry(config, &child("", &key.name));
                }
            }
        }
        places
    }

    fn in_settings(&mut self, node: &YamlNode, pointer: &str) {
        let at = child(pointer, "evaluators");
        for (index, entry) in items(node.member("evaluators")).iter().enumerate() {
            self.in_entry(entry, &item(&at, index));
        }
        let at = child(pointer, "gates");
        for (index, gate) in items(node.member("gates")).iter().enumerate() {
            let part = filter_of(gate);
            if !part.is_everything() {
                let chosen = ["tag", "meta", "agent"]
                    .iter()
                    .find_map(|key| gate.member(key));
                self.filters.push(SuitePlace {
                    part,
                    line: chosen.map_or(gate.line, |it| it.line),
                    pointer: item(&at, index),
                });
            }
        }
    }

    /// The settings of an evaluator.
    fn in_entry(&mut self, entry: &YamlNode, pointer: &str) {
        for (key, value) in entry.members() {
            self.in_setting(&key.name, value, &child(pointer, &key.name));
        }
    }

    /// A key may include its object, as in `weigh.tools`.
    fn in_setting(&mut self, key: &str, node: &YamlNode, pointer: &str) {
        match key {
            "forbidden" | "required" | "tool_name" | "weigh.tools" => {
                let is_demanded = key == "required";
                texts(node, pointer, &mut |text, line, at| {
                    self.add(text, is_demanded, line, at);
                });
            }
            "counts" | "match.tools" => self.keys(node, pointer),
            "match.aliases" => {
                for (name, value) in node.members() {
                    let at = child(pointer, &name.name);
                    self.add(&name.name, false, name.line, &at);
                    texts(value, &at, &mut |text, line, at| {
                        self.add(text, false, line, at);
                    });
                }
            }
            "order" => texts(node, pointer, &mut |text, line, at| {
                let sides = text.split(" before ").filter(|_| text.contains(" before "));
                sides.for_each(|name| self.add(name.trim(), false, line, at));
            }),
            "relations" => texts(node, pointer, &mut |text, line, at| {
                let sides = text.split(['=', '<', '>', '!']).map(str::trim);
                sides
                    .filter(|it| !it.is_empty())
                    .for_each(|name| self.add(name, false, line, at));
            }),
            "rules" => {
                for (index, rule) in node.items().iter().enumerate() {
                    self.in_rule(rule, item(pointer, index));
                }
            }
            "weigh" | "match" => {
                for (inner, value) in node.members() {
                    let at = child(pointer, &inner.name);
                    self.in_setting(&format!("{key}.{}", inner.name), value, &at);
                }
            }
            _ if folded(key) == "defaultevaluationcriteria" => {
                for (key, value) in node.members() {
                    self.in_criterion(&folded(&key.name), value, &child(pointer, &key.name));
                }
            }
            _ => {}
        }
    }

    fn in_rule(&mut self, rule: &YamlNode, pointer: String) {
        let json = rule.to_json();
        let listed = format!("[{json}]");
        let rules = decode_with(&listed, Syntax::PYTHON);
        for name in rules.iter().flat_map(rightcall_core::tools_in_rules) {
            self.add(&name, false, rule.line, &pointer);
        }
        self.rules.push(SuitePlace {
            part: json,
            line: rule.line,
            pointer,
        });
    }

    /// The tools in the criteria that an evaluator of `UiPath` has for cases without criteria.
    fn in_criterion(&mut self, key: &str, node: &YamlNode, pointer: &str) {
        match key {
            "toolcallsorder" => texts(node, pointer, &mut |text, line, at| {
                self.add(text, true, line, at);
            }),
            "toolcallscount" => self.keys(node, pointer),
            "toolcalls" | "tooloutputs" => {
                for (index, call) in node.items().iter().enumerate() {
                    if let Some(name) = call.member("name").and_then(YamlNode::text) {
                        self.add(name, true, call.line, &item(pointer, index));
                    }
                }
            }
            _ => {}
        }
    }

    /// The tools that are keys of an object.
    fn keys(&mut self, node: &YamlNode, pointer: &str) {
        for (name, value) in node.members() {
            let at = child(pointer, &name.name);
            self.add(&name.name, false, value.line, &at);
        }
    }

    fn add(&mut self, name: &str, is_demanded: bool, line: u64, pointer: &str) {
        self.tools.push(SuitePlace {
            part: SuiteTool {
                name: name.to_owned(),
                is_demanded,
                file: self.file.clone(),
            },
            line,
            pointer: pointer.to_owned(),
        });
    }
}

fn items(node: Option<&YamlNode>) -> &[YamlNode] {
    node.map_or(&[][..], YamlNode::items)
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
    fn tools_and_filters_have_line_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("suite.yaml");
        fs::write(&path, SUITE).unwrap();
        let places = SuitePlaces::read(&path, 1 << 20);
        let (tools, filters) = (places.tools, places.filters);
        let found_tools: Vec<_> = tools
            .iter()
            .map(|it| (&*it.part.name, it.line, &*it.pointer))
            .collect();
        assert_eq!(
            found_tools,
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
        let found_filters: Vec<_> = filters
            .iter()
            .map(|it| (it.part.to_string(), it.line))
            .collect();
        assert_eq!(found_filters.len(), 2, "{found_filters:?}");
        assert_eq!((found_filters[0].1, found_filters[1].1), (16, 20));
        assert_eq!(filters[1].pointer, "/profiles/ci/gates/0");
        let rules: Vec<_> = places.rules.iter().map(|it| (&*it.part, it.line)).collect();
        assert_eq!(
            rules,
            [
                ("\"verify before g\"", 9),
                (r#"{"call":"h*","at_most":1}"#, 10)
            ]
        );
    }

    #[test]
    fn tools_in_criteria_of_an_eval_set_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let [sets, evaluators] = ["eval-sets", "evaluators"].map(|it| folder.path().join(it));
        fs::create_dir(&sets).unwrap();
        fs::create_dir(&evaluators).unwrap();
        let set = sets.join("orders.json");
        fs::write(
            &set,
            r#"{"evaluatorRefs":["Order"],"evaluations":[{"id":"a"}]}"#,
        )
        .unwrap();
        let criteria = r#"{"toolCallsOrder":["find"],"toolCallsCount":{"pay":["=",1]},"toolCalls":[{"name":"send","args":{}}]}"#;
        for (id, criteria) in [
            ("Order", criteria),
            ("Unused", r#"{"toolCallsOrder":["x"]}"#),
        ] {
            let text = format!(
                "{{\"id\":\"{id}\",\"evaluatorTypeId\":\"uipath-tool-call-order\",\n\"evaluatorConfig\":{{\"defaultEvaluationCriteria\":{criteria}}}}}"
            );
            fs::write(evaluators.join(format!("{id}.json")), text).unwrap();
        }
        let tools = SuitePlaces::read(&set, 1 << 20).tools;
        let found_tools: Vec<_> = tools
            .iter()
            .map(|it| (&*it.part.name, it.part.is_demanded, it.line, &*it.pointer))
            .collect();
        let at = |key: &str| format!("/evaluatorConfig/defaultEvaluationCriteria/{key}");
        assert_eq!(
            found_tools,
            [
                ("find", true, 2, &*at("toolCallsOrder/0")),
                ("pay", false, 2, &*at("toolCallsCount/pay")),
                ("send", true, 2, &*at("toolCalls/0")),
            ]
        );
        assert!(tools[0].part.file.ends_with("Order.json"));
    }
}
