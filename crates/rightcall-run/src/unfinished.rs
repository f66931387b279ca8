//! What is on the disk only until its work is done: it goes when it is dropped, and [`remove_unfinished`] takes it away where the
//! process ends in another way.

use std::fs;
use std::io;
use std::mem;
use std::path::PathBuf;
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
        // Nobody is left to hear that one cannot be removed.
        _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    }
    mem::forget(unfinished);
}

/// Notes that something is unfinished, until it is dropped: beside what removes it.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
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
        Ok((made, Self { path }))
    }
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
        UNFINISHED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|path| *path != self.path);
    }
}
