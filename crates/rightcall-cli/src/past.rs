//! Where the history is, what a suite goes by in it, and which run a name means.

use std::env;
use std::path::{Component, Path, PathBuf};

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
