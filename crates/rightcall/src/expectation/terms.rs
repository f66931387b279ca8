//! The terms that a search came to, each once, with the steps from each.

use std::cell::Cell;
use std::hash::{BuildHasher, Hash};
use std::ops::Range;

use hashbrown::HashTable;
use smallvec::SmallVec;

use super::bounds::NameBounds;

/// The number of a term.
pub(super) type Term = u32;

/// The term of the empty rest.
pub(super) const DONE: Term = 0;

/// What a term is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TermShape {
    Done,
    Leaf(u32),
    /// The children of a sequence from one on.
    Rest {
        node: u32,
        from: u32,
    },
    Then(Term, Term),
    /// The branches of a parallel block that are left, sorted: where they stand among those of all terms.
    Parallel {
        node: u32,
        branches: PartRange,
    },
    Node(u32),
    Loop {
        node: u32,
        min: u64,
        max: Option<u64>,
    },
}

/// The branches of a parallel block, of which there are few.
pub(super) type Branches = SmallVec<[Term; 8]>;

/// One step from a term to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// By a call of a leaf.
    Leaf(u32, Term),
    /// By all calls of a parallel block of plain calls, a term itself.
    Block(Term, Term),
}

/// Where the steps or the branches of a term stand among those of all terms.
pub(super) type PartRange = (u32, u32);

/// Steps that are being made: of most terms there are few.
pub(super) type NewSteps = SmallVec<[Step; 16]>;

/// A term that was reached.
pub(super) struct ReachedTerm {
    shape: TermShape,
    hash: u64,
    /// Whether nothing need follow.
    pub(super) is_nullable: bool,
    /// How often names come up in what follows.
    pub(super) bounds: NameBounds,
    /// Its steps, once they are made, where a block of plain calls is one.
    pub(super) steps: Option<PartRange>,
    /// The same call by call.
    pub(super) leaf_steps: Option<PartRange>,
}

/// The terms that were reached.
#[derive(Default)]
pub(super) struct Terms {
    reached: Vec<ReachedTerm>,
    numbers: HashTable<Term>,
    steps: Vec<Step>,
    branches: Vec<Term>,
}

thread_local! {
    /// The memory of the last search: most are small, and would take a tenth longer if each asked for its own.
    static ROOM: Cell<Terms> = Cell::default();
}

/// A search leaves room for so many terms, and states, to the next one.
pub(super) const MAX_ROOM: usize = 4_000;

impl Terms {
    /// No term yet, in the memory of the last search.
    pub(super) fn in_room() -> Self {
        ROOM.take()
    }

    /// Leaves the memory to the next search.
    pub(super) fn leave_room(mut self) {
        if self.reached.capacity() <= MAX_ROOM {
            self.reached.clear();
            self.numbers.clear();
            self.steps.clear();
            self.branches.clear();
            ROOM.set(self);
        }
    }

    pub(super) fn get(&self, term: Term) -> &ReachedTerm {
        &self.reached[term as usize]
    }

    pub(super) fn get_mut(&mut self, term: Term) -> &mut ReachedTerm {
        &mut self.reached[term as usize]
    }

    pub(super) fn shape(&self, term: Term) -> TermShape {
        self.get(term).shape
    }

    pub(super) fn branches(&self, branches: PartRange) -> &[Term] {
        &self.branches[range(branches)]
    }

    /// The step of a number.
    pub(super) fn step(&self, number: usize) -> Step {
        self.steps[number]
    }

    /// The term of a shape, if it was reached; else its hash.
    pub(super) fn find(&self, shape: TermShape) -> Result<Term, u64> {
        let hash = hash_of(&shape);
        let is_same = |known: &Term| self.shape(*known) == shape;
        self.numbers.find(hash, is_same).copied().ok_or(hash)
    }

    /// The same of a parallel block.
    pub(super) fn find_parallel(&self, node: u32, branches: &[Term]) -> Result<Term, u64> {
        let hash = hash_of(&(node, branches));
        let is_same = |known: &Term| match self.shape(*known) {
            TermShape::Parallel {
                node: other,
                branches: others,
            } => node == other && branches == self.branches(others),
            _ => false,
        };
        self.numbers.find(hash, is_same).copied().ok_or(hash)
    }

    /// Keeps the branches of a block.
    pub(super) fn keep_branches(&mut self, branches: &[Term]) -> PartRange {
        let start = self.branches.len() as u32;
        self.branches.extend_from_slice(branches);
        (start, self.branches.len() as u32)
    }

    /// Keeps steps that were made, in order, each once.
    pub(super) fn keep_steps(&mut self, made: &mut NewSteps) -> Range<usize> {
        if !made.is_sorted_by(|one, next| one < next) {
            made.sort_unstable();
            made.dedup();
        }
        let start = self.steps.len();
        self.steps.extend_from_slice(made);
        start..self.steps.len()
    }

    /// Adds a term of a new shape.
    pub(super) fn add(
        &mut self,
        (shape, hash): (TermShape, u64),
        (is_nullable, bounds): (bool, NameBounds),
    ) -> Term {
        let term = self.reached.len() as Term;
        self.reached.push(ReachedTerm {
            shape,
            hash,
            is_nullable,
            bounds,
            steps: None,
            leaf_steps: None,
        });
        let hash_of = |known: &Term| self.reached[*known as usize].hash;
        self.numbers.insert_unique(hash, term, hash_of);
        term
    }
}

fn hash_of(shape: &impl Hash) -> u64 {
    foldhash::fast::FixedState::default().hash_one(shape)
}

pub(super) fn range((start, end): PartRange) -> Range<usize> {
    start as usize..end as usize
}
