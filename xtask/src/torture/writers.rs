//! Many concurrent runs that write one history, with concurrent readers.

use std::path::Path;
use std::thread;
use std::time::Duration;

use super::Note;
use super::work::{RUN_MANY, Work, ended};

/// The number of concurrent runs.
const WRITERS: usize = 8;

pub(super) fn run(command: &Path, folder: &Path, _: bool, note: Note<'_>) {
    note(
        &format!("{WRITERS} writers at once"),
        Work::begin(command, folder).and_then(|work| write(&work)),
    );
}

fn write(work: &Work<'_>) -> Result<String, String> {
    let begin = |_| work.start(RUN_MANY);
    let mut all = (0..WRITERS).map(begin).collect::<Result<Vec<_>, _>>()?;
    let mut read = 0;
    while all
        .iter_mut()
        .any(|run| run.try_wait().is_ok_and(|status| status.is_none()))
    {
        // The history may not exist yet, but it must never be half-written.
        let output = work.output("history")?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success()
            && !said.contains("there is no history")
            && !said.contains("is no history")
        {
            return Err(format!(
                "`rightcall history` beside them: {}",
                said.trim_end()
            ));
        }
        read += 1;
        thread::sleep(Duration::from_millis(50));
    }
    for run in &mut all {
        let status = ended(run)?;
        if !status.success() {
            return Err(format!("one ended with {status}"));
        }
    }
    match work.whole()? {
        (WRITERS, 0) => Ok(format!(
            "all {WRITERS} runs are recorded, whole; the history was read {read} times meanwhile"
        )),
        (runs, unfinished) => Err(format!(
            "{runs} runs are recorded, {unfinished} are unfinished"
        )),
    }
}
