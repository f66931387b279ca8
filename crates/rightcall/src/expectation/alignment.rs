//! The alignment of one run with the actual calls that is reported.

use super::matches::MatchTable;
use super::weight::Weight;

/// A pair of a call of the run and an actual one, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunPair {
    /// The place in the accepted run.
    pub expected: usize,
    /// The place in the actual calls.
    pub actual: usize,
    /// Whether all that is demanded is met; else the names alone agree.
    pub is_full: bool,
}

/// Of the best alignments the one that is reported: from the left a pair if that is best, else the expected call is missed, else the
/// actual one is extra. With its weight.
///
/// Time and memory in the product of the lengths, less the calls at the beginning that are paired in full one by one: a pair in full of the
/// first calls is always best.
pub(super) fn align(run: &[u32], table: &MatchTable) -> (Weight, Vec<RunPair>) {
    let actual_len = table.actual_len();
    let pair = |expected: usize, actual: usize| table.is_named(run[expected], actual);
    let mut pairs = Vec::new();
    let equal = (0..run.len().min(actual_len))
        .take_while(|&at| pair(at, at) && table.is_full(run[at], at))
        .count();
    pairs.extend((0..equal).map(|at| RunPair {
        expected: at,
        actual: at,
        is_full: true,
    }));
    let weights = suffix_weights(run, equal, table);
    let width = actual_len - equal + 1;
    let weight_at = |expected: usize, actual: usize| weights[(expected - equal) * width + actual - equal];
    let (mut expected, mut actual) = (equal, equal);
    while expected < run.len() && actual < actual_len {
        let weight = weight_at(expected, actual);
        let is_full = table.is_full(run[expected], actual);
        let of_pair = if is_full { Weight::FULL } else { Weight::NAME_ONLY };
        if pair(expected, actual) && weight_at(expected + 1, actual + 1).plus(of_pair) == weight {
            pairs.push(RunPair {
                expected,
                actual,
                is_full,
            });
            (expected, actual) = (expected + 1, actual + 1);
        } else if weight_at(expected + 1, actual).plus(Weight::MISSED) == weight {
            expected += 1;
        } else {
            actual += 1;
        }
    }
    let weight = weight_at(equal, equal).plus(Weight::new(0, 0, equal as u64));
    (weight, pairs)
}

/// By place in the run and in the actual calls, what the rests of both weigh at best.
fn suffix_weights(run: &[u32], from: usize, table: &MatchTable) -> Vec<Weight> {
    let (rows, width) = (run.len() - from + 1, table.actual_len() - from + 1);
    let mut weights = vec![Weight::default(); rows * width];
    for actual in (0..width - 1).rev() {
        let at = (rows - 1) * width + actual;
        weights[at] = weights[at + 1].plus(Weight::EXTRA);
    }
    for row in (0..rows - 1).rev() {
        let leaf = run[from + row];
        let (before, after) = weights.split_at_mut((row + 1) * width);
        let (current, below) = (&mut before[row * width..], &after[..width]);
        current[width - 1] = below[width - 1].plus(Weight::MISSED);
        for actual in (0..width - 1).rev() {
            let mut weight = current[actual + 1].plus(Weight::EXTRA);
            weight = weight.min(below[actual].plus(Weight::MISSED));
            if table.is_named(leaf, from + actual) {
                let of_pair = if table.is_full(leaf, from + actual) {
                    Weight::FULL
                } else {
                    Weight::NAME_ONLY
                };
                weight = weight.min(below[actual + 1].plus(of_pair));
            }
            current[actual] = weight;
        }
    }
    weights
}
