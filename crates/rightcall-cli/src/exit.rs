//! All exit codes.

use rightcall_results::{Ending, RunSummary};

use crate::messages::{Trouble, error};

/// The result of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Success, including a closed standard output (`| head`).
    Fine = 0,
    /// A gate of the suite failed. In a run without gates: a score was below a threshold that the user set, a case had no run, or an
    /// evaluator with its own verdict failed a case.
    Missed = 1,
    /// Wrong usage, unreadable input, an evaluation error, no case to score, no run that matches a case, or a gate or threshold that judged
    /// no case. It takes precedence over [`Exit::Missed`]: a case that was not scored cannot have been judged.
    Wrong = 2,
}

impl Exit {
    /// [`Exit::Wrong`] if the condition holds, else [`Exit::Fine`].
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

/// Reports the error, if any, and returns the exit code.
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
