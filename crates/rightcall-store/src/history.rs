//! The file.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, Params, Row};

use crate::connection::{EXISTING, attempt, when_free};
use crate::error::Result;
use crate::schema::{self, Version};
use crate::{StoreError, search, unwritable};

/// Where the history of a folder is kept.
pub const HISTORY: &str = ".rightcall/history.db";

/// A history of runs.
#[derive(Debug)]
pub struct History {
    pub(crate) connection: Connection,
    path: PathBuf,
}

/// A part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRange {
    /// Rows that come before.
    pub offset: u64,
    /// Rows at most.
    pub limit: u64,
}

impl PageRange {
    /// Everything.
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
    /// The history in this file, which is made if it is not there.
    ///
    /// # Errors
    /// Where it cannot be opened, made or written, is something else, or was written by a later version.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
            make_folder(folder).map_err(StoreError::of_file(folder))?;
        }
        Self::connect(path, EXISTING | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// The history in this file, to be changed; it must be there.
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`StoreError::NoHistory`].
    pub fn open_existing(path: &Path) -> Result<Self> {
        // Whatever is no history is found to be none before anything is written.
        Self::open_to_read(path)?;
        Self::connect(path, EXISTING)
    }

    /// The history in this file, to be read; it must be there. Nothing is written to it, and none of the right to write is needed.
    ///
    /// # Errors
    /// Where there is none, it cannot be read, is something else, or was written by a later version.
    pub fn open_to_read(path: &Path) -> Result<Self> {
        File::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => StoreError::NoHistory {
                path: path.to_owned(),
            },
            _ => StoreError::of_file(path)(error),
        })?;
        let opened = match attempt(path, path, EXISTING) {
            Err(error) if error.is_of_writing() => unwritable::open(path)?,
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
                // Brought forward where nobody else sees it: who only reads changes nothing.
                connection = unwritable::copy(&connection).map_err(StoreError::of(path))?;
                schema::migrate(&mut connection, path)?;
            }
        }
        connection
            .execute_batch("PRAGMA query_only = on")
            .and_then(|()| search::register(&connection))
            .map_err(StoreError::of(path))?;
        Ok(Self {
            connection,
            path: path.to_owned(),
        })
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self> {
        let (mut connection, _) = attempt(path, path, flags)?;
        when_free(|| {
            let of = StoreError::of(path);
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

    /// Has all that is read from now on be of one moment, whatever is recorded meanwhile. It spares SQLite the locks of each query, too.
    ///
    /// # Errors
    /// Where the history cannot be read.
    pub fn stay_in_moment(&self) -> Result<()> {
        let begun = self.connection.execute_batch("BEGIN");
        begun.map_err(StoreError::of(&self.path))
    }

    /// The rows of a query.
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
        read().map_err(StoreError::of(&self.path))
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

    /// Changes rows, and gives their number.
    pub(crate) fn change(&self, statement: &str, values: impl Params) -> Result<usize> {
        self.connection
            .execute(statement, values)
            .map_err(StoreError::of(&self.path))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Makes the folder of a history, if it is not there. What is in it belongs to this working copy, so git ignores it.
///
/// # Errors
/// Where it cannot be made.
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
