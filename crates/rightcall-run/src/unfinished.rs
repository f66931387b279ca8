//! What is on the disk only until its work is done: it goes when it is dropped, and [`remove_unfinished`] removes it where a signal ends
//! the process. A process that is killed cannot remove anything. So each file is locked by its process, and the next one that makes a
//! temporary file in the same folder removes those that no process holds.

#[cfg(unix)]
use std::fs::TryLockError;
use std::fs::{self, File};
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

/// All that is unfinished now.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// What is done before the first of them is made.
static BEFORE: OnceLock<fn()> = OnceLock::new();

/// Has this done before a first file is made that is not to outlive the process: a command listens for Ctrl-C from then on.
pub fn before_first_unfinished(listen: fn()) {
    _ = BEFORE.set(listen);
}

/// Takes away all files and folders that are unfinished, for a process that ends right after: no further one can be made.
pub fn remove_unfinished() {
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.iter() {
        remove(path);
    }
    mem::forget(unfinished);
}

/// How the names of temporary files begin, and of no other.
const PREFIX: &str = ".rightcall-tmp-";

/// Makes temporary files and folders, which [`Unfinished::make_in`] knows by their names.
pub fn temporary<'n>() -> tempfile::Builder<'n, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    builder
}

/// Notes that something is unfinished, until it is dropped: beside what removes it.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
    /// The lock of a temporary file, by which other processes know that this one lives.
    held: Option<File>,
}

impl Unfinished {
    /// Makes a file or a folder, and notes it in the same moment.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn make<T>(
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> PathBuf,
    ) -> io::Result<(T, Self)> {
        static FIRST: Once = Once::new();
        FIRST.call_once(|| BEFORE.get().into_iter().for_each(|listen| listen()));
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let made = make().map_err(without_name)?;
        let path = path(&made);
        unfinished.push(path.clone());
        let held = None;
        Ok((made, Self { path, held }))
    }

    /// Makes a [`temporary`] file or folder in a folder, and removes those that killed processes have left there.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn make_in<T>(
        folder: &Path,
        mut make: impl FnMut(&Path) -> io::Result<T>,
        path: impl Fn(&T) -> PathBuf,
    ) -> io::Result<(T, Self)> {
        remove_left(folder);
        loop {
            let (made, mut noted) = Self::make(|| make(folder), &path)?;
            // Until it is locked, another process may take it for one that was left. Then it is made once more.
            match hold(&noted.path) {
                Hold::Locked(file) => noted.held = Some(file),
                Hold::Unlocked => {}
                Hold::Lost => continue,
            }
            return Ok((made, noted));
        }
    }
}

/// What came of locking a file or a folder that was just made.
#[cfg_attr(not(unix), expect(dead_code, reason = "nothing is locked there"))]
enum Hold {
    Locked(File),
    /// There are no locks here.
    Unlocked,
    /// Another process has locked or removed it.
    Lost,
}

#[cfg(unix)]
fn hold(path: &Path) -> Hold {
    use std::os::unix::fs::MetadataExt;

    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Hold::Lost,
        Err(_) => return Hold::Unlocked,
    };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Hold::Lost,
        Err(TryLockError::Error(_)) => return Hold::Unlocked,
        Ok(()) => {}
    }
    let node = |found: fs::Metadata| (found.dev(), found.ino());
    if fs::metadata(path).ok().map(node) == file.metadata().ok().map(node) {
        Hold::Locked(file)
    } else {
        Hold::Lost
    }
}

/// Elsewhere a lock would keep the process itself from writing.
#[cfg(not(unix))]
fn hold(_: &Path) -> Hold {
    Hold::Unlocked
}

/// Removes the temporary files and folders in a folder that no process holds.
#[cfg(unix)]
pub fn remove_left(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_temporary = name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
        let is_link = entry.file_type().map_or(true, |kind| kind.is_symlink());
        if !is_temporary || is_link {
            continue;
        }
        // Locked while it is removed, so that its process, if it lives, makes another.
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            remove(&entry.path());
        }
    }
}

/// Elsewhere nothing says whether a process lives.
#[cfg(not(unix))]
pub fn remove_left(_: &Path) {}

/// Removes a file or a folder. Nobody is left to hear that it cannot be removed.
fn remove(path: &Path) {
    _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
}

/// The name of a temporary file says nothing to the user.
fn without_name(error: io::Error) -> io::Error {
    let system = error
        .get_ref()
        .and_then(|error| error.source()?.downcast_ref::<io::Error>()?.raw_os_error());
    system.map_or(error, io::Error::from_raw_os_error)
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.held = None;
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
    fn what_a_killed_process_left_goes_with_the_next_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let make = || {
            let make = |folder: &Path| temporary().tempfile_in(folder);
            Unfinished::make_in(folder.path(), make, |file| file.path().to_owned()).unwrap()
        };
        let (alive, _noted) = make();
        // As a process leaves them that is killed: without a lock.
        fs::write(at(".rightcall-tmp-abc"), "left").unwrap();
        fs::create_dir(at(".rightcall-tmp-folder")).unwrap();
        fs::write(at(".rightcall-tmp-folder/file"), "left").unwrap();
        for theirs in ["theirs", ".rightcall-notes"] {
            fs::write(at(theirs), "kept").unwrap();
        }
        std::os::unix::fs::symlink(at("theirs"), at(".rightcall-tmp-link")).unwrap();
        let (second, _noted) = make();
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
