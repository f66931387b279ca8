//! Another tool of the catalogue is called.

use super::{MutationOperator, OperatorGroup};
use crate::strength::change::Change;
use crate::strength::choice::{around, one_of};
use crate::strength::mutant::Mutant;

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "other-tool",
    summary: "another tool is called",
    group: OperatorGroup::SingleCalls,
    weight: 27,
    needs: "there is one tool only, or no call",
    make: |run, random| {
        around(&run.places(), random, |at, random| {
            let call = &run.calls[at];
            let others = run
                .material
                .tools()
                .iter()
                .filter(|it| **it != *call.name());
            let others: Vec<_> = others.collect();
            let other = one_of(&others, random)?;
            let change = Change::tool(call, "another tool is called", other);
            Some(Mutant::replacing(run, at, call.renamed(other), change))
        })
    },
};
