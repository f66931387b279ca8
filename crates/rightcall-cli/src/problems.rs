//! Groups repeated errors. The first of each kind are listed, the rest are summarized in a line
//! with their number and names.

use rightcall_formats::ReadError;
use rightcall_report::ListLength;
use rightcall_results::case_name;
use rightcall_run::{Observer, Problem};

use crate::messages::{error, note};

/// The default number of errors of a kind to list.
const LISTED: u64 = 3;

/// The maximum number of kinds to list; errors of further kinds are only counted.
const KINDS: usize = 10;

/// The maximum number of names in the summary line.
const NAMED: usize = 8;

/// Errors by kind, in order of appearance.
#[derive(Debug)]
pub(crate) struct ProblemList {
    /// The number of errors of a kind to list.
    limit: u64,
    kinds: Vec<ProblemKind>,
    count: u64,
    /// The number of errors of unlisted kinds.
    others: u64,
}

#[derive(Debug)]
struct ProblemKind {
    key: String,
    count: u64,
    /// The names of the first errors that were not listed.
    names: Vec<String>,
}

impl Default for ProblemList {
    fn default() -> Self {
        Self::listing(ListLength::default())
    }
}

impl ProblemList {
    /// An empty list that lists this many errors of each kind.
    pub(crate) fn listing(listed: ListLength) -> Self {
        let limit = listed.0.map_or(LISTED, |listed| listed as u64);
        Self {
            limit,
            kinds: Vec::new(),
            count: 0,
            others: 0,
        }
    }

    /// Adds an error of a kind; returns true if it should be listed.
    pub(crate) fn add(&mut self, key: &str, name: impl FnOnce() -> String) -> bool {
        self.count += 1;
        let position = self.kinds.iter().position(|kind| kind.key == key);
        let Some(kind) = position.map(|at| &mut self.kinds[at]) else {
            let is_listed = self.kinds.len() < KINDS;
            if is_listed {
                self.kinds.push(ProblemKind {
                    key: key.to_owned(),
                    count: 1,
                    names: Vec::new(),
                });
            } else {
                self.others += 1;
            }
            return is_listed && self.limit > 0;
        };
        kind.count += 1;
        if kind.count > self.limit && kind.names.len() < NAMED {
            kind.names.push(name());
        }
        kind.count <= self.limit
    }

    /// Adds an error of a run; returns true if it should be listed.
    pub(crate) fn add_problem(&mut self, problem: &Problem) -> bool {
        let of_error = |error: &ReadError| format!("{}{:?}", error.expected, error.help);
        let key = match problem {
            Problem::Duplicate { .. } => "duplicate".to_owned(),
            Problem::SameQuestion { .. } => "same question".to_owned(),
            Problem::WithoutRun { .. } => "without run".to_owned(),
            Problem::Unreadable(error) => of_error(error),
            Problem::BrokenInput(error) => format!("broken {}", of_error(error)),
        };
        self.add(&key, || match problem {
            Problem::Duplicate { id, trial, .. } => case_name(id, trial.as_deref()),
            Problem::SameQuestion { id, .. } => id.clone(),
            Problem::WithoutRun { id, number, .. } => id
                .clone()
                .unwrap_or_else(|| format!("number {}", number + 1)),
            Problem::Unreadable(error) | Problem::BrokenInput(error) => error.at.to_string(),
        })
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Prints a summary of the errors that were not listed.
    pub(crate) fn finish(&self) {
        for kind in &self.kinds {
            let more = kind.count.saturating_sub(self.limit);
            if more > 0 {
                let unnamed = more - kind.names.len() as u64;
                let unnamed = match unnamed {
                    0 => String::new(),
                    1 => " and 1 other".to_owned(),
                    number => format!(" and {number} others"),
                };
                note(&format!(
                    "… and {more} more like these: {}{unnamed}",
                    kind.names.join(", ")
                ));
            }
        }
        if self.others > 0 {
            note(&format!("… and {} of other kinds", self.others));
        }
    }
}

/// Ignores errors in files, which were reported on the first read.
pub(crate) struct SilentObserver;

impl Observer for SilentObserver {
    fn problem(&mut self, _: &Problem) {}
}

/// Prints and counts unreadable input.
#[derive(Default)]
pub(crate) struct ProblemCounter(ProblemList);

impl ProblemCounter {
    /// An empty counter that lists this many errors of each kind.
    pub(crate) fn listing(listed: ListLength) -> Self {
        Self(ProblemList::listing(listed))
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.count()
    }

    /// Prints a summary of the errors that were not listed.
    pub(crate) fn finish(&self) {
        self.0.finish();
    }
}

impl Observer for ProblemCounter {
    fn problem(&mut self, problem: &Problem) {
        if self.0.add_problem(problem) {
            error(&problem.to_string(), problem.help());
        }
    }
}
