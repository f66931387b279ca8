//! The cases of the history that `rightcall review --run` compares with expectations.

use rightcall_formats::ReadOptions;
use rightcall_run::{Traces, text_to_review};
use rightcall_store::{CaseFilter, CaseOrder, History, PageRange};

use super::explain::is_trial;
use super::review::ReviewArguments;
use crate::arguments::filter;
use crate::history_lookup::find_run;
use crate::messages::Trouble;

/// The cases of a run, or only those to accept.
pub(super) fn recorded_runs(
    run: &str,
    arguments: &ReviewArguments,
    reading: ReadOptions,
) -> Result<Option<Traces>, Trouble> {
    let history = History::open_to_read(&arguments.history.file())?;
    let run = find_run(&history, run, None)?.number;
    let mut numbers = Vec::new();
    if arguments.accept.is_empty() {
        let all = CaseFilter::default();
        numbers = history.case_numbers(run, &all, CaseOrder::Input, PageRange::ALL)?;
    }
    for id in &arguments.accept {
        numbers.extend(history.cases_called(run, id)?);
    }
    let only = filter(&[], &arguments.meta);
    let mut texts = Vec::new();
    for number in numbers {
        let Some(case) = history.case(run, number)? else {
            continue;
        };
        let trial = case.trial.as_deref();
        let is_meant = |wanted: &String| trial.is_some_and(|trial| is_trial(trial, wanted));
        let meta = case.case.as_ref().and_then(|kept| kept.meta.as_deref());
        if !arguments.trial.as_ref().is_none_or(is_meant) || !only.admits_judged(&case.tags, meta) {
            continue;
        }
        let text = text_to_review(&case).ok_or_else(|| {
            Trouble::with_help(
                format!(
                    "run {run}, case `{}`: the history has only a redacted copy of its calls",
                    case.label
                ),
                "review the original run instead: --traces FILES",
            )
        })?;
        texts.push(text);
    }
    if texts.is_empty() {
        let message = format!("run {run} has no such case");
        return Err(Trouble::with_help(
            message,
            "`rightcall report RUN --format csv` lists its cases",
        ));
    }
    // Cases of a run are unique; other models of a case follow the first.
    Ok(Traces::of_texts(
        texts,
        reading,
        arguments.input.limits(),
        |_| {},
    )?)
}
