//! `run --watch`: runs the suite again whenever one of its files changes.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, SystemTime};

use super::{RunArguments, run_once, suite_of};
use crate::exit::{Exit, of_result};
use crate::messages::{Trouble, note};

/// How often the files are checked.
const PAUSE: Duration = Duration::from_millis(300);

/// The state of a file: its modification time and its length.
type FileState = Option<(SystemTime, u64)>;

/// Runs the suite, and runs it again after each change, until the process is ended.
pub(super) fn run(arguments: &mut RunArguments) -> Result<Exit, Trouble> {
    loop {
        let before = states(arguments);
        // An error in the suite is only reported: the user can fix it while it is watched.
        of_result(run_once(arguments));
        note("waiting for a change; Ctrl-C ends it");
        while states(arguments) == before {
            thread::sleep(PAUSE);
        }
    }
}

/// The suite and its files, with their states.
fn states(arguments: &mut RunArguments) -> Vec<(PathBuf, FileState)> {
    // The run itself prints the suite's notes about traces; do not print them twice.
    let quiet = std::mem::replace(&mut arguments.common.quiet, true);
    let suite = suite_of(arguments);
    arguments.common.quiet = quiet;
    let mut files = vec![arguments.suite.clone()];
    if let Ok(suite) = suite {
        files.extend(suite.cases);
        // An agent writes its traces in each run, so they would trigger another run.
        if !arguments.agent.is_wanted() {
            files.extend(suite.traces);
        }
        files.extend(suite.runs.into_iter().flat_map(|(_, files)| files));
    }
    let state = |path: PathBuf| {
        let found = fs::metadata(&path).ok();
        let state = found.and_then(|it| Some((it.modified().ok()?, it.len())));
        (path, state)
    };
    files.into_iter().map(state).collect()
}
