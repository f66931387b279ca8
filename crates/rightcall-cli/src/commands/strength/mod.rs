//! `rightcall strength`: the share of broken runs that a suite notices.

mod read;
mod screen;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use clap::Args;
use rightcall_core::Edition;
use rightcall_quality::strength::{OperatorGroup, StrengthReport, strength_json};
use rightcall_run::SuiteStrength;

use super::suite_file::suite_file;
use crate::arguments::{
    ChoiceArguments, Effort, InputArguments, Joining, ListFormat, parse_edition, parse_number,
    parse_percent, parse_threads,
};
use crate::completing;
use crate::exit::Exit;
use crate::messages::{Trouble, error, give, show};

#[derive(Debug, Args)]
pub(crate) struct StrengthArguments {
    /// The suite, or the folder of one [default: suite.yaml, here or in evals/]
    #[arg(value_name = "SUITE")]
    named: Option<PathBuf>,
    /// Files with the runs, instead of those that the suite names
    #[arg(long, value_name = "FILES", num_args = 1..)]
    traces: Vec<PathBuf>,
    /// Files with the definitions of tools: which arguments are optional, and their defaults
    #[arg(long, value_name = "FILES", num_args = 1..)]
    tools: Vec<PathBuf>,
    /// The profile of the suite
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Break each run in each way this many times, at most 10,000
    #[arg(long, value_name = "N", default_value = "10", value_parser = |text: &str| parse_number(text, &(1..=10_000_usize)))]
    mutants: usize,
    /// The seed: the same seed breaks the same runs in the same ways
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Exit with 1 if the strength for single calls or for whole runs is below this many percent
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    fail_under: Option<f64>,
    /// For people or for machines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    choice: ChoiceArguments,
    /// Which numbers to use where document and package differ: documented or package
    #[arg(long, value_name = "EDITION", value_parser = parse_edition, add = completing::editions(), help_heading = "How to score")]
    edition: Option<Edition>,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = "How to score")]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    joining: Joining,
    #[command(flatten)]
    input: InputArguments,
}

pub(crate) fn strength(arguments: &StrengthArguments) -> Result<Exit, Trouble> {
    let path = suite_file(arguments.named.as_deref())?;
    let plan = read::plan(&path, arguments)?;
    if plan.gates.as_ref().is_some_and(Vec::is_empty) {
        let message = format!(
            "{}: `gates: []`, so no run can fail, and no broken run can be noticed",
            path.display()
        );
        let help = "write a gate such as `passed: \">= 100%\"`, or leave `gates` out: verdicts of evaluators decide then";
        return Err(Trouble::with_help(message, help));
    }
    let strength = SuiteStrength::new(&plan, arguments.edition, arguments.seed, arguments.mutants);
    if strength.is_without_judges() {
        let message = format!(
            "{}: it judges no run, so no broken run can be noticed",
            path.display()
        );
        let help = "give an evaluator a `threshold`, or write `gates:`";
        return Err(Trouble::with_help(message, help));
    }
    let (runs, is_wrong) = read::runs(&plan, arguments)?;
    if runs.is_empty() && !is_wrong && !plan.selection.is_everything() {
        let message = format!("{}: no such case", path.display());
        let help = "choose other cases: none fits -k, --case, --tag and --where";
        return Err(Trouble::with_help(message, help));
    }
    let report = strength.test(runs, &AtomicU64::new(0))?;
    let with_values = plan.redaction.is_empty();
    match arguments.format {
        ListFormat::Table => show(&screen::screen(&report, &path, with_values))?,
        ListFormat::Json => give(&strength_json(&report, with_values))?,
    }
    let exit = exit(&report, is_wrong, arguments.fail_under);
    if let Some(least) = arguments.fail_under {
        print_low_strengths(&report, least, exit);
    }
    Ok(exit)
}

/// Prints which strengths are too low, if any, with the exit code of the command.
fn print_low_strengths(report: &StrengthReport, least: f64, exit: Exit) {
    let percent = |group| report.strength(group).map(|it: f64| it * 100.0);
    let strengths = OperatorGroup::ALL.into_iter();
    let strengths = strengths.filter_map(|group| Some((group, percent(group)?)));
    let low = strengths.filter(|(_, percent)| *percent < least);
    let low: Vec<_> = low
        .map(|(group, percent)| format!("strength, {} {percent:.1} %", group.name()))
        .collect();
    if low.is_empty() {
        return;
    }
    let message = format!(
        "gate failed: {}, less than {least} % (exit code {})",
        low.join("; "),
        exit as u8
    );
    error(
        &message,
        Some("the table lists the broken runs that were not noticed"),
    );
}

/// Unreadable input, or no passing run to break, takes precedence over a strength that is too low.
fn exit(report: &StrengthReport, is_wrong: bool, fail_under: Option<f64>) -> Exit {
    let strengths = OperatorGroup::ALL.map(|group| report.strength(group));
    let is_low = |strength: &f64| fail_under.is_some_and(|wanted| strength * 100.0 < wanted);
    if is_wrong || report.runs.passing == 0 {
        Exit::NotJudged
    } else if strengths.iter().flatten().any(is_low) {
        Exit::Failed
    } else {
        Exit::Success
    }
}
