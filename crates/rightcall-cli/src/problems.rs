//! What goes wrong by the dozen: the first of a kind are told one by one, the others in one line with their number and names.

use rightcall_formats::ReadError;
use rightcall_report::ListLength;
use rightcall_run::{Observer, Problem};

use crate::messages::{error, note};

/// Problems of a kind that are told one by one, where nobody asks for more.
const TOLD: u64 = 3;

/// Kinds that are told; what is wrong in more ways than this is counted.
const KINDS: usize = 10;

/// Names in the line of the others.
const NAMED: usize = 8;

/// Problems, by kind in the order in which these came.
#[derive(Debug)]
pub(crate) struct ProblemList {
    /// Problems of a kind that are told one by one.
    told: u64,
    kinds: Vec<ProblemKind>,
    count: u64,
    /// Those of kinds that are not told.
    others: u64,
}

#[derive(Debug)]
struct ProblemKind {
    key: String,
    count: u64,
    /// The first that were not told one by one.
    names: Vec<String>,
}

impl Default for ProblemList {
    fn default() -> Self {
        Self::telling(ListLength::default())
    }
}

impl ProblemList {
    /// No problem yet; of each kind so many will be told one by one.
    pub(crate) fn telling(listed: ListLength) -> Self {
        let told = listed.0.map_or(TOLD, |listed| listed as u64);
        Self {
            told,
            kinds: Vec::new(),
            count: 0,
            others: 0,
        }
    }

    /// Notes a problem of a kind; true if it is to be told by itself.
    pub(crate) fn add(&mut self, key: &str, name: impl FnOnce() -> String) -> bool {
        self.count += 1;
        let position = self.kinds.iter().position(|kind| kind.key == key);
        let Some(kind) = position.map(|at| &mut self.kinds[at]) else {
            let is_told = self.kinds.len() < KINDS;
            if is_told {
                self.kinds.push(ProblemKind {
                    key: key.to_owned(),
                    count: 1,
                    names: Vec::new(),
                });
            } else {
                self.others += 1;
            }
            return is_told && self.told > 0;
        };
        kind.count += 1;
        if kind.count > self.told && kind.names.len() < NAMED {
            kind.names.push(name());
        }
        kind.count <= self.told
    }

    /// Notes a problem of a run; true if it is to be told by itself.
    pub(crate) fn add_problem(&mut self, problem: &Problem) -> bool {
        let of_error = |error: &ReadError| format!("{}{:?}", error.expected, error.help);
        let key = match problem {
            Problem::Duplicate { .. } => "duplicate".to_owned(),
            Problem::WithoutRun { .. } => "without run".to_owned(),
            Problem::Unreadable(error) => of_error(error),
            Problem::BrokenInput(error) => format!("broken {}", of_error(error)),
        };
        self.add(&key, || match problem {
            Problem::Duplicate { id, trial, .. } => match trial {
                Some(trial) => format!("{id} (trial {trial})"),
                None => id.clone(),
            },
            Problem::WithoutRun { id, number, .. } => id
                .clone()
                .unwrap_or_else(|| format!("number {}", number + 1)),
            Problem::Unreadable(error) | Problem::BrokenInput(error) => error.at.to_string(),
        })
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Says of each kind how many more there were.
    pub(crate) fn finish(&self) {
        for kind in &self.kinds {
            let more = kind.count.saturating_sub(self.told);
            if more > 0 {
                let unnamed = more - kind.names.len() as u64;
                let unnamed = match unnamed {
                    0 => String::new(),
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

/// Says what could not be read, and counts it.
#[derive(Default)]
pub(crate) struct ProblemCounter(ProblemList);

impl ProblemCounter {
    /// Nothing yet; of each kind so many will be told one by one.
    pub(crate) fn telling(listed: ListLength) -> Self {
        Self(ProblemList::telling(listed))
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.count()
    }

    /// Says what was not told one by one.
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
