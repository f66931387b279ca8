//! Temporary files and folders. They are removed when dropped; if a signal ends the process,
//! [`remove_unfinished`] removes them. A killed process leaves them behind. So each process locks
//! its temporary files, and the next process that creates one in the folder removes those without a
//! lock.

#[cfg(unix)]
use std::fs::TryLockError;
use std::fs::{self, File};
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

/// All current temporary files and folders.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A hook that runs before the first one is created.
static BEFORE_FIRST: OnceLock<fn()> = OnceLock::new();

/// Sets a hook that runs before the first temporary file is created. Commands start to listen for
/// Ctrl-C then.
pub fn before_first_unfinished(listen: fn()) {
    _ = BEFORE_FIRST.set(listen);
}

/// Removes all temporary files and folders at the end of the process. Keeps the lock, so no new
/// ones are created.
pub fn remove_unfinished() {
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.iter() {
        remove(path);
    }
    mem::forget(unfinished);
}

/// The prefix of temporary file names, which no other file has.
const PREFIX: &str = ".rightcall-tmp-";

/// A builder for temporary files and folders with names that [`Unfinished::make_in`] recognizes.
pub fn temporary<'n>() -> tempfile::Builder<'n, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    builder
}

/// Registers a temporary file or folder until dropped. Keep it next to the value that removes the file.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
    /// Shows other processes that the file is in use.
    lock: Option<File>,
}

impl Unfinished {
    /// Creates a file or folder and registers it under one lock.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn make<T>(
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> PathBuf,
    ) -> io::Result<(T, Self)> {
        static FIRST: Once = Once::new();
        FIRST.call_once(|| BEFORE_FIRST.get().into_iter().for_each(|listen| listen()));
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let made = make().map_err(without_name)?;
        let path = path(&made);
        unfinished.push(path.clone());
        let lock = None;
        Ok((made, Self { path, lock }))
    }

    /// Creates a [`temporary`] file or folder in a folder, and removes those of killed processes.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn make_in<T>(
        folder: &Path,
        mut make: impl FnMut(&Path) -> io::Result<T>,
        path: impl Fn(&T) -> PathBuf,
    ) -> io::Result<(T, Self)> {
        remove_abandoned(folder);
        loop {
            let (made, mut registered) = Self::make(|| make(folder), &path)?;
            // Another process may remove it as abandoned before it is locked. Then create it again.
            match hold(&registered.path) {
                LockResult::Locked(file) => registered.lock = Some(file),
                LockResult::Unlocked => {}
                LockResult::Lost => continue,
            }
            return Ok((made, registered));
        }
    }
}

/// The result of locking a new file or folder.
#[cfg_attr(not(unix), expect(dead_code, reason = "nothing is locked there"))]
enum LockResult {
    Locked(File),
    /// Locks are not supported here.
    Unlocked,
    /// Another process has locked or removed it.
    Lost,
}

#[cfg(unix)]
fn hold(path: &Path) -> LockResult {
    use std::os::unix::fs::MetadataExt;

    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return LockResult::Lost,
        Err(_) => return LockResult::Unlocked,
    };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return LockResult::Lost,
        Err(TryLockError::Error(_)) => return LockResult::Unlocked,
        Ok(()) => {}
    }
    let node = |found: fs::Metadata| (found.dev(), found.ino());
    if fs::metadata(path).ok().map(node) == file.metadata().ok().map(node) {
        LockResult::Locked(file)
    } else {
        LockResult::Lost
    }
}

/// On other systems, a lock would keep this process from writing.
#[cfg(not(unix))]
fn hold(_: &Path) -> LockResult {
    LockResult::Unlocked
}

/// Removes temporary files and folders in a folder that no process has locked.
#[cfg(unix)]
pub fn remove_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_temporary = name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
        let is_link = entry.file_type().map_or(true, |kind| kind.is_symlink());
        if !is_temporary || is_link {
            continue;
        }
        // Keep the lock while removing: a running process then notices and creates its file again.
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            remove(&entry.path());
        }
    }
}

/// On other systems there are no locks to check.
#[cfg(not(unix))]
pub fn remove_abandoned(_: &Path) {}

/// Removes a file or a folder. Errors are ignored: no caller could handle them.
fn remove(path: &Path) {
    _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
}

/// Removes the path of the temporary file from an error, because users don't know the file.
fn without_name(error: io::Error) -> io::Error {
    let system = error
        .get_ref()
        .and_then(|error| error.source()?.downcast_ref::<io::Error>()?.raw_os_error());
    system.map_or(error, io::Error::from_raw_os_error)
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.lock = None;
        UNFINISHED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|path| *path != self.path);
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn next_temporary_file_removes_those_of_killed_processes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let make = || {
            let make = |folder: &Path| temporary().tempfile_in(folder);
            Unfinished::make_in(folder.path(), make, |file| file.path().to_owned()).unwrap()
        };
        let (alive, _registered) = make();
        // Like the files of a killed process: without a lock.
        fs::write(at(".rightcall-tmp-abc"), "left").unwrap();
        fs::create_dir(at(".rightcall-tmp-folder")).unwrap();
        fs::write(at(".rightcall-tmp-folder/file"), "left").unwrap();
        for theirs in ["theirs", ".rightcall-notes"] {
            fs::write(at(theirs), "kept").unwrap();
        }
        std::os::unix::fs::symlink(at("theirs"), at(".rightcall-tmp-link")).unwrap();
        let (second, _registered) = make();
        let names = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = names.map(|it| it.unwrap().path()).collect();
        let (alive, second) = (alive.path().to_owned(), second.path().to_owned());
        let mut wanted = [
            alive,
            second,
            at("theirs"),
            at(".rightcall-notes"),
            at(".rightcall-tmp-link"),
        ];
        names.sort();
        wanted.sort();
        assert_eq!(names, wanted);
    }
}
