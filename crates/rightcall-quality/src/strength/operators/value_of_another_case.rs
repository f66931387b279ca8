//! An argument has a value that a tool returned in another case.

use super::{MutationOperator, OperatorGroup};
use crate::strength::choice::{around, one_of};
use crate::strength::mutant::Mutant;

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "value-of-another-case",
    summary: "a value of another case's result",
    group: OperatorGroup::WholeRuns,
    weight: 8,
    needs: "no result of another case has a value for an argument, or results were not recorded",
    make: |run, random| {
        around(&run.arguments, random, |place, random| {
            let (keys, json) = (run.keys_of(place), &run.argument(place)?.json);
            let others = run.material.results_elsewhere(run.case, &keys, json);
            let after = (*one_of(&others, random)?).to_owned();
            let words = "has a value of another case's result";
            Mutant::with_value(run, place, words, after)
        })
    },
};
