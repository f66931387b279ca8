//! A call that failed is made again without a change.

use super::{MutationOperator, OperatorGroup};
use crate::strength::change::Change;
use crate::strength::choice::around;
use crate::strength::mutant::{Mutant, Step};

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "failed-call-again",
    summary: "the same failed call is made again",
    group: OperatorGroup::WholeRuns,
    weight: 10,
    needs: "no call is recorded as failed",
    make: |run, random| {
        around(&run.places, random, |at, random| {
            let call = &run.calls[at];
            if call.call.failed() != Some(true) {
                return None;
            }
            let times = random.below(TIMES.len());
            let copies = (0..=times).map(|_| Step::New(call.again())).collect();
            let change = Change::call(call, &format!("failed, and is made {} more", TIMES[times]));
            Some(Mutant::inserting(run, at + 1, copies, change))
        })
    },
};

/// How often it is made again.
const TIMES: [&str; 3] = ["once", "twice", "three times"];
