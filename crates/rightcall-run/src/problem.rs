//! Errors in a run, and the observer that receives them.

use std::fmt;
use std::io;

use rightcall_formats::{Location, OpenError, ReadError};

/// Receives progress and errors during a run.
pub trait Observer {
    /// A record, input or case could not be scored.
    fn problem(&mut self, problem: &Problem);

    /// More bytes of the inputs have been read, and more cases have been scored, since the last call.
    fn progress(&mut self, bytes_read: u64, more_cases: usize) {
        let _ = (bytes_read, more_cases);
    }
}

/// A record, input or case that could not be scored.
#[derive(Clone, Debug)]
pub enum Problem {
    /// A record that cannot be parsed.
    Unreadable(ReadError),
    /// An input that cannot be read to the end.
    BrokenInput(ReadError),
    /// A duplicate case and trial; only the first is scored.
    Duplicate {
        /// Id of the case.
        id: String,
        /// Its trial as JSON text.
        trial: Option<String>,
        /// The case that is scored; `None` after about four billion lines.
        first: Option<Location>,
        /// The case that is left out.
        again: Location,
    },
    /// A case with the question of another one, while questions match runs and cases: each run
    /// would belong to both. Only the first case is scored.
    SameQuestion {
        /// Id of the case.
        id: String,
        /// The case that is scored; `None` after about four billion lines.
        first: Option<Location>,
        /// The case that is left out.
        again: Location,
    },
    /// Cases and runs are matched by position, and there is no run at the position of this case.
    WithoutRun {
        /// Id of the case.
        id: Option<String>,
        /// Number of cases before it.
        number: u64,
        /// Number of runs in all files.
        runs: u64,
        /// The case.
        at: Location,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) | Self::BrokenInput(error) => error.fmt(f),
            Self::Duplicate {
                id,
                trial,
                first,
                again,
            } => {
                write!(f, "{again}: case `{id}`")?;
                if let Some(trial) = trial {
                    write!(f, ", trial {trial},")?;
                }
                match first {
                    Some(first) if first == again => {
                        f.write_str(" again: its file is listed twice")
                    }
                    Some(first) => write!(f, " is already at {first}"),
                    None => f.write_str(" is a duplicate"),
                }
            }
            Self::SameQuestion { id, first, again } => {
                write!(f, "{again}: case `{id}` has the question of ")?;
                match first {
                    Some(first) => write!(f, "the case at {first}"),
                    None => f.write_str("an earlier case"),
                }
            }
            Self::WithoutRun {
                id,
                number,
                runs,
                at,
            } => {
                let place = number + 1;
                write!(f, "{at}: ")?;
                match id {
                    Some(id) => write!(f, "case `{id}`, number {place} in order, ")?,
                    None => write!(f, "case number {place} ")?,
                }
                if place > *runs {
                    write!(f, "has no run: there are {runs}")
                } else {
                    f.write_str("has a run that could not be read")
                }
            }
        }
    }
}

impl Problem {
    /// Suggests what to do.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Unreadable(error) | Self::BrokenInput(error) => error.help.as_deref(),
            Self::Duplicate { first, again, .. } if first.as_ref() == Some(again) => {
                Some("name each file once")
            }
            Self::Duplicate { .. } => {
                Some("the first is scored; give repetitions of a case a `trial` each, or other ids")
            }
            Self::SameQuestion { .. } => Some(
                "`--join input` cannot tell their runs apart; give cases and runs the same ids, or use `--join order`",
            ),
            Self::WithoutRun { number, runs, .. } => (number >= runs).then_some(ONE_RUN_PER_CASE),
        }
    }
}

/// The requirement for matching cases and runs by position.
pub const ONE_RUN_PER_CASE: &str = "--join order needs one run per case: if a run is missing, all later cases would get the wrong run";

/// An error that ends a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// An input cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Results cannot be written, or no thread can be started.
    #[error(transparent)]
    Io(#[from] io::Error),
}
