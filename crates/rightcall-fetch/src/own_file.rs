//! Files that a fetch may overwrite: its own, never the target of a link with the same name.
//!
//! Others may be able to write to the folder, such as `/tmp`.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file for reading and writing, or creates it.
///
/// # Errors
/// The name is a link, or not a file.
pub(crate) fn open_own(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match options.create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        opened => return opened,
    }
    check_own(path)?;
    let file = options.create_new(false).open(path)?;
    // A link may have replaced the file after the check.
    if is_same(&check_own(path)?, &file.metadata()?) {
        Ok(file)
    } else {
        Err(not_own("another file than a moment ago"))
    }
}

/// Checks that the name is a regular file, without symbolic or hard links.
pub(crate) fn check_own(path: &Path) -> io::Result<Metadata> {
    let found = fs::symlink_metadata(path)?;
    if found.is_symlink() {
        return Err(not_own("a link"));
    }
    if !found.is_file() {
        return Err(not_own("something else"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        if found.nlink() > 1 {
            return Err(not_own("a second name of another file"));
        }
    }
    Ok(found)
}

#[cold]
fn not_own(found: &str) -> io::Error {
    io::Error::other(format!(
        "expected a file of an earlier fetch, found {found}; remove it, or choose another -o"
    ))
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// Removes a file or a link, if it exists.
pub(crate) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
