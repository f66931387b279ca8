//! Reads a history that cannot be written: in a read-only folder, of another user, on a full disk.
//!
//! SQLite reads a file in WAL mode through an index file next to it, which it must create or write. If it can do neither, the file
//! is opened as immutable or, if it has a log, copied.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rightcall_run::{Unfinished, temporary};
use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use crate::StoreError;
use crate::connection::{attempt, distrust};
use crate::error::Result;
use crate::schema::Version;

/// Opens a history for reading.
pub(crate) fn open(path: &Path) -> Result<(Connection, Version)> {
    let reading = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let (log, index) = (with_ending(path, "-wal"), with_ending(path, "-shm"));
    if !fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        return attempt(path, &uri(path, "immutable=1"), reading);
    }
    // Another process writes to it, or was killed while writing.
    if index.exists()
        && let Ok(opened) = attempt(path, &uri(path, "mode=ro"), reading)
    {
        return Ok(opened);
    }
    let temporaries = std::env::temp_dir();
    let make = |folder: &Path| temporary().tempdir_in(folder);
    let made = Unfinished::make_in(&temporaries, make, |folder| folder.path().to_owned());
    let (folder, _noted) = made.map_err(StoreError::io(&temporaries))?;
    let file = folder.path().join("history.db");
    copy_file(path, &file)
        .and_then(|()| copy_file(&log, &with_ending(&file, "-wal")))
        .map_err(StoreError::io(path))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let (opened, version) = attempt(path, &file, flags)?;
    Ok((copy(&opened).map_err(StoreError::sqlite(path))?, version))
}

/// A private copy of a database, which is deleted with its connection.
pub(crate) fn copy(source: &Connection) -> rusqlite::Result<Connection> {
    let mut copy = Connection::open("")?;
    distrust(&copy)?;
    Backup::new(source, &mut copy)?.run_to_completion(i32::MAX, Duration::from_millis(20), None)?;
    Ok(copy)
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Copies only the bytes, so that the copy is writable even if the original is not.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    io::copy(&mut File::open(from)?, &mut File::create_new(to)?).map(drop)
}

/// The URI of a file with a parameter for SQLite.
fn uri(path: &Path, parameter: &str) -> PathBuf {
    const OUTSIDE: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'.')
        .remove(b'-')
        .remove(b'_');
    let scheme = if path.is_absolute() {
        "file://"
    } else {
        "file:"
    };
    let path = percent_encode(path.as_os_str().as_encoded_bytes(), OUTSIDE);
    format!("{scheme}{path}?{parameter}").into()
}
