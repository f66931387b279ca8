//! An argument has a value that a tool returned in another case.

use super::{MutationOperator, OperatorGroup};
use crate::strength::change::Change;
use crate::strength::choice::{around, one_of};
use crate::strength::mutant::Mutant;

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "value-of-another-case",
    summary: "a value of another case's result",
    group: OperatorGroup::WholeRuns,
    weight: 8,
    needs: "no result of another case has a value for an argument, or results were not recorded",
    make: |run, random| {
        around(&run.arguments(), random, |(at, member), random| {
            let call = &run.calls[at];
            let mut members = call.members.clone()?;
            let keys = run.keys_of(at, member);
            let changed = &mut members[member];
            let others = run
                .material
                .results_elsewhere(run.case, &keys, &changed.json);
            let after = (*one_of(&others, random)?).to_owned();
            let words = "has a value of another case's result";
            let change = Change::value(call, &changed.name(), words, &changed.json, &after);
            changed.json = after;
            Some(Mutant::replacing(
                run,
                at,
                call.with_members(&members),
                change,
            ))
        })
    },
};
