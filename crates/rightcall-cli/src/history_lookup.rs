//! Finds the history file, the key of a suite in it, the run for a name, and the cases that options choose.

use std::env;
use std::path::{Component, Path, PathBuf};

use rightcall_core::value::{Value, decode};
use rightcall_report::printable;
use rightcall_results::CaseResult;
use rightcall_run::Filter;
use rightcall_store::{HISTORY, History, PageRange, Reference, RunFilter, RunRow};

use crate::messages::Trouble;

/// The folder of the history and of maps.
pub(crate) const FOLDER: &str = ".rightcall";

/// The history file: the named one, else the one in this folder or a parent, searched like `.git`.
/// If none exists yet, it will be at the top of the working copy, or in this folder.
pub(crate) fn history_file(named: Option<&Path>) -> PathBuf {
    if let Some(named) = named {
        return named.to_owned();
    }
    let has_one = |folder: &&PathBuf| folder.join(HISTORY).is_file() || is_repository(folder);
    let found = project_folders()
        .iter()
        .find(has_one)
        .map(|it| it.join(HISTORY));
    found.unwrap_or_else(|| HISTORY.into())
}

/// This folder and its parents, up to the root of the repository or a folder of
/// `GIT_CEILING_DIRECTORIES`; each relative to this folder.
pub(crate) fn project_folders() -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::new()];
    let Ok(here) = env::current_dir() else {
        return folders;
    };
    let ceilings = env::var_os("GIT_CEILING_DIRECTORIES").unwrap_or_default();
    let ceilings: Vec<PathBuf> = env::split_paths(&ceilings).collect();
    let mut relative = PathBuf::new();
    for parent in here.ancestors().skip(1) {
        // Like git, always search the starting folder, even if it is a ceiling.
        if is_repository(&relative) || ceilings.iter().any(|ceiling| ceiling == parent) {
            break;
        }
        relative.push("..");
        folders.push(relative.clone());
    }
    folders
}

fn is_repository(folder: &Path) -> bool {
    folder.join(".git").exists()
}

/// The files of a history: the database, and SQLite's files next to it. Outputs must not overwrite
/// them.
pub(crate) fn history_files(history: &Path) -> Vec<PathBuf> {
    let with_suffix = |ending: &str| {
        let mut name = history.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    ["", "-wal", "-shm", "-journal"].map(with_suffix).into()
}

/// The key of a suite in this history: its path relative to the history's root folder. It does not depend on the current folder.
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
    // Canonicalize the folder, not the history file, which may not exist yet.
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

/// The filter for `latest`: the given suite, else the suite of the last run.
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

/// Finds a cause of a run by text: an exact match, else the only cause that contains the text.
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

/// The maximum number of causes in a message.
const CAUSES: usize = 8;

/// Finds a run by name. For a branch, a tag or `latest`, only runs of the suite count.
pub(crate) fn find_run(
    history: &History,
    name: &str,
    suite: Option<&Path>,
) -> Result<RunRow, Trouble> {
    let filter = filter_of(history, suite)?;
    let found = history.find(&Reference::parse(name), &filter);
    // A branch or tag may exist only on runs of other suites.
    match found {
        Err(_) if suite.is_none() => {
            Ok(history.find(&Reference::parse(name), &RunFilter::default())?)
        }
        found => Ok(found?),
    }
}

/// True if the user's text names this trial, which is JSON text.
pub(crate) fn is_trial(trial: &str, typed: &str) -> bool {
    trial == typed
        || matches!(decode(trial), Ok(Value::String(text)) if *text.to_display() == *typed)
}

/// True if a case has the trial that the user typed, if any, and the filter accepts it.
pub(crate) fn is_meant(case: &CaseResult, trial: Option<&str>, filter: &Filter) -> bool {
    let is_wanted = |wanted: &str| case.trial.as_deref().is_some_and(|it| is_trial(it, wanted));
    let meta = case.case.as_ref().and_then(|kept| kept.meta.as_deref());
    trial.is_none_or(is_wanted) && filter.admits_judged(&case.tags, meta)
}
