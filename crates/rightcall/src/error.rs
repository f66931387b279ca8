//! One error for everything that this crate does.

use rightcall_core::ConfigError;
use rightcall_core::monitor::MonitorError;
use rightcall_formats::{CaseError, OpenError, ReadError};

/// Why a case could not be judged. An evaluator that does not apply is not an error, but an [`Outcome`](crate::Outcome).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An evaluator or a setting does not exist, or a setting has an invalid value. The message suggests the nearest name.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A case or a run cannot be read. The message starts with the JSON pointer to the place.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// A record of a file cannot be read. The message starts with file and line.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A value cannot be written as JSON, such as a map with lists as keys.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A guard cannot record the event.
    #[error(transparent)]
    Guard(#[from] MonitorError),
}

impl Error {
    /// What to do about it, if there is advice.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Case(error) => error.help.as_deref(),
            Self::Read(error) => error.help.as_deref(),
            Self::Open(error) => error.help.as_deref(),
            Self::Config(_) | Self::Json(_) | Self::Guard(_) => None,
        }
    }
}
