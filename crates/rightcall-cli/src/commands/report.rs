//! `rightcall report`: a run of the history as a file for people or for other programs.

use std::path::Path;

use rightcall_report::{Overview, Report, stored_cases};
use rightcall_store::{History, Reference, RunFilter};

use crate::arguments::ReportArguments;
use crate::exit::Exit;
use crate::messages::Trouble;
use crate::reports;

pub(crate) fn report(arguments: &ReportArguments) -> Result<Exit, Trouble> {
    let history = History::open_existing(&arguments.history.path)?;
    let run = history.find(&Reference::parse(&arguments.run), &RunFilter::default())?;
    let format = arguments.format();
    let path = arguments.output.as_deref().unwrap_or(Path::new("-"));
    let overview = Overview::of_run(&history, &run)?;
    let mut report: Box<dyn Report> = format.begin(reports::open(format, path)?, &overview.head)?;
    stored_cases::<Trouble>(&history, &run, |case| Ok(report.case(case)?))?;
    report.finish(&overview)?;
    Ok(Exit::Fine)
}
