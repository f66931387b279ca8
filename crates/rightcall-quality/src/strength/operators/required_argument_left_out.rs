//! A required argument is left out.

use super::{MutationOperator, OperatorGroup};
use crate::strength::change::Change;
use crate::strength::choice::around;
use crate::strength::mutant::Mutant;

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "required-argument-left-out",
    summary: "a required argument is left out",
    group: OperatorGroup::SingleCalls,
    weight: 3,
    needs: "no call has an argument that is known to be required; --tools names the definitions of tools",
    make: |run, random| {
        around(&run.arguments(), random, |(at, member), _| {
            let call = &run.calls[at];
            let name = call.members.as_ref()?[member].name();
            let is_required = run.material.schema(call.name())?.is_required(&name);
            let change = Change::argument(call, &name, "is left out");
            is_required.then(|| Mutant::replacing(run, at, call.without(member), change))
        })
    },
};
