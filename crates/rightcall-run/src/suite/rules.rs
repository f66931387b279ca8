//! Rules for live runs: from a suite, or from a file of rules.

use std::path::Path;

use rightcall_core::find;
use rightcall_formats::yaml::{Key, Yaml, YamlNode};

use super::check::check;
use super::definition::SuiteReading;
use super::evaluator::{evaluator_of, with_tools_in};
use super::fault::{Checked, SuiteError};
use super::keys::SUITE;
use super::members::SuiteMembers;
use super::parse::{choices_of, map_of};

const EVALUATOR: &str = "constraints";

/// Keys of an evaluator in a suite that only affect the score of a whole run.
const OF_SCORES: [&str; 6] = [
    "evaluator",
    "name",
    "weight",
    "threshold",
    "edition",
    "score",
];

/// Settings that suites do not allow: expected calls of a live run.
const OF_RUNS: [&str; 2] = ["expected", "extra"];

/// The settings of `constraints` as JSON: from a list of rules, an object of settings, the single `constraints` evaluator of a suite, or its
/// `expect.constraints`.
pub(super) fn rules_of(root: &YamlNode, directory: &Path) -> Checked<String> {
    let settings = match &root.value {
        Yaml::List(_) => object(root.line, vec![(key("rules", root.line), root.clone())]),
        Yaml::Map(_) => match root.member("evaluators") {
            Some(evaluators) => settings_of_suite(root, evaluators)?,
            None => root.clone(),
        },
        _ => return Err(SuiteError::expected(root, "a list of rules or a suite")),
    };
    let settings = with_tools_in(directory, &settings);
    let name = YamlNode {
        line: root.line,
        value: Yaml::Text(EVALUATOR.to_owned()),
    };
    // The monitor checks the settings that only live runs have.
    let members = settings.members().iter();
    let members = members.filter(|(key, _)| !OF_RUNS.contains(&key.name.as_str()));
    let mut members: Vec<_> = members.cloned().collect();
    members.push((key("evaluator", root.line), name));
    evaluator_of(&object(root.line, members), Path::new(""), None)?;
    Ok(settings.to_json())
}

/// How a suite reads its traces; the defaults if the document has rules alone. A live run belongs to no case, so `join` has no effect.
pub(super) fn reading_of(root: &YamlNode, directory: &Path) -> Checked<SuiteReading> {
    if root.member("evaluators").is_none() {
        return Ok(SuiteReading::default());
    }
    let members = SuiteMembers::new(root, None)?;
    Ok(SuiteReading {
        choices: checked(&members, "read", choices_of)?.unwrap_or_default(),
        join: None,
        map: checked(&members, "map", |node| map_of(node, directory))?,
    })
}

/// Checks and parses a member of a suite.
fn checked<T>(
    members: &SuiteMembers<'_>,
    name: &str,
    read: impl FnOnce(&YamlNode) -> Checked<T>,
) -> Checked<Option<T>> {
    members.read(name, |node| {
        if let Some(key) = SUITE.key(name) {
            check(node, &key.takes)?;
        }
        read(node)
    })
}

fn settings_of_suite(root: &YamlNode, evaluators: &YamlNode) -> Checked<YamlNode> {
    let Yaml::List(evaluators) = &evaluators.value else {
        return Err(SuiteError::expected(evaluators, "a list of evaluators"));
    };
    let is_ours = |node: &&YamlNode| {
        let id = node.member("evaluator").and_then(YamlNode::text);
        id.and_then(|id| find(id).ok())
            .is_some_and(|it| it.id == EVALUATOR)
    };
    let mut ours = evaluators.iter().filter(is_ours);
    let Some(first) = ours.next() else {
        // The evaluator may take its rules from the expectation of all runs.
        let expected = root
            .member("expect")
            .and_then(|it| it.member("constraints"));
        if let Some(rules) = expected.filter(|it| matches!(it.value, Yaml::Map(_))) {
            return Ok(rules.clone());
        }
        let help = "write `evaluators: [{evaluator: constraints, rules: […]}]`";
        return Err(SuiteError::at(root.line, "the suite has no rules").help(help));
    };
    if let Some(second) = ours.next() {
        let help = "write all rules into one evaluator";
        let message = "a second evaluator `constraints`";
        return Err(SuiteError::at(second.line, message).help(help));
    }
    let members = first.members().iter();
    let members = members.filter(|(key, _)| !OF_SCORES.contains(&key.name.as_str()));
    Ok(object(first.line, members.cloned().collect()))
}

fn object(line: u64, members: Vec<(Key, YamlNode)>) -> YamlNode {
    YamlNode {
        line,
        value: Yaml::Map(members),
    }
}

fn key(name: &str, line: u64) -> Key {
    Key {
        name: name.to_owned(),
        line,
    }
}
