//! Words of a command line, expanded: `~/`, folders of files, and globs over object stores, which no shell expands.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use rightcall_formats::{FORMATS, is_object, objects_like};

use crate::messages::Trouble;

/// Commands with files of cases or traces after their name.
const WITH_FILES: [&str; 4] = ["score", "inspect", "convert", "record"];

/// Options with files of traces after them.
const OF_FILES: [&str; 3] = ["--traces", "--add-traces", "--from"];

/// Endings that every format may have, in addition to its own.
const ENDINGS: [&str; 8] = [
    "ndjson", "yaml", "yml", "csv", "tsv", "parquet", "arrow", "feather",
];

/// Deeper folders are not searched: links may go in circles.
const DEEPEST: usize = 32;

/// The words of a command line, expanded.
pub(crate) fn expand(words: Vec<OsString>) -> Result<Vec<OsString>, Trouble> {
    let mut expanded = Vec::with_capacity(words.len());
    let mut option = None;
    let command = words.get(1).and_then(|word| word.to_str()).unwrap_or("");
    let has_files = WITH_FILES.contains(&command);
    let mut is_value = true;
    for (place, word) in words.into_iter().enumerate() {
        let Some(text) = word.to_str() else {
            expanded.push(word);
            continue;
        };
        if text.starts_with('-') && text.len() > 1 {
            option = Some(text.to_owned());
            is_value = true;
            expanded.push(word);
            continue;
        }
        let of_option = option.as_deref().is_some_and(|it| OF_FILES.contains(&it));
        let takes_files = of_option || has_files && place > 1 && (option.is_none() || !is_value);
        is_value = false;
        if is_object(Path::new(text)) {
            expanded.extend(objects_like(text)?.into_iter().map(OsString::from));
            continue;
        }
        let path = at_home(text).unwrap_or_else(|| PathBuf::from(text));
        let files = if takes_files && path.is_dir() {
            files_below(&path, DEEPEST)
        } else {
            Vec::new()
        };
        if files.is_empty() {
            expanded.push(path.into_os_string());
        } else {
            expanded.extend(files.into_iter().map(PathBuf::into_os_string));
        }
    }
    Ok(expanded)
}

/// The path that `~/…` means, as shells write it out where it is not quoted.
fn at_home(text: &str) -> Option<PathBuf> {
    let rest = text.strip_prefix("~/")?;
    Some(std::env::home_dir()?.join(rest))
}

/// The files in a folder and below it that may hold cases or traces, sorted.
fn files_below(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let is_hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden {
            continue;
        }
        if path.is_dir() {
            if depth > 0 {
                files.extend(files_below(&path, depth - 1));
            }
        } else if may_hold_cases(&path) {
            files.push(path);
        }
    }
    files
}

/// Whether a file has an ending of cases or traces; one of compression may follow.
fn may_hold_cases(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let name = name.strip_suffix(".zst").unwrap_or(name);
    let Some((_, ending)) = name.rsplit_once('.') else {
        return false;
    };
    ENDINGS.contains(&ending) || FORMATS.iter().any(|it| it.extensions.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_files_is_its_files_and_no_value_of_another_option() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        fs::create_dir_all(at("runs/more")).unwrap();
        for name in [
            "runs/b.jsonl",
            "runs/more/a.json.gz",
            "runs/.x.json",
            "runs/notes",
        ] {
            fs::write(at(name), "").unwrap();
        }
        let runs = at("runs");
        let expanded = |line: &[&str]| -> Vec<String> {
            let words = line.iter().map(|it| OsString::from(*it)).collect();
            let words = expand(words).unwrap();
            words
                .into_iter()
                .map(|it| it.into_string().unwrap())
                .collect()
        };
        let files = [at("runs/b.jsonl"), at("runs/more/a.json.gz")];
        assert_eq!(expanded(&["rightcall", "inspect", &runs])[2..], files);
        assert_eq!(
            expanded(&["rightcall", "score", "-e", "trajectory", &runs])[4..],
            files
        );
        assert_eq!(
            expanded(&["rightcall", "run", "--traces", &runs])[3..],
            files
        );
        for line in [["rightcall", "run", &runs], ["rightcall", "init", &runs]] {
            assert_eq!(expanded(&line), line);
        }
        let line = ["rightcall", "score", "x.jsonl", "-o", &runs];
        assert_eq!(expanded(&line), line);
    }
}
