//! `rightcall rescore`: scores rollouts under several settings, or compares scores with another tool's.

mod outputs;
mod prove;
mod settings;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use rightcall_core::Edition;
use rightcall_report::{RescoredRows, RescoringOptions, RescoringReport, count};
use rightcall_run::{CaseKey, OutputFiles, ResultsOptions};

use super::compare::check_keys;
use crate::arguments::{
    InputArguments, ListArguments, filter, parse_confidence, parse_edition, parse_key,
    parse_pass_mark, parse_threads, parse_where,
};
use crate::completing;
use crate::exit::Exit;
use crate::messages::{Trouble, note, note_missing_numbers};
use outputs::{RescoreFormat, RescoringFile};
use settings::{OnceObserver, RescoreSetting};

#[derive(Debug, Args)]
pub(crate) struct RescoreArguments {
    /// Files of rollouts: cases with what is expected and what the model did, or traces for a suite with `expect:`
    #[arg(required = true, value_name = "ROLLOUTS")]
    rollouts: Vec<PathBuf>,
    /// A setting: a suite, which counts by the weighted score of its evaluators, or an evaluator with its settings
    #[arg(long = "with", required = true, value_name = "SUITE|EVALUATOR[,KEY=VALUE…]", add = completing::evaluators())]
    with: Vec<String>,
    /// The keys that rows of a group share: meta keys, or the id without model and trial
    #[arg(long, value_name = "KEY,…", value_parser = parse_key, default_value = "id")]
    group: CaseKey,
    /// Show how well each setting predicts this number of the rows, such as reward
    #[arg(long, value_name = "FIELD")]
    against: Option<String>,
    /// Count the number of --against as a yes from this value on, else as a no
    #[arg(long, value_name = "NUMBER", value_parser = parse_pass_mark, requires = "against")]
    positive: Option<f64>,
    /// A row passes from this score on [default: by the verdict of the setting, else from 1]
    #[arg(long, value_name = "NUMBER", value_parser = parse_pass_mark)]
    pass_mark: Option<f64>,
    /// The confidence of intervals, in percent
    #[arg(long, value_name = "PERCENT", default_value = "95", value_parser = parse_confidence)]
    confidence: f64,
    /// Compare the scores of one setting case by case with a file of another tool; if any differ, the exit code is 1
    #[arg(long, value_name = "RESULTS", help_heading = "Proof")]
    prove: Option<PathBuf>,
    /// The key of the score in that file [default: score, else reward]
    #[arg(long, value_name = "KEY", requires = "prove", help_heading = "Proof")]
    score: Option<String>,
    /// Scores that differ by at most this are equal
    #[arg(long, value_name = "NUMBER", value_parser = parse_tolerance, default_value = "1e-9", help_heading = "Proof")]
    tolerance: f64,
    /// Only rows with this tag; given again, with any of them
    #[arg(long = "tag", value_name = "TAG", help_heading = "Which cases")]
    tags: Vec<String>,
    /// Only rows with this meta value; given again for the same key, with any of them
    #[arg(long = "where", value_name = "KEY=VALUE", value_parser = parse_where, add = completing::meta_values(), help_heading = "Which cases")]
    meta: Vec<(String, String)>,
    /// What to print [default: by the ending of the output file, else a table]
    #[arg(long, value_name = "FORMAT", help_heading = "Results")]
    format: Option<RescoreFormat>,
    /// Write it to a file, which appears when it is complete
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    output: Option<PathBuf>,
    #[command(flatten)]
    lists: ListArguments,
    /// Which numbers to use where document and package differ: documented or package
    #[arg(long, value_name = "EDITION", value_parser = parse_edition, add = completing::editions(), help_heading = "How to score")]
    edition: Option<Edition>,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = "How to score")]
    threads: Option<NonZeroUsize>,
    /// Rows that cannot be read do not change the exit code
    #[arg(long, help_heading = "Input")]
    skip_invalid: bool,
    #[command(flatten)]
    input: InputArguments,
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|it: &f64| it.is_finite() && *it >= 0.0);
    number.ok_or_else(|| "expected a number of 0 or more, such as 1e-6".to_owned())
}

