//! The evaluators of a suite.

use std::path::Path;

use rightcall_core::{ConfigError, Edition};
use rightcall_formats::yaml::{Yaml, YamlNode};

use super::fault::{Checked, SuiteError};
use super::gates::is_reserved;
use crate::argument::SettingFields;
use crate::{Configured, EvaluatorArgument};
use rightcall_core::folded;

/// The evaluator of an entry in a suite in this directory.
pub(super) fn evaluator_of(
    node: &YamlNode,
    directory: &Path,
    edition: Option<Edition>,
) -> Checked<Configured> {
    let node = &with_tools_in(directory, node);
    let argument = if let Some(id) = node.text() {
        EvaluatorArgument {
            id: id.to_owned(),
            name: None,
            settings: "{}".to_owned(),
        }
    } else {
        let mut fields = SettingFields::default();
        for (key, value) in node
            .members()
            .iter()
            .filter(|(key, _)| key.name != "weight")
        {
            let help = "two spellings of a setting are one: remove one of them";
            let added = fields.add(&key.name, None, value.to_json());
            added.map_err(|error| {
                SuiteError::at(key.line, error.to_string())
                    .help(help)
                    .under(&key.name)
            })?;
        }
        fields
            .into_argument()
            .map_err(|error| SuiteError::at(node.line, error.to_string()))?
    };
    if let Some(name) = argument.name.as_deref().filter(|name| is_reserved(name)) {
        let line = node.member("name").map_or(node.line, |node| node.line);
        let message = format!("expected a name that no gate uses, found `{name}`");
        return Err(SuiteError::at(line, message)
            .help("gates have this word for something else; choose another")
            .under("name"));
    }
    let mut configured =
        Configured::new(argument, edition).map_err(|error| misconfigured(node, &error))?;
    if let Some(Yaml::Number(weight)) = node.member("weight").map(|node| &node.value) {
        configured.weight = weight.parse().unwrap_or(1.0);
    }
    Ok(configured)
}

/// Resolves the tool files in an entry, or in other settings of `constraints`, against the directory of the suite.
pub(super) fn with_tools_in(directory: &Path, node: &YamlNode) -> YamlNode {
    let mut node = node.clone();
    let Yaml::Map(members) = &mut node.value else {
        return node;
    };
    let in_directory = |value: &mut YamlNode| {
        if let Some(path) = value.text() {
            let path = directory.join(path);
            value.value = Yaml::Text(path.to_string_lossy().into_owned());
        }
    };
    for (key, value) in members {
        match (key.name.as_str(), &mut value.value) {
            ("schema" | "weigh.hints", _) => in_directory(value),
            ("weigh", Yaml::Map(inner)) => {
                let hints = inner.iter_mut().filter(|(key, _)| key.name == "hints");
                hints.for_each(|(_, value)| in_directory(value));
            }
            _ => {}
        }
    }
    node
}

/// The error, located at the setting that it names, or at the evaluator.
fn misconfigured(node: &YamlNode, error: &ConfigError) -> SuiteError {
    use ConfigError::{
        AmbiguousEvaluator, BadValue, NoSuchEdition, UnknownEvaluator, UnknownSetting,
    };
    let (path, help) = match error {
        UnknownSetting {
            evaluator, setting, ..
        } => (
            setting.as_str(),
            format!("`rightcall evaluators {evaluator}` shows the settings"),
        ),
        BadValue {
            evaluator, setting, ..
        } => (
            setting.as_str(),
            format!("`rightcall evaluators {evaluator}` shows what it takes"),
        ),
        UnknownEvaluator { id, .. } | AmbiguousEvaluator { id, .. } => {
            ("evaluator", rightcall_core::help_with_id(id))
        }
        NoSuchEdition { .. } => (
            "edition",
            "leave `edition` out, or write one that it has".to_owned(),
        ),
        _ => ("", "see `rightcall evaluators NAME`".to_owned()),
    };
    let (mut line, mut inside, mut steps) = (node.line, node, Vec::new());
    // The path has the setting's keys, joined by `.`, and a JSON pointer into its value.
    for name in path.split(['.', '/']) {
        if let Yaml::List(items) = &inside.value {
            let Some(item) = name.parse().ok().and_then(|at: usize| items.get(at)) else {
                break;
            };
            (line, inside) = (item.line, item);
            steps.push(name);
            continue;
        }
        let mut members = inside.members().iter();
        let Some((key, value)) = members.find(|(key, _)| folded(&key.name) == folded(name)) else {
            break;
        };
        (line, inside) = (key.line, value);
        steps.push(key.name.as_str());
    }
    steps.iter().rev().fold(
        SuiteError::at(line, error.to_string()).help(help),
        |fault, step| fault.under(step),
    )
}
