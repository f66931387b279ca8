//! `rightcall coverage`: which tools, arguments and sequences of tools the cases of a suite test.

mod markdown;
mod read;
mod screen;

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rightcall_quality::Coverage;
use rightcall_report::{count, cut_end};

use crate::arguments::{InputArguments, ListArguments, parse_percent};
use crate::exit::Exit;
use crate::messages::{Trouble, error, first_of, give, show};

#[derive(Debug, Args)]
pub(crate) struct CoverageArguments {
    /// A suite, the folder of one, or files of cases [default: suite.yaml, here or in evals/]
    #[arg(value_name = "FILES")]
    files: Vec<PathBuf>,
    /// Files with the definitions of tools: each should have a case [default: those that traces define, or else those that runs call]
    #[arg(long, value_name = "FILES", num_args = 1..)]
    tools: Vec<PathBuf>,
    /// Files with runs, instead of those that the suite names and the cases hold
    #[arg(long, value_name = "FILES", num_args = 1..)]
    traces: Vec<PathBuf>,
    /// Fail, with exit code 1, if a smaller percentage of the tools has a case
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    fail_under: Option<f64>,
    /// What to print
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: CoverageFormat,
    #[command(flatten)]
    lists: ListArguments,
    #[command(flatten)]
    input: InputArguments,
}

/// How coverage is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CoverageFormat {
    /// For people
    Table,
    /// For a pull request
    Markdown,
    /// A JSON document
    Json,
}

/// Maximum number of tools in a message.
const NAMED: usize = 10;

pub(crate) fn coverage(arguments: &CoverageArguments) -> Result<Exit, Trouble> {
    let read = read::read(arguments)?;
    let coverage = read.coverage;
    let gate = arguments
        .fail_under
        .map(|least| gate_exit(&coverage, least));
    match arguments.format {
        CoverageFormat::Table => show(&screen::screen(&coverage, arguments.lists.length()))?,
        CoverageFormat::Markdown => give(&markdown::markdown(&coverage, gate))?,
        CoverageFormat::Json => give(&coverage.to_json())?,
    }
    let exit = Exit::not_judged_if(read.is_wrong).max(gate.unwrap_or(Exit::Success));
    if let (Some(least), Some(gate)) = (arguments.fail_under, gate) {
        report_gate(&coverage, least, (gate, exit));
    }
    Ok(exit)
}

/// The verdict of the gate on the percentage of tools with a case.
fn gate_exit(coverage: &Coverage, least: f64) -> Exit {
    match coverage.percent() {
        None => Exit::NotJudged,
        Some(percent) if percent < least => Exit::Failed,
        Some(_) => Exit::Success,
    }
}

/// Reports a failed gate, with the exit code of the command.
fn report_gate(coverage: &Coverage, least: f64, (gate, exit): (Exit, Exit)) {
    match gate {
        Exit::Success => {}
        Exit::Failed => {
            let without: Vec<_> = coverage
                .without_case()
                .map(|it| cut_end(&it.name, 60))
                .collect();
            let names = first_of(&without, NAMED, without.len() as u64);
            let message = format!(
                "gate failed: {}, less than {least} %; no case for {names} (exit code {})",
                covered_text(coverage),
                exit as u8
            );
            error(&message, Some("add cases that expect these tools"));
        }
        Exit::NotJudged => error(
            "--fail-under: there is no tool that should have a case (exit code 2)",
            Some("name the tools with --tools, or runs with --traces"),
        ),
    }
}

/// `3 of 5 tools have a case (60.0 %)`.
fn covered_text(coverage: &Coverage) -> String {
    let (covered, all) = coverage.covered();
    let verb = if all == 1 { "has" } else { "have" };
    let percent = coverage.percent();
    let percent = percent.map_or_else(String::new, |it| format!(" ({it:.1} %)"));
    format!("{covered} of {} {verb} a case{percent}", count(all, "tool"))
}

/// `10 cases, 9 runs`, and the number of incomplete and unrecorded runs.
fn inputs_text(coverage: &Coverage) -> String {
    let mut told = format!(
        "{}, {}",
        count(coverage.cases, "case"),
        count(coverage.runs, "run")
    );
    if coverage.incomplete_runs > 0 {
        _ = write!(told, " ({} may lack calls)", coverage.incomplete_runs);
    }
    if coverage.unrecorded_runs > 0 {
        let runs = count(coverage.unrecorded_runs, "run");
        _ = write!(told, "; {runs} without recorded calls not counted");
    }
    told
}
