//! Suites: what to score and how good it must be, in YAML or JSON.
//!
//! Paths are relative to the suite. Every message names the file and the line, and for a misspelt name the nearest.

use std::fs;
use std::path::{Path, PathBuf};

use rightcall::Edition;

use crate::argument::Fields;
use crate::gate::{Bound, Gate, Statistic, Subject};
use crate::names::did_you_mean;
use crate::yaml::{Key, Node, Yaml};
use crate::{Configured, EvaluatorArgument};

/// A suite as it was written.
#[derive(Debug)]
pub struct Suite {
    /// The files of cases, in the order of the suite; those of a glob by name.
    pub cases: Vec<PathBuf>,
    /// The files of traces.
    pub traces: Vec<PathBuf>,
    /// The evaluators.
    pub evaluators: Vec<Configured>,
    /// The gates.
    pub gates: Vec<Gate>,
}

/// What is wrong with a suite, and where.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", line.map_or_else(String::new, |line| format!(":{line}")))]
pub struct SuiteError {
    /// The suite as the user named it.
    pub file: String,
    /// The line, from 1; `None` where the whole file is meant.
    pub line: Option<u64>,
    /// What is wrong.
    pub message: String,
    /// What the user can do.
    pub help: Option<String>,
}

/// A message and its line, before the file is known.
#[derive(Debug)]
struct Wrong {
    line: Option<u64>,
    message: String,
    help: Option<String>,
}

type Checked<T> = Result<T, Wrong>;

fn wrong<T>(line: u64, message: impl Into<String>) -> Checked<T> {
    Err(Wrong { line: Some(line), message: message.into(), help: None })
}

fn wrong_with_help<T>(line: u64, message: impl Into<String>, help: impl Into<String>) -> Checked<T> {
    Err(Wrong { line: Some(line), message: message.into(), help: Some(help.into()) })
}

const KEYS: [&str; 5] = ["cases", "traces", "evaluators", "gates", "edition"];

impl Suite {
    /// Reads a suite; `edition` goes before the one that it names.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn read(path: &Path, edition: Option<Edition>) -> Result<Self, SuiteError> {
        let text = fs::read_to_string(path).map_err(|error| Wrong { line: None, message: error.to_string(), help: None });
        let directory = path.parent().unwrap_or(Path::new(""));
        text.and_then(|text| Self::parse(&text, directory, edition)).map_err(|wrong| SuiteError {
            file: path.display().to_string(),
            line: wrong.line,
            message: wrong.message,
            help: wrong.help,
        })
    }

    fn parse(text: &str, directory: &Path, edition: Option<Edition>) -> Checked<Self> {
        let root = Node::parse(text).map_err(|error| Wrong { line: error.line, message: error.message, help: None })?;
        let Yaml::Map(members) = &root.value else {
            let help = "a suite has `cases:` and `evaluators:`";
            return wrong_with_help(root.line, format!("expected an object, found {}", root.describe()), help);
        };
        for (number, (key, _)) in members.iter().enumerate() {
            if !KEYS.contains(&key.name.as_str()) {
                return unknown(key, "a suite", KEYS);
            }
            if members[..number].iter().any(|(before, _)| before.name == key.name) {
                return wrong(key.line, format!("`{}` is given twice", key.name));
            }
        }
        let member = |name: &str| members.iter().find(|(key, _)| key.name == name).map(|(_, node)| node);
        let required = |name: &str| member(name).map_or_else(|| wrong(root.line, format!("`{name}` is missing")), Ok);

        let edition = match (edition, member("edition")) {
            (None, Some(node)) => Some(edition_of(node)?),
            (given, _) => given,
        };
        let evaluators = list(required("evaluators")?, "a list of evaluators")?
            .iter()
            .map(|node| evaluator_of(node, edition))
            .collect::<Checked<Vec<_>>>()?;
        let mut gates = Vec::new();
        for node in member("gates").map_or(Ok(&[][..]), |node| list(node, "a list of gates"))? {
            gates.extend(gates_of(node, &evaluators)?);
        }
        let cases = paths_of(required("cases")?, directory)?;
        let traces = member("traces").map_or_else(|| Ok(Vec::new()), |node| paths_of(node, directory))?;
        Ok(Self { cases, traces, evaluators, gates })
    }
}

