//! The arguments of a call are cut off, so they are not valid JSON.

use super::{MutationOperator, OperatorGroup};
use crate::strength::change::Change;
use crate::strength::choice::around;
use crate::strength::mutant::Mutant;

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "unparsable-arguments",
    summary: "the arguments are not JSON",
    group: OperatorGroup::SingleCalls,
    weight: 1,
    needs: "no call recorded its arguments",
    make: |run, random| {
        around(&run.places, random, |at, _| {
            let call = &run.calls[at];
            let change = Change::call(call, "the arguments are cut off, and not JSON");
            Some(Mutant::replacing(
                run,
                at,
                call.with_broken_arguments()?,
                change,
            ))
        })
    },
};
