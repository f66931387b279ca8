//! Suites: what to score and how good it must be, in YAML or JSON.
//!
//! Paths are relative to the suite. A suite is first checked against its tables ([`keys`]), so that reading it can take its
//! form for granted. Every message names file, line and JSON pointer, and for a misspelt name the nearest.

mod check;
mod expect;
mod files;
mod gates;
mod keys;
mod schema;
mod uipath;

use std::hash::Hasher;
use std::io;
use std::path::{Path, PathBuf};

use rightcall::Edition;
use rightcall_formats::join::Join;
use rightcall_formats::yaml::{Key, Node, Yaml, YamlError};
use rightcall_formats::{Choices, Limits, ReadOptions, read_text};
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::argument::Fields;
use crate::names::{did_you_mean, folded};
use crate::results_file::{ResultsError, ResultsOptions, read_results};
use crate::{
    Baseline, CaseRule, Configured, EvaluatorArgument, ExpectationRule, Filter, Gate, MAX_CASES,
    Redaction, Unmatched,
};
use keys::{SUITE, Takes};

pub use schema::suite_schema;
pub use uipath::{EvalSet, Skipped};

/// A suite as it was written.
#[derive(Debug)]
pub struct Suite {
    /// The files of cases, in the order of the suite; those of a glob by name.
    pub cases: Vec<PathBuf>,
    /// The files of traces.
    pub traces: Vec<PathBuf>,
    /// The evaluators.
    pub evaluators: Vec<Configured>,
    /// The gates, which alone decide where there is a list of them, even an empty one; `None` where verdicts decide.
    pub gates: Option<Vec<Gate>>,
    /// What is expected of trajectories that have no expectation of their own.
    pub expected: Vec<ExpectationRule>,
    /// What a case comes to.
    pub case_rule: CaseRule,
    /// The meta key that trials of a case share; `None` where they share the id.
    pub trial_group: Option<String>,
    /// The file with the results that gates on changes compare with.
    pub baseline: Option<PathBuf>,
    /// What may not be seen of the cases.
    pub redaction: Redaction,
    /// How many cases of a run the history keeps.
    pub max_cases: usize,
    /// A hash of the text of the suite, in hexadecimal digits: whether two runs were of the same suite.
    pub hash: String,
    /// By what runs are joined with cases, where the suite says so.
    pub join: Option<Join>,
    /// How traces are read where opinions differ.
    pub read: Vec<(String, String)>,
    /// What there is to say where the suite is an eval set of `UiPath`.
    pub eval_set: Option<EvalSet>,
}

/// What is wrong with a suite, and where.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}{}: {message}", line.map_or_else(String::new, |line| format!(":{line}")), Spaced(pointer))]
pub struct SuiteError {
    /// The suite as the user named it.
    pub file: String,
    /// The line, from 1; `None` where the whole file is meant.
    pub line: Option<u64>,
    /// The place in the suite, an RFC 6901 pointer; empty for the whole of it.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
    /// What the user can do.
    pub help: Option<String>,
}

/// The suite could not be read.
fn unread(error: &io::Error) -> Fault {
    let fault = |message: String| Fault {
        line: None,
        pointer: String::new(),
        message,
        help: None,
    };
    match error.kind() {
        io::ErrorKind::NotFound => {
            fault("no such file".into()).help("`rightcall init` writes a suite to start from")
        }
        io::ErrorKind::IsADirectory => fault("is a directory".into()).help("name the suite in it"),
        io::ErrorKind::InvalidData => {
            fault("is not UTF-8 text".into()).help("a suite is a file in YAML or JSON")
        }
        io::ErrorKind::FileTooLarge => {
            fault(error.to_string()).help("--max-document allows larger files")
        }
        _ => fault(format!("cannot be read: {error}")),
    }
}

/// A file of cases stands where the suite should.
fn of_cases() -> Fault {
    let message =
        "a suite is one object in YAML or JSON, and this is a file of JSON Lines".to_owned();
    Fault {
        line: None,
        pointer: String::new(),
        message,
        help: None,
    }
    .help("to score a file of cases: rightcall score FILE -e EVALUATOR")
}

/// A text that is there or not, with a space before it.
struct Spaced<'t>(&'t str);

impl std::fmt::Display for Spaced<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            Ok(())
        } else {
            write!(f, " {}", self.0)
        }
    }
}

