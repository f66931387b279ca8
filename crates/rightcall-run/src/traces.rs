//! Runs that stand in files of their own.

use std::path::PathBuf;

use rightcall_formats::join::{IndexError, LeftOutRun, RunIdentity, TraceIndex};
use rightcall_formats::{Limits, ReadOptions};

/// Runs that stand in files of their own.
#[derive(Debug)]
pub struct Traces {
    /// Where each run is.
    pub index: TraceIndex,
    /// The files.
    pub files: Vec<PathBuf>,
    /// How their records are read.
    pub reading: ReadOptions,
    /// Runs that could not be read, or had come before.
    pub left_out: u64,
}

impl Traces {
    /// Reads the files once, on so many threads; `hear` is told of each run that no case will find. `None` without files.
    ///
    /// # Errors
    /// Where a file cannot be opened or read to its end, or a temporary file cannot be written.
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
            // A run without id is of no case, and nothing is missing for it.
            left_out += u64::from(!matches!(left, LeftOutRun::WithoutId { .. }));
            hear(left);
        })?;
        Ok(Some(Self {
            index,
            files,
            reading,
            left_out,
        }))
    }
}
