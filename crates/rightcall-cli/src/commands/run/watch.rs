//! `run --watch`: the suite is run again whenever one of its files changes.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, SystemTime};

use super::{RunArguments, run_once, suite_of};
use crate::exit::{Exit, of_result};
use crate::messages::{Trouble, note};

/// How often files are looked at.
const PAUSE: Duration = Duration::from_millis(300);

/// What a file was like when it was looked at: when it was written, and how long it was.
type FileState = Option<(SystemTime, u64)>;

/// Runs the suite, and again after each change, until the process is ended.
pub(super) fn run(arguments: &mut RunArguments) -> Result<Exit, Trouble> {
    loop {
        let before = states(arguments);
        // What is wrong with a suite is mended while it is watched.
        of_result(run_once(arguments));
        note("waiting for a change; Ctrl-C ends it");
        while states(arguments) == before {
            thread::sleep(PAUSE);
        }
    }
}

/// The suite and its files, with what they are like.
fn states(arguments: &mut RunArguments) -> Vec<(PathBuf, FileState)> {
    // What the suite says of traces is told by the run itself.
    let quiet = std::mem::replace(&mut arguments.common.quiet, true);
    let suite = suite_of(arguments);
    arguments.common.quiet = quiet;
    let mut files = vec![arguments.suite.clone()];
    if let Ok(suite) = suite {
        files.extend(suite.cases);
        // An agent writes its traces anew with each run.
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
