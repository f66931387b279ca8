//! What can go wrong with a history.

use std::io;
use std::path::PathBuf;

/// Why a history cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is none.
    #[error("{}: there is no history", path.display())]
    NoHistory {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file was written by a later version.
    #[error("{}: the history has schema {found}, and this version knows {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The last schema that is known.
        known: i64,
    },
    /// The file was written by an earlier version, and is only to be read.
    #[error("{}: the history was written by an earlier version", path.display())]
    Older {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{}: is no history of rightcall", path.display())]
    NotAHistory {
        /// The file.
        path: PathBuf,
    },
    /// A run that was asked for is not there.
    #[error("the history has no run `{0}`")]
    NoSuchRun(String),
    /// A run that is to be imported is there already.
    #[error("the run is in the history already, as {0}")]
    AlreadyThere(i64),
    /// SQLite cannot do it.
    #[error("{0}")]
    Database(#[from] rusqlite::Error),
    /// A file cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl StoreError {
    /// What the user can do.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoHistory { .. } => "`rightcall run SUITE` begins one; --history FILE names another place",
            Self::Newer { .. } => "use the newer rightcall, or another file with --history FILE",
            Self::Older { .. } => {
                "recording a run brings it to this version; `rightcall history import` does it with an exported run"
            }
            Self::NotAHistory { .. } => "name another file with --history FILE",
            Self::NoSuchRun(_) => "`rightcall history` lists the runs; name one by number, branch, tag, `latest` or `latest~1`",
            _ => return None,
        })
    }
}

/// The result of what a history does.
pub(crate) type Result<T> = std::result::Result<T, StoreError>;