fn unknown<T>(key: &Key, owner: &str, known: impl IntoIterator<Item = &'static str> + Clone) -> Checked<T> {
    let message = format!("{owner} has no `{}`{}", key.name, did_you_mean(&key.name, known.clone()));
    let known: Vec<_> = known.into_iter().collect();
    wrong_with_help(key.line, message, format!("there is {}", known.join(", ")))
}

fn list<'n>(node: &'n Node, expected: &str) -> Checked<&'n [Node]> {
    match &node.value {
        Yaml::List(items) if !items.is_empty() => Ok(items),
        Yaml::List(_) => wrong(node.line, format!("expected {expected}, found an empty one")),
        _ => wrong(node.line, format!("expected {expected}, found {}", node.describe())),
    }
}

fn text<'n>(node: &'n Node, expected: &str) -> Checked<&'n str> {
    match &node.value {
        Yaml::Text(text) => Ok(text),
        _ => wrong(node.line, format!("expected {expected}, found {}", node.describe())),
    }
}

fn edition_of(node: &Node) -> Checked<Edition> {
    let name = text(node, "`documented` or `package`")?;
    let unknown = || format!("expected `documented` or `package`, found {}", node.describe());
    Edition::parse(name).map_or_else(|| wrong(node.line, unknown()), Ok)
}

/// The files of a path, a glob, or a list of them.
fn paths_of(node: &Node, directory: &Path) -> Checked<Vec<PathBuf>> {
    let patterns = match &node.value {
        Yaml::List(_) => list(node, "a path, a glob or a list of them")?,
        _ => std::slice::from_ref(node),
    };
    let mut paths = Vec::new();
    for node in patterns {
        let pattern = text(node, "a path, a glob or a list of them")?;
        if !pattern.contains(['*', '?', '[']) {
            paths.push(directory.join(pattern));
            continue;
        }
        let whole = if Path::new(pattern).is_absolute() || directory.as_os_str().is_empty() {
            pattern.to_owned()
        } else {
            format!("{}/{pattern}", glob::Pattern::escape(&directory.to_string_lossy()))
        };
        let found = match glob::glob(&whole) {
            Ok(found) => found,
            Err(error) => return wrong(node.line, format!("`{pattern}` is no glob: {}", error.msg)),
        };
        let before = paths.len();
        for path in found {
            match path {
                Ok(path) if path.is_dir() => {}
                Ok(path) => paths.push(path),
                Err(error) => return wrong(node.line, error.to_string()),
            }
        }
        if paths.len() == before {
            return wrong_with_help(node.line, format!("no file matches `{pattern}`"), "paths are relative to the suite");
        }
    }
    Ok(paths)
}

fn evaluator_of(node: &Node, edition: Option<Edition>) -> Checked<Configured> {
    let here = |error: &dyn std::fmt::Display| Wrong { line: Some(node.line), message: error.to_string(), help: None };
    let asked = match &node.value {
        Yaml::Text(id) => EvaluatorArgument { id: id.clone(), name: None, settings: "{}".to_owned() },
        Yaml::Map(members) => {
            let mut fields = Fields::default();
            for (key, value) in members {
                if matches!(key.name.as_str(), "evaluator" | "name") {
                    text(value, &format!("the text of `{}`", key.name))?;
                }
                let added = fields.add(&key.name, None, value.to_json());
                added.map_err(|error| Wrong { line: Some(key.line), ..here(&error) })?;
            }
            fields.into_argument().map_err(|error| here(&error))?
        }
        _ => return wrong(node.line, format!("expected the id of an evaluator or an object, found {}", node.describe())),
    };
    Configured::new(asked, edition).map_err(|error| Wrong { line: Some(line_of(node, &error)), ..here(&error) })
}

