//! The run ends before its last call.

use super::{MutationOperator, OperatorGroup};
use crate::strength::change::Change;
use crate::strength::mutant::Mutant;

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "cut-off",
    summary: "the run is cut off",
    group: OperatorGroup::WholeRuns,
    weight: 12,
    needs: "there is no call",
    make: |run, random| {
        let calls = run.calls.len();
        if calls == 0 {
            return None;
        }
        let kept = random.below(calls);
        let change = Change::new(format!("the run is cut off after {kept} of {calls} calls"));
        Some(Mutant::keeping(kept, change))
    },
};
