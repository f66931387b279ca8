//! Connections to a database file that other processes may have locked.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags};

use crate::StoreError;
use crate::error::Result;
use crate::schema::{self, Version};

/// Timeout for locks of other processes.
pub const PATIENCE: Duration = if cfg!(test) {
    Duration::from_millis(300)
} else {
    Duration::from_secs(60)
};

/// Flags for opening an existing file.
pub(crate) const EXISTING: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Opens a file by name or URI and checks that it can be read.
pub(crate) fn attempt(path: &Path, name: &Path, flags: OpenFlags) -> Result<(Connection, Version)> {
    let of = StoreError::sqlite(path);
    let connection = Connection::open_with_flags(name, flags).map_err(&of)?;
    connection.busy_timeout(PATIENCE).map_err(&of)?;
    distrust(&connection).map_err(&of)?;
    // SQLite silently opens files of other users read-only, and would create files next to them that their owners cannot write.
    if flags.contains(EXISTING) && connection.is_readonly(MAIN_DB).map_err(&of)? {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_READONLY);
        return Err(of(rusqlite::Error::SqliteFailure(code, None)));
    }
    let version = when_free(|| schema::version(&connection, path))?;
    Ok((connection, version))
}

/// Disables triggers and views: anyone may have written the file, so its code must not run with the user's rights.
pub(crate) fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    for kind in [
        DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA,
        DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER,
        DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW,
    ] {
        connection.set_db_config(kind, false)?;
    }
    Ok(())
}

/// Retries while another process has locked the file, up to the timeout. SQLite's own timeout does not apply if waiting could deadlock, for
/// example when several processes create the same file.
pub(crate) fn when_free<T>(mut work: impl FnMut() -> Result<T>) -> Result<T> {
    let pause = Duration::from_millis(20);
    let begun = Instant::now();
    loop {
        match work() {
            Err(error) if error.is_busy() && begun.elapsed() < PATIENCE => thread::sleep(pause),
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rightcall_results::RunSummary;
    use rightcall_run::{Output, Recording};

    use super::*;
    use crate::{History, NewRun, RunSink};

    #[test]
    fn waiting_for_a_locked_file_ends_with_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.db");
        drop(History::open(&path).unwrap());
        for lock in [
            "BEGIN IMMEDIATE",
            "PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE",
        ] {
            let other = Connection::open(&path).unwrap();
            other.execute_batch(lock).unwrap();
            let begun = Instant::now();
            let recording = Arc::new(Recording::new(1));
            let mut sink = RunSink::new(path.clone(), NewRun::default(), recording, || 0);
            let outcome = sink.outcome();
            let summary = RunSummary {
                cases: 1,
                ..RunSummary::default()
            };
            sink.finish(&summary).unwrap();
            let lost = outcome.lock().unwrap().take();
            assert!(
                matches!(lost, Some(Err(error)) if error.is_busy()),
                "{lock}"
            );
            assert!(begun.elapsed() < 10 * PATIENCE, "{:?}", begun.elapsed());
        }
    }
}