/// What is wrong, before the file is known; each level adds its step to the pointer.
#[derive(Debug)]
struct Fault {
    line: Option<u64>,
    pointer: String,
    message: String,
    help: Option<String>,
}

type Checked<T> = Result<T, Fault>;

impl Fault {
    fn at(line: u64, message: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            pointer: String::new(),
            message: message.into(),
            help: None,
        }
    }

    /// Something else should stand there.
    fn expected(node: &Node, expected: &str) -> Self {
        let found = match &node.value {
            Yaml::List(items) if items.is_empty() => "an empty list".to_owned(),
            Yaml::Map(members) if members.is_empty() => "an empty object".to_owned(),
            _ => node.describe(),
        };
        Self::at(node.line, format!("expected {expected}, found {found}"))
    }

    /// The same with more to say.
    fn and(mut self, more: &str) -> Self {
        self.message.push_str(more);
        self
    }

    fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }

    fn under(mut self, step: &str) -> Self {
        self.pointer = format!(
            "/{}{}",
            step.replace('~', "~0").replace('/', "~1"),
            self.pointer
        );
        self
    }
}

impl From<YamlError> for Fault {
    fn from(error: YamlError) -> Self {
        Self::at(
            error.line,
            format!("expected {}, found {}", error.expected, error.found),
        )
        .help(error.help)
    }
}

/// What the user chose beside the suite.
#[derive(Clone, Debug, Default)]
pub struct SuiteOptions {
    /// Goes before the edition that the suite names.
    pub edition: Option<Edition>,
    /// The profile.
    pub profile: Option<String>,
    /// How large files may be.
    pub limits: Limits,
}

