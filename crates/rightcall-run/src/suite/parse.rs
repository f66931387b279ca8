//! Parses the text of a suite.

use std::path::{Path, PathBuf};

use rightcall_core::call::{Case, Trajectory};
use rightcall_core::{Ask, Edition, Outcome};
use rightcall_formats::join::Join;
use rightcall_formats::yaml::{Key, Yaml, YamlNode};
use rightcall_formats::{Choices, Format};

use super::check::check;
use super::definition::{Suite, SuiteOptions, text_hash};
use super::evaluator::evaluator_of;
use super::expect::expected_of;
use super::fault::{Checked, SuiteError, each};
use super::files::files_of;
use super::filter::texts;
use super::gates::gates_of;
use super::keys::{SUITE, ValueType};
use super::members::SuiteMembers;
use crate::{CaseRule, Configured, Gate, MAX_CASES, Redaction, Unmatched};

/// Parses the text of a suite in this directory.
pub(super) fn parse(text: &str, directory: &Path, options: &SuiteOptions) -> Checked<Suite> {
    let root = YamlNode::parse(text)?;
    if !matches!(root.value, Yaml::Map(_)) {
        let help = match root.value {
            Yaml::List(_) => "this looks like a list of cases: `rightcall score FILE -e EVALUATOR`",
            _ => "a suite has `cases:` and `evaluators:`",
        };
        return Err(SuiteError::expected(&root, "an object").help(help));
    }
    // The code below relies on the validated form.
    check(&root, &ValueType::Object(&SUITE))?;
    let members = SuiteMembers::new(&root, options.profile.as_deref())?;
    let edition = members.text("edition").and_then(Edition::parse);
    let edition = options.edition.or(edition);
    let evaluators = members
        .read("evaluators", |node| {
            each(node.items(), |node| evaluator_of(node, directory, edition))
        })?
        .ok_or_else(|| {
            let help = "write which evaluators judge the cases; see `rightcall evaluators`";
            members.missing("evaluators", help)
        })?;
    let trials = members.get("trials");
    let gates = members.read("gates", |node| gates_of(node, &evaluators, trials))?;
    let baseline = members.text("baseline").map(|path| directory.join(path));
    if baseline.is_none() {
        refuse_gates_on_changes(&members, gates.as_deref().unwrap_or_default())?;
    }
    let redaction = members.read("redact", redaction_of)?.unwrap_or_default();
    let expected = members.read("expect", expected_of)?.unwrap_or_default();
    let read = members.read("read", choices_of)?.unwrap_or_default();
    let needs_no_cases = || !expected.is_empty() || evaluators.iter().all(judges_by_itself);
    let ((cases, traces), runs) = if options.settings_alone {
        Default::default()
    } else {
        let runs = members.read("runs", |node| runs_of(node, directory))?;
        let runs = runs.unwrap_or_default();
        let files = cases_and_traces(&members, directory, &runs, &needs_no_cases)?;
        (files, runs)
    };
    let unmatched = match members.text("unmatched") {
        Some("ignore") => Unmatched::Ignore,
        _ => Unmatched::Fail,
    };
    let group = trials.and_then(|trials| trials.member("group")?.text());
    Ok(Suite {
        runs_are_cases: members.get("cases").is_none() && !cases.is_empty(),
        case_rule: CaseRule::new(&evaluators, unmatched),
        max_cases: members
            .get("history")
            .and_then(max_cases_of)
            .unwrap_or(MAX_CASES),
        hash: text_hash(text),
        trial_group: group.map(ToOwned::to_owned),
        cases,
        traces,
        runs,
        identity: texts(members.get("identity")),
        evaluators,
        gates,
        baseline,
        redaction,
        expected,
        join: members.text("join").map(Join::parse),
        read,
        map: members.read("map", |node| map_of(node, directory))?,
        eval_set: None,
    })
}

fn refuse_gates_on_changes(members: &SuiteMembers<'_>, gates: &[Gate]) -> Checked<()> {
    if !gates.iter().any(|gate| gate.statistic.is_of_change()) {
        return Ok(());
    }
    let message = "a gate on changes, and no `baseline:` to compare with";
    let help = "write `baseline: baseline.jsonl`; `rightcall run SUITE --accept` writes the file";
    let fault = SuiteError::at(members.line("gates"), message).help(help);
    Err(members.under("gates", fault))
}

/// True if an evaluator returns a verdict on a run without an expectation, as rules do.
fn judges_by_itself(configured: &Configured) -> bool {
    let case = Case {
        actual: Some(Trajectory::default()),
        ..Case::default()
    };
    let evaluation = configured.evaluator.evaluate(&case, Ask::OUTCOME);
    matches!(evaluation.outcome, Outcome::Scored(_))
}

/// The files of cases and of runs. With expectations for all runs, or with only rules, each run is a case.
fn cases_and_traces(
    members: &SuiteMembers<'_>,
    directory: &Path,
    of_names: &[(String, Vec<PathBuf>)],
    needs_no_cases: &dyn Fn() -> bool,
) -> Checked<(Vec<PathBuf>, Vec<PathBuf>)> {
    let files = |name: &str| members.read(name, |node| files_of(node, directory));
    let (cases, traces) = (files("cases")?, files("traces")?);
    match (cases, traces.unwrap_or_default()) {
        (Some(cases), traces) => Ok((cases, traces)),
        (None, runs) if !runs.is_empty() && needs_no_cases() => Ok((runs, Vec::new())),
        (None, _) if !of_names.is_empty() => Ok((Vec::new(), Vec::new())),
        _ => {
            let help = "write the files of cases: `cases: cases.jsonl`; with `expect:`, or with rules alone, `traces:` is enough";
            Err(members.missing("cases", help))
        }
    }
}

/// Named lists of trace files.
fn runs_of(node: &YamlNode, directory: &Path) -> Checked<Vec<(String, Vec<PathBuf>)>> {
    let run = |(key, files): &(Key, YamlNode)| {
        let files = files_of(files, directory);
        Ok((key.name.clone(), files.map_err(|it| it.under(&key.name))?))
    };
    node.members().iter().map(run).collect()
}

fn redaction_of(node: &YamlNode) -> Checked<Redaction> {
    let patterns = texts(Some(node));
    Redaction::new(patterns.iter().map(String::as_str)).map_err(|error| {
        SuiteError::at(node.line, error.to_string()).help(
            "a pointer begins with `/`, into the case with `$/`; `*` stands for one step of it, `**` for any number",
        )
    })
}

/// Options for reading, each with its value.
pub(super) fn choices_of(node: &YamlNode) -> Checked<Vec<(String, String)>> {
    let mut choices = Choices::default();
    let choice = |(key, value): &(Key, YamlNode)| {
        let word = value.text().unwrap_or_default();
        let set = choices.set(&key.name, word);
        set.map_err(|error| {
            let help = "`rightcall formats` lists the choices";
            SuiteError::at(value.line, error.to_string())
                .help(help)
                .under(&key.name)
        })?;
        Ok((key.name.clone(), word.to_owned()))
    };
    node.members().iter().map(choice).collect()
}

pub(super) fn map_of(node: &YamlNode, directory: &Path) -> Checked<&'static Format> {
    let path = directory.join(node.text().unwrap_or_default());
    Format::from_map_file(&path).map_err(|error| {
        let fault = SuiteError::at(node.line, error.to_string());
        match error.help {
            Some(help) => fault.help(help),
            None => fault,
        }
    })
}

fn max_cases_of(history: &YamlNode) -> Option<usize> {
    match &history.member("max_cases")?.value {
        Yaml::Number(number) => number.parse().ok(),
        _ => None,
    }
}
