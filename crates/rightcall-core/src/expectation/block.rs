//! Matches a parallel block of plain calls with an interval of the actual calls.
//!
//! The calls may come in any order, so no marking is needed for each subset. The number of full pairs is a maximum matching per name; the
//! remaining calls of a name are paired by name alone.

use smallvec::{SmallVec, smallvec};

use super::facts::FastMap;
use super::matches::MatchTable;
use super::name_matching::NameMatching;
use super::name_part::NamePart;
use super::weight::Weight;

/// The calls of a block, grouped by name.
#[derive(Clone, Debug)]
pub(super) struct PlainBlock {
    /// In written order.
    pub(super) leaves: Vec<u32>,
    /// The numbers of the block's names, ascending.
    names: SmallVec<[u32; 8]>,
    /// The leaves and calls of each name.
    pub(super) parts: SmallVec<[NamePart; 4]>,
}

impl PlainBlock {
    pub(super) fn new(leaves: Vec<u32>, table: &MatchTable<'_>) -> Self {
        let name = |leaf: &u32| table.leaf_names[*leaf as usize];
        let mut names: SmallVec<[u32; 8]> = leaves.iter().map(name).collect();
        names.sort_unstable();
        names.dedup();
        let mut members: SmallVec<[_; 4]> =
            smallvec![<(SmallVec<_>, SmallVec<_>)>::default(); names.len()];
        for leaf in &leaves {
            if let Ok(part) = names.binary_search(&name(leaf)) {
                members[part].0.push(*leaf);
            }
        }
        for (position, name) in table.actual_names.iter().enumerate() {
            if let Ok(part) = names.binary_search(name) {
                members[part].1.push(position as u32);
            }
        }
        Self {
            leaves,
            names,
            parts: (members.into_iter())
                .map(|(leaves, calls)| NamePart::new(leaves, calls, table))
                .collect(),
        }
    }

    /// The index of a name's part, if the block has the name.
    pub(super) fn part(&self, name: u32) -> Option<usize> {
        self.names.binary_search(&name).ok()
    }

    /// The block's weight over the intervals that start at a position, each with its end. Intervals that begin or end with a call of a name
    /// not in the block are left out, since the shorter interval serves as well.
    pub(super) fn weights(&self, from: usize, table: &MatchTable<'_>) -> Vec<(usize, Weight)> {
        let count = self.leaves.len() as u64;
        let mut weights = Vec::with_capacity(table.actual_len() - from + 1);
        weights.push((from, Weight::new(count, 0, count)));
        let part = |actual: usize| self.part(table.actual_names[actual]);
        if from == table.actual_len() || part(from).is_none() {
            return weights;
        }
        let mut matchings = self.matchings(from);
        let (mut pairs, mut full) = (0, 0);
        for actual in from..table.actual_len() {
            let Some(part) = part(actual) else { continue };
            let matching = &mut matchings[part];
            let before = (matching.pairs(), matching.full);
            matching.add_next();
            pairs += (matching.pairs() - before.0) as u64;
            full += (matching.full - before.1) as u64;
            let calls = (actual + 1 - from) as u64;
            let cost = (count - pairs) + (calls - pairs) + (pairs - full);
            weights.push((actual + 1, Weight::new(cost, calls - full, count)));
        }
        weights
    }

    /// The block's weight over all calls from a position on, if the block may be incomplete: missed calls don't count.
    pub(super) fn prefix_weight(&self, from: usize, table: &MatchTable<'_>) -> Weight {
        let mut matchings = self.matchings(from);
        for matching in &mut matchings {
            while matching.add_next() {}
        }
        let calls = (table.actual_len() - from) as u64;
        let full: usize = matchings.iter().map(|it| it.full).sum();
        let pairs: usize = matchings.iter().map(NameMatching::pairs).sum();
        let cost = (calls - pairs as u64) + (pairs - full) as u64;
        Weight::new(cost, calls - full as u64, pairs as u64)
    }

    /// Empty matchings of all names, for the calls from a position on.
    fn matchings(&self, from: usize) -> SmallVec<[NameMatching<'_>; 4]> {
        let parts = self.parts.iter();
        parts
            .map(|part| NameMatching::new(part, part.call_from(from)))
            .collect()
    }

    /// The position of each leaf in its part.
    pub(super) fn places(&self, table: &MatchTable<'_>) -> Vec<LeafPlace> {
        let mut kinds = FastMap::default();
        let mut next: SmallVec<[u32; 8]> = smallvec![0; self.parts.len()];
        let place = |leaf: &u32| {
            let name = table.leaf_names[*leaf as usize];
            let part = self.part(name).unwrap_or_default();
            next[part] += 1;
            let count = kinds.len() as u32;
            LeafPlace {
                leaf: *leaf,
                part: part as u32,
                number: next[part] - 1,
                kind: *kinds.entry((name, table.row(*leaf))).or_insert(count),
            }
        };
        self.leaves.iter().map(place).collect()
    }
}

/// The position of a leaf of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeafPlace {
    pub(super) leaf: u32,
    pub(super) part: u32,
    /// The index of the leaf in its part.
    pub(super) number: u32,
    /// Leaves that match the same calls have the same kind.
    pub(super) kind: u32,
}
