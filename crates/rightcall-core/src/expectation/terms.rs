//! The terms that a search has reached, each stored once, with their steps.

use std::cell::Cell;
use std::hash::{BuildHasher, Hash};
use std::ops::Range;

use hashbrown::HashTable;
use smallvec::SmallVec;

use super::bounds::NameBounds;

/// The number of a term.
pub(super) type Term = u32;

/// The term of an empty rest.
pub(super) const DONE: Term = 0;

/// The structure of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TermShape {
    Done,
    Leaf(u32),
    /// The children of a sequence, starting at one.
    Rest {
        node: u32,
        from: u32,
    },
    Then(Term, Term),
    /// The remaining branches of a parallel block, sorted: their range in the list of all branches.
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

/// The branches of a parallel block; usually few.
pub(super) type Branches = SmallVec<[Term; 8]>;

/// A step from one term to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// The call of a leaf.
    Leaf(u32, Term),
    /// All calls of a block of plain calls; the block is a term itself.
    Block(Term, Term),
}

/// The range of a term's steps or branches in the list of all.
pub(super) type PartRange = (u32, u32);

/// Steps being created; usually few.
pub(super) type NewSteps = SmallVec<[Step; 16]>;

/// A reached term.
pub(super) struct ReachedTerm {
    shape: TermShape,
    hash: u64,
    /// True if a run may end here.
    pub(super) is_nullable: bool,
    /// The bounds of the calls that follow, per name.
    pub(super) bounds: NameBounds,
    /// Its steps once created; a block of plain calls is a single step.
    pub(super) steps: Option<PartRange>,
    /// Its steps call by call, once created.
    pub(super) leaf_steps: Option<PartRange>,
}

/// The reached terms.
#[derive(Default)]
pub(super) struct Terms {
    reached: Vec<ReachedTerm>,
    numbers: HashTable<Term>,
    steps: Vec<Step>,
    branches: Vec<Term>,
}

thread_local! {
    /// The buffers of the last search. Most searches are small and would take a tenth longer if each allocated its own.
    static BUFFERS: Cell<Terms> = Cell::default();
}

/// Maximum number of terms, and of states, that kept buffers have room for.
pub(super) const MAX_KEPT: usize = 4_000;

impl Terms {
    /// No terms, in the buffers of the last search.
    pub(super) fn with_kept_buffers() -> Self {
        BUFFERS.take()
    }

    /// Keeps the buffers for the next search.
    pub(super) fn keep_buffers(mut self) {
        if self.reached.capacity() <= MAX_KEPT {
            self.reached.clear();
            self.numbers.clear();
            self.steps.clear();
            self.branches.clear();
            BUFFERS.set(self);
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

    /// The step with this number.
    pub(super) fn step(&self, number: usize) -> Step {
        self.steps[number]
    }

    /// The term with this shape, or the shape's hash if there is none.
    pub(super) fn find(&self, shape: TermShape) -> Result<Term, u64> {
        let hash = hash_of(&shape);
        let is_same = |known: &Term| self.shape(*known) == shape;
        self.numbers.find(hash, is_same).copied().ok_or(hash)
    }

    /// The term of a parallel block, or its hash if there is none.
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

    /// Stores the branches of a block.
    pub(super) fn keep_branches(&mut self, branches: &[Term]) -> PartRange {
        let start = self.branches.len() as u32;
        self.branches.extend_from_slice(branches);
        (start, self.branches.len() as u32)
    }

    /// Stores created steps, sorted and without duplicates.
    pub(super) fn keep_steps(&mut self, made: &mut NewSteps) -> Range<usize> {
        if !made.is_sorted_by(|one, next| one < next) {
            made.sort_unstable();
            made.dedup();
        }
        let start = self.steps.len();
        self.steps.extend_from_slice(made);
        start..self.steps.len()
    }

    /// Adds a term with a new shape.
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
