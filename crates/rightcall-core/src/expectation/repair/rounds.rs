//! Repairs of repeats: one repaired round serves all rounds of a run.

use super::part::{Part, add};
use super::search::RepairSearch;
use super::segment::{Rounds, Segment};

impl RepairSearch<'_, '_> {
    /// A repaired round that accepts the calls when repeated, and the number of rounds.
    pub(super) fn rounds(
        &mut self,
        round: Segment<'_>,
        calls: &[u16],
        rounds: Rounds,
    ) -> (Part, u64) {
        if calls.is_empty() {
            let part = Part {
                elements: round.elements().to_vec(),
                ..Part::default()
            };
            return (part, 0);
        }
        let is_empty = self.sequence(round, &[]).cost == 0;
        let mut best: Option<(u64, Part, u64)> = None;
        for ends in self.divisions(round, calls, rounds, is_empty) {
            let count = ends.len() as u64;
            // Too few rounds are not an error if the repaired round may be empty: the missing rounds are then empty.
            let is_short = count < rounds.min && !is_empty;
            let with_empty = is_short.then(|| [vec![0], ends.clone()].concat());
            for ends in std::iter::once(ends).chain(with_empty) {
                let part = self.shared(round, calls, &ends);
                let cost = part.cost + rounds.excess(count, is_empty || ends[0] == 0);
                if best.as_ref().is_none_or(|best| cost < best.0) {
                    best = Some((cost, part, count));
                }
            }
        }
        best.map_or_else(Default::default, |(_, part, count)| (part, count))
    }

    /// Promising ways to divide the calls into rounds: the end of each round.
    fn divisions(
        &mut self,
        round: Segment<'_>,
        calls: &[u16],
        rounds: Rounds,
        is_empty: bool,
    ) -> Vec<Vec<usize>> {
        // An added empty round can make up for missing rounds, so also look for divisions that are too short.
        let without_min = Rounds { min: 0, ..rounds };
        let mut found = Vec::new();
        // The rounds share their changes. If no change serves two rounds, the cost is the sum of the rounds' costs; if each serves all,
        // it is the maximum.
        for weigh in [sum as fn(u64, u64) -> u64, u64::max] {
            let table = self.partitions(round, calls, (rounds.fewest, weigh));
            for rounds in [rounds, without_min] {
                let weight = |count: usize| {
                    let (weight, _) = table[count][calls.len()]?;
                    Some((weight + rounds.excess(count as u64, is_empty), count))
                };
                // On a tie, take the largest number of rounds, since its rounds are the shortest.
                let counts = (rounds.fewest..=calls.len()).rev().filter_map(weight);
                let least = counts.min_by_key(|(weight, _)| *weight);
                let division = least.and_then(|(_, count)| ends(&table, count, calls.len()));
                found.extend(division.filter(|it| !found.contains(it)));
            }
        }
        found
    }

    /// For each number of rounds and calls: the least weight, and the start of the last round.
    fn partitions(
        &mut self,
        round: Segment<'_>,
        calls: &[u16],
        (fewest, weigh): (usize, fn(u64, u64) -> u64),
    ) -> Vec<Vec<Option<(u64, usize)>>> {
        let mut table = vec![vec![None; calls.len() + 1]; calls.len() + 1];
        table[0][0] = Some((0, 0));
        for count in 0..calls.len() {
            for from in 0..calls.len() {
                let Some((before, _)) = table[count][from] else {
                    continue;
                };
                for to in from + 1..=calls.len() {
                    if to - from == calls.len() && fewest > 1 {
                        continue;
                    }
                    let part = self.sequence(round, &calls[from..to]);
                    let weight = weigh(before, part.cost);
                    if table[count + 1][to].is_none_or(|(other, _)| weight < other) {
                        table[count + 1][to] = Some((weight, from));
                    }
                }
            }
        }
        table
    }

    /// Repairs the round for each round of the run in turn, so that all rounds share the changes.
    fn shared(&mut self, round: Segment<'_>, calls: &[u16], ends: &[usize]) -> Part {
        let mut whole = Part::default();
        let mut list = self.sublist(round);
        let mut from = 0;
        for &end in ends {
            let part = self.list(&list, &calls[from..end]);
            add(&mut whole, &part);
            list = self.after(&list, &part);
            from = end;
        }
        whole.elements.clone_from(&list.elements);
        whole
    }
}

impl Rounds {
    /// The cost of moving a bound to this number of rounds.
    fn excess(self, count: u64, is_empty: bool) -> u64 {
        let is_over = self.max.is_some_and(|max| count > max);
        u64::from(is_over || (count < self.min && !is_empty))
    }
}

fn sum(one: u64, other: u64) -> u64 {
    one + other
}

/// The end of each round.
fn ends(table: &[Vec<Option<(u64, usize)>>], count: usize, calls: usize) -> Option<Vec<usize>> {
    let mut ends = Vec::with_capacity(count);
    let mut end = calls;
    for count in (1..=count).rev() {
        ends.push(end);
        end = table[count][end]?.1;
    }
    ends.reverse();
    Some(ends)
}
