//! Maps in `.rightcall/maps`. Each is an input format with its own name.

use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Once};

use rightcall_core::{did_you_mean, nearest};
use rightcall_formats::{Format, ReadError};

use crate::history_lookup::{FOLDER, project_folders};
use crate::messages::warning;

/// The valid maps, and warnings about the invalid files.
#[derive(Default)]
struct FoundMaps {
    maps: Vec<&'static Format>,
    /// Each message with its advice.
    warnings: Vec<(String, Option<String>)>,
}

/// The maps of this folder and of its parents, the nearest first. The first call prints a warning for each invalid file.
pub(crate) fn known() -> &'static [&'static Format] {
    static WARNED: Once = Once::new();
    WARNED.call_once(|| {
        for (message, help) in &found().warnings {
            warning(message, help.as_deref());
        }
    });
    known_quietly()
}

/// Like [`known`], without warnings, for shell completions.
pub(crate) fn known_quietly() -> &'static [&'static Format] {
    &found().maps
}

fn found() -> &'static FoundMaps {
    static FOUND: LazyLock<FoundMaps> = LazyLock::new(|| {
        let mut found = FoundMaps::default();
        for folder in project_folders() {
            let maps = files(&folder.join(FOLDER).join("maps"));
            maps.iter().for_each(|file| found.add(file));
        }
        found
    });
    &FOUND
}

impl FoundMaps {
    fn add(&mut self, file: &Path) {
        let (message, help) = match Format::from_map_file(file) {
            Ok(map) if self.has(map.name) => {
                let message = format!(
                    "{}: the name `{}` is taken by another format, so the map is not used",
                    file.display(),
                    map.name
                );
                let help = "give it another name: `map: NAME`".to_owned();
                (message, Some(help))
            }
            Ok(map) => return self.maps.push(map),
            Err(error) => (
                format!("{error}, so the map is not used"),
                error.help.map(Into::into),
            ),
        };
        self.warnings.push((message, help));
    }

    fn has(&self, name: &str) -> bool {
        Format::find(name).is_ok() || self.maps.iter().any(|it| it.name == name)
    }
}

/// The map files of a folder, sorted by path.
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

/// Finds a format by name: a built-in one or a map.
pub(crate) fn find(name: &str) -> Result<&'static Format, String> {
    let error = match Format::find(name) {
        Ok(format) => return Ok(format),
        Err(error) => error,
    };
    let map = known().iter().find(|map| map.name == name);
    map.copied().ok_or_else(|| {
        let near = nearest(name, known().iter().map(|map| map.name));
        if near.is_empty() {
            error.to_string()
        } else {
            format!("no format is called `{name}`{}", did_you_mean(&near))
        }
    })
}

/// An error of a map with its advice, in one line.
pub(crate) fn in_words(error: &ReadError) -> String {
    match &error.help {
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    }
}
