//! The cases of the history that `rightcall review --run` compares with expectations.

use clap::Args;
use rightcall_formats::{Limits, ReadOptions};
use rightcall_run::{Traces, text_to_review};
use rightcall_store::{CaseFilter, CaseOrder, History, PageRange};

use crate::arguments::{HistoryArguments, filter, parse_where};
use crate::history_lookup::{find_run, is_meant};
use crate::messages::Trouble;

/// The options for cases of the history instead of files.
#[derive(Debug, Args)]
pub(crate) struct RecordedRunArguments {
    /// A run of the history instead of files: `latest`, a number, a branch, a tag
    #[arg(long, value_name = "RUN", conflicts_with_all = ["traces", "add"])]
    pub(crate) run: Option<String>,
    /// Which trial of the cases in the history [default: the first]
    #[arg(long, value_name = "TRIAL", requires = "run")]
    trial: Option<String>,
    /// Only cases in the history with this meta value, such as model=gpt-4o
    #[arg(long = "where", value_name = "KEY=VALUE", value_parser = parse_where, requires = "run")]
    meta: Vec<(String, String)>,
    #[command(flatten)]
    history: HistoryArguments,
}

/// The cases of a run, or only those to accept.
pub(super) fn recorded_runs(
    run: &str,
    arguments: &RecordedRunArguments,
    accept: &[String],
    reading: ReadOptions,
    limits: Limits,
) -> Result<Option<Traces>, Trouble> {
    let history = History::open_to_read(&arguments.history.file())?;
    let run = find_run(&history, run, None)?.number;
    let mut numbers = Vec::new();
    if accept.is_empty() {
        let all = CaseFilter::default();
        numbers = history.case_numbers(run, &all, CaseOrder::Input, PageRange::ALL)?;
    }
    for id in accept {
        numbers.extend(history.cases_called(run, id)?);
    }
    let only = filter(&[], &arguments.meta);
    let mut texts = Vec::new();
    for number in numbers {
        let Some(case) = history.case(run, number)? else {
            continue;
        };
        if !is_meant(&case, arguments.trial.as_deref(), &only) {
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
    Ok(Traces::of_texts(texts, reading, limits, |_| {})?)
}
