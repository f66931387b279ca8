//! Expands words of the command line: `~/`, folders of files, and globs that the shell did not expand.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, Command};
use rightcall_formats::{FORMATS, has_ending, is_object};
use rightcall_run::{files_like, is_glob};

use crate::messages::Trouble;

/// Commands that take files of cases or traces.
const WITH_FILES: [&str; 4] = ["score", "inspect", "convert", "record"];

/// Options that take files of traces.
const OF_FILES: [&str; 3] = ["--traces", "--add-traces", "--from"];

/// File endings that are valid for every format, in addition to the format's own.
const ENDINGS: [&str; 8] = [
    "ndjson", "yaml", "yml", "csv", "tsv", "parquet", "arrow", "feather",
];

/// The maximum depth of a folder search; links may form cycles.
const MAX_DEPTH: usize = 32;

/// Expands the words of a command line.
pub(crate) fn expand(words: Vec<OsString>, mut line: Command) -> Result<Vec<OsString>, Trouble> {
    let mut expanded = Vec::with_capacity(words.len());
    let name = words.get(1).and_then(|word| word.to_str()).unwrap_or("");
    let has_files = WITH_FILES.contains(&name);
    let command = line.find_subcommand_mut(name).filter(|_| has_files);
    let command = command.map(|command| {
        // clap adds the options of a command only when it is built.
        command.build();
        &*command
    });
    let mut takes_files = false;
    let mut is_value = false;
    for (place, word) in words.into_iter().enumerate() {
        let Some(text) = word.to_str() else {
            expanded.push(word);
            continue;
        };
        if text.starts_with('-') && text.len() > 1 {
            is_value = command.is_some_and(|command| takes_next_word(text, command));
            takes_files = OF_FILES.contains(&text);
            expanded.push(word);
            continue;
        }
        let names_files = takes_files || has_files && place > 1 && !is_value;
        is_value = false;
        let path = at_home(text).unwrap_or_else(|| PathBuf::from(text));
        let files = if is_object(Path::new(text)) {
            glob_matches(text)?
        } else if names_files && path.is_dir() {
            files_below(&path, MAX_DEPTH)
        } else if names_files && is_glob(text) && !path.exists() {
            glob_matches(&path.to_string_lossy())?
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

/// The files or objects that a glob matches.
fn glob_matches(glob: &str) -> Result<Vec<PathBuf>, Trouble> {
    files_like(glob, Path::new("")).map_err(|error| Trouble::said(error.message, error.help))
}

/// True if the next word is the value of this option. False for a flag, `--option=value` and
/// `-kvalue`.
fn takes_next_word(word: &str, command: &Command) -> bool {
    let takes_value = |option: &Arg| option.get_action().takes_values();
    let options = || command.get_arguments().filter(|it| takes_value(it));
    if let Some(long) = word.strip_prefix("--") {
        let is_it = |it: &Arg| {
            it.get_long() == Some(long)
                || it
                    .get_all_aliases()
                    .is_some_and(|names| names.contains(&long))
        };
        return options().any(is_it);
    }
    let mut letters = word.chars().skip(1);
    let first = letters.find(|letter| options().any(|it| it.get_short() == Some(*letter)));
    first.is_some() && letters.next().is_none()
}

/// Expands `~/…`, as a shell does for an unquoted word.
fn at_home(text: &str) -> Option<PathBuf> {
    let rest = text.strip_prefix("~/")?;
    Some(std::env::home_dir()?.join(rest))
}

/// The files below a folder that may hold cases or traces, sorted. Hidden files are skipped.
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

/// True for a file name with an ending of cases or traces, compressed or not.
fn may_hold_cases(path: &Path) -> bool {
    has_ending(path, &ENDINGS) || FORMATS.iter().any(|it| has_ending(path, it.extensions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::command_line;

    #[test]
    fn folder_is_expanded_to_its_files_but_not_as_an_option_value() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        fs::create_dir_all(at("runs/more")).unwrap();
        for name in [
            "runs/b.jsonl",
            "runs/C.JSONL.zst",
            "runs/more/a.json.gz",
            "runs/.x.json",
            "runs/notes",
        ] {
            fs::write(at(name), "").unwrap();
        }
        let runs = at("runs");
        let expanded = |line: &[&str]| -> Vec<String> {
            let words = line.iter().map(|it| OsString::from(*it)).collect();
            let words = expand(words, command_line()).unwrap();
            words
                .into_iter()
                .map(|it| it.into_string().unwrap())
                .collect()
        };
        let files = [
            at("runs/C.JSONL.zst"),
            at("runs/b.jsonl"),
            at("runs/more/a.json.gz"),
        ];
        assert_eq!(expanded(&["rightcall", "inspect", &runs])[2..], files);
        assert_eq!(
            expanded(&["rightcall", "score", "-e", "trajectory", &runs])[4..],
            files
        );
        assert_eq!(
            expanded(&["rightcall", "run", "--traces", &runs])[3..],
            files
        );
        assert_eq!(
            expanded(&["rightcall", "inspect", &at("*/[bC].*")])[2..],
            files[..2]
        );
        for flag in ["--format=json", "-q", "-qe=x"] {
            assert_eq!(expanded(&["rightcall", "score", flag, &runs])[3..], files);
        }
        for line in [["rightcall", "run", &runs], ["rightcall", "init", &runs]] {
            assert_eq!(expanded(&line), line);
        }
        let line = ["rightcall", "score", "x.jsonl", "-o", &runs];
        assert_eq!(expanded(&line), line);
        let glob = at("none*.jsonl");
        let line = ["rightcall", "score", "x.jsonl", "-k", &glob];
        assert_eq!(expanded(&line), line);
        let words = ["rightcall", "score", &glob].map(OsString::from);
        let error = expand(words.into(), command_line());
        assert!(
            matches!(error, Err(Trouble::Said { message, .. }) if message.contains("no file matches"))
        );
    }
}
