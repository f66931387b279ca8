//! What goes wrong in a run, and who hears of it.

use std::fmt;
use std::io;

use rightcall_formats::{Location, OpenError, ReadError};

/// Hears of a run while it goes on.
pub trait Observer {
    /// Something that could not be scored.
    fn problem(&mut self, problem: &Problem);

    /// So many bytes of all inputs have been read, and so many more cases have been scored.
    fn progress(&mut self, bytes_read: u64, more_cases: usize) {
        let _ = (bytes_read, more_cases);
    }
}

/// Something that could not be scored.
#[derive(Clone, Debug)]
pub enum Problem {
    /// A record that is no case.
    Unreadable(ReadError),
    /// An input that cannot be read to its end.
    BrokenInput(ReadError),
    /// A case and trial that has come before; the first is scored.
    Duplicate {
        /// Id of the case.
        id: String,
        /// Its trial as JSON text.
        trial: Option<String>,
        /// The case that is scored; `None` beyond the four thousand millionth line.
        first: Option<Location>,
        /// The case that is left out.
        again: Location,
    },
    /// Cases and runs are joined by their places, and in that of this case there is no run.
    WithoutRun {
        /// Id of the case.
        id: Option<String>,
        /// Cases before it.
        number: u64,
        /// Runs of all files.
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
                    Some(first) => write!(f, " is already at {first}"),
                    None => f.write_str(" has come before"),
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
    /// What the user can do.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Unreadable(error) | Self::BrokenInput(error) => error.help.as_deref(),
            Self::Duplicate { .. } => {
                Some("the first is scored; give repetitions of a case a `trial` each, or other ids")
            }
            Self::WithoutRun { number, runs, .. } => (number >= runs).then_some(BY_ORDER),
        }
    }
}

/// What must hold where cases and runs are joined by their places.
pub const BY_ORDER: &str = "--join order needs one run per case: if a run is missing, all later cases would get the wrong run";

/// What ends a run.
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
