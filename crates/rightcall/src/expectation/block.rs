//! A parallel block of plain calls inside an interval of the actual calls.
//!
//! Its calls may come in any order, so no marking is needed for each subset: how many can be paired in full is a maximum matching for
//! each name, and all other calls of a name pair by name alone as far as they go. Growing the interval by a call adds one augmenting
//! path, which takes linear time in the matches of the name.
//!
//! Source: Kuhn, *The Hungarian method for the assignment problem* (1955), 2; Berge (1957) for augmenting paths.

use smallvec::{SmallVec, smallvec};

use super::matches::MatchTable;
use super::weight::Weight;

/// What calls are worth at each position.
type Values = SmallVec<[u32; 24]>;

/// Leaves of one name, of which there are few.
type Leaves = SmallVec<[u32; 4]>;

/// The calls of a block, by name.
#[derive(Clone, Debug)]
pub(super) struct PlainBlock {
    /// In order.
    leaves: Vec<u32>,
    /// The numbers of names that come up, in order.
    names: SmallVec<[u32; 8]>,
    /// The leaves of each name, in order.
    leaves_of: SmallVec<[Leaves; 8]>,
}

/// A maximum matching of the leaves of one name, as calls are added.
struct NameMatching<'t> {
    table: &'t MatchTable<'t>,
    leaves: &'t [u32],
    /// The call that each leaf is paired with.
    call_of: SmallVec<[Option<u32>; 8]>,
    /// Calls of the name that were added.
    calls: usize,
    full: usize,
}

impl<'t> NameMatching<'t> {
    fn new(table: &'t MatchTable<'t>, leaves: &'t [u32]) -> Self {
        Self {
            table,
            call_of: smallvec![None; leaves.len()],
            leaves,
            calls: 0,
            full: 0,
        }
    }

    /// Adds a call of the name.
    fn add(&mut self, call: usize) {
        self.calls += 1;
        let is_free = |leaf: &usize| {
            self.call_of[*leaf].is_none() && self.table.is_full(self.leaves[*leaf], call)
        };
        if let Some(free) = (0..self.leaves.len()).find(is_free) {
            self.call_of[free] = Some(call as u32);
            self.full += 1;
        } else if self.full < self.leaves.len() {
            self.find_path(call);
        }
    }

    /// Looks for an augmenting path from a call breadth first.
    fn find_path(&mut self, call: usize) {
        // By leaf, the leaf whose call led to it.
        let mut reached_from = vec![None; self.leaves.len()];
        let mut is_reached = vec![false; self.leaves.len()];
        let mut queue = vec![(call, None)];
        let mut next = 0;
        while let Some(&(from_call, from_leaf)) = queue.get(next) {
            next += 1;
            for leaf in 0..self.leaves.len() {
                if is_reached[leaf] || !self.table.is_full(self.leaves[leaf], from_call) {
                    continue;
                }
                is_reached[leaf] = true;
                reached_from[leaf] = from_leaf;
                let Some(paired) = self.call_of[leaf] else {
                    self.augment(call, leaf, &reached_from);
                    self.full += 1;
                    return;
                };
                queue.push((paired as usize, Some(leaf)));
            }
        }
    }

    /// Moves each pair on the path on by one.
    fn augment(&mut self, call: usize, free: usize, reached_from: &[Option<usize>]) {
        let mut leaf = free;
        while let Some(before) = reached_from[leaf] {
            self.call_of[leaf] = self.call_of[before];
            leaf = before;
        }
        self.call_of[leaf] = Some(call as u32);
    }

    /// Pairs that are possible, those in full counted twice.
    fn value(&self) -> usize {
        self.full + self.leaves.len().min(self.calls)
    }
}

impl PlainBlock {
    pub(super) fn new(leaves: Vec<u32>, table: &MatchTable<'_>) -> Self {
        let name = |leaf: &u32| table.leaf_names[*leaf as usize];
        let mut names: SmallVec<_> = leaves.iter().map(name).collect();
        names.sort_unstable();
        names.dedup();
        let mut leaves_of: SmallVec<[Leaves; 8]> = smallvec![Leaves::new(); names.len()];
        for leaf in &leaves {
            if let Ok(part) = names.binary_search(&name(leaf)) {
                leaves_of[part].push(*leaf);
            }
        }
        Self {
            leaves,
            names,
            leaves_of,
        }
    }

