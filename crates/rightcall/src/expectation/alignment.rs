//! The alignment of one run with the actual calls that is reported.

use super::matches::MatchTable;
use super::weight::Weight;
use serde::Serialize;

/// A pair of a call of the run and an actual one, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "(usize, usize, bool)")]
pub struct RunPair {
    /// The place in the accepted run.
    pub expected: usize,
    /// The place in the actual calls.
    pub actual: usize,
    /// Whether all that is demanded is met; else the names alone agree.
    pub is_full: bool,
}

impl From<RunPair> for (usize, usize, bool) {
    fn from(pair: RunPair) -> Self {
        (pair.expected, pair.actual, pair.is_full)
    }
}

/// An accepted run beside the actual calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunAlignment {
    /// The number of missed calls, of extra calls, and of pairs by name alone.
    pub cost: u64,
    /// The leaves of the run, by their numbers in written order.
    pub run: Vec<u32>,
    /// The calls that belong together.
    pub pairs: Vec<RunPair>,
}

/// Of the best alignments the one that is reported: from the left a pair if that is best, else the expected call is missed, else the
/// actual one is extra. With its weight.
///
/// Time in the product of the lengths, less the calls at the beginning that are paired in full one by one: a pair in full of the first calls
/// is always best. Memory in the length of the actual calls times the root of that of the run.
pub(super) fn align(run: &[u32], table: &MatchTable<'_>) -> (Weight, Vec<RunPair>) {
    let actual_len = table.actual_len();
    let pair = |expected: usize, actual: usize| table.is_named(run[expected], actual);
    let equal = (0..run.len().min(actual_len))
        .take_while(|&at| pair(at, at) && table.is_full(run[at], at))
        .count();
    let mut pairs: Vec<_> = (0..equal)
        .map(|at| RunPair {
            expected: at,
            actual: at,
            is_full: true,
        })
        .collect();
    let (missed, extra) = (run.len() - equal, actual_len - equal);
    if missed == 0 || extra == 0 {
        let weight = Weight::new((missed + extra) as u64, extra as u64, run.len() as u64);
        return (weight, pairs);
    }
    let mut rests = RestWeights::new(&run[equal..], equal, table);
    let weight = rests.at(0, 0);
    let (mut expected, mut actual) = (equal, equal);
    while expected < run.len() && actual < actual_len {
        let (row, column) = (expected - equal, actual - equal);
        let here = rests.at(row, column);
        let is_full = table.is_full(run[expected], actual);
        let of_pair = pair_weight(is_full);
        if pair(expected, actual) && rests.at(row + 1, column + 1).plus(of_pair) == here {
            pairs.push(RunPair {
                expected,
                actual,
                is_full,
            });
            (expected, actual) = (expected + 1, actual + 1);
        } else if rests.at(row + 1, column).plus(Weight::MISSED) == here {
            expected += 1;
        } else {
            actual += 1;
        }
    }
    (weight.plus(Weight::new(0, 0, equal as u64)), pairs)
}

fn pair_weight(is_full: bool) -> Weight {
    if is_full {
        Weight::FULL
    } else {
        Weight::NAME_ONLY
    }
}

/// By place in the run and in the actual calls, what the rests of both weigh at best.
///
/// Some rows are kept, the others are computed again from the next of these, for as many rows at a time: a walk from the front goes through
/// them in order.
struct RestWeights<'r> {
    run: &'r [u32],
    /// Where the actual calls begin.
    from: usize,
    table: &'r MatchTable<'r>,
    /// So many rows lie between two that are kept.
    step: usize,
    /// The rows of the numbers `0`, `step`, `2 * step` and so on, and the last.
    kept: Vec<Vec<Weight>>,
    /// The first of the rows that are at hand, and these.
    first: usize,
    at_hand: Vec<Vec<Weight>>,
}

/// So many rows are all kept.
const FEW_ROWS: usize = 256;

impl<'r> RestWeights<'r> {
    fn new(run: &'r [u32], from: usize, table: &'r MatchTable<'r>) -> Self {
        let step = if run.len() <= FEW_ROWS {
            run.len().max(1)
        } else {
            run.len().isqrt()
        };
        let mut last = vec![Weight::default(); table.actual_len() - from + 1];
        for column in (0..last.len() - 1).rev() {
            last[column] = last[column + 1].plus(Weight::EXTRA);
        }
        let mut rests = Self {
            run,
            from,
            table,
            step,
            kept: Vec::new(),
            first: 0,
            at_hand: Vec::new(),
        };
        let mut kept = vec![last.clone()];
        let mut row = last;
        // Where all rows are at hand at once, they are computed once.
        let passed = if step < run.len() { run.len() } else { 0 };
        for number in (0..passed).rev() {
            row = rests.row_before(number, &row);
            if number % step == 0 {
                kept.push(row.clone());
            }
        }
        kept.reverse();
        rests.kept = kept;
        rests.compute(0);
        rests
    }

    /// The row of a number, from the one behind it.
    fn row_before(&self, number: usize, below: &[Weight]) -> Vec<Weight> {
        let leaf = self.run[number];
        let last = below.len() - 1;
        let mut row = vec![below[last].plus(Weight::MISSED); below.len()];
        for column in (0..last).rev() {
            let actual = self.from + column;
            let mut weight = row[column + 1].plus(Weight::EXTRA);
            weight = weight.min(below[column].plus(Weight::MISSED));
            if self.table.is_named(leaf, actual) {
                let of_pair = pair_weight(self.table.is_full(leaf, actual));
                weight = weight.min(below[column + 1].plus(of_pair));
            }
            row[column] = weight;
        }
        row
    }

    /// Puts the rows from a kept one to the next at hand.
    fn compute(&mut self, first: usize) {
        let end = (first + self.step).min(self.run.len());
        let behind = first / self.step + 1;
        let mut rows = vec![self.kept[behind.min(self.kept.len() - 1)].clone()];
        for number in (first..end).rev() {
            let row = self.row_before(number, rows.last().map_or(&[], Vec::as_slice));
            rows.push(row);
        }
        rows.reverse();
        (self.first, self.at_hand) = (first, rows);
    }

    fn at(&mut self, row: usize, column: usize) -> Weight {
        if row >= self.first + self.at_hand.len() {
            self.compute(row - row % self.step);
        }
        self.at_hand[row - self.first][column]
    }
}
