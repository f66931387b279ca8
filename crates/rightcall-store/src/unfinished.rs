//! Unfinished runs: still being recorded, or abandoned by a killed process.
//!
//! A run that is staged in parts has a file next to the history, locked while its process lives. The system releases the lock when the
//! process ends, however it ends. These files are created and removed only under the lock of the database itself, so that two
//! processes never disagree about one.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use rightcall_run::{Unfinished, remove_abandoned};
use rusqlite::Connection;

use crate::History;
use crate::error::Result;
use crate::run::count;

/// An unfinished run, which may never be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedRun {
    /// The number that it will have.
    pub number: i64,
    /// When it began, in milliseconds since 1970, UTC.
    pub started: i64,
    /// The suite as the user named it.
    pub suite: String,
    /// Cases scored at the time of the last write.
    pub cases: u64,
    /// Cases stored so far.
    pub kept: u64,
    /// True if its process is still writing. If not, the next run deletes it.
    pub is_being_written: bool,
}

/// Without file locks, as on some network drives, a run counts as being written for a week (in milliseconds).
const ABANDONED: i64 = 7 * 24 * 60 * 60 * 1000;

impl History {
    /// Unfinished runs, latest first. The list of runs never contains them.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn unfinished(&self) -> Result<Vec<UnfinishedRun>> {
        let query = "SELECT number, key, started, suite, cases, (SELECT count(*) FROM cases WHERE run = runs.number)
             FROM runs WHERE finished IS NULL ORDER BY number DESC";
        self.rows(query, [], |row| {
            Ok(UnfinishedRun {
                number: row.get(0)?,
                started: row.get(2)?,
                suite: row.get(3)?,
                cases: count(row, 4)?,
                kept: count(row, 5)?,
                is_being_written: state(&file_of(self.path(), &row.get::<_, String>(1)?))
                    != WriterState::Dead,
            })
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriterState {
    Alive,
    Dead,
    /// The file system does not support locks.
    Unknown,
}

fn state(file: &Path) -> WriterState {
    match File::open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => WriterState::Dead,
        Err(_) => WriterState::Unknown,
        Ok(file) => match file.try_lock() {
            Ok(()) => WriterState::Dead,
            Err(TryLockError::WouldBlock) => WriterState::Alive,
            Err(TryLockError::Error(_)) => WriterState::Unknown,
        },
    }
}

/// `history.db-run-KEY`.
fn file_of(history: &Path, key: &str) -> PathBuf {
    let mut name = prefix_of(history);
    name.push(key);
    history.with_file_name(name)
}

fn prefix_of(history: &Path) -> std::ffi::OsString {
    let mut name = history.file_name().unwrap_or_default().to_owned();
    name.push("-run-");
    name
}

/// Marks a run as being recorded, until dropped.
#[derive(Debug)]
pub(crate) struct Mark {
    path: PathBuf,
    // Holds the lock.
    _file: File,
    _noted: Unfinished,
}

impl Mark {
    /// Marks the run with this key. The caller must hold the lock of the database.
    pub(crate) fn make(history: &Path, key: &str) -> io::Result<Self> {
        let path = file_of(history, key);
        let (file, noted) = Unfinished::make(|| File::create(&path), |_| path.clone())?;
        // If locks are not supported, only the file itself marks the run.
        _ = file.lock();
        Ok(Self {
            path,
            _file: file,
            _noted: noted,
        })
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        _ = fs::remove_file(&self.path);
    }
}

/// Deletes the data of processes that have ended. The caller must hold the lock of the database.
pub(crate) fn delete_abandoned(
    connection: &Connection,
    history: &Path,
    now: i64,
) -> rusqlite::Result<()> {
    let mut statement =
        connection.prepare("SELECT number, key, started FROM runs WHERE finished IS NULL")?;
    let staged = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    for (number, key, started) in staged.collect::<rusqlite::Result<Vec<(i64, String, i64)>>>()? {
        let is_left = match state(&file_of(history, &key)) {
            WriterState::Alive => false,
            WriterState::Dead => true,
            WriterState::Unknown => started <= now - ABANDONED,
        };
        if is_left {
            connection.execute("DELETE FROM runs WHERE number = ?1", [number])?;
        }
    }
    let folder = history.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    remove_abandoned(folder);
    let left = fs::read_dir(folder).into_iter();
    for entry in left.flatten().flatten() {
        let (name, prefix) = (entry.file_name(), prefix_of(history));
        let is_mark = name
            .as_encoded_bytes()
            .starts_with(prefix.as_encoded_bytes());
        if is_mark && state(&entry.path()) == WriterState::Dead {
            _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::insert_run;
    use crate::{NewRun, PageRange, RunFilter};

    fn stage(history: &History, key: &str) {
        let run = NewRun {
            key: key.to_owned(),
            started: 1,
            suite: "s.yaml".to_owned(),
            ..NewRun::default()
        };
        insert_run(&history.connection, &run).unwrap();
    }

    #[test]
    fn only_data_of_killed_runs_is_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.db");
        let history = History::open(&path).unwrap();
        let alive = Mark::make(&path, "aa").unwrap();
        stage(&history, "aa");
        // Like the data of killed processes: a file without a lock, and a run without a file.
        File::create(file_of(&path, "bb")).unwrap();
        stage(&history, "bb");
        stage(&history, "cc");
        let listed = || -> Vec<(i64, bool)> {
            let unfinished = History::open_to_read(&path).unwrap().unfinished().unwrap();
            unfinished
                .into_iter()
                .map(|run| (run.number, run.is_being_written))
                .collect()
        };
        assert_eq!(listed(), [(3, false), (2, false), (1, true)]);
        delete_abandoned(&history.connection, &path, 2).unwrap();
        assert_eq!(listed(), [(1, true)]);
        assert!(!file_of(&path, "bb").exists() && file_of(&path, "aa").exists());
        assert!(
            history
                .runs(&RunFilter::default(), PageRange::ALL)
                .unwrap()
                .is_empty(),
            "none is a run"
        );
        drop(alive);
        assert!(!file_of(&path, "aa").exists());
        delete_abandoned(&history.connection, &path, 2).unwrap();
        assert_eq!(listed(), []);
    }
}
