//! Output formats, one file each, and the list of them.
//!
//! An output declares the data that it needs, may draw a case on the thread that scores it,
//! receives the cases in input order, and ends with the summary. It does not know whether they come
//! from a live run, a history or a file.

mod columns;
mod csv;
mod from_history;
mod github;
mod html;
mod json;
mod junit;
mod lowest;
mod markdown;
mod run_report;
mod table;
mod tools;

use std::io;
use std::path::Path;

use rightcall_results::{LineContents, RunHead, RunSummary};
use rightcall_run::{Cells, ExistingFile, Output, OutputFile};

use crate::comparison::ComparisonReport;
use crate::explain_command::ExplainCommand;

#[cfg(feature = "columns")]
pub use columns::ResultTable;
pub use from_history::{earlier_run, earlier_runs, head, notes};
pub use github::{Github, annotation};
pub use html::{CauseRow, ConfusionCell, ConfusionTable, EvaluatorRow, FindingsPart};
pub use lowest::KEPT as KEPT_CASES;
pub use run_report::RunReport;
pub use table::{Table, is_screen};

/// A file format for outputs.
#[derive(Debug)]
pub struct OutputFormat {
    /// Its name for users.
    pub name: &'static str,
    /// The extension of its files, without the dot.
    pub ending: &'static str,
    /// A short description.
    pub about: &'static str,
    /// True if a file is an earlier output of this format, and may be replaced.
    pub is_earlier: fn(&ExistingFile) -> bool,
    begin: fn(OutputFile, &OutputSettings) -> io::Result<Box<dyn Output>>,
    comparison: Option<ComparisonText>,
}

/// Writes a comparison as text.
type ComparisonText = fn(&ComparisonReport<'_>) -> io::Result<String>;

/// Options of an output, and facts of the run that are known before its first case.
#[derive(Clone, Debug, Default)]
pub struct OutputSettings {
    /// The header of the run.
    pub head: RunHead,
    /// Notes on the source of the results.
    pub notes: Vec<String>,
    /// The command that explains one of the cases; `None` if no command can.
    pub explain: Option<ExplainCommand>,
    /// How to write the cells of CSV.
    pub cells: Cells,
    /// The content of JSON in addition to scores and verdicts.
    pub contents: LineContents,
    /// Whether `JUnit` leaves out passed tests.
    pub failures_only: bool,
}

/// All output formats; those for people come first.
pub static OUTPUTS: &[OutputFormat] = &[
    html::FORMAT,
    junit::FORMAT,
    markdown::FORMAT,
    tools::FORMAT,
    csv::FORMAT,
    json::LINES,
    json::DOCUMENT,
    columns::PARQUET,
    columns::ARROW,
];

impl OutputSettings {
    /// The data of a report.
    fn report<'r>(&'r self, summary: &'r RunSummary) -> RunReport<'r> {
        RunReport {
            head: &self.head,
            summary,
            notes: &self.notes,
        }
    }
}

impl OutputFormat {
    /// The format with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        OUTPUTS.iter().find(|format| format.name == name)
    }

    /// The format with this file extension; JSON Lines has two extensions.
    pub fn from_ending(ending: &str) -> Option<&'static Self> {
        let is_lines = ending.eq_ignore_ascii_case("ndjson");
        let ending = if is_lines { "jsonl" } else { ending };
        let is_meant = |format: &&Self| format.ending.eq_ignore_ascii_case(ending);
        OUTPUTS.iter().find(is_meant)
    }

    /// The format for the extension of a path.
    pub fn from_path(path: &Path) -> Option<&'static Self> {
        Self::from_ending(path.extension()?.to_str()?)
    }

    /// True if it can write comparisons.
    pub fn has_comparisons(&self) -> bool {
        self.comparison.is_some()
    }

    /// A comparison in this format; `None` if the format has no comparisons.
    ///
    /// # Errors
    /// The text cannot be produced.
    pub fn comparison(&self, report: &ComparisonReport<'_>) -> io::Result<Option<String>> {
        self.comparison.map(|text| text(report)).transpose()
    }

    /// Begins an output.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn begin(&self, out: OutputFile, settings: &OutputSettings) -> io::Result<Box<dyn Output>> {
        (self.begin)(out, settings)
    }
}
