//! Exit codes, all of them.

use rightcall_results::{Ending, RunSummary};

use crate::messages::{Trouble, error};

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Fine. Also where whoever reads standard output has read enough and closed it.
    Fine = 0,
    /// A gate of the suite is missed; in a run without gates a threshold that the user wrote, or a run, or an evaluator that judges by
    /// itself said no.
    Missed = 1,
    /// Wrong usage, an input that cannot be read, an evaluation that ended in an error, no case to score, no run that belongs to a
    /// case, or a gate or threshold for which no case was judged. This goes before [`Exit::Missed`]: what was not scored cannot have been judged.
    Wrong = 2,
}

impl Exit {
    /// That something went wrong, or nothing.
    pub(crate) fn wrong_if(something: bool) -> Self {
        if something { Self::Wrong } else { Self::Fine }
    }

    /// The exit code of a run.
    pub(crate) fn of_run(summary: &RunSummary, skip_invalid: bool) -> Self {
        match summary.ending(skip_invalid) {
            Ending::Fine => Self::Fine,
            Ending::Missed => Self::Missed,
            Ending::Incomplete => Self::Wrong,
        }
    }
}

/// Tells what went wrong, and gives the exit code.
pub(crate) fn of_result(ended: Result<Exit, Trouble>) -> Exit {
    match ended {
        Ok(exit) => exit,
        Err(Trouble::ClosedPipe) => Exit::Fine,
        Err(Trouble::Said { message, help }) => {
            error(&message, help.as_deref());
            Exit::Wrong
        }
    }
}
