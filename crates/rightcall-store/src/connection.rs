//! Connections to a file, which other processes may hold.

use std::path::Path;
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, MAIN_DB, OpenFlags};

use crate::StoreError;
use crate::error::Result;
use crate::schema::{self, Version};

/// How long a process waits for others that write.
const PATIENCE: Duration = Duration::from_secs(60);

/// Opens what is there.
pub(crate) const EXISTING: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Opens a file under this name or URI, and sees whether it can be read.
pub(crate) fn attempt(path: &Path, name: &Path, flags: OpenFlags) -> Result<(Connection, Version)> {
    let of = StoreError::of(path);
    let connection = Connection::open_with_flags(name, flags).map_err(&of)?;
    connection.busy_timeout(PATIENCE).map_err(&of)?;
    // SQLite opens a file that belongs to others without a word, and would put files beside it that they cannot write.
    if flags.contains(EXISTING) && connection.is_readonly(MAIN_DB).map_err(&of)? {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_READONLY);
        return Err(of(rusqlite::Error::SqliteFailure(code, None)));
    }
    let version = when_free(|| schema::version(&connection, path))?;
    Ok((connection, version))
}

/// Tries again while another process holds the file. SQLite waits by itself, but not where waiting could be a deadlock, as when
/// several processes make the same file.
pub(crate) fn when_free<T>(mut work: impl FnMut() -> Result<T>) -> Result<T> {
    let pause = Duration::from_millis(20);
    for _ in 0..PATIENCE.as_millis() / pause.as_millis() {
        match work() {
            Err(error) if error.is_busy() => thread::sleep(pause),
            done => return done,
        }
    }
    work()
}
