//! The positions of the calls in a changed run, and the edits for them.

use std::rc::Rc;

use rightcall_core::call::Call;

use super::change::{AddedCall, RunEdit};
use super::variants::Variant;

/// A call of a changed run.
#[derive(Clone, Debug)]
pub(super) struct Entry<'j> {
    pub(super) origin: Origin,
    /// The call, with its turn in the changed run.
    pub(super) call: Rc<Call<'j>>,
    /// A number shared by calls that are equal to every evaluator.
    pub(super) kind: u32,
    /// The first expected call that it equals, else the first with the same name; the number of
    /// expected calls if there is none.
    pub(super) expected: usize,
}

/// Where a call of a changed run comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// It was not moved; its index in the run.
    Kept(usize),
    /// It was moved; its index in the run.
    Moved(usize),
    /// It was added; its index in the pool.
    Added(usize),
}

/// What is done with a call of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Remove,
    /// It is replaced by a variant, and may be moved.
    Become {
        variant: usize,
        is_moved: bool,
    },
}

/// The first place to try for an expected call: after the calls expected before it.
pub(super) fn natural_place(layout: &[Entry<'_>], expected: usize) -> usize {
    let before = layout.iter().rposition(|entry| entry.expected < expected);
    let after = layout.iter().position(|entry| entry.expected > expected);
    before
        .map(|place| place + 1)
        .or(after)
        .unwrap_or(layout.len())
}

/// The possible turns of a call at a place: the previous call's, the next call's, or a separate one; none in runs without turns.
pub(super) fn turns_at(layout: &[Entry<'_>], place: usize) -> Vec<Option<u64>> {
    let turn = |entry: &Entry<'_>| entry.call.metadata().turn;
    let near = [place.checked_sub(1), Some(place)].into_iter().flatten();
    let mut turns: Vec<Option<u64>> = Vec::new();
    let own = layout
        .iter()
        .filter_map(turn)
        .max()
        .map_or(1, |most| most + 1);
    let near = near.filter_map(|near| layout.get(near).and_then(turn));
    for turn in near.chain([own]).map(Some) {
        if !turns.contains(&turn) {
            turns.push(turn);
        }
    }
    turns
}

/// The edits of a layout: the edits of each call, then moves and additions in the order of the
/// layout.
pub(super) fn edits_of(
    layout: &[Entry<'_>],
    fates: &[Fate],
    run: &[Call<'_>],
    variants: &[Vec<Variant<'_>>],
    pool: &[AddedCall],
) -> Vec<RunEdit> {
    let mut edits = Vec::new();
    for (call, fate) in fates.iter().enumerate() {
        match fate {
            Fate::Remove => edits.push(RunEdit::Remove {
                call,
                name: run[call].name.clone().into_owned(),
            }),
            Fate::Become { variant, .. } => {
                edits.extend(variants[call][*variant].edits.iter().cloned());
            }
        }
    }
    for (place, entry) in layout.iter().enumerate() {
        let kept = layout[place..].iter().find_map(|entry| match entry.origin {
            Origin::Kept(call) => Some(call),
            _ => None,
        });
        let before = kept.unwrap_or(run.len());
        let turn = entry.call.metadata().turn;
        match entry.origin {
            Origin::Kept(_) => {}
            Origin::Moved(call) => {
                let turn = turn.filter(|_| run[call].metadata().turn != turn);
                edits.push(RunEdit::Move { call, before, turn });
            }
            Origin::Added(added) => {
                let call = AddedCall {
                    turn,
                    ..pool[added].clone()
                };
                edits.push(RunEdit::Add { call, before });
            }
        }
    }
    edits
}
