//! Aligns an accepted run with the actual calls, for reports.

use super::matches::MatchTable;
use super::weight::Weight;
use serde::Serialize;

/// A paired expected and actual call, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "(usize, usize, bool)")]
pub struct RunPair {
    /// Index in the accepted run.
    pub expected: usize,
    /// Index in the actual calls.
    pub actual: usize,
    /// True if the actual call meets the whole demand; false if only the names agree.
    pub is_full: bool,
}

impl From<RunPair> for (usize, usize, bool) {
    fn from(pair: RunPair) -> Self {
        (pair.expected, pair.actual, pair.is_full)
    }
}

/// An accepted run aligned with the actual calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunAlignment {
    /// Number of missed calls, extra calls, and pairs by name alone.
    pub cost: u64,
    /// The run's leaves, numbered in written order.
    pub run: Vec<u32>,
    /// The paired calls.
    pub pairs: Vec<RunPair>,
}

/// The best alignment, and its weight. Ties are broken from the left: a pair if that is best, else the expected call is missed, else the
/// actual call is extra.
///
/// Calls at the beginning that match in full one by one are paired first: that is always best. Time: the product of the remaining lengths.
/// Memory: the number of actual calls times the square root of the run's length.
pub(super) fn align(run: &[u32], table: &MatchTable<'_>) -> (Weight, Vec<RunPair>) {
    let actual_len = table.actual_len();
    let pair = |expected: usize, actual: usize| table.is_named(run[expected], actual);
    let equal = (0..run.len().min(actual_len))
        .take_while(|&at| pair(at, at) && table.is_full(run[at], at))
        .count();
    let mut pairs = Vec::with_capacity(run.len().min(actual_len));
    pairs.extend((0..equal).map(|at| RunPair {
        expected: at,
        actual: at,
        is_full: true,
    }));
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
        let weight_of_pair = pair_weight(is_full);
        if pair(expected, actual) && rests.at(row + 1, column + 1).plus(weight_of_pair) == here {
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

/// The best weight of the remaining run and the remaining actual calls, for each position in both.
///
/// Some rows are kept. The others are recomputed from the next kept row, `step` rows at a time, since the traceback reads the rows in order
/// from the front.
struct RestWeights<'r> {
    run: &'r [u32],
    /// Index of the first actual call.
    from: usize,
    table: &'r MatchTable<'r>,
    /// Distance between kept rows.
    step: usize,
    /// Weights per row.
    width: usize,
    /// The last row, then from the back the rows `0`, `step`, `2 * step` and so on.
    kept: Vec<Weight>,
    /// Number of the last row in `current_rows`, which holds rows from the back.
    last: usize,
    current_rows: Vec<Weight>,
}

/// Up to this number of rows, all are kept.
const MAX_ALL_ROWS: usize = 256;

impl<'r> RestWeights<'r> {
    fn new(run: &'r [u32], from: usize, table: &'r MatchTable<'r>) -> Self {
        let step = if run.len() <= MAX_ALL_ROWS {
            run.len().max(1)
        } else {
            run.len().isqrt()
        };
        let width = table.actual_len() - from + 1;
        let mut rows = vec![Weight::default(); width];
        for column in (0..width - 1).rev() {
            rows[column] = rows[column + 1].plus(Weight::EXTRA);
        }
        let mut rests = Self {
            run,
            from,
            table,
            step,
            width,
            kept: rows.clone(),
            last: 0,
            current_rows: Vec::new(),
        };
        // If all rows fit into `current_rows`, they are computed only once.
        let passed = if step < run.len() { run.len() } else { 0 };
        for number in (0..passed).rev() {
            rests.add_row(number, &mut rows);
            rows.drain(..width);
            if number % step == 0 {
                rests.kept.extend_from_slice(&rows);
            }
        }
        rests.compute(0);
        rests
    }

    /// Appends row `number` to rows that end with the row after it.
    fn add_row(&self, number: usize, rows: &mut Vec<Weight>) {
        let leaf = self.run[number];
        let (start, last) = (rows.len(), self.width - 1);
        rows.resize(start + self.width, Weight::default());
        let (later_rows, row) = rows.split_at_mut(start);
        let next_row = &later_rows[start - self.width..];
        row[last] = next_row[last].plus(Weight::MISSED);
        for column in (0..last).rev() {
            let actual = self.from + column;
            let mut weight = row[column + 1].plus(Weight::EXTRA);
            weight = weight.min(next_row[column].plus(Weight::MISSED));
            if self.table.is_named(leaf, actual) {
                let weight_of_pair = pair_weight(self.table.is_full(leaf, actual));
                weight = weight.min(next_row[column + 1].plus(weight_of_pair));
            }
            row[column] = weight;
        }
    }

    /// Computes the rows from a kept one to the next kept one.
    fn compute(&mut self, first: usize) {
        let last = (first + self.step).min(self.run.len());
        // Number of kept rows after this one.
        let kept_after = (self.run.len() - last).div_ceil(self.step);
        let mut rows = std::mem::take(&mut self.current_rows);
        rows.clear();
        rows.reserve((last - first + 1) * self.width);
        rows.extend_from_slice(&self.kept[kept_after * self.width..][..self.width]);
        for number in (first..last).rev() {
            self.add_row(number, &mut rows);
        }
        (self.last, self.current_rows) = (last, rows);
    }

    fn at(&mut self, row: usize, column: usize) -> Weight {
        if row > self.last {
            self.compute(row - row % self.step);
        }
        self.current_rows[(self.last - row) * self.width + column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom numbers.
    fn numbers(mut seed: u64) -> impl Iterator<Item = u64> {
        std::iter::repeat_with(move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            seed >> 33
        })
    }

    /// The same result from a complete table, without recomputed rows.
    fn by_whole_table(run: &[u32], table: &MatchTable<'_>) -> (Weight, Vec<RunPair>) {
        let (rows, columns) = (run.len(), table.actual_len());
        let mut rests = vec![vec![Weight::default(); columns + 1]; rows + 1];
        let pair = |rests: &[Vec<Weight>], row: usize, column: usize| {
            let weight_of_pair = pair_weight(table.is_full(run[row], column));
            let is_named = table.is_named(run[row], column);
            is_named.then(|| rests[row + 1][column + 1].plus(weight_of_pair))
        };
        for row in (0..=rows).rev() {
            for column in (0..=columns).rev() {
                let missed = (row < rows).then(|| rests[row + 1][column].plus(Weight::MISSED));
                let extra = (column < columns).then(|| rests[row][column + 1].plus(Weight::EXTRA));
                let paired = (row < rows && column < columns).then(|| pair(&rests, row, column));
                let all = [missed, extra, paired.flatten()];
                rests[row][column] = all.into_iter().flatten().min().unwrap_or_default();
            }
        }
        let (mut row, mut column) = (0, 0);
        let mut pairs = Vec::new();
        while row < rows && column < columns {
            let here = rests[row][column];
            if pair(&rests, row, column) == Some(here) {
                pairs.push(RunPair {
                    expected: row,
                    actual: column,
                    is_full: table.is_full(run[row], column),
                });
                (row, column) = (row + 1, column + 1);
            } else if rests[row + 1][column].plus(Weight::MISSED) == here {
                row += 1;
            } else {
                column += 1;
            }
        }
        (rests[0][0], pairs)
    }

    #[test]
    fn recomputed_rows_give_the_same_pairs() {
        let few = MAX_ALL_ROWS;
        let lengths = [
            (0, 3),
            (5, 0),
            (7, 9),
            (few, few + 40),
            (few + 1, few),
            (290, 30),
            (30, 290),
            (401, 380),
        ];
        for (seed, (expected, actual)) in (1..).zip(lengths) {
            let mut numbers = numbers(seed);
            let mut names = |count| {
                let names = numbers.by_ref().take(count);
                names.map(|number| number as u32 % 3).collect::<Vec<_>>()
            };
            let (leaf_names, actual_names) = (names(expected), names(actual));
            let mut table = MatchTable::new(&leaf_names, actual_names);
            for leaf in 0..expected {
                for call in 0..actual {
                    let is_full = numbers.next().is_some_and(|number| number % 5 > 0);
                    table.set(leaf, call, is_full && table.is_named(leaf as u32, call));
                }
            }
            let run: Vec<_> = (0..expected as u32).collect();
            let whole = by_whole_table(&run, &table);
            assert_eq!(align(&run, &table), whole, "{expected} by {actual}");
        }
    }
}
