//! A step is repeated once or twice, although its result is known.

use super::{MutationOperator, OperatorGroup};
use crate::strength::change::Change;
use crate::strength::mutant::{Mutant, Step};

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "step-repeated",
    summary: "a step is repeated",
    group: OperatorGroup::WholeRuns,
    weight: 30,
    needs: "there is no call",
    make: |run, random| {
        let calls = &run.calls;
        if calls.is_empty() {
            return None;
        }
        let length = 1 + random.below(calls.len().min(MAX_CALLS));
        let start = random.below(calls.len() - length + 1);
        let times = 1 + random.below(2);
        let step = calls[start..start + length].iter();
        let copies = (0..times).flat_map(|_| step.clone().map(|it| Step::New(it.again())));
        let calls_word = if length == 1 { "call" } else { "calls" };
        let often = if times == 1 { "once" } else { "twice" };
        let words = format!("the step of {length} {calls_word} is repeated {often}");
        let change = Change::call(&calls[start], &words);
        Some(Mutant::inserting(
            run,
            start + length,
            copies.collect(),
            change,
        ))
    },
};

/// Maximum number of calls in a step.
const MAX_CALLS: usize = 3;
