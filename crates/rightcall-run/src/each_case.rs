//! Cases that are read and not judged.

use std::sync::Arc;

use rightcall::call::Case;

use crate::case_label::Labelled;
use crate::run::pieces;
use crate::{Observer, Plan, Problem, RunError};

/// Gives each case that a plan reads and selects to `each`, in input order. What cannot be read is told to the observer.
///
/// # Errors
/// An input that cannot be opened.
pub fn each_case(
    plan: &Plan,
    observer: &mut dyn Observer,
    each: &mut dyn FnMut(&Case<'_>),
) -> Result<(), RunError> {
    let mut inputs = pieces(plan, &plan.inputs, &plan.reading);
    while let Some(piece) = inputs.next_piece()? {
        let (file, before) = (Arc::clone(&piece.file), piece.records_before);
        piece.each_block(|block| {
            let block = match block {
                Ok(block) => block,
                Err(error) => return observer.problem(&Problem::BrokenInput(error)),
            };
            for (number, record) in (before..).zip(block.records()) {
                let mut give = |case: &Case<'_>| {
                    if plan.selection.admits(case, &case.label(&file, record.line)) {
                        each(case);
                    }
                };
                let read = match &record.text {
                    Ok(text) => plan.read(text, number, &mut give),
                    Err(error) => Err(error.clone().into()),
                };
                if let Err(unread) = read {
                    observer.problem(&unread.at(&file, &record));
                }
            }
        });
    }
    Ok(())
}
