//! `rightcall report`: a run of the history, or results in a file, as a file for people or for other programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use rightcall_report::{Overview, REPORTS, Report, ReportFormat, stored_cases};
use rightcall_run::{ResultsError, read_records};
use rightcall_store::{History, Reference, RunFilter, RunRow};

use super::{exported_run, file_called};
use crate::arguments::{HistoryArguments, cells, parse_report_format};
use crate::exit::Exit;
use crate::messages::Trouble;
use crate::reports;
use crate::scoring::refuse_to_overwrite;

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A run of the history (`latest`, `latest~1`, a number, a branch, a tag), or a file: an exported run, or result lines
    #[arg(default_value = "latest")]
    pub(crate) run: String,
    /// What to write: html, junit, markdown, csv, parquet or arrow [default: by the ending of the output file, else html]
    #[arg(long, value_name = "FORMAT", value_parser = parse_report_format)]
    pub(crate) format: Option<&'static ReportFormat>,
    /// Where to [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// In CSV, write ' before cells that a spreadsheet would take for formulas
    #[arg(long)]
    pub(crate) csv_safe: bool,
    #[command(flatten)]
    pub(crate) history: HistoryArguments,
}

impl ReportArguments {
    /// As said, else as the output file's name says, else HTML.
    pub(crate) fn format(&self) -> &'static ReportFormat {
        let ending = self
            .output
            .as_ref()
            .and_then(|path| path.extension())
            .and_then(|ending| ending.to_str());
        self.format
            .or_else(|| ReportFormat::of_ending(ending?))
            .unwrap_or(&REPORTS[0])
    }
}

pub(crate) fn report(arguments: &ReportArguments) -> Result<Exit, Trouble> {
    let Some(file) = file_called(&arguments.run) else {
        let history = History::open_to_read(&arguments.history.path)?;
        let run = history.find(&Reference::parse(&arguments.run), &RunFilter::default())?;
        return of_run(&history, &run, arguments);
    };
    refuse_to_overwrite(arguments.output.as_deref(), [file.to_owned()].iter())?;
    match exported_run(file)? {
        Some((history, run)) => of_run(&history, &run, arguments),
        None => of_results(file, arguments),
    }
}

fn of_run(history: &History, run: &RunRow, arguments: &ReportArguments) -> Result<Exit, Trouble> {
    let mut overview = Overview::of_run(history, run)?;
    overview.head.cells = cells(arguments.csv_safe);
    let mut report = begin(&overview, arguments)?;
    stored_cases::<Trouble>(history, run, |case| Ok(report.case(case)?))?;
    report.finish(&overview)?;
    Ok(Exit::Fine)
}

fn of_results(file: &Path, arguments: &ReportArguments) -> Result<Exit, Trouble> {
    let results = read_records(file).map_err(|error| {
        let message = format!("{}: {error}", file.display());
        let help = "name a run of the history, a file that `rightcall history export` wrote, or result lines written with `-o results.jsonl`";
        match error {
            ResultsError::Other { .. } => Trouble::with_help(message, help),
            ResultsError::Io(_) => Trouble::new(message),
        }
    })?;
    let mut overview = Overview::of_results(&file.display().to_string(), &results);
    overview.head.cells = cells(arguments.csv_safe);
    let mut report = begin(&overview, arguments)?;
    results
        .cases
        .into_iter()
        .try_for_each(|case| report.case(&Arc::new(case)))?;
    report.finish(&overview)?;
    Ok(Exit::Fine)
}

fn begin(overview: &Overview, arguments: &ReportArguments) -> Result<Box<dyn Report>, Trouble> {
    let format = arguments.format();
    let path = arguments.output.as_deref().unwrap_or(Path::new("-"));
    Ok(format.begin(reports::open(format, path)?, &overview.head)?)
}
