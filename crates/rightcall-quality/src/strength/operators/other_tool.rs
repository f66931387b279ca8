//! Another tool of the catalogue is called.

use super::{MutationOperator, OperatorGroup};
use crate::strength::change::Change;
use crate::strength::choice::around;
use crate::strength::mutant::Mutant;

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "other-tool",
    summary: "another tool is called",
    group: OperatorGroup::SingleCalls,
    weight: 27,
    needs: "there is one tool only, or no call",
    make: |run, random| {
        around(&run.places, random, |at, random| {
            let call = &run.calls[at];
            let tools = run.material.tools();
            let own = tools.iter().position(|it| it == call.name());
            let others = tools.len() - usize::from(own.is_some());
            let choice = random.below(others);
            if others == 0 {
                return None;
            }
            // Skips the call's own tool.
            let other = &tools[choice + usize::from(own.is_some_and(|own| choice >= own))];
            let change = Change::tool(call, "another tool is called", other);
            Some(Mutant::replacing(run, at, call.renamed(other), change))
        })
    },
};