pub(crate) fn rescore(arguments: &RescoreArguments) -> Result<Exit, Trouble> {
    let settings = settings::read(arguments)?;
    let mut files = OutputFiles::new(input_files(arguments));
    let file = RescoringFile::open(arguments, &mut files)?;
    let mut observer = OnceObserver::default();
    let rows = score(settings, arguments, &mut observer)?;
    observer.finish();
    let unread = observer.count();
    let is_unread = unread > 0 && !arguments.skip_invalid;
    if is_unread {
        let rows = count(unread, "row");
        note(&format!(
            "{rows} could not be read (exit code 2; --skip-invalid accepts this)"
        ));
    }
    let exit = match &arguments.prove {
        Some(results) => prove::prove(&rows, results, arguments, file)?,
        None => report(&rows, arguments, file)?,
    };
    Ok(exit.max(Exit::not_judged_if(is_unread || rows.has_errors())))
}

/// The files to read.
fn input_files(arguments: &RescoreArguments) -> Vec<PathBuf> {
    let rollouts = arguments.rollouts.iter().cloned();
    let settings = arguments.with.iter().map(PathBuf::from);
    let settings = settings.filter(|it| it.is_file());
    rollouts
        .chain(settings)
        .chain(arguments.prove.clone())
        .collect()
}

/// The rows, scored under one setting after the other.
fn score(
    settings: Vec<RescoreSetting>,
    arguments: &RescoreArguments,
    observer: &mut OnceObserver,
) -> Result<RescoredRows, Trouble> {
    let options = ResultsOptions {
        key: arguments.group.clone(),
        field: arguments.against.clone(),
        by: None,
        only: filter(&arguments.tags, &arguments.meta),
        limits: arguments.input.limits(),
    };
    let mut rows = RescoredRows::default();
    for setting in settings {
        rows.add(setting.name, &setting.plan, &options, observer)?;
    }
    if rows.is_empty() {
        return Err(Trouble::with_help(
            "there is no row to score",
            "a row has what is expected and what the model did; `rightcall inspect` shows what a file holds",
        ));
    }
    check_keys(
        &arguments.group,
        &input_names(arguments),
        "row",
        &rows.missing_keys(),
    )?;
    if !rows.has_scores() {
        return Err(Trouble::with_help(
            format!(
                "no setting gives any of {} a score",
                count(rows.len() as u64, "row")
            ),
            "`rightcall score ROLLOUTS -e EVALUATOR` says why",
        ));
    }
    if let Some(field) = &arguments.against {
        let missing = rows.without_field();
        if missing < rows.len() {
            note_missing_numbers("", field, missing, rows.len());
            return Ok(rows);
        }
        return Err(Trouble::with_help(
            format!("no row has a number `{field}`"),
            "name a numeric meta value of the rows, such as reward",
        ));
    }
    Ok(rows)
}

/// The names of the rollouts.
fn input_names(arguments: &RescoreArguments) -> String {
    let files = arguments.rollouts.iter().map(|it| it.display().to_string());
    files.collect::<Vec<_>>().join(", ")
}

fn report(
    rows: &RescoredRows,
    arguments: &RescoreArguments,
    file: RescoringFile,
) -> Result<Exit, Trouble> {
    let options = RescoringOptions {
        confidence: arguments.confidence / 100.0,
        mark: arguments.pass_mark,
        against: arguments.against.clone(),
        positive: arguments.positive,
        listed: arguments.lists.length(),
    };
    let name = input_names(arguments);
    let report = RescoringReport::new(&name, rows, &options);
    file.write(|format| match format {
        RescoreFormat::Table => Ok(report.screen()),
        RescoreFormat::Json => Ok(report.json() + "\n"),
        RescoreFormat::Html => report.html().map_err(Trouble::new),
    })?;
    Ok(Exit::Success)
}
