//! Maintains a maximum matching between the leaves of one name and its actual calls. Its edges are
//! full matches, and calls are added one by one.
//!
//! Each new call adds at most one augmenting path, so paired calls stay paired. Among all sets of
//! calls that can be paired, the matching pairs the lexicographically first in the order of adding
//! (the greedy basis of a transversal matroid).
//!
//! Sources: Berge, *Two theorems in graph theory* (1957), for augmenting paths; Edmonds and Fulkerson, *Transversals and matroid partition*
//! (1965).

use smallvec::{SmallVec, smallvec};

use super::bits::BitSet;
use super::name_part::NamePart;

/// Marks a missing leaf or call.
pub(super) const NONE: u32 = u32::MAX;

/// One number for each leaf or call of a name; usually few.
pub(super) type Numbers = SmallVec<[u32; 4]>;

/// A maximum matching of the leaves of one name, extended call by call.
#[derive(Debug)]
pub(super) struct NameMatching<'b> {
    part: &'b NamePart,
    /// The call paired with each leaf, or [`NONE`].
    pub(super) call_of: Numbers,
    /// The leaves without a call.
    free: BitSet,
    /// The next call to add.
    next: usize,
    /// Number of calls added.
    calls: usize,
    /// Number of full pairs.
    pub(super) full: usize,
}

impl<'b> NameMatching<'b> {
    /// An empty matching; `next` is the first call to add.
    pub(super) fn new(part: &'b NamePart, next: usize) -> Self {
        Self {
            part,
            call_of: smallvec![NONE; part.leaves.len()],
            free: BitSet::all(part.leaves.len()),
            next,
            calls: 0,
            full: 0,
        }
    }

    /// Adds the next call of the name; false if there is none.
    pub(super) fn add_next(&mut self) -> bool {
        let call = self.next;
        if call == self.part.calls.len() {
            return false;
        }
        self.next += 1;
        self.add(call);
        true
    }

    /// Adds a call.
    pub(super) fn add(&mut self, call: usize) {
        self.calls += 1;
        if self.full == self.call_of.len() {
            return;
        }
        let direct = self.free.common(self.part.of_calls.row(call)).next();
        match direct {
            Some(free) => self.pair(free, call),
            None => self.find_path(call),
        }
    }

    fn pair(&mut self, free: usize, call: usize) {
        self.call_of[free] = call as u32;
        self.free.remove(free);
        self.full += 1;
    }

    /// Searches for an augmenting path from a call, breadth first.
    fn find_path(&mut self, call: usize) {
        // For each leaf, the leaf through which the search reached it.
        let mut reached_from: Numbers = smallvec![NONE; self.call_of.len()];
        let mut unreached = BitSet::all(self.call_of.len());
        let mut queue: SmallVec<[(usize, u32); 8]> = smallvec![(call, NONE)];
        let mut next = 0;
        while let Some(&(from_call, from_leaf)) = queue.get(next) {
            next += 1;
            let matched = self.part.of_calls.row(from_call);
            let reached: SmallVec<[usize; 8]> = unreached.common(matched).collect();
            for leaf in reached {
                unreached.remove(leaf);
                reached_from[leaf] = from_leaf;
                match self.call_of[leaf] {
                    NONE => return self.augment(call, leaf, &reached_from),
                    paired => queue.push((paired as usize, leaf as u32)),
                }
            }
        }
    }

    /// Shifts the pairs along the path.
    fn augment(&mut self, call: usize, free: usize, reached_from: &[u32]) {
        self.free.remove(free);
        let mut leaf = free;
        while reached_from[leaf] != NONE {
            let before = reached_from[leaf] as usize;
            self.call_of[leaf] = self.call_of[before];
            leaf = before;
        }
        self.call_of[leaf] = call as u32;
        self.full += 1;
    }

    /// Number of pairs, full or by name alone.
    pub(super) fn pairs(&self) -> usize {
        self.call_of.len().min(self.calls)
    }
}
