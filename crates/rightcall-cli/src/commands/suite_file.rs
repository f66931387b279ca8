//! Finds the suite if the user named a folder or nothing.

use std::path::{Path, PathBuf};

use rightcall_formats::{Limits, read_text, yaml};

use crate::arguments::names_suite;
use crate::messages::Trouble;

/// File names of a suite, in search order.
const NAMES: [&str; 4] = ["suite.yaml", "suite.yml", "suite.json", "rightcall.yaml"];

/// Folders to search for a suite.
const FOLDERS: [&str; 3] = ["", "evals", ".rightcall"];

/// The suite file: the named file, the one in the named folder, or the one found in the current folder.
pub(super) fn suite_file(named: Option<&Path>) -> Result<PathBuf, Trouble> {
    let folder = match named {
        Some(path) if !path.is_dir() => return Ok(path.to_owned()),
        Some(folder) => folder,
        None => Path::new(""),
    };
    let folders = FOLDERS.iter().map(|inside| folder.join(inside));
    let mut files = folders.flat_map(|folder| NAMES.map(|name| folder.join(name)));
    files.find(|file| file.is_file()).ok_or_else(|| {
        let place = if folder.as_os_str().is_empty() {
            "here".to_owned()
        } else {
            format!("in {}", folder.display())
        };
        let help = "`rightcall init` writes one to start from, `rightcall init --from TRACES` one of what an agent did";
        let message = format!("there is no suite {place}: no {}, here or in evals/", NAMES[0]);
        Trouble::with_help(message, help)
    })
}

/// The file of rules: the named file, the suite in the named folder, or the one found in the current folder.
pub(super) fn rules_file(named: Option<&Path>, how_to_name: &str) -> Result<PathBuf, Trouble> {
    let help = format!("{how_to_name}; docs/rules.md says how to write rules");
    let found = suite_file(named).map_err(|_| {
        Trouble::with_help("no rules: no file is named, and no suite is here", &help)
    })?;
    if !found.exists() {
        let message = format!("{}: no such file", found.display());
        return Err(Trouble::with_help(message, help));
    }
    Ok(found)
}

/// Keys of a suite that a case does not have.
const SUITE_KEYS: [&str; 4] = ["evaluators", "gates", "cases", "traces"];

/// True for a folder, and for a document in YAML or JSON with the keys of a suite.
pub(super) fn is_suite(path: &Path, limits: Limits) -> bool {
    if path.is_dir() {
        return true;
    }
    if !names_suite(path) {
        return false;
    }
    let Ok(text) = read_text(path, limits.max_document.min(1 << 20)) else {
        return false;
    };
    let (documents, _) = yaml::documents(&text);
    let first = documents.first();
    first.is_some_and(|it| SUITE_KEYS.iter().any(|key| it.member(key).is_some()))
}
