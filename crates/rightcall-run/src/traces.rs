//! Runs in separate files.

use std::io::Write as _;
use std::path::PathBuf;

use rightcall_core::call::Case;
use rightcall_core::value::{JsonText, JsonWriter};
use rightcall_formats::join::{IndexError, Join, LeftOutRun, RunIdentity, TraceIndex};
use rightcall_formats::{Limits, ReadOptions};
use tempfile::TempPath;

/// The meta key of a run's id, if it differs from the id of the case.
pub const RUN_ID: &str = "run_id";

/// Runs in separate files.
#[derive(Debug)]
pub struct Traces {
    /// The index of all runs.
    pub index: TraceIndex,
    /// The files.
    pub files: Vec<PathBuf>,
    /// How to read their records.
    pub reading: ReadOptions,
    /// Runs that could not be parsed, and duplicates.
    pub left_out: u64,
    /// A temporary file of runs from memory. The index reads it, and it is deleted with this value.
    _texts: Option<TempPath>,
}

impl Traces {
    /// The id of a run as JSON text, if it isn't matched by id and differs from the case's id.
    pub(crate) fn other_id(&self, case: &Case<'_>, run: &Case<'_>) -> Option<JsonText> {
        let is_named = |case: &Case<'_>| case.meta.iter().any(|(key, _)| *key == RUN_ID);
        if self.reading.join == Join::Id || is_named(case) || is_named(run) {
            return None;
        }
        let id = run.id.as_ref().filter(|id| case.id.as_ref() != Some(id))?;
        let mut json = JsonWriter::new();
        json.text(id);
        Some(json.finish())
    }

    /// Indexes the files, on `threads` threads. Calls `hear` for each run that no case can match.
    /// Returns `None` without files.
    ///
    /// # Errors
    /// A file cannot be opened or read to the end, or a temporary file cannot be written.
    pub fn open(
        files: Vec<PathBuf>,
        reading: ReadOptions,
        limits: Limits,
        identity: &RunIdentity,
        threads: usize,
        mut hear: impl FnMut(LeftOutRun),
    ) -> Result<Option<Self>, IndexError> {
        if files.is_empty() {
            return Ok(None);
        }
        let mut left_out = 0;
        let index = TraceIndex::build_with(&files, limits, &reading, identity, threads, |left| {
            // No case lacks a run without an id, because it can't match any.
            left_out += u64::from(!matches!(left, LeftOutRun::WithoutId { .. }));
            hear(left);
        })?;
        Ok(Some(Self {
            index,
            files,
            reading,
            left_out,
            _texts: None,
        }))
    }

    /// Indexes runs from memory, each a case as JSON text on one line.
    ///
    /// # Errors
    /// A temporary file cannot be written, or its runs cannot be read.
    pub fn of_texts(
        texts: impl IntoIterator<Item = String>,
        reading: ReadOptions,
        limits: Limits,
        hear: impl FnMut(LeftOutRun),
    ) -> Result<Option<Self>, IndexError> {
        let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile()?;
        for text in texts {
            writeln!(file, "{text}")?;
        }
        let file = file.into_temp_path();
        let files = vec![file.to_path_buf()];
        let traces = Self::open(files, reading, limits, &RunIdentity::default(), 1, hear)?;
        Ok(traces.map(|traces| Self {
            _texts: Some(file),
            ..traces
        }))
    }
}
