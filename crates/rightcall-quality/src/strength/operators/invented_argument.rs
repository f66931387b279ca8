//! A call has an argument that its tool does not take.

use super::{MutationOperator, OperatorGroup};
use crate::strength::arguments::Member;
use crate::strength::change::Change;
use crate::strength::choice::around;
use crate::strength::mutant::Mutant;

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "invented-argument",
    summary: "an argument is invented",
    group: OperatorGroup::SingleCalls,
    weight: 1,
    needs: "no call recorded its arguments",
    make: |run, random| {
        around(&run.places, random, |at, _| {
            let call = &run.calls[at];
            let mut members = call.members.clone()?;
            let schema = run.material.schema(call.name());
            let is_free = |name: &&&str| {
                let has_it = members.iter().any(|it| it.name() == **name);
                !has_it && schema.is_none_or(|it| it.parameters().iter().all(|it| it != **name))
            };
            let name = *INVENTED.iter().find(is_free)?;
            members.push(Member::new(name, "true"));
            let change = Change::argument(call, name, "is invented");
            Some(Mutant::replacing(
                run,
                at,
                call.with_members(&members),
                change,
            ))
        })
    },
};

/// Arguments that models invent. The first one that the tool does not take is added.
const INVENTED: [&str; 4] = ["verbose", "force", "confirm", "include_details"];
