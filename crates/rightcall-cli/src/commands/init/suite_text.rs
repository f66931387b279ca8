//! Building blocks for the suites that `init` writes.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use super::InitArguments;

/// Rounds down, so that today's traces pass the gate.
pub(super) fn below(mean: f64) -> f64 {
    (mean * 100.0).floor() / 100.0
}

/// The paths of the traces, relative to the suite's folder.
pub(super) fn paths(arguments: &InitArguments) -> String {
    let paths = arguments.traces.iter();
    let paths = paths.map(|path| quoted(&beside(path, &arguments.directory).to_string_lossy()));
    paths.collect::<Vec<_>>().join(", ")
}

/// The key `redact` of the suite, if the user named values to redact.
pub(super) fn redact(arguments: &InitArguments) -> String {
    let redaction = arguments.redaction.redaction();
    let patterns: Vec<_> = redaction.patterns().map(quoted).collect();
    if patterns.is_empty() {
        return String::new();
    }
    format!("\nredact: [{}]\n", patterns.join(", "))
}

/// The keys `map` and `read` of the suite, if the traces are read by a map or with choices.
pub(super) fn reading(arguments: &InitArguments) -> String {
    let mut text = String::new();
    if let Some(file) = map_file(arguments) {
        let path = beside(Path::new(file), &arguments.directory);
        _ = writeln!(text, "map: {}", quoted(&path.to_string_lossy()));
    }
    let choices = arguments.input.choices.iter();
    let choices: Vec<_> = choices
        .map(|(key, value)| format!("{key}: {}", quoted(value)))
        .collect();
    if !choices.is_empty() {
        _ = writeln!(text, "read: {{{}}}", choices.join(", "));
    }
    text
}

/// The file of the map that reads the traces: from `--map`, or a map in `.rightcall/maps` chosen by `--input-format`.
pub(super) fn map_file(arguments: &InitArguments) -> Option<&'static str> {
    let input = &arguments.input;
    input.map.or(input.input_format)?.map_file()
}

/// The path as written in a file in this folder.
fn beside(path: &Path, directory: &Path) -> PathBuf {
    if path.is_absolute() {
        return path.to_owned();
    }
    // How to come back from a folder further up depends on where the user is.
    let goes_up = |part: Component<'_>| part == Component::ParentDir;
    if directory.is_absolute() || directory.components().any(goes_up) {
        return path.canonicalize().unwrap_or_else(|_| path.to_owned());
    }
    let is_step = |part: &Component<'_>| matches!(part, Component::Normal(_));
    let steps = directory.components().filter(is_step).count();
    let up: PathBuf = std::iter::repeat_n("..", steps).collect();
    up.join(path)
}

/// A quoted YAML string.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\");
    format!("\"{}\"", text.replace('"', "\\\""))
}
