//! A call is dropped, made twice, or added.

use rightcall_stats::Random;

use super::{MutationOperator, OperatorGroup};
use crate::strength::SubjectRun;
use crate::strength::change::Change;
use crate::strength::choice::{around, one_of};
use crate::strength::mutant::{Mutant, Step};

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "call-count",
    summary: "a call is dropped, made twice or added",
    group: OperatorGroup::SingleCalls,
    weight: 16,
    needs: "there is no call to drop or to add",
    make: |run, random| {
        let variants: [Variant; 3] = [dropped, doubled, added];
        around(&variants, random, |make, random| make(run, random))
    },
};

type Variant = for<'r, 'c, 'n> fn(&'r SubjectRun<'c>, &'n mut Random) -> Option<Mutant<'c>>;

fn dropped<'c>(run: &SubjectRun<'c>, random: &mut Random) -> Option<Mutant<'c>> {
    let at = *one_of(&run.places, random)?;
    Some(Mutant::dropping(
        run,
        at,
        Change::call(&run.calls[at], "dropped"),
    ))
}

fn doubled<'c>(run: &SubjectRun<'c>, random: &mut Random) -> Option<Mutant<'c>> {
    let at = *one_of(&run.places, random)?;
    let copy = Step::New(run.calls[at].again());
    let change = Change::call(&run.calls[at], "made twice");
    Some(Mutant::inserting(run, at + 1, vec![copy], change))
}

fn added<'c>(run: &SubjectRun<'c>, random: &mut Random) -> Option<Mutant<'c>> {
    let other = one_of(run.other_calls(), random)?.to_call();
    let change = Change::new(format!("{}: added", other.name()));
    let place = random.below(run.calls.len() + 1);
    Some(Mutant::inserting(
        run,
        place,
        vec![Step::New(other)],
        change,
    ))
}
