//! Maps in `.rightcall/maps`, which are formats by name.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rightcall_formats::{Format, ReadError};

use crate::messages::warning;
use crate::past::history_file;

/// The maps of this folder or of the first above it that has a history, by name. One that cannot be read is a warning.
pub(crate) fn known() -> &'static [&'static Format] {
    static MAPS: OnceLock<Vec<&'static Format>> = OnceLock::new();
    MAPS.get_or_init(|| {
        let folder = history_file(None).with_file_name("maps");
        let mut maps: Vec<&'static Format> = Vec::new();
        for file in files(&folder) {
            match Format::from_map_file(&file) {
                Ok(map)
                    if Format::find(map.name).is_ok()
                        || maps.iter().any(|it| it.name == map.name) =>
                {
                    let message = format!(
                        "{}: the name `{}` is taken by another format, so the map is not used",
                        file.display(),
                        map.name
                    );
                    warning(&message, Some("give it another name: `map: NAME`"));
                }
                Ok(map) => maps.push(map),
                Err(error) => {
                    let message = format!("{error}, so the map is not used");
                    warning(&message, error.help.as_deref());
                }
            }
        }
        maps
    })
}

/// The maps of a folder, sorted by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_map = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        matches!(ending, Some("yaml" | "yml" | "json"))
    };
    let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(is_map).collect();
    files.sort();
    files
}

/// The format of this name: a built-in one, or a map.
pub(crate) fn find(name: &str) -> Result<&'static Format, String> {
    let error = match Format::find(name) {
        Ok(format) => return Ok(format),
        Err(error) => error,
    };
    let map = known().iter().find(|map| map.name == name);
    map.copied().ok_or_else(|| error.to_string())
}

/// An error of a map, with what to do.
pub(crate) fn in_words(error: &ReadError) -> String {
    match &error.help {
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    }
}