impl Suite {
    /// Reads a suite.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn read(path: &Path, options: &SuiteOptions) -> Result<Self, SuiteError> {
        let directory = path.parent().unwrap_or(Path::new(""));
        let suite = read_text(path, options.limits.max_document).map_err(|error| unread(&error));
        let suite = suite.and_then(|text| {
            if path.extension().is_some_and(|ending| ending == "json") && uipath::is_eval_set(&text)
            {
                return uipath::suite_of(&text, path, options);
            }
            let suite = Self::parse(&text, directory, options);
            // Each line of a file of cases may be YAML too, so its end says what it is.
            let is_of_cases = path
                .extension()
                .is_some_and(|ending| ending == "jsonl" || ending == "ndjson");
            if is_of_cases {
                suite.map_err(|_| of_cases())
            } else {
                suite
            }
        });
        suite.map_err(|fault| SuiteError {
            file: path.display().to_string(),
            line: fault.line,
            pointer: fault.pointer,
            message: fault.message,
            help: fault.help,
        })
    }

    /// These options with what the suite says of reading its traces.
    pub fn reading(&self, options: ReadOptions) -> ReadOptions {
        let mut choices = options.choices;
        for (key, value) in &self.read {
            // Checked where the suite was parsed.
            _ = choices.set(key, value);
        }
        ReadOptions {
            choices,
            join: self.join.unwrap_or(options.join),
            ..options
        }
    }

    /// The results that gates on changes compare with; `None` where no gate asks for them.
    ///
    /// # Errors
    /// Where the file cannot be read or holds something else.
    pub fn read_baseline(&self) -> Result<Option<Baseline>, ResultsError> {
        let path = self.baseline.as_ref().filter(|_| {
            self.gates
                .iter()
                .flatten()
                .any(|gate| gate.statistic.is_of_change())
        });
        let results = path
            .map(|path| read_results(path, &ResultsOptions::default()))
            .transpose()?;
        Ok(results.map(|results| Baseline {
            results: Some(results),
            ..Baseline::default()
        }))
    }

    fn parse(text: &str, directory: &Path, options: &SuiteOptions) -> Checked<Self> {
        let root = Node::parse(text)?;
        if !matches!(root.value, Yaml::Map(_)) {
            return Err(
                Fault::expected(&root, "an object").help("a suite has `cases:` and `evaluators:`")
            );
        }
        check::check(&root, &Takes::Object(&SUITE))?;
        let members = Members {
            root: &root,
            profile: profile_of(&root, options.profile.as_deref())?,
        };

        let edition = options
            .edition
            .or_else(|| members.text("edition").and_then(Edition::parse));
        let evaluators = members.required(
            "evaluators",
            "write which evaluators judge the cases; see `rightcall evaluators`",
        )?;
        let evaluators = evaluators
            .items()
            .iter()
            .enumerate()
            .map(|(number, node)| {
                evaluator_of(node, edition).map_err(|fault| fault.under(&number.to_string()))
            })
            .collect::<Checked<Vec<_>>>()
            .map_err(|fault| members.under("evaluators", fault))?;
        let trials = members.get("trials");
        let gates = match members.get("gates") {
            Some(node) => Some(
                gates::gates_of(node, &evaluators, trials)
                    .map_err(|fault| members.under("gates", fault))?,
            ),
            None => None,
        };
        let baseline = members.text("baseline").map(|path| directory.join(path));
        if baseline.is_none()
            && gates
                .iter()
                .flatten()
                .any(|gate| gate.statistic.is_of_change())
        {
            let line = members.get("gates").map_or(root.line, |node| node.line);
            let fault = Fault::at(
                line,
                "a gate on changes, and no `baseline:` to compare with",
            );
            return Err(members
                .under("gates", fault.help("write `baseline: baseline.jsonl`; `rightcall run SUITE --accept` writes the file")));
        }
        let redact = members.get("redact");
        let redaction = Redaction::new(texts(redact).iter().map(String::as_str)).map_err(|error| {
            let fault = Fault::at(redact.map_or(root.line, |node| node.line), error.to_string());
            members.under(
                "redact",
                fault.help(
                    "a pointer begins with `/`, into the case with `$/`; `*` stands for one step of it, `**` for any number",
                ),
            )
        })?;
        let expected = match members.get("expect") {
            Some(node) => {
                expect::expected_of(node).map_err(|fault| members.under("expect", fault))?
            }
            None => Vec::new(),
        };
        let read = match members.get("read") {
            Some(node) => choices_of(node).map_err(|fault| members.under("read", fault))?,
            None => Vec::new(),
        };
        let files = |name: &str| match members.get(name) {
            Some(node) => {
                files::files_of(node, directory).map_err(|fault| members.under(name, fault))
            }
            None => Ok(Vec::new()),
        };
        let (mut cases, mut traces) = (files("cases")?, files("traces")?);
        if members.get("cases").is_none() {
            if expected.is_empty() || traces.is_empty() {
                let help = "write the files of cases: `cases: cases.jsonl`; with `expect:`, `traces:` alone will do";
                return Err(Fault::at(root.line, "`cases` is missing").help(help));
            }
            // With an expectation for all, a trajectory is a case.
            (cases, traces) = (traces, Vec::new());
        }
        let unmatched = if members.text("unmatched") == Some("ignore") {
            Unmatched::Ignore
        } else {
            Unmatched::Fail
        };
        Ok(Self {
            case_rule: CaseRule::new(&evaluators, unmatched),
            max_cases: members
                .get("history")
                .and_then(max_cases_of)
                .unwrap_or(MAX_CASES),
            hash: hash_of(text),
            trial_group: trials
                .and_then(|trials| trials.member("group")?.text())
                .map(ToOwned::to_owned),
            cases,
            traces,
            evaluators,
            gates,
            baseline,
            redaction,
            expected,
            join: members.text("join").map(Join::parse),
            read,
            eval_set: None,
        })
    }
}

/// Choices of reading, each with its value.
fn choices_of(node: &Node) -> Checked<Vec<(String, String)>> {
    let mut choices = Choices::default();
    let choice = |(key, value): &(Key, Node)| {
        let word = value.text().unwrap_or_default();
        let set = choices.set(&key.name, word);
        set.map_err(|error| {
            let help = "`rightcall formats` lists the choices";
            Fault::at(value.line, error.to_string())
                .help(help)
                .under(&key.name)
        })?;
        Ok((key.name.clone(), word.to_owned()))
    };
    node.members().iter().map(choice).collect()
}

/// The members of a suite; those of the profile go before its own.
struct Members<'n> {
    root: &'n Node,
    profile: Option<(&'n str, &'n Node)>,
}

impl<'n> Members<'n> {
    fn get(&self, name: &str) -> Option<&'n Node> {
        self.profile
            .and_then(|(_, profile)| profile.member(name))
            .or_else(|| self.root.member(name))
    }

    fn text(&self, name: &str) -> Option<&'n str> {
        self.get(name)?.text()
    }

    fn required(&self, name: &str, help: &str) -> Checked<&'n Node> {
        self.get(name)
            .ok_or_else(|| Fault::at(self.root.line, format!("`{name}` is missing")).help(help))
    }

    /// The fault with the place of this member.
    fn under(&self, name: &str, fault: Fault) -> Fault {
        match self.profile {
            Some((profile, node)) if node.member(name).is_some() => {
                fault.under(name).under(profile).under("profiles")
            }
            _ => fault.under(name),
        }
    }
}

