//! Changes found without a search: edits that turn the run into the expected calls, or a series of edits that each raise the score.
//!
//! Either may be larger than needed, so edits that aren't needed to reach the score are removed afterwards.

use rightcall_core::call::Call;

use super::change::{AddedCall, RunEdit, changed};
use super::judge::Judge;
use super::search::Found;
use super::variants::{all_variants, edits_towards};

/// A change that reaches the score, and needs each of its edits for it.
pub(super) fn plan<'j>(
    run: &[Call<'j>],
    (pool, goal): (&[AddedCall], &[AddedCall]),
    judge: &mut Judge<'j>,
) -> Option<Found> {
    let edits = towards(run, goal);
    let found = reached(run, edits, judge).or_else(|| climbed(run, pool, judge))?;
    Some(without_idle(run, found, judge))
}

fn reached<'j>(run: &[Call<'j>], edits: Vec<RunEdit>, judge: &mut Judge<'j>) -> Option<Found> {
    let score = judge.score_if_reached(changed(run, &edits))?;
    Some(Found { edits, score })
}

/// The fewest edits without moves that turn a run into the expected calls, as for an edit distance, from the end to the start.
fn towards(run: &[Call<'_>], goal: &[AddedCall]) -> Vec<RunEdit> {
    let columns = goal.len() + 1;
    let becomes: Vec<Vec<Vec<RunEdit>>> = run
        .iter()
        .enumerate()
        .map(|(index, call)| {
            let towards = |named| edits_towards(index, call, named);
            goal.iter().map(towards).collect()
        })
        .collect();
    // By the first remaining call of both sides: the least number of edits for the rest.
    let mut costs = vec![0; (run.len() + 1) * columns];
    for call in (0..=run.len()).rev() {
        for expected in (0..columns).rev() {
            let at = |call: usize, expected: usize| costs[call * columns + expected];
            let mut best = run.len() - call + goal.len() - expected;
            if call < run.len() && expected < goal.len() {
                let becomes = becomes[call][expected].len() + at(call + 1, expected + 1);
                let removed = 1 + at(call + 1, expected);
                best = becomes.min(removed).min(1 + at(call, expected + 1));
            }
            costs[call * columns + expected] = best;
        }
    }
    let (mut edits, mut added) = (Vec::new(), Vec::new());
    let (mut call, mut expected) = (0, 0);
    while call < run.len() || expected < goal.len() {
        let cost = costs[call * columns + expected];
        let is = |edits: usize, call: usize, expected: usize| {
            cost == edits + costs[call * columns + expected]
        };
        if call < run.len()
            && expected < goal.len()
            && is(becomes[call][expected].len(), call + 1, expected + 1)
        {
            edits.extend(becomes[call][expected].iter().cloned());
            (call, expected) = (call + 1, expected + 1);
        } else if call < run.len() && is(1, call + 1, expected) {
            let name = run[call].name.clone().into_owned();
            edits.push(RunEdit::Remove { call, name });
            call += 1;
        } else {
            added.push(RunEdit::Add {
                call: goal[expected].clone(),
                before: call,
            });
            expected += 1;
        }
    }
    edits.extend(added);
    edits
}

/// Maximum number of steps that raise the score.
const STEPS: usize = 12;

/// Climbs greedily: each step is the edit that raises the score most, the first one on a tie.
fn climbed<'j>(run: &[Call<'j>], pool: &[AddedCall], judge: &mut Judge<'j>) -> Option<Found> {
    let mut edits: Vec<RunEdit> = Vec::new();
    let mut score = judge.score(run.to_vec())?;
    for _ in 0..STEPS {
        let mut best: Option<(Vec<RunEdit>, f64)> = None;
        for step in steps(run, pool, &edits) {
            let longer = [&edits[..], &step].concat();
            let after = judge.score(changed(run, &longer));
            let Some(after) = after.filter(|after| *after > score) else {
                continue;
            };
            if best.as_ref().is_none_or(|(_, best)| after > *best) {
                best = Some((longer, after));
            }
        }
        (edits, score) = best?;
        if let Some(found) = reached(run, edits.clone(), judge) {
            return Some(found);
        }
    }
    None
}

/// The possible next steps: edit an unedited call, remove one, or add a call.
fn steps(run: &[Call<'_>], pool: &[AddedCall], edits: &[RunEdit]) -> Vec<Vec<RunEdit>> {
    let is_edited = |index: usize| {
        edits.iter().any(|edit| match edit {
            RunEdit::Rename { call, .. }
            | RunEdit::SetArgument { call, .. }
            | RunEdit::RemoveArgument { call, .. }
            | RunEdit::Remove { call, .. }
            | RunEdit::Move { call, .. } => *call == index,
            RunEdit::Add { .. } => false,
        })
    };
    let mut steps = Vec::new();
    for (index, call) in run
        .iter()
        .enumerate()
        .filter(|(index, _)| !is_edited(*index))
    {
        let variants = all_variants(index, call, pool).0;
        steps.extend(variants.into_iter().skip(1).map(|variant| variant.edits));
        steps.push(vec![RunEdit::Remove {
            call: index,
            name: call.name.clone().into_owned(),
        }]);
    }
    for call in pool {
        let places = (0..=run.len()).rev();
        steps.extend(places.map(|before| {
            vec![RunEdit::Add {
                call: call.clone(),
                before,
            }]
        }));
    }
    steps
}

/// Removes edits that aren't needed to reach the score, one by one.
fn without_idle<'j>(run: &[Call<'j>], mut found: Found, judge: &mut Judge<'j>) -> Found {
    let mut index = 0;
    while index < found.edits.len() {
        let mut fewer = found.edits.clone();
        fewer.remove(index);
        match reached(run, fewer, judge) {
            Some(smaller) => found = smaller,
            None => index += 1,
        }
    }
    found
}
