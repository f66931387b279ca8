//! Where the history is, what a suite goes by in it, and which run a name means.

use std::env;
use std::path::{Component, Path, PathBuf};

use rightcall_report::printable;
use rightcall_store::{HISTORY, History, PageRange, Reference, RunFilter, RunRow};

use crate::messages::Trouble;

/// The folder of a history.
const FOLDER: &str = ".rightcall";

/// The file of the history: as said, else here or in a folder above, as `.git` is found; where there is none yet, at the top of the
/// working copy, or here.
pub(crate) fn history_file(named: Option<&Path>) -> PathBuf {
    if let Some(named) = named {
        return named.to_owned();
    }
    let Ok(here) = env::current_dir() else {
        return HISTORY.into();
    };
    let ceilings = env::var_os("GIT_CEILING_DIRECTORIES").unwrap_or_default();
    let ceilings: Vec<PathBuf> = env::split_paths(&ceilings).collect();
    let mut way = PathBuf::new();
    for (steps, folder) in here.ancestors().enumerate() {
        // As git does, which looks at where it begins in any case.
        if steps > 0 && ceilings.iter().any(|ceiling| ceiling == folder) {
            break;
        }
        if folder.join(HISTORY).is_file() || folder.join(".git").exists() {
            return way.join(HISTORY);
        }
        way.push("..");
    }
    HISTORY.into()
}

/// The files of a history: its own, and those of SQLite next to it. No output takes their place.
pub(crate) fn history_files(history: &Path) -> Vec<PathBuf> {
    let beside = |ending: &str| {
        let mut name = history.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    ["", "-wal", "-shm", "-journal"].map(beside).into()
}

/// What a suite goes by in this history: its path from the folder that the history belongs to, however it was typed and from wherever.
pub(crate) fn suite_key(suite: &Path, history: &Path) -> String {
    let beside = history.parent().filter(|folder| folder.ends_with(FOLDER));
    let root = beside.and_then(Path::parent).map(|root| {
        if root.as_os_str().is_empty() {
            Path::new(".")
        } else {
            root
        }
    });
    let root = root.unwrap_or(Path::new("."));
    // The folder of a history that is yet to be made is there; the history is not.
    let absolute = |path: &Path| path.canonicalize().ok();
    let key = absolute(suite)
        .zip(absolute(root))
        .and_then(|(suite, root)| Some(suite.strip_prefix(root).ok()?.to_owned()));
    let key = key.unwrap_or_else(|| suite.to_owned());
    let parts = key.components().filter(|part| *part != Component::CurDir);
    parts
        .collect::<PathBuf>()
        .to_string_lossy()
        .replace('\\', "/")
}

/// The suite that `latest` means: the one asked for, else that of the last run.
pub(crate) fn filter_of(history: &History, suite: Option<&Path>) -> Result<RunFilter, Trouble> {
    let suite = if let Some(suite) = suite {
        Some(suite_key(suite, history.path()))
    } else {
        let last = history.runs(&RunFilter::default(), PageRange::first(1))?;
        last.into_iter().next().map(|run| run.about.suite)
    };
    Ok(RunFilter {
        suite,
        ..RunFilter::default()
    })
}

/// The cause of a run that a text means: the cause itself, or the only one with the text in it.
pub(crate) fn find_cause(history: &History, run: i64, text: &str) -> Result<String, Trouble> {
    let causes = history.cause_counts(run)?;
    let wanted = text.to_lowercase();
    let mut fitting: Vec<_> = causes
        .iter()
        .filter(|(cause, _)| cause.to_lowercase().contains(&wanted))
        .collect();
    if let Some(same) = fitting.iter().find(|(cause, _)| cause == text) {
        return Ok(same.0.clone());
    }
    let named = |causes: &[&(String, u64)]| {
        let named = causes.iter().take(CAUSES);
        let named: Vec<_> = named
            .map(|(cause, _)| format!("`{}`", printable(cause)))
            .collect();
        named.join(", ")
    };
    match fitting.len() {
        1 => Ok(fitting.remove(0).0.clone()),
        0 if causes.is_empty() => Err(Trouble::new(format!("run {run} has no causes"))),
        0 => {
            let message = format!("run {run}: no cause has `{}` in it", printable(text));
            let all: Vec<_> = causes.iter().collect();
            Err(Trouble::with_help(
                message,
                format!("there are {}", named(&all)),
            ))
        }
        number => {
            let message = format!(
                "run {run}: {number} causes have `{}` in them",
                printable(text)
            );
            Err(Trouble::with_help(
                message,
                format!("there are {}", named(&fitting)),
            ))
        }
    }
}

/// Causes that a message names.
const CAUSES: usize = 8;

/// The run that a name means: of a branch, a tag and `latest` that of the suite.
pub(crate) fn find_run(
    history: &History,
    name: &str,
    suite: Option<&Path>,
) -> Result<RunRow, Trouble> {
    let filter = filter_of(history, suite)?;
    let found = history.find(&Reference::parse(name), &filter);
    // A branch or a tag may be of another suite alone.
    match found {
        Err(_) if suite.is_none() => {
            Ok(history.find(&Reference::parse(name), &RunFilter::default())?)
        }
        found => Ok(found?),
    }
}
