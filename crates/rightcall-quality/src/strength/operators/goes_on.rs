//! The agent goes on after its task is done.

use super::{MutationOperator, OperatorGroup};
use crate::strength::change::Change;
use crate::strength::choice::one_of;
use crate::strength::mutant::{Mutant, Step};

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "goes-on",
    summary: "the agent goes on after the end",
    group: OperatorGroup::WholeRuns,
    weight: 24,
    needs: "no other run has a call that this one has not",
    make: |run, random| {
        let others = run.other_calls();
        let number = 1 + random.below(MAX_CALLS);
        let more = (0..number)
            .map(|_| one_of(others, random))
            .collect::<Option<Vec<_>>>()?;
        let calls = if number == 1 { "call" } else { "calls" };
        let names: Vec<_> = more.iter().map(|it| it.name.as_str()).collect();
        let change = Change::new(format!(
            "goes on after the end with {number} {calls}: {}",
            names.join(", ")
        ));
        let steps = more.iter().map(|it| Step::New(it.to_call())).collect();
        Some(Mutant::inserting(run, run.calls.len(), steps, change))
    },
};

/// Maximum number of calls after the end.
const MAX_CALLS: usize = 3;
