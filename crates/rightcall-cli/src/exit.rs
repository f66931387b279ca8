//! All exit codes.

use rightcall_results::{Ending, RunSummary};

use crate::messages::{Trouble, error};

/// The result of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Success, including a closed standard output (`| head`).
    Success = 0,
    /// A gate of the suite failed. In a run without gates: a score was below a threshold that the user set, a case had no run, or an
    /// evaluator with its own verdict failed a case.
    Failed = 1,
    /// Wrong usage, unreadable input, an evaluation error, no case to score, no run that matches a case, or a gate or threshold that judged
    /// no case. It takes precedence over [`Exit::Failed`]: a case that was not scored cannot have been judged.
    NotJudged = 2,
}

impl Exit {
    /// [`Exit::NotJudged`] if the condition holds, else [`Exit::Success`].
    pub(crate) fn not_judged_if(something: bool) -> Self {
        if something {
            Self::NotJudged
        } else {
            Self::Success
        }
    }

    /// The exit code of a run.
    pub(crate) fn of_run(summary: &RunSummary, skip_invalid: bool) -> Self {
        match summary.ending(skip_invalid) {
            Ending::Fine => Self::Success,
            Ending::Missed => Self::Failed,
            Ending::Incomplete => Self::NotJudged,
        }
    }
}

/// Reports the error, if any, and returns the exit code.
pub(crate) fn of_result(ended: Result<Exit, Trouble>) -> Exit {
    match ended {
        Ok(exit) => exit,
        Err(Trouble::ClosedPipe) => Exit::Success,
        Err(Trouble::Said { message, help }) => {
            error(&message, help.as_deref());
            Exit::NotJudged
        }
    }
}
