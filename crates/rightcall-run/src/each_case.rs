//! Reads cases without scoring them.

use rightcall_core::call::Case;
use rightcall_formats::Report;

use crate::case_label::Labelled;
use crate::records::each_record;
use crate::run::pieces;
use crate::{Observer, Plan, RunError};

/// Passes each case that a plan reads and selects to `each`, in input order. Unreadable records are reported to the observer. Returns the
/// report on parts that the readers left out.
///
/// # Errors
/// An input that cannot be opened.
pub fn each_case(
    plan: &Plan,
    observer: &mut dyn Observer,
    each: &mut dyn FnMut(&Case<'_>),
) -> Result<Report, RunError> {
    each_labelled_case(plan, observer, &mut |case, _| each(case))
}

/// The same with the name of each case: its id, or `FILE:LINE` without one.
///
/// # Errors
/// See [`each_case`].
pub fn each_labelled_case(
    plan: &Plan,
    observer: &mut dyn Observer,
    each: &mut dyn FnMut(&Case<'_>, &str),
) -> Result<Report, RunError> {
    let mut inputs = pieces(plan, &plan.inputs, &plan.reading);
    let mut left_out = Report::default();
    while let Some(piece) = inputs.next_piece()? {
        each_record(piece, observer, &mut left_out, &mut |record, place| {
            plan.read(record, place.number, &mut |case| {
                let label = case.label(place.file, place.at);
                if plan.selection.admits(case, &label) {
                    each(case, &label);
                }
            })
        });
    }
    Ok(left_out)
}
