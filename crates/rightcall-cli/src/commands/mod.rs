//! One file a command.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rightcall_run::{Suite, SuiteOptions};
use rightcall_store::{History, Page, RunFilter, RunRow};

use crate::messages::Trouble;

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod evaluators;
pub(crate) mod explain;
pub(crate) mod formats;
pub(crate) mod history;
pub(crate) mod init;
pub(crate) mod inspect;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod score;
pub(crate) mod view;

/// A suite whose files are there.
fn read_suite(path: &Path, options: &SuiteOptions) -> Result<Suite, Trouble> {
    let suite = Suite::read(path, options)?;
    let missing = suite.cases.iter().chain(&suite.traces).find(|file| !file.exists());
    if let Some(missing) = missing {
        let message = format!("{}: it names {}, and there is no such file", path.display(), missing.display());
        return Err(Trouble::with_help(message, "paths are relative to the suite"));
    }
    Ok(suite)
}

/// The file that a name means; `None` for what is looked for in the history.
fn file_called(name: &str) -> Option<&Path> {
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    let path = Path::new(name);
    (!is_number && !name.starts_with("latest") && path.exists()).then_some(path)
}

/// The last run in a file that is a history, such as an exported run; `None` for any other file.
fn exported_run(path: &Path) -> Result<Option<(History, RunRow)>, Trouble> {
    let is_history = File::open(path).is_ok_and(|mut file| {
        let mut head = [0; 15];
        file.read_exact(&mut head).is_ok() && &head == b"SQLite format 3"
    });
    if !is_history {
        return Ok(None);
    }
    let history = History::open_existing(path)?;
    let run = history.runs(&RunFilter::default(), Page::first(1))?.pop();
    let run = run.ok_or_else(|| Trouble::new(format!("{}: there is no run in it", path.display())))?;
    Ok(Some((history, run)))
}
