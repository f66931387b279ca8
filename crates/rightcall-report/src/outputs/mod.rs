//! Outputs: where results go, one file each, and the one list of them.
//!
//! An output says what it wants to know of cases, may draw a case where it is judged, takes the cases in input order, and ends with
//! the summary. Where they come from, a run that goes on, a history or a file, it does not know.

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

#[cfg(feature = "columns")]
pub use columns::ResultTable;
pub use from_history::{earlier_run, earlier_runs, head, notes};
pub use github::{Github, annotation};
pub use html::{CauseRow, ConfusionCell, ConfusionTable, EvaluatorRow, FindingsPart};
pub use lowest::KEPT as KEPT_CASES;
pub use run_report::RunReport;
pub use table::{Table, is_screen};

/// A kind of output into a file.
#[derive(Debug)]
pub struct OutputFormat {
    /// What users call it.
    pub name: &'static str,
    /// The ending of its files, without the dot.
    pub ending: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Whether a file is an earlier one of this kind, so that it may be replaced.
    pub is_earlier: fn(&ExistingFile) -> bool,
    begin: fn(OutputFile, &OutputSettings) -> io::Result<Box<dyn Output>>,
    comparison: Option<ComparisonText>,
}

/// The text of a comparison.
type ComparisonText = fn(&ComparisonReport<'_>) -> io::Result<String>;

/// What users choose of an output, and what is known of the run before its first case.
#[derive(Clone, Debug, Default)]
pub struct OutputSettings {
    /// What is known of the run.
    pub head: RunHead,
    /// What else a reader should know of where the results come from.
    pub notes: Vec<String>,
    /// How cells of CSV are written.
    pub cells: Cells,
    /// What JSON says beside scores and verdicts.
    pub contents: LineContents,
    /// Whether tests that passed are left out of `JUnit`.
    pub failures_only: bool,
}

/// All kinds of outputs: those for people first.
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
    /// What the run came to, as reports tell it.
    fn report<'r>(&'r self, summary: &'r RunSummary) -> RunReport<'r> {
        RunReport {
            head: &self.head,
            summary,
            notes: &self.notes,
        }
    }
}

impl OutputFormat {
    /// The kind of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        OUTPUTS.iter().find(|format| format.name == name)
    }

    /// The kind that a file's ending tells; lines of JSON have two endings.
    pub fn from_ending(ending: &str) -> Option<&'static Self> {
        let is_lines = ending.eq_ignore_ascii_case("ndjson");
        let ending = if is_lines { "jsonl" } else { ending };
        let is_meant = |format: &&Self| format.ending.eq_ignore_ascii_case(ending);
        OUTPUTS.iter().find(is_meant)
    }

    /// The kind that the name of a file tells.
    pub fn from_path(path: &Path) -> Option<&'static Self> {
        Self::from_ending(path.extension()?.to_str()?)
    }

    /// Whether comparisons are written in it.
    pub fn has_comparisons(&self) -> bool {
        self.comparison.is_some()
    }

    /// A comparison in this format; `None` where there is no such.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn comparison(&self, report: &ComparisonReport<'_>) -> io::Result<Option<String>> {
        self.comparison.map(|text| text(report)).transpose()
    }

    /// Begins an output.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(&self, out: OutputFile, settings: &OutputSettings) -> io::Result<Box<dyn Output>> {
        (self.begin)(out, settings)
    }
}
