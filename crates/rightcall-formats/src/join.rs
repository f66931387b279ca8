//! Expectations and runs that stand in different files.
//!
//! The runs are read once, and of each only the place of its text is kept, 40 bytes; the text stays on disk. Runs that cannot
//! be found again where they were read, because the input is packed, a stream or a trace of its own shape, pass through a temporary
//! file.

mod build;
mod identity;
mod index;

use rightcall::call::Case;

pub use crate::trace::Join;
pub use build::{IndexError, LeftOutRun};
pub use identity::RunIdentity;
pub use index::TraceIndex;

/// The case of an expectation and a run of it.
///
/// What was demanded, id, tags and description are the expectation's; what was done is the run's, as are its gaps, its trial, and
/// input and output where the expectation has none. Other entries are those of both; where both have a key, the run's is left out.
pub fn join_actual<'a>(expectation: Case<'a>, run: Case<'a>) -> Case<'a> {
    let mut case = expectation;
    (case.actual, case.incomplete) = (run.actual, run.incomplete);
    // An original's own sides stand in one record or not at all.
    case.native = None;
    case.trial = run.trial.or(case.trial);
    case.input = case.input.or(run.input);
    case.output = case.output.or(run.output);
    case.description = case.description.or(run.description);
    let own = case.meta.len();
    for entry in run.meta {
        if !case.meta[..own].iter().any(|(key, _)| *key == entry.0) {
            case.meta.push(entry);
        }
    }
    for tag in run.tags {
        if !case.tags.contains(&tag) {
            case.tags.push(tag);
        }
    }
    case
}

#[cfg(test)]
mod tests;
