//! Reports: files for people and for other programs, fed case by case.
//!
//! A report is one file here and one line in [`REPORTS`]. It gets the cases in input order and, at the end, what the run came to;
//! where they come from, a run that goes on or one that was kept, it does not know.

mod columns;
mod csv;
mod github;
mod html;
mod junit;
mod markdown;
mod overview;
mod picked;
mod stored;

use std::io;
use std::sync::Arc;

use rightcall_run::{CaseRecord, Output, ScoredBlock, Sink, Summary};

pub use github::annotations;
pub use html::{ConfusionCell, ConfusionTable, FindingsPart, STYLE};
pub use overview::{CauseLine, EvaluatorHead, GateLine, Head, Overview, Totals};
pub(crate) use overview::{label_of, number, percent};
pub use picked::KEPT as KEPT_CASES;
pub(crate) use picked::ReadCase;
pub use stored::{earlier_runs, record_of, stored_cases};

/// A report in the making.
pub trait Report {
    /// The next case.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn case(&mut self, case: &Arc<CaseRecord>) -> io::Result<()>;

    /// The end of the run; what was written stays only after this.
    ///
    /// # Errors
    /// Where the rest cannot be written.
    fn finish(self: Box<Self>, overview: &Overview) -> io::Result<()>;
}

/// A kind of report.
#[derive(Debug)]
pub struct ReportFormat {
    /// What users call it.
    pub name: &'static str,
    /// The ending of its files, without the dot.
    pub ending: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    begin: fn(Output, &Head) -> io::Result<Box<dyn Report>>,
}

/// All kinds of reports.
pub static REPORTS: &[ReportFormat] = &[
    html::FORMAT,
    junit::FORMAT,
    markdown::FORMAT,
    csv::FORMAT,
    columns::PARQUET,
    columns::ARROW,
];

impl ReportFormat {
    /// The kind of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        REPORTS.iter().find(|format| format.name == name)
    }

    /// The kind that a file's ending tells.
    pub fn of_ending(ending: &str) -> Option<&'static Self> {
        REPORTS
            .iter()
            .find(|format| format.ending.eq_ignore_ascii_case(ending))
    }

    /// Begins a report.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(&self, out: Output, head: &Head) -> io::Result<Box<dyn Report>> {
        (self.begin)(out, head)
    }
}

/// Feeds a report while a run goes on.
pub struct ReportSink {
    report: Option<Box<dyn Report>>,
    head: Head,
}

impl ReportSink {
    /// A sink into a report of this kind.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(format: &ReportFormat, out: Output, head: &Head) -> io::Result<Self> {
        Ok(Self {
            report: Some(format.begin(out, head)?),
            head: head.clone(),
        })
    }
}

impl Sink for ReportSink {
    fn block(&mut self, scored: &ScoredBlock) -> io::Result<()> {
        let Some(report) = &mut self.report else {
            return Ok(());
        };
        scored
            .records()
            .flatten()
            .try_for_each(|case| report.case(case))
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let Some(report) = self.report.take() else {
            return Ok(());
        };
        report.finish(&Overview::of_summary(self.head.clone(), summary))
    }
}
