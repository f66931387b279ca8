//! Kills runs at any moment: the history contains each finished run completely, and the next run removes the rest.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::Note;
use super::work::{RUN_FEW, RUN_MANY, Work, ended, moment_of};

pub(super) fn run(command: &Path, folder: &Path, short: bool, note: Note<'_>) {
    let work = match Work::begin(command, folder) {
        Ok(work) => work,
        Err(why) => return note("kills", Err(why)),
    };
    // Most kills are of runs that are staged in parts, because these can leave more behind.
    let [in_parts, in_short] = if short { [4, 1] } else { [35, 15] };
    for (run_suite, what, kills) in [
        (RUN_MANY, "runs that are written in parts", in_parts),
        (RUN_FEW, "short runs", in_short),
    ] {
        note(
            &format!("kills of {what}, {kills}"),
            kill(&work, run_suite, kills),
        );
    }
}

fn kill(work: &Work<'_>, run_suite: &str, kills: usize) -> Result<String, String> {
    let begun = Instant::now();
    work.succeed(run_suite)?;
    let time = begun.elapsed().max(Duration::from_millis(10));
    let before = work.whole()?.0;
    let mut recorded = before;
    let (mut staged, mut in_time) = (0, 0);
    for _ in 0..kills {
        let mut run = work.start(run_suite)?;
        thread::sleep(moment_of(time));
        let had_ended = run.try_wait().map_err(|error| error.to_string())?.is_some();
        run.kill().map_err(|error| error.to_string())?;
        ended(&mut run)?;
        let (runs, unfinished) = work.whole()?;
        // A run may be complete even though it was killed, if that was between its last transaction and its exit.
        if runs < recorded + usize::from(had_ended) || runs > recorded + 1 || unfinished > 1 {
            return Err(format!(
                "{runs} runs and {unfinished} unfinished where {recorded} were recorded before the kill"
            ));
        }
        in_time += usize::from(runs == recorded);
        staged += unfinished;
        // The next run succeeds and cleans up.
        work.succeed(RUN_FEW)?;
        let (after, unfinished) = work.whole()?;
        if (after, unfinished) != (runs + 1, 0)
            || work.leftovers().iter().any(|name| name.contains("-run-"))
        {
            return Err(format!(
                "{after} runs and {unfinished} unfinished after the next run, and {:?}",
                work.leftovers()
            ));
        }
        recorded = after;
    }
    let recorded = recorded - before;
    Ok(format!(
        "{in_time} came before the end, {staged} left a part; the history was whole after each, the next run cleared away, {recorded} recorded meanwhile"
    ))
}
