//! The states that a search came to, with the best ways to each, and those that are still to be settled.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;
use smallvec::SmallVec;

use super::bounds::NamesLeft;
use super::terms::{MAX_ROOM, Term};
use super::weight::Weight;

/// A marking and a position in the actual calls.
pub(super) type SearchState = (Term, u32);

/// The number of a state, in the order in which they were come to.
pub(super) type StateNumber = u32;

/// In place of the number of a step, where there is none.
pub(super) const NO_STEP: u32 = u32::MAX;

/// What a step takes in.
#[derive(Clone, Copy, Debug)]
pub(super) enum Passage {
    /// An actual call alone.
    Extra,
    /// The call of a leaf.
    Leaf(u32),
    /// The calls of a parallel block.
    Block(Term),
}

/// A state that was come to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visited {
    pub(super) state: SearchState,
    /// What the best way to it weighs.
    pub(super) weight: Weight,
    /// The last of the steps that end such a way, or [`NO_STEP`].
    last_step: u32,
    is_settled: bool,
}

/// The last step of a best way to a state.
#[derive(Clone, Copy, Debug)]
struct LastStep {
    from: StateNumber,
    by: Passage,
    /// The step before this one that ends in the same state, or [`NO_STEP`].
    other: u32,
}

/// A step on a best path to the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct BestStep {
    pub(super) by: Passage,
    pub(super) to: StateNumber,
    /// The step before this one that begins in the same state, or [`NO_STEP`].
    pub(super) other: u32,
}

/// A state that is to be settled: the least cost of reaching the end through it, and its number, as one number that compares fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct QueuedState(u128);

impl QueuedState {
    fn new(least: Weight, number: StateNumber) -> Self {
        Self(u128::from(least.bits()) << 32 | u128::from(number))
    }

    fn least(self) -> Weight {
        Weight::from_bits((self.0 >> 32) as u64)
    }

    fn number(self) -> StateNumber {
        self.0 as StateNumber
    }
}

/// The states of a search; the first is the start.
#[derive(Debug, Default)]
pub(super) struct States {
    /// What is left of the actual calls at each position.
    pub(super) left: Vec<NamesLeft>,
    /// Settled states whose steps that cost more are still to be taken.
    pub(super) put_off: Vec<StateNumber>,
    visited: Vec<Visited>,
    numbers: HashMap<SearchState, StateNumber, foldhash::fast::FixedState>,
    last_steps: Vec<LastStep>,
    /// The steps of all best paths.
    best_steps: Vec<BestStep>,
    /// For each state the last of the steps that begin there, or [`NO_STEP`].
    best_from: Vec<u32>,
    /// In the order of their least cost.
    queue: BinaryHeap<Reverse<QueuedState>>,
}

thread_local! {
    /// The memory of the last search: most are small, and would take a tenth longer if each asked for its own.
    static ROOM: Cell<States> = Cell::default();
}

impl States {
    /// No state yet, in the memory of the last search.
    pub(super) fn in_room() -> Self {
        ROOM.take()
    }

    /// Leaves the memory to the next search.
    pub(super) fn leave_room(mut self) {
        if self.visited.capacity() <= MAX_ROOM {
            self.left.clear();
            self.put_off.clear();
            self.visited.clear();
            self.numbers.clear();
            self.last_steps.clear();
            self.best_steps.clear();
            self.best_from.clear();
            self.queue.clear();
            ROOM.set(self);
        }
    }

    /// How many states were come to.
    pub(super) fn len(&self) -> usize {
        self.visited.len()
    }

    pub(super) fn visited(&self, number: StateNumber) -> &Visited {
        &self.visited[number as usize]
    }

    /// Notes a way to a state that weighs so much, and `least` to the end, unless a better one is known.
    pub(super) fn reach(
        &mut self,
        state: SearchState,
        (weight, least): (Weight, Weight),
        step: Option<(StateNumber, Passage)>,
    ) {
        let next = self.visited.len() as StateNumber;
        let number = *self.numbers.entry(state).or_insert(next);
        if number == next {
            self.visited.push(Visited {
                state,
                weight: Weight::MAX,
                last_step: NO_STEP,
                is_settled: false,
            });
        }
        let known = &mut self.visited[number as usize];
        if weight > known.weight {
            return;
        }
        if weight < known.weight {
            (known.weight, known.last_step) = (weight, NO_STEP);
            self.queue.push(Reverse(QueuedState::new(least, number)));
        }
        if let Some((from, by)) = step {
            let last = self.last_steps.len() as u32;
            let other = std::mem::replace(&mut known.last_step, last);
            self.last_steps.push(LastStep { from, by, other });
        }
    }

    /// The next state to settle, with what it costs at least to the end.
    pub(super) fn next(&self) -> Option<(Weight, StateNumber)> {
        let Reverse(next) = self.queue.peek()?;
        Some((next.least(), next.number()))
    }

    /// Settles the next state; `None` if it was settled before.
    pub(super) fn settle_next(&mut self) -> Option<Visited> {
        let Reverse(next) = self.queue.pop()?;
        let visited = &mut self.visited[next.number() as usize];
        let was_settled = std::mem::replace(&mut visited.is_settled, true);
        (!was_settled).then_some(*visited)
    }

    /// Finds the steps of all best paths to these ends.
    pub(super) fn find_best_steps(&mut self, ends: &[StateNumber]) {
        self.best_from.resize(self.visited.len(), NO_STEP);
        let mut open: SmallVec<[StateNumber; 32]> = ends.into();
        while let Some(to) = open.pop() {
            let mut next = self.visited(to).last_step;
            while let Some(&LastStep { from, by, other }) = self.last_steps.get(next as usize) {
                next = other;
                let best_from = &mut self.best_from[from as usize];
                let other = std::mem::replace(best_from, self.best_steps.len() as u32);
                self.best_steps.push(BestStep { by, to, other });
                if other == NO_STEP {
                    open.push(from);
                }
            }
        }
    }

    /// The last of the best steps that begin in a state.
    pub(super) fn best_step_from(&self, state: StateNumber) -> Option<BestStep> {
        self.best_step(self.best_from[state as usize])
    }

    /// A best step by its number.
    pub(super) fn best_step(&self, number: u32) -> Option<BestStep> {
        self.best_steps.get(number as usize).copied()
    }
}
