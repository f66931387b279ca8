//! Messages about recording a run in the history.

use rightcall_store::{History, PATIENCE, RunOutcome};

use super::RunArguments;
use super::change::change_text;
use crate::arguments::ResultFormat;
use crate::exit::Exit;
use crate::messages::{error, note, warning};

/// Prints the change since the previous run, or the reason why the run is not in the history. An
/// unwritable history is only a warning, because the results matter more than their record. A
/// timeout while another process held the history is an error, because that run is lost.
pub(super) fn print_record(recorded: &RunOutcome, arguments: &RunArguments) -> Exit {
    let Ok(recorded) = recorded.lock() else {
        return Exit::Success;
    };
    if let Some(Ok(run)) = &*recorded
        && !arguments.common.quiet
        && matches!(arguments.common.format(), ResultFormat::Table)
    {
        let history = History::open_to_read(&arguments.history.file());
        let change = history.and_then(|history| change_text(&history, *run));
        // If the history can no longer be read, skip the comparison.
        change.ok().flatten().iter().for_each(|change| note(change));
    }
    if let Some(Err(lost)) = &*recorded
        && lost.is_busy()
    {
        let history = arguments.history.file();
        error(
            &format!(
                "this run is not in the history: another process held {} for {} seconds (exit code 2)",
                history.display(),
                PATIENCE.as_secs()
            ),
            Some("run it again, or record it in another file with --history FILE"),
        );
        return Exit::NotJudged;
    }
    if let Some(Err(error)) = &*recorded {
        let help = error
            .help()
            .unwrap_or("--history FILE names another file, --no-history leaves it");
        warning(
            &format!("this run could not be recorded: {error}"),
            Some(help),
        );
    }
    Exit::Success
}
