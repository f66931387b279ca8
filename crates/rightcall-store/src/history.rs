//! The history file.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, Params, Row};

use crate::connection::{EXISTING, attempt, when_free};
use crate::error::Result;
use crate::schema::{self, Version};
use crate::{StoreError, search, unwritable};

/// The history file of a project folder.
pub const HISTORY: &str = ".rightcall/history.db";

/// A history of runs.
#[derive(Debug)]
pub struct History {
    pub(crate) connection: Connection,
    path: PathBuf,
}

/// A page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRange {
    /// Number of rows to skip.
    pub offset: u64,
    /// Maximum number of rows.
    pub limit: u64,
}

impl PageRange {
    /// All rows.
    pub const ALL: Self = Self {
        offset: 0,
        limit: i64::MAX as u64,
    };

    /// The first rows.
    pub fn first(limit: u64) -> Self {
        Self { offset: 0, limit }
    }
}

impl History {
    /// Opens the history in this file for writing; creates the file if it is missing.
    ///
    /// # Errors
    /// The file cannot be opened, created or written, is not a history, or was written by a later version.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
            make_folder(folder).map_err(StoreError::io(folder))?;
        }
        Self::connect(path, EXISTING | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens an existing history for writing.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and [`StoreError::NoHistory`].
    pub fn open_existing(path: &Path) -> Result<Self> {
        // Check that the file is a history before writing anything.
        Self::open_to_read(path)?;
        Self::connect(path, EXISTING)
    }

    /// Opens an existing history for reading. Never writes to it, and needs no write permission.
    ///
    /// # Errors
    /// The file does not exist, cannot be read, is not a history, or was written by a later version.
    pub fn open_to_read(path: &Path) -> Result<Self> {
        File::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => StoreError::NoHistory {
                path: path.to_owned(),
            },
            _ => StoreError::io(path)(error),
        })?;
        let opened = match attempt(path, path, EXISTING) {
            Err(error) if error.prevents_writing() => unwritable::open(path)?,
            opened => opened?,
        };
        let (mut connection, version) = opened;
        match version {
            Version::Known => {}
            Version::None => {
                return Err(StoreError::NotAHistory {
                    path: path.to_owned(),
                });
            }
            Version::Older => {
                // Migrate a private copy, since reading must not change the file.
                connection = unwritable::copy(&connection).map_err(StoreError::sqlite(path))?;
                schema::migrate(&mut connection, path)?;
            }
        }
        connection
            .execute_batch("PRAGMA query_only = on")
            .and_then(|()| search::register(&connection))
            .map_err(StoreError::sqlite(path))?;
        Ok(Self {
            connection,
            path: path.to_owned(),
        })
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self> {
        let (mut connection, _) = attempt(path, path, flags)?;
        when_free(|| {
            let of = StoreError::sqlite(path);
            let mode: String = connection
                .query_row("PRAGMA journal_mode", [], |row| row.get(0))
                .map_err(&of)?;
            if mode != "wal" {
                connection
                    .query_row("PRAGMA journal_mode = wal", [], |_| Ok(()))
                    .map_err(&of)?;
            }
            connection
                .execute_batch("PRAGMA synchronous = full; PRAGMA foreign_keys = on;")
                .map_err(&of)?;
            search::register(&connection).map_err(&of)?;
            schema::migrate(&mut connection, path)
        })?;
        Ok(Self {
            connection,
            path: path.to_owned(),
        })
    }

    /// Starts a read transaction: all later reads see the same state. It also saves SQLite the locks of each query.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn stay_in_moment(&self) -> Result<()> {
        let begun = self.connection.execute_batch("BEGIN");
        begun.map_err(StoreError::sqlite(&self.path))
    }

    /// All rows of a query.
    pub(crate) fn rows<T>(
        &self,
        query: &str,
        values: impl Params,
        of: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let read = || {
            self.connection
                .prepare_cached(query)?
                .query_map(values, of)?
                .collect::<rusqlite::Result<Vec<T>>>()
        };
        read().map_err(StoreError::sqlite(&self.path))
    }

    /// The first row of a query, if there is one.
    pub(crate) fn row<T>(
        &self,
        query: &str,
        values: impl Params,
        of: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let mut rows = self.rows(query, values, of)?;
        Ok(if rows.is_empty() {
            None
        } else {
            Some(rows.swap_remove(0))
        })
    }

    /// Changes rows and returns how many.
    pub(crate) fn change(&self, statement: &str, values: impl Params) -> Result<usize> {
        self.connection
            .execute(statement, values)
            .map_err(StoreError::sqlite(&self.path))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Creates the folder of a history if it is missing. Its content belongs to this working copy, so git ignores it.
///
/// # Errors
/// The folder cannot be created.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    let is_ours = folder.file_name().is_some_and(|name| name == ".rightcall");
    if is_ours {
        fs::write(folder.join(".gitignore"), "*\n")
    } else {
        Ok(())
    }
}