fn profile_of<'n>(root: &'n Node, wanted: Option<&str>) -> Checked<Option<(&'n str, &'n Node)>> {
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let Some(profiles) = root.member("profiles") else {
        return Err(
            Fault::at(root.line, format!("the suite has no profile `{wanted}`"))
                .help("write it under `profiles:`"),
        );
    };
    let names = || profiles.members().iter().map(|(key, _)| key.name.as_str());
    if let Some((key, profile)) = profiles
        .members()
        .iter()
        .find(|(key, _)| key.name == wanted)
    {
        return Ok(Some((&key.name, profile)));
    }
    let message = format!(
        "the suite has no profile `{wanted}`{}",
        did_you_mean(wanted, names())
    );
    let known: Vec<_> = names().collect();
    Err(Fault::at(profiles.line, message)
        .help(format!("there is {}", known.join(", ")))
        .under("profiles"))
}

fn evaluator_of(node: &Node, edition: Option<Edition>) -> Checked<Configured> {
    let asked = if let Some(id) = node.text() {
        EvaluatorArgument {
            id: id.to_owned(),
            name: None,
            settings: "{}".to_owned(),
        }
    } else {
        let mut fields = Fields::default();
        for (key, value) in node
            .members()
            .iter()
            .filter(|(key, _)| key.name != "weight")
        {
            let help = "two spellings of a setting are one: take one of them out";
            let added = fields.add(&key.name, None, value.to_json());
            added.map_err(|error| {
                Fault::at(key.line, error.to_string())
                    .help(help)
                    .under(&key.name)
            })?;
        }
        fields
            .into_argument()
            .map_err(|error| Fault::at(node.line, error.to_string()))?
    };
    if let Some(name) = asked
        .name
        .as_deref()
        .filter(|name| gates::is_reserved(name))
    {
        let line = node.member("name").map_or(node.line, |node| node.line);
        let message = format!("expected a name that no gate uses, found `{name}`");
        return Err(Fault::at(line, message)
            .help("gates have this word for something else; choose another")
            .under("name"));
    }
    let mut configured =
        Configured::new(asked, edition).map_err(|error| misconfigured(node, &error))?;
    if let Some(Yaml::Number(weight)) = node.member("weight").map(|node| &node.value) {
        configured.weight = weight.parse().unwrap_or(1.0);
    }
    Ok(configured)
}

/// The fault at the setting that an error is about, or at the evaluator.
fn misconfigured(node: &Node, error: &rightcall::ConfigError) -> Fault {
    use rightcall::ConfigError::{
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
        UnknownEvaluator { .. } | AmbiguousEvaluator { .. } => {
            ("evaluator", "`rightcall evaluators` lists them".to_owned())
        }
        NoSuchEdition { .. } => (
            "edition",
            "leave `edition` out, or write one that it has".to_owned(),
        ),
        _ => ("", "see `rightcall evaluators NAME`".to_owned()),
    };
    let (mut line, mut inside, mut steps) = (node.line, node, Vec::new());
    for name in path.split('.') {
        let Some((key, value)) = inside
            .members()
            .iter()
            .find(|(key, _)| folded(&key.name) == folded(name))
        else {
            break;
        };
        (line, inside) = (key.line, value);
        steps.push(key.name.as_str());
    }
    steps.iter().rev().fold(
        Fault::at(line, error.to_string()).help(help),
        |fault, step| fault.under(step),
    )
}

fn max_cases_of(history: &Node) -> Option<usize> {
    match &history.member("max_cases")?.value {
        Yaml::Number(number) => number.parse().ok(),
        _ => None,
    }
}

fn hash_of(text: &str) -> String {
    let mut hasher = SipHasher13::new();
    hasher.write(text.as_bytes());
    format!("{:032x}", hasher.finish128().as_u128())
}

/// The texts of a text or a list of texts.
fn texts(node: Option<&Node>) -> Vec<String> {
    node.into_iter()
        .flat_map(Node::items)
        .filter_map(Node::text)
        .map(ToOwned::to_owned)
        .collect()
}

/// The choice of cases that `tag`, `agent` and `meta` of an object make.
fn filter_of(node: &Node) -> Filter {
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

#[cfg(test)]
mod tests;