    /// The matchings of all names, with no call yet.
    fn matchings<'t>(&'t self, table: &'t MatchTable<'t>) -> SmallVec<[NameMatching<'t>; 4]> {
        let leaves_of = self.leaves_of.iter();
        leaves_of
            .map(|leaves| NameMatching::new(table, leaves))
            .collect()
    }

    /// What the block comes to over the intervals from a position on, each with its end. An interval that begins or ends with a call of
    /// no name of the block is left out, for the shorter one is the same.
    pub(super) fn weights(&self, from: usize, table: &MatchTable<'_>) -> Vec<(usize, Weight)> {
        let count = self.leaves.len() as u64;
        let mut weights = Vec::with_capacity(table.actual_len() - from + 1);
        weights.push((from, Weight::new(count, 0, count)));
        let part = |actual: usize| self.names.binary_search(&table.actual_names[actual]).ok();
        if from == table.actual_len() || part(from).is_none() {
            return weights;
        }
        let mut matchings = self.matchings(table);
        let (mut pairs, mut full) = (0, 0);
        for actual in from..table.actual_len() {
            let Some(part) = part(actual) else { continue };
            let matching = &mut matchings[part];
            let before = (matching.leaves.len().min(matching.calls), matching.full);
            matching.add(actual);
            pairs += (matching.leaves.len().min(matching.calls) - before.0) as u64;
            full += (matching.full - before.1) as u64;
            let calls = (actual + 1 - from) as u64;
            let cost = (count - pairs) + (calls - pairs) + (pairs - full);
            weights.push((actual + 1, Weight::new(cost, calls - full, count)));
        }
        weights
    }

    /// What the calls from a position on come to where the block need not be complete: without those that are missed.
    pub(super) fn begun(&self, from: usize, table: &MatchTable<'_>) -> Weight {
        let mut matchings = self.matchings(table);
        for actual in from..table.actual_len() {
            if let Ok(part) = self.names.binary_search(&table.actual_names[actual]) {
                matchings[part].add(actual);
            }
        }
        let calls = (table.actual_len() - from) as u64;
        let full: usize = matchings.iter().map(|matching| matching.full).sum();
        let pairs: usize = matchings
            .iter()
            .map(|it| it.leaves.len().min(it.calls))
            .sum();
        let cost = (calls - pairs as u64) + (pairs - full) as u64;
        Weight::new(cost, calls - full as u64, pairs as u64)
    }

    /// The least of the orders in which the calls reach the weight of an interval.
    pub(super) fn least_order(&self, from: usize, to: usize, table: &MatchTable<'_>) -> Vec<u32> {
        let mut values: Vec<Values> = self
            .leaves_of
            .iter()
            .map(|leaves| suffix_values(leaves, from, to, table))
            .collect();
        let mut remaining = self.leaves.clone();
        let mut order = Vec::with_capacity(remaining.len());
        // The positions up to which calls may be used up.
        let mut positions = vec![from];
        while !remaining.is_empty() {
            let next = (0..remaining.len()).find_map(|index| {
                let leaf = remaining[index];
                if remaining[..index]
                    .iter()
                    .any(|&other| table.are_alike(other, leaf))
                {
                    return None;
                }
                let part = self.part_of(leaf, table);
                let others: Vec<u32> = remaining
                    .iter()
                    .filter(|&&other| other != leaf && self.part_of(other, table) == part)
                    .copied()
                    .collect();
                let without = suffix_values(&others, from, to, table);
                let after =
                    positions_after(leaf, &positions, from, to, part, &values, &without, table);
                (!after.is_empty()).then_some((index, part, without, after))
            });
            let Some((index, part, without, after)) = next else {
                // Some leaf is always next: the values are those of a matching that exists.
                debug_assert!(false, "no leaf can be next");
                order.extend_from_slice(&remaining);
                break;
            };
            order.push(remaining.remove(index));
            values[part] = without;
            positions = after;
        }
        order
    }

    fn part_of(&self, leaf: u32, table: &MatchTable<'_>) -> usize {
        self.names
            .binary_search(&table.leaf_names[leaf as usize])
            .unwrap_or_default()
    }
}

/// What leaves of one name are worth at each position, over the calls from there to the end of the interval.
fn suffix_values(leaves: &[u32], from: usize, to: usize, table: &MatchTable<'_>) -> Values {
    let mut values: Values = smallvec![0; to - from + 1];
    let Some(&leaf) = leaves.first() else {
        return values;
    };
    let mut matching = NameMatching::new(table, leaves);
    for actual in (from..to).rev() {
        if table.is_named(leaf, actual) {
            matching.add(actual);
        }
        values[actual - from] = matching.value() as u32;
    }
    values
}

/// The positions from which the rest can still come to what is needed, if a leaf is next: missed, or paired with a call.
#[expect(
    clippy::too_many_arguments,
    reason = "one step of a walk, whose state these are"
)]
fn positions_after(
    leaf: u32,
    positions: &[usize],
    from: usize,
    to: usize,
    part: usize,
    values: &[Values],
    without: &[u32],
    table: &MatchTable<'_>,
) -> Vec<usize> {
    let of_others = |position: usize| -> u32 {
        let others = values.iter().enumerate().filter(|(it, _)| *it != part);
        others.map(|(_, values)| values[position - from]).sum()
    };
    let mut after = Vec::new();
    for &position in positions {
        let needed = values[part][position - from];
        if without[position - from] == needed {
            after.push(position);
        }
        let others_needed = of_others(position);
        for actual in position..to {
            if of_others(actual + 1) < others_needed {
                break;
            }
            let worth = 1 + u32::from(table.is_full(leaf, actual));
            if table.is_named(leaf, actual) && without[actual + 1 - from] + worth == needed {
                after.push(actual + 1);
            }
        }
    }
    after.sort_unstable();
    after.dedup();
    after
}
