//! Errors of a history.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why a history cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file does not exist.
    #[error("{}: there is no history", path.display())]
    NoHistory {
        /// The path.
        path: PathBuf,
    },
    /// A later version wrote the file.
    #[error("{}: the history has schema {found}, and this version knows {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The latest known schema version.
        known: i64,
    },
    /// The file is not a history.
    #[error("{} is not a rightcall history", path.display())]
    NotAHistory {
        /// The file.
        path: PathBuf,
    },
    /// The file has content that no version of rightcall writes.
    #[error("{}: the history is damaged or was changed by others: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        what: String,
    },
    /// The file cannot be written.
    #[error("{}: the history cannot be written: {error}", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// The error from SQLite.
        error: rusqlite::Error,
    },
    /// The requested run does not exist.
    #[error("the history has no run `{0}`")]
    NoSuchRun(String),
    /// A copy is incomplete.
    #[error("{}: of {wanted} runs {copied} were copied; nothing was taken in", path.display())]
    Incomplete {
        /// The file that was copied.
        path: PathBuf,
        /// Number of runs in it.
        wanted: u64,
        /// Number of runs copied.
        copied: u64,
    },
    /// SQLite returned an error.
    #[error("{}: {error}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// The error.
        error: rusqlite::Error,
    },
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
}

impl StoreError {
    /// Wraps an error from SQLite for this file.
    pub(crate) fn sqlite(path: &Path) -> impl Fn(rusqlite::Error) -> Self {
        move |error| {
            let path = path.to_owned();
            if let Some(what) = missing(&error) {
                return Self::Damaged { path, what };
            }
            match error.sqlite_error_code() {
                Some(ErrorCode::NotADatabase) => Self::NotAHistory { path },
                Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                    Self::ReadOnly { path, error }
                }
                _ => Self::Database { path, error },
            }
        }
    }

    /// Wraps an I/O error for this file.
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Io {
            path: path.to_owned(),
            error,
        }
    }

    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Database { error, .. } | Self::ReadOnly { error, .. } => {
                error.sqlite_error_code()
            }
            _ => None,
        }
    }

    /// True if another process has locked the file.
    pub fn is_busy(&self) -> bool {
        matches!(
            self.code(),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
        )
    }

    /// True if the disk or the permissions prevent writing; reading may still work.
    pub(crate) fn prevents_writing(&self) -> bool {
        matches!(self, Self::ReadOnly { .. })
            || matches!(
                self.code(),
                Some(
                    ErrorCode::DiskFull
                        | ErrorCode::SystemIoFailure
                        | ErrorCode::FileLockingProtocolFailed
                )
            )
    }

    /// Suggests what to do.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoHistory { .. } => {
                "`rightcall run SUITE` begins one; --history FILE names another place"
            }
            Self::Newer { .. } => "use the newer rightcall, or another file with --history FILE",
            Self::NotAHistory { .. } => "name another file with --history FILE",
            Self::Damaged { .. } => "bring back a copy, or name another file with --history FILE",
            Self::ReadOnly { .. } => {
                "the file and its folder must be yours to write; --history FILE names another file"
            }
            Self::NoSuchRun(_) => {
                "`rightcall history` lists the runs; name one by number, branch, tag, `latest` or `latest~1`"
            }
            Self::Incomplete { .. } => {
                "`sqlite3 FILE 'PRAGMA integrity_check'` says whether the file is whole"
            }
            Self::Io { error, .. } => match error.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    "the file and its folder must be yours; --history FILE names another file"
                }
                kind => disk_space_help(kind)?,
            },
            Self::Database { error, .. } => match error.sqlite_error_code()? {
                ErrorCode::DiskFull | ErrorCode::SystemIoFailure => FULL,
                ErrorCode::DatabaseCorrupt => {
                    "the file is damaged: bring back a copy, or name another file with --history FILE"
                }
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                    "another process holds the history: try again"
                }
                _ => return None,
            },
        })
    }
}

/// The table or column that is missing in a file. The text of the failed query would not help the user.
fn missing(error: &rusqlite::Error) -> Option<String> {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => Some(msg.clone()),
        rusqlite::Error::SqliteFailure(_, Some(msg)) if msg.starts_with("no such ") => {
            Some(msg.clone())
        }
        _ => None,
    }
}

const FULL: &str = "the history is as it was; is the disk full? make room, or name a file elsewhere with --history FILE";

fn disk_space_help(kind: io::ErrorKind) -> Option<&'static str> {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(kind, StorageFull | FileTooLarge | QuotaExceeded).then_some(FULL)
}

/// The result of an operation on a history.
pub(crate) type Result<T> = std::result::Result<T, StoreError>;
