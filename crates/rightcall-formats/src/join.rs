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
/// input and output if the first has none. Other entries are merged. Where both have a key, the run's is dropped, unless the case has a
/// run of its own: then the case's value, such as its model or reward, is a fact of the replaced run.
pub fn join_actual<'a>(expectation: Case<'a>, run: Case<'a>) -> Case<'a> {
    let mut case = expectation;
    if case.actual.is_some() {
        case.meta
            .retain(|(key, _)| run.meta.iter().all(|(new, _)| new != key));
    }
    case = without_actual(case);
    (case.actual, case.incomplete) = (run.actual, run.incomplete);
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

/// The case without its own run and the output of that run: runs from other files replace it.
pub fn without_actual(case: Case<'_>) -> Case<'_> {
    Case {
        output: case.output.filter(|_| case.actual.is_none()),
        actual: None,
        incomplete: None,
        // A native pair of sides is only valid within one record.
        native: None,
        ..case
    }
}

#[cfg(test)]
mod tests;
