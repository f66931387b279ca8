//! Repairs of repeats: one repaired round serves all rounds of a run.

use super::part::{Part, add};
use super::search::RepairSearch;
use super::segment::{Rounds, Segment};

impl RepairSearch<'_, '_> {
    /// A repaired round that, repeated, accepts the calls; and the number of rounds.
    pub(super) fn rounds(
        &mut self,
        round: Segment<'_>,
        calls: &[u16],
        rounds: Rounds,
    ) -> (Part, u64) {
        let is_empty = self.sequence_is_free(round);
        let over = |count: u64| {
            let is_over = rounds.max.is_some_and(|max| count > max);
            u64::from(is_over || (count < rounds.min && !is_empty))
        };
        if calls.is_empty() {
            let part = Part {
                elements: round.elements().to_vec(),
                ..Part::default()
            };
            return (part, 0);
        }
        let mut best: Option<(Part, u64)> = None;
        for weigh in [sum as fn(u64, u64) -> u64, u64::max] {
            let table = self.partitions(round, calls, (rounds.fewest, weigh));
            let weight = |count: &usize| {
                let (weight, _) = table[*count][calls.len()]?;
                Some((weight + over(*count as u64), *count))
            };
            let counts = rounds.fewest..=calls.len();
            // On a tie, take the largest number of rounds, since its rounds are the shortest.
            let least_weight = counts
                .rev()
                .filter_map(|it| weight(&it))
                .min_by_key(|it| it.0);
            let Some((_, count)) = least_weight else {
                continue;
            };
            let Some(ends) = ends(&table, count, calls.len()) else {
                continue;
            };
            let number = count as u64;
            let cost = |(part, count): &(Part, u64)| part.cost + over(*count);
            let found = (self.shared(round, calls, &ends), number);
            if best.as_ref().is_none_or(|best| cost(&found) < cost(best)) {
                best = Some(found);
            }
        }
        best.unwrap_or_default()
    }

    fn sequence_is_free(&mut self, round: Segment<'_>) -> bool {
        self.sequence(round, &[]).cost == 0
    }

    /// For each number of rounds and calls: the least weight, and where the last round starts.
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
