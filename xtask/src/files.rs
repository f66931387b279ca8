//! File and folder operations with the path in each error.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

fn named<T>(path: &Path, done: io::Result<T>) -> Result<T, String> {
    done.map_err(|error| format!("{}: {error}", path.display()))
}

/// Reads a text file.
pub(crate) fn read(file: &Path) -> Result<String, String> {
    named(file, fs::read_to_string(file))
}

/// Reads a JSON file.
pub(crate) fn read_json<T: DeserializeOwned>(file: &Path) -> Result<T, String> {
    serde_json::from_str(&read(file)?).map_err(|error| format!("{}: {error}", file.display()))
}

/// Writes a file.
pub(crate) fn write(file: &Path, content: impl AsRef<[u8]>) -> Result<(), String> {
    named(file, fs::write(file, content))
}

/// Creates a folder and its parents.
pub(crate) fn make_folder(folder: &Path) -> Result<(), String> {
    named(folder, fs::create_dir_all(folder))
}

/// Creates an empty folder, replacing an existing one.
pub(crate) fn empty_folder(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        named(folder, fs::remove_dir_all(folder))?;
    }
    make_folder(folder)
}

/// Copies a file.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    named(to, fs::copy(from, to)).map(drop)
}

/// Copies a folder recursively.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    make_folder(to)?;
    for path in entries(from)? {
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_folder(&path, &target)?;
        } else {
            copy(&path, &target)?;
        }
    }
    Ok(())
}

/// The entries of a folder, sorted.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = named(folder, fs::read_dir(folder))?.map(|entry| Ok(entry?.path()));
    let mut paths = named(folder, entries.collect::<io::Result<Vec<_>>>())?;
    paths.sort();
    Ok(paths)
}

/// The last part of a path.
pub(crate) fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
