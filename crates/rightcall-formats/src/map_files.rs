//! Maps as formats: each distinct map text is one format for the lifetime of the program.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::error::{CaseError, ReadError};
use crate::format::{Format, Priority, Reading};
use crate::input::read_text;
use crate::map::{LARGEST, Map};

/// Formats created from maps, by file and text. They are never dropped, because options hold a static reference.
static MAPPED: LazyLock<Mutex<HashMap<(String, String), &'static Format>>> =
    LazyLock::new(Mutex::default);

impl Format {
    /// The format described by a map in YAML or JSON. `file` names the map in errors, and names the format if the map has no name.
    ///
    /// # Errors
    /// The text is not a map; the error has the line and the values expected there.
    pub fn from_map(file: &str, text: &str) -> Result<&'static Self, ReadError> {
        let map = Map::parse(file, text)?;
        let mut mapped = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
        let format = mapped
            .entry((map.file.clone(), map.text.clone()))
            .or_insert_with(|| {
                let map: &'static Map = Box::leak(Box::new(map));
                Box::leak(Box::new(Self {
                    name: &map.name,
                    title: &map.name,
                    summary: "a log that a map describes",
                    reads: &[],
                    lacks: &[],
                    notes: "",
                    extensions: &[],
                    example: "",
                    priority: Priority::Document,
                    reading: Reading::Mapped(map),
                }))
            });
        Ok(format)
    }

    /// The format described by a map file.
    ///
    /// # Errors
    /// The file cannot be read, or isn't a map.
    pub fn from_map_file(path: &Path) -> Result<&'static Self, ReadError> {
        let file = path.to_string_lossy();
        let text = read_text(path, LARGEST).map_err(|error| {
            let error = CaseError::new("a map", error.to_string());
            error
                .help("a map is a small file in YAML or JSON; see docs/maps.md")
                .at(&Arc::from(&*file), None)
        })?;
        Self::from_map(&file, &text)
    }

    /// The format of a map given as JSON or as a file name.
    ///
    /// # Errors
    /// As [`Format::from_map`] and [`Format::from_map_file`].
    pub fn from_map_or_file(map: &str) -> Result<&'static Self, ReadError> {
        if map.trim_start().starts_with('{') {
            Self::from_map("map", map)
        } else {
            Self::from_map_file(Path::new(map))
        }
    }

    /// Checks a map.
    ///
    /// # Errors
    /// As [`Format::from_map`].
    pub fn check_map(file: &str, text: &str) -> Result<(), ReadError> {
        Map::parse(file, text).map(drop)
    }
}
