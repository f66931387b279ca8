//! Building blocks for the suites that `init` writes.

use std::path::{Component, Path, PathBuf};

use super::InitArguments;

/// Rounds down, so that today's traces pass the gate.
pub(super) fn below(mean: f64) -> f64 {
    (mean * 100.0).floor() / 100.0
}

/// The paths of the traces, relative to the suite's folder.
pub(super) fn paths(arguments: &InitArguments) -> String {
    let paths = arguments.traces.iter();
    let paths = paths.map(|path| quoted(&beside(path, &arguments.directory)));
    paths.collect::<Vec<_>>().join(", ")
}

/// A path relative to this folder.
fn beside(path: &Path, directory: &Path) -> PathBuf {
    if path.is_absolute() {
        return path.to_owned();
    }
    if directory.is_absolute() {
        return path.canonicalize().unwrap_or_else(|_| path.to_owned());
    }
    let is_step = |part: &Component<'_>| matches!(part, Component::Normal(_));
    let steps = directory.components().filter(is_step).count();
    let up: PathBuf = std::iter::repeat_n("..", steps).collect();
    up.join(path)
}

/// A path as a quoted YAML string.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "\\\\");
    format!("\"{}\"", text.replace('"', "\\\""))
}
