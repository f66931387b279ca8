//! The lexicographically smallest order in which a parallel block's calls reach the weight of an interval of actual calls.
//!
//! The order is built from the left: the next leaf is the smallest one after which the rest can still reach the remaining worth. The worth
//! of the rest is, per name, the maximum number of full pairs and of pairs of any kind with the calls from a position on.

use smallvec::{SmallVec, smallvec};

use super::block::{LeafPlace, PlainBlock};
use super::matches::MatchTable;
use super::name_matching::NONE;
use super::name_rest::{Ends, NameRest, Reached};

/// The lexicographically smallest order of a block's calls that reaches the weight of an interval.
pub(super) fn least_order(
    block: &PlainBlock,
    (from, to): (usize, usize),
    table: &MatchTable<'_>,
) -> Vec<u32> {
    let mut walk = OrderWalk::new(block, (from, to), table);
    let mut remaining = block.places(table);
    let mut order = Vec::with_capacity(remaining.len());
    let mut reached: SmallVec<[Reached; 4]> = smallvec![(0, from)];
    while let Some((index, after)) = walk.next(&remaining, &reached) {
        let place = remaining.remove(index);
        order.push(place.leaf);
        walk.rests[place.part as usize].take(place.number as usize);
        reached = after;
    }
    // Some leaf can always be next: the worth of the rest comes from an existing matching.
    debug_assert!(remaining.is_empty(), "no leaf can be next");
    order.extend(remaining.iter().map(|place| place.leaf));
    order
}

struct OrderWalk<'b> {
    rests: Vec<NameRest<'b>>,
    /// The calls of the interval: for each, the part of its name and its index there.
    calls: Vec<(u32, u32)>,
    from: usize,
    /// For each kind of leaf, the last step in which one was tested.
    tested: Vec<u32>,
    step: u32,
}

impl<'b> OrderWalk<'b> {
    fn new(block: &'b PlainBlock, (from, to): (usize, usize), table: &MatchTable<'_>) -> Self {
        let rests: Vec<_> = (block.parts.iter())
            .map(|part| NameRest::new(part, part.call_from(from), part.call_from(to)))
            .collect();
        let mut next: Vec<u32> = rests.iter().map(|rest| rest.first as u32).collect();
        let call = |name: &u32| match block.part(*name) {
            Some(part) => {
                next[part] += 1;
                (part as u32, next[part] - 1)
            }
            None => (NONE, NONE),
        };
        Self {
            calls: table.actual_names[from..to].iter().map(call).collect(),
            rests,
            from,
            tested: vec![0; block.leaves.len()],
            step: 0,
        }
    }

    /// The index of the first remaining leaf that can be next, and the results of placing it.
    fn next(
        &mut self,
        remaining: &[LeafPlace],
        reached: &[Reached],
    ) -> Option<(usize, SmallVec<[Reached; 4]>)> {
        self.step += 1;
        let ends: SmallVec<[Ends; 4]> = (reached.iter())
            .map(|(_, position)| self.ends(*position))
            .collect();
        for (index, place) in remaining.iter().enumerate() {
            let tested = std::mem::replace(&mut self.tested[place.kind as usize], self.step);
            if tested == self.step {
                continue;
            }
            let rest = &mut self.rests[place.part as usize];
            rest.compute_windows(self.step, place.part, reached, &ends);
            let mut after: SmallVec<[Reached; 4]> = SmallVec::new();
            for (window, reached) in rest.windows.iter().zip(reached) {
                rest.add_placements(place.number as usize, window, *reached, &mut after);
            }
            if !after.is_empty() {
                after.sort_unstable();
                after.dedup_by_key(|(worth, _)| *worth);
                return Some((index, after));
            }
        }
        None
    }

    /// The limits on the next leaf from a position.
    fn ends(&self, position: usize) -> Ends {
        let mut ends = Ends {
            part: NONE,
            limit_of_others: self.from + self.calls.len(),
            limit_of_part: self.from + self.calls.len(),
        };
        for (at, &(part, call)) in (position..).zip(&self.calls[position - self.from..]) {
            if part == NONE || part == ends.part || !self.rests[part as usize].needs(call as usize)
            {
                continue;
            }
            if ends.part == NONE {
                (ends.part, ends.limit_of_others) = (part, at);
            } else {
                ends.limit_of_part = at;
                break;
            }
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::super::alignment::align;
    use super::super::weight::Weight;
    use super::*;

    /// Pseudorandom numbers below a limit.
    fn random(seed: &mut u64, limit: usize) -> usize {
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as usize % limit
    }

    fn permutations(leaves: &[u32]) -> Vec<Vec<u32>> {
        if leaves.is_empty() {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        for (index, leaf) in leaves.iter().enumerate() {
            let mut rest = leaves.to_vec();
            rest.remove(index);
            for mut order in permutations(&rest) {
                order.insert(0, *leaf);
                all.push(order);
            }
        }
        all
    }

    /// Finds the order by aligning every permutation.
    fn by_all_orders(leaves: &[u32], table: &MatchTable<'_>) -> (Weight, Vec<u32>) {
        let orders = permutations(leaves).into_iter();
        let weighed = orders.map(|order| (align(&order, table).0, order));
        weighed.min().unwrap()
    }

    #[test]
    fn finds_the_smallest_of_the_best_orders() {
        let seed = &mut 40;
        for round in 0..600 {
            let (leaves, calls) = (1 + random(seed, 5), random(seed, 8));
            let (names, fill) = (1 + random(seed, 3), 2 + random(seed, 4));
            let leaf_names: Vec<u32> = (0..leaves).map(|_| random(seed, names) as u32).collect();
            // One more name than the leaves have.
            let actual: Vec<u32> = (0..calls).map(|_| random(seed, names + 1) as u32).collect();
            let (before, behind) = (random(seed, 3), random(seed, 3));
            let around = |count: usize| vec![0; count];
            let whole = [around(before), actual.clone(), around(behind)].concat();
            let mut inner = MatchTable::new(&leaf_names, actual);
            let mut outer = MatchTable::new(&leaf_names, whole);
            for leaf in 0..leaves {
                for call in 0..calls {
                    let is_full = inner.is_named(leaf as u32, call) && random(seed, fill) > 0;
                    inner.set(leaf, call, is_full);
                    outer.set(leaf, before + call, is_full);
                }
            }
            let leaves: Vec<u32> = (0..leaves as u32).collect();
            let (weight, wanted) = by_all_orders(&leaves, &inner);
            let block = PlainBlock::new(leaves, &outer);
            let interval = (before, before + calls);
            let found = least_order(&block, interval, &outer);
            assert_eq!(found, wanted, "round {round}: {inner:?}");
            let inner_block = PlainBlock::new(block.leaves.clone(), &inner);
            let weights = inner_block.weights(0, &inner);
            let is_whole = weights.last().is_some_and(|(end, _)| *end == calls);
            assert!(
                !is_whole || weights.last().unwrap().1 == weight,
                "round {round}"
            );
        }
    }
}
