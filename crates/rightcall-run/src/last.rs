//! The last run of a suite: which cases failed in it.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use rightcall::value::{Reader, Syntax, SyntaxError};

use crate::{Output, ScoredBlock, Sink, Summary};

/// Where the last run of a suite is kept, in the working directory.
pub const LAST_RUN: &str = ".rightcall/last.jsonl";

/// The cases of an earlier run that did not pass or ended in an error.
#[derive(Debug, Default)]
pub struct FailedCases(HashSet<(String, Option<String>)>);

/// Why the last run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LastError {
    /// There is none.
    #[error("there is no last run in this directory")]
    NoLastRun,
    /// The file cannot be read.
    #[error(transparent)]
    Io(io::Error),
    /// The file holds something else.
    #[error("line {line}: {error}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        error: SyntaxError,
    },
}

impl FailedCases {
    /// Reads the results of a run.
    ///
    /// # Errors
    /// Where there are none, or no results.
    pub fn read(path: &Path) -> Result<Self, LastError> {
        let file = File::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => LastError::NoLastRun,
            _ => LastError::Io(error),
        })?;
        let mut failed = HashSet::new();
        for (number, line) in BufReader::new(file).lines().enumerate() {
            let line = line.map_err(LastError::Io)?;
            failed.extend(failed_case(&line).map_err(|error| LastError::Syntax { line: number + 1, error })?);
        }
        Ok(Self(failed))
    }

    /// Number of cases.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if none failed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(&self, label: &str, trial: Option<&str>) -> bool {
        self.0.contains(&(label.to_owned(), trial.map(ToOwned::to_owned)))
    }
}

/// Keeps the results of a run as the last one, unless nothing was scored.
#[derive(Debug)]
pub struct LastRunSink(Output);

impl LastRunSink {
    /// A sink into [`LAST_RUN`], in the working directory.
    ///
    /// # Errors
    /// Where no file can be made there.
    pub fn create() -> io::Result<Self> {
        let path = Path::new(LAST_RUN);
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        Output::create(path).map(Self)
    }
}

impl Sink for LastRunSink {
    fn block(&mut self, scored: &ScoredBlock) -> io::Result<()> {
        self.0.write_all(scored.json())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        if summary.cases == 0 { Ok(()) } else { self.0.commit() }
    }
}

/// The case of a result line and its trial, if the line says that it failed.
fn failed_case(line: &str) -> Result<Option<(String, Option<String>)>, SyntaxError> {
    let mut reader = Reader::new(line, Syntax::PYTHON);
    let (mut case, mut trial, mut failed) = (None, None, false);
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        match key.as_str() {
            Some("case") => case = Some(reader.string()?.to_display().into_owned()),
            Some("trial") => trial = Some(reader.raw()?.to_owned()),
            Some("passed") => failed |= !reader.bool()?,
            Some("outcome") => failed |= reader.string()? == "error",
            _ => _ = reader.raw()?,
        }
    }
    Ok(case.filter(|_| failed).map(|case| (case, trial)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_failed_that_did_not_pass_or_ended_in_an_error() {
        let failed = |line| failed_case(line).unwrap();
        assert_eq!(failed(r#"{"case":"a","score":0.1,"passed":false}"#), Some(("a".into(), None)));
        assert_eq!(failed(r#"{"case":"a","trial":2,"outcome":"error","reason":"x"}"#), Some(("a".into(), Some("2".into()))));
        assert_eq!(failed(r#"{"case":"a","score":1.0,"passed":true}"#), None);
        assert_eq!(failed(r#"{"case":"a","score":0.0}"#), None);
        assert_eq!(failed(r#"{"case":"a","outcome":"not_applicable","reason":"x"}"#), None);
        assert!(failed_case("nonsense").is_err());
    }
}
