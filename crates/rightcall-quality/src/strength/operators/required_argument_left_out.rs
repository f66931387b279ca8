//! A required argument is left out.

use super::{MutationOperator, OperatorGroup};
use crate::strength::choice::around;
use crate::strength::mutant::Mutant;

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "required-argument-left-out",
    summary: "a required argument is left out",
    group: OperatorGroup::SingleCalls,
    weight: 3,
    needs: "no call has an argument that is known to be required; --tools names the definitions of tools",
    make: |run, random| {
        around(&run.arguments, random, |place, _| {
            let name = run.argument(place)?.name();
            let schema = run.material.schema(run.calls[place.0].name())?;
            let is_required = schema.is_required(&name);
            is_required.then(|| Mutant::without_argument(run, place, &name))
        })
    },
};
