//! The states that a search has reached, the best paths to each, and the queue of unsettled states.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;
use smallvec::SmallVec;

use super::bounds::NamesLeft;
use super::terms::{MAX_KEPT, Term};
use super::weight::Weight;

/// A marking and a position in the actual calls.
pub(super) type SearchState = (Term, u32);

/// The number of a state, in the order of discovery.
pub(super) type StateNumber = u32;

/// Marks a missing step.
pub(super) const NO_STEP: u32 = u32::MAX;

/// The calls that a step consumes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Passage {
    /// Only an actual call.
    Extra,
    /// The call of a leaf.
    Leaf(u32),
    /// The calls of a parallel block.
    Block(Term),
}

/// A reached state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visited {
    pub(super) state: SearchState,
    /// The weight of the best path to it.
    pub(super) weight: Weight,
    /// The last recorded step that ends a best path to it, or [`NO_STEP`].
    last_step: u32,
    is_settled: bool,
}

/// The last step of a best path to a state.
#[derive(Clone, Copy, Debug)]
struct LastStep {
    from: StateNumber,
    by: Passage,
    /// The previous step that ends in the same state, or [`NO_STEP`].
    other: u32,
}

/// A step on a best path to the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct BestStep {
    pub(super) by: Passage,
    pub(super) to: StateNumber,
    /// The previous step that starts in the same state, or [`NO_STEP`].
    pub(super) other: u32,
}

/// A queued state: its lower bound and its number, packed into one number that compares fast.
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

/// The states of a search; the first is the start state.
#[derive(Debug, Default)]
pub(super) struct States {
    /// The actual calls left at each position.
    pub(super) left: Vec<NamesLeft>,
    /// Settled states with deferred steps.
    pub(super) deferred: Vec<StateNumber>,
    visited: Vec<Visited>,
    numbers: HashMap<SearchState, StateNumber, foldhash::fast::FixedState>,
    last_steps: Vec<LastStep>,
    /// The steps of all best paths.
    best_steps: Vec<BestStep>,
    /// For each state, the last recorded step that starts there, or [`NO_STEP`].
    best_from: Vec<u32>,
    /// Ordered by lower bound.
    queue: BinaryHeap<Reverse<QueuedState>>,
}

thread_local! {
    /// The buffers of the last search. Most searches are small and would take a tenth longer if each allocated its own.
    static BUFFERS: Cell<States> = Cell::default();
}

impl States {
    /// No states, in the buffers of the last search.
    pub(super) fn with_kept_buffers() -> Self {
        BUFFERS.take()
    }

    /// Keeps the buffers for the next search.
    pub(super) fn keep_buffers(mut self) {
        if self.visited.capacity() <= MAX_KEPT {
            self.left.clear();
            self.deferred.clear();
            self.visited.clear();
            self.numbers.clear();
            self.last_steps.clear();
            self.best_steps.clear();
            self.best_from.clear();
            self.queue.clear();
            BUFFERS.set(self);
        }
    }

    /// Number of reached states.
    pub(super) fn len(&self) -> usize {
        self.visited.len()
    }

    pub(super) fn visited(&self, number: StateNumber) -> &Visited {
        &self.visited[number as usize]
    }

    /// Records a path to a state with its weight and lower bound, unless a better path is known.
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

    /// The next state to settle, with its lower bound.
    pub(super) fn next(&self) -> Option<(Weight, StateNumber)> {
        let Reverse(next) = self.queue.peek()?;
        Some((next.least(), next.number()))
    }

    /// Settles the next state; `None` if it is already settled.
    pub(super) fn settle_next(&mut self) -> Option<Visited> {
        let Reverse(next) = self.queue.pop()?;
        let visited = &mut self.visited[next.number() as usize];
        let was_settled = std::mem::replace(&mut visited.is_settled, true);
        (!was_settled).then_some(*visited)
    }

    /// Finds the steps of all best paths to these end states.
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

    /// The last recorded best step that starts in a state.
    pub(super) fn best_step_from(&self, state: StateNumber) -> Option<BestStep> {
        self.best_step(self.best_from[state as usize])
    }

    /// The best step with this number.
    pub(super) fn best_step(&self, number: u32) -> Option<BestStep> {
        self.best_steps.get(number as usize).copied()
    }
}
