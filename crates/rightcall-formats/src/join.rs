//! Joins expectations and runs from different files.
//!
//! The runs are read once. For each, only the place of its text is kept, 40 bytes; the text stays on disk. Runs in inputs without random
//! access (compressed inputs, streams, traces in other shapes) are written to a temporary file.

mod build;
mod identity;
mod index;

use rightcall_core::call::Case;

pub use crate::trace::Join;
pub use build::{IndexError, LeftOutRun};
pub use identity::RunIdentity;
pub use index::TraceIndex;

/// The case of an expectation and one of its runs.
///
/// The expectation, id, tags and description are from the first case. The run, its gaps and its trial are from the second, and so are
/// input and output if the first has none. Other entries are merged; where both have a key, the run's is dropped.
pub fn join_actual<'a>(expectation: Case<'a>, run: Case<'a>) -> Case<'a> {
    let mut case = expectation;
    (case.actual, case.incomplete) = (run.actual, run.incomplete);
    // A native pair of sides is only valid within one record.
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
