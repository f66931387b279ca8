//! The file.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::StoreError;
use crate::error::Result;
use crate::schema::{check, migrate};

/// Where the history of a folder is kept.
pub const HISTORY: &str = ".rightcall/history.db";

/// How long a process waits for others that write.
const PATIENCE: Duration = Duration::from_secs(60);

/// A history of runs.
#[derive(Debug)]
pub struct History {
    pub(crate) connection: Connection,
    path: PathBuf,
}

/// A part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Rows that come before.
    pub offset: u64,
    /// Rows at most.
    pub limit: u64,
}

impl Page {
    /// Everything.
    pub const ALL: Self = Self { offset: 0, limit: i64::MAX as u64 };

    /// The first rows.
    pub fn first(limit: u64) -> Self {
        Self { offset: 0, limit }
    }
}

impl History {
    /// The history in this file, which is made if it is not there.
    ///
    /// # Errors
    /// Where it cannot be opened or made, is something else, or was written by a later version.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
            fs::create_dir_all(folder)?;
            if folder.file_name().is_some_and(|name| name == ".rightcall") {
                // What is in it belongs to this working copy.
                fs::write(folder.join(".gitignore"), "*\n")?;
            }
        }
        Self::connect(path, OpenFlags::default())
    }

    /// The history in this file, which must be there.
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`StoreError::NoHistory`].
    pub fn open_existing(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Err(StoreError::NoHistory { path: path.to_owned() });
        }
        Self::connect(path, OpenFlags::default() & !OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// The history in this file, which must be there, to be read alone: nothing is made or changed, and no file that is something else
    /// becomes a history.
    ///
    /// # Errors
    /// As [`open_existing`](Self::open_existing), and [`StoreError::Older`].
    pub fn open_to_read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Err(StoreError::NoHistory { path: path.to_owned() });
        }
        let connection = Connection::open_with_flags(path, OpenFlags::default() & !OpenFlags::SQLITE_OPEN_CREATE)?;
        connection.busy_timeout(PATIENCE)?;
        let opened = when_free(|| {
            connection.execute_batch("PRAGMA query_only = on")?;
            check(&connection, path)
        });
        Self::opened(connection, path, opened)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self> {
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        let opened = when_free(|| {
            let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
            if mode != "wal" {
                connection.query_row("PRAGMA journal_mode = wal", [], |_| Ok(()))?;
            }
            connection.execute_batch("PRAGMA synchronous = full; PRAGMA foreign_keys = on;")?;
            migrate(&mut connection, path)
        });
        Self::opened(connection, path, opened)
    }

    fn opened(connection: Connection, path: &Path, opened: Result<()>) -> Result<Self> {
        match opened {
            Err(StoreError::Database(error)) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
                Err(StoreError::NotAHistory { path: path.to_owned() })
            }
            opened => opened.map(|()| Self { connection, path: path.to_owned() }),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Tries again while another process holds the file. SQLite waits by itself, but not where waiting could be a deadlock, as when
/// several processes make the same file.
fn when_free<T>(mut work: impl FnMut() -> Result<T>) -> Result<T> {
    let pause = Duration::from_millis(20);
    for _ in 0..PATIENCE.as_millis() / pause.as_millis() {
        match work() {
            Err(StoreError::Database(error))
                if matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) =>
            {
                thread::sleep(pause);
            }
            done => return done,
        }
    }
    work()
}
