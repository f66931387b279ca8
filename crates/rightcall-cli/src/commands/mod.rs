//! One file a command.

use std::path::Path;

use rightcall_run::{Suite, SuiteOptions};

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
