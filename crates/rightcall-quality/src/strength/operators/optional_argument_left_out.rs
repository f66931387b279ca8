//! An optional argument is left out.

use super::{MutationOperator, OperatorGroup};
use crate::strength::change::Change;
use crate::strength::choice::around;
use crate::strength::mutant::Mutant;

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "optional-argument-left-out",
    summary: "an optional argument is left out",
    group: OperatorGroup::SingleCalls,
    weight: 5,
    needs: "no call has an argument that is known to be optional; --tools names the definitions of tools",
    make: |run, random| {
        around(&run.arguments(), random, |(at, member), _| {
            let call = &run.calls[at];
            let name = call.members.as_ref()?[member].name();
            let schema = run.material.schema(call.name())?;
            let is_optional = schema.parameters().contains(&name) && !schema.is_required(&name);
            let change = Change::argument(call, &name, "is left out");
            is_optional.then(|| Mutant::replacing(run, at, call.without(member), change))
        })
    },
};
