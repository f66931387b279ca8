//! A case of a run in the history: judged again by the evaluators of that run, from what the history keeps of it.

use std::path::Path;

use rightcall_formats::ReadOptions;
use rightcall_report::run_told;
use rightcall_run::{FoundCase, Plan};
use rightcall_store::{CaseFilter, CaseOrder, History, PageRange, RunRow, RunSettings};

use super::{ExplainArguments, Record, is_trial, say};
use crate::arguments::configured;
use crate::exit::Exit;
use crate::messages::Trouble;
use crate::past::{filter_of, find_run};

/// Explains a case of the run of this name: the one asked for, else the worst.
pub(super) fn explain(name: &str, arguments: &ExplainArguments) -> Result<Exit, Trouble> {
    let history = History::open_to_read(&arguments.history.file())?;
    let run = find_run(&history, name, arguments.suite.as_deref())?;
    let numbers = match &arguments.case {
        Some(label) => history.cases_called(run.number, label)?,
        None => worst(&history, &run)?,
    };
    if numbers.is_empty() {
        return Err(no_case(&history, &run, arguments)?);
    }
    explain_of(&history, &run, &numbers, arguments)
}

/// Explains the case that stood at this line in the last run that has one.
pub(super) fn explain_place(
    file: &str,
    line: u64,
    arguments: &ExplainArguments,
) -> Result<Exit, Trouble> {
    let history = History::open_to_read(&arguments.history.file())?;
    let filter = filter_of(&history, arguments.suite.as_deref())?;
    let found = history.case_at(filter.suite.as_deref(), file, line)?;
    let Some((run, numbers)) = found else {
        let help = "write FILE:LINE as screens print it; for a file that was in no run, name evaluators with -e";
        return Err(Trouble::with_help(
            format!("no run of the history has a case at {file}:{line}"),
            help,
        ));
    };
    let run = history.run(run)?;
    explain_of(&history, &run, &numbers, arguments)
}

fn worst(history: &History, run: &RunRow) -> Result<Vec<u64>, Trouble> {
    let all = CaseFilter::default();
    let list = history.cases(run.number, &all, CaseOrder::Worst, PageRange::first(1))?;
    Ok(list.cases.iter().map(|case| case.number).collect())
}

/// Explains one of the trials of a case, which have these numbers in their run.
fn explain_of(
    history: &History,
    run: &RunRow,
    numbers: &[u64],
    arguments: &ExplainArguments,
) -> Result<Exit, Trouble> {
    let is_meant = |trial: Option<&str>| match &arguments.trial {
        None => true,
        Some(wanted) => trial.is_some_and(|trial| is_trial(trial, wanted)),
    };
    let mut case = None;
    for number in numbers {
        let found = history.case(run.number, *number)?;
        case = found.filter(|case| is_meant(case.trial.as_deref()));
        if case.is_some() {
            break;
        }
    }
    let Some(case) = case else {
        let trial = arguments.trial.as_deref().unwrap_or_default();
        let message = format!("run {}: the case has no trial {trial}", run.number);
        return Err(Trouble::new(message));
    };
    let trials = history.trials_called(run.number, &case.label)?;
    let trials: Vec<String> = trials.into_iter().filter_map(|(_, trial)| trial).collect();
    let settings = RunSettings::from_json(&run.about.settings);
    let plan = Plan {
        evaluators: configured(&settings.into_arguments(), None)?,
        ..Plan::new(Vec::new(), ReadOptions::default(), arguments.input.limits())
    };
    let found = FoundCase {
        label: case.label.clone(),
        trial: case.trial.clone(),
        file: case.file.clone(),
        line: case.line,
        text: case
            .case
            .as_ref()
            .map_or("", |kept| kept.json.as_str())
            .into(),
        number: 0,
    };
    let record = Record {
        head: format!("{}\n\n", run_told(run)),
        evaluations: case.evaluations,
    };
    say(&plan, &found, &trials, &record, arguments)
}

fn no_case(
    history: &History,
    run: &RunRow,
    arguments: &ExplainArguments,
) -> Result<Trouble, Trouble> {
    let number = run.number;
    let Some(case) = &arguments.case else {
        return Ok(Trouble::new(format!("run {number} has no case")));
    };
    let message = format!("run {number} has no case `{case}`");
    let alike = CaseFilter {
        label: Some(case.clone()),
        ..CaseFilter::default()
    };
    let alike = history.cases(number, &alike, CaseOrder::Label, PageRange::first(3))?;
    let names = alike
        .cases
        .iter()
        .map(|it| format!("`{}`", it.result.label));
    let names: Vec<_> = names.collect();
    let sample = "of a run with many cases the history keeps those that failed, and a sample";
    Ok(match (&names[..], run.kept < run.cases) {
        ([], false) => Trouble::new(message),
        ([], true) => Trouble::with_help(message, sample),
        (names, _) => Trouble::with_help(message, format!("did you mean {}?", names.join(" or "))),
    })
}

/// `FILE:LINE`, where the file is there or was in a run.
pub(super) fn place_of(text: &str) -> Option<(&str, u64)> {
    let (file, line) = text.rsplit_once(':')?;
    let line = line.parse().ok()?;
    let has_ending = Path::new(file).extension().is_some();
    (has_ending || Path::new(file).is_file()).then_some((file, line))
}
