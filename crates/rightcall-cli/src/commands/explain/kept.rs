//! Explains a case of a recorded run. The run's evaluators judge it again, from the data in the
//! history.

use rightcall_formats::ReadOptions;
use rightcall_report::run_told;
use rightcall_results::CaseResult;
use rightcall_run::{CaseKey, FoundCase, Plan};
use rightcall_store::{
    CaseFilter, CaseOrder, History, PageRange, RunRow, RunSettings, StoredVerdict,
};

use super::place::CasePlace;
use super::since::change_since;
use super::{ExplainArguments, Record, print_explanation, print_others};
use crate::arguments::{configured, filter};
use crate::exit::Exit;
use crate::history_lookup::{filter_of, find_cause, find_run, is_meant};
use crate::messages::Trouble;

/// Explains a case of the named run: the requested case, else the worst.
pub(super) fn explain(name: &str, arguments: &ExplainArguments) -> Result<Exit, Trouble> {
    let history = History::open_to_read(&arguments.history.file())?;
    let run = find_run(&history, name, arguments.suite.as_deref())?;
    let numbers = match &arguments.case {
        Some(label) => history.cases_called(run.number, label)?,
        None => worst_cases(&history, &run, arguments)?,
    };
    if numbers.is_empty() {
        return Err(no_case(&history, &run, arguments)?);
    }
    explain_of(&history, &run, &numbers, arguments)
}

/// Explains the case at this place, from the last run that has one.
pub(super) fn explain_place(
    place: CasePlace<'_>,
    arguments: &ExplainArguments,
) -> Result<Exit, Trouble> {
    let history = History::open_to_read(&arguments.history.file())?;
    let filter = filter_of(&history, arguments.suite.as_deref())?;
    let found = history.case_at(
        filter.suite.as_deref(),
        place.file,
        place.line,
        place.record,
    )?;
    let Some((run, numbers)) = found else {
        let help = "write FILE:LINE as screens print it; for a file that was in no run, name evaluators with -e";
        return Err(Trouble::with_help(
            format!("no run of the history has a case at {place}"),
            help,
        ));
    };
    let run = history.run(run)?;
    explain_of(&history, &run, &numbers, arguments)
}

/// The worst cases first: by the evaluator with a failed gate, if there is one.
fn worst_cases(
    history: &History,
    run: &RunRow,
    arguments: &ExplainArguments,
) -> Result<Vec<u64>, Trouble> {
    let failed = history.summary(run)?.failed_evaluator();
    let cause = arguments.cause.as_deref();
    let cause = cause.map(|text| find_cause(history, run.number, text));
    let selected = CaseFilter {
        meta: filter(&[], &arguments.meta).meta,
        cause: cause.transpose()?,
        ..CaseFilter::default()
    };
    let low = failed.map(|index| {
        let low = StoredVerdict::Score(f64::MIN, 1.0);
        let filter = CaseFilter {
            verdict: Some((Some(index), low)),
            ..selected.clone()
        };
        (filter, CaseOrder::Evaluator(index))
    });
    for (filter, order) in low
        .into_iter()
        .chain([(selected.clone(), CaseOrder::Worst)])
    {
        let numbers =
            history.case_numbers(run.number, &filter, order, PageRange::first(SEARCHED))?;
        if !numbers.is_empty() {
            return Ok(numbers);
        }
    }
    Ok(Vec::new())
}

/// The maximum number of cases to search for one that matches all options.
const SEARCHED: u64 = 1000;

/// Explains one trial of a case; `numbers` are the trials' numbers in the run.
fn explain_of(
    history: &History,
    run: &RunRow,
    numbers: &[u64],
    arguments: &ExplainArguments,
) -> Result<Exit, Trouble> {
    let only = filter(&[], &arguments.meta);
    let is_meant = |case: &CaseResult| is_meant(case, arguments.trial.as_deref(), &only);
    let mut case = None;
    for number in numbers {
        let found = history.case(run.number, *number)?;
        case = found.filter(is_meant);
        if case.is_some() {
            break;
        }
    }
    let Some(case) = case else {
        let message = match &arguments.trial {
            Some(trial) => format!("run {}: the case has no trial {trial}", run.number),
            None => format!(
                "run {}: no case has the values that --where asks for",
                run.number
            ),
        };
        return Err(Trouble::new(message));
    };
    let (mut trials, mut others) = (Vec::new(), Vec::new());
    for (number, trial) in history.trials_called(run.number, &case.label)? {
        let Some(stored) = history.case(run.number, number)? else {
            continue;
        };
        if is_same_variant(&stored, &case) {
            trials.extend(trial);
        } else {
            others.extend(model_of(&stored).map(|model| format!("--where model={model}")));
        }
    }
    others.dedup();
    print_others(&others);
    let settings = RunSettings::from_json(&run.about.settings);
    let plan = Plan {
        evaluators: configured(&settings.into_arguments(), None)?,
        ..Plan::new(Vec::new(), ReadOptions::default(), arguments.input.limits())
    };
    let found = FoundCase {
        label: case.label.clone(),
        trial: case.trial.clone(),
        variant: None,
        file: case.file.clone(),
        line: case.line,
        text: case
            .case
            .as_ref()
            .map_or("", |kept| kept.json.as_str())
            .into(),
        number: 0,
    };
    let since = since_before(history, run, &case)?;
    let record = Record {
        head: format!("{}\n{since}\n", run_told(run)),
        evaluations: case.evaluations,
    };
    print_explanation(&plan, &found, &trials, &record, arguments)
}

/// Compares the case with the same trial of the previous run. Empty if that run does not have the
/// case.
fn since_before(history: &History, run: &RunRow, case: &CaseResult) -> Result<String, Trouble> {
    let Some(before) = history.run_before(run)? else {
        return Ok(String::new());
    };
    for (number, trial) in history.trials_called(before.number, &case.label)? {
        let previous = history.case(before.number, number)?;
        if let Some(previous) =
            previous.filter(|it| trial == case.trial && is_same_variant(it, case))
        {
            return Ok(format!(
                "{}\n",
                change_since(before.number, &previous, case)
            ));
        }
    }
    Ok(String::new())
}

/// True if two results with the same id come from the same model.
fn is_same_variant(one: &CaseResult, other: &CaseResult) -> bool {
    model_of(one) == model_of(other)
}

fn model_of(case: &CaseResult) -> Option<String> {
    let meta = case.case.as_ref().and_then(|kept| kept.meta.clone());
    CaseKey::Meta(vec!["model".to_owned()]).of(&case.label, None, meta.as_deref())
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
    let alike = history.cases(number, &alike, CaseOrder::Label, PageRange::first(SEARCHED))?;
    let names = alike.cases.iter();
    let mut names: Vec<_> = names.map(|it| format!("`{}`", it.result.label)).collect();
    // A case has a row for each of its trials.
    names.dedup();
    names.truncate(3);
    let sample = "of a run with many cases the history keeps those that failed, and a sample";
    Ok(match (&names[..], run.kept < run.cases) {
        ([], false) => Trouble::new(message),
        ([], true) => Trouble::with_help(message, sample),
        (names, _) => Trouble::with_help(message, format!("did you mean {}?", names.join(" or "))),
    })
}
