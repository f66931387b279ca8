//! The cases that failed in an earlier run.

use std::collections::HashSet;

/// The cases of an earlier run that failed or ended in an error, by name and trial.
#[derive(Debug, Default)]
pub struct FailedCases(HashSet<(String, Option<String>)>);

impl FailedCases {
    /// `cases` holds each name with its trial as JSON text.
    pub fn new(cases: HashSet<(String, Option<String>)>) -> Self {
        Self(cases)
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
        self.0
            .contains(&(label.to_owned(), trial.map(ToOwned::to_owned)))
    }
}