/// The line of the setting that an error is about, or that of the evaluator.
fn line_of(node: &Node, error: &rightcall::ConfigError) -> u64 {
    use rightcall::ConfigError::{BadValue, NoSuchEdition, UnknownEvaluator, UnknownSetting};
    let path = match error {
        UnknownSetting { setting, .. } | BadValue { setting, .. } => setting.as_str(),
        UnknownEvaluator { .. } => "evaluator",
        NoSuchEdition { .. } => "edition",
        _ => "",
    };
    let mut line = node.line;
    let mut inside = node;
    for name in path.split('.') {
        let Yaml::Map(members) = &inside.value else { break };
        let Some((key, value)) = members.iter().find(|(key, _)| crate::names::folded(&key.name) == crate::names::folded(name))
        else {
            break;
        };
        (line, inside) = (key.line, value);
    }
    line
}

/// The gates of one entry: `{EVALUATOR: {mean: ">= 0.9"}, tag: TEXT}` or `{passed: ">= 95%"}`.
fn gates_of(node: &Node, evaluators: &[Configured]) -> Checked<Vec<Gate>> {
    let Yaml::Map(members) = &node.value else {
        return wrong_with_help(node.line, format!("expected a gate, found {}", node.describe()), GATE_HELP);
    };
    let tag = match members.iter().find(|(key, _)| key.name == "tag") {
        Some((_, tag)) => Some(text(tag, "a tag")?.to_owned()),
        None => None,
    };
    let mut gates = Vec::new();
    for (key, value) in members.iter().filter(|(key, _)| key.name != "tag") {
        if key.name == "passed" {
            let wanted = bound(value)?;
            gates.push(Gate { subject: Subject::Cases, tag: tag.clone(), statistic: Statistic::PassRate, wanted });
            continue;
        }
        let subject = Subject::Evaluator { index: subject_of(key, evaluators)?, label: key.name.clone() };
        let Yaml::Map(conditions) = &value.value else {
            return wrong_with_help(value.line, format!("expected conditions, found {}", value.describe()), GATE_HELP);
        };
        for (name, condition) in conditions {
            let Some(statistic) = Statistic::parse(&name.name) else {
                return unknown(name, "a gate", Statistic::NAMES);
            };
            gates.push(Gate { subject: subject.clone(), tag: tag.clone(), statistic, wanted: bound(condition)? });
        }
    }
    if gates.is_empty() {
        return wrong_with_help(node.line, "the gate has no condition", GATE_HELP);
    }
    Ok(gates)
}

const GATE_HELP: &str = "write `EVALUATOR: {mean: \">= 0.9\"}` or `passed: \">= 95%\"`";

fn subject_of(key: &Key, evaluators: &[Configured]) -> Checked<usize> {
    let entry = rightcall::find(&key.name).ok();
    let is_meant = |it: &Configured| {
        it.name.as_deref() == Some(&key.name) || entry.is_some_and(|entry| std::ptr::eq(entry, it.evaluator.entry()))
    };
    let mut meant = evaluators.iter().enumerate().filter(|(_, it)| is_meant(it));
    match (meant.next(), meant.next()) {
        (Some((index, _)), None) => Ok(index),
        (Some(_), Some(_)) => {
            let by_name = evaluators.iter().position(|it| it.name.as_deref() == Some(&key.name));
            by_name.filter(|_| evaluators.iter().filter(|it| it.name.as_deref() == Some(&key.name)).count() == 1).map_or_else(
                || {
                    wrong_with_help(
                        key.line,
                        format!("several evaluators go by `{}`", key.name),
                        "give each a `name:` of its own",
                    )
                },
                Ok,
            )
        }
        (None, _) => {
            let labels = evaluators.iter().map(Configured::label);
            let message =
                format!("no evaluator of this suite goes by `{}`{}", key.name, did_you_mean(&key.name, labels.chain(["passed"])));
            wrong(key.line, message)
        }
    }
}

fn bound(node: &Node) -> Checked<Bound> {
    let parsed = match &node.value {
        Yaml::Text(text) => Bound::parse(text),
        _ => None,
    };
    let message = || format!("expected an operator and a number, found {}", node.describe());
    let help = "operators are >= > <= < = and !=; the number may end in %: \">= 0.9\", \">= 95%\"";
    parsed.map_or_else(|| wrong_with_help(node.line, message(), help), Ok)
}

#[cfg(test)]
mod tests;
