//! Forward: each expected call, in order, takes the first equal actual call after the previously
//! taken one.
//!
//! An expected call without a match is skipped, and the next one searches from the same position; [`subsequence`](super::subsequence())
//! stops there instead. With symbols for whole calls a look-up takes logarithmic time. Otherwise each expected call is compared with the
//! actual calls of its name up to the first match.

use super::{Alignment, Comparison, Pair, Symbols, is_full};
use crate::outcome::EvaluationError;

/// Pairs each expected call with the first actual call graded [`Grade::Full`] after all taken ones.
///
/// # Errors
/// A comparison fails.
pub(crate) fn forward<C: Comparison>(calls: &C) -> Result<Alignment, EvaluationError> {
    let places = Places::new(calls.calls().unwrap_or_else(|| calls.names()));
    let mut pairs = Vec::new();
    let mut from = 0;
    for expected in 0..calls.expected() {
        for actual in places.positions_from(expected, from) {
            if is_full(calls, expected, actual)? {
                pairs.push(Pair::full(expected, actual));
                from = actual + 1;
                break;
            }
        }
    }
    Ok(Alignment::from_pairs(pairs))
}

/// The positions of each symbol among the actual calls, ascending.
struct Places<'s> {
    symbols: &'s Symbols<'s>,
    of_symbol: Vec<Vec<usize>>,
}

impl<'s> Places<'s> {
    fn new(symbols: &'s Symbols<'s>) -> Self {
        let mut of_symbol = vec![Vec::new(); symbols.count];
        for (index, &symbol) in symbols.actual.iter().enumerate() {
            if let Some(places) = of_symbol.get_mut(symbol as usize) {
                places.push(index);
            }
        }
        Self { symbols, of_symbol }
    }

    /// The actual calls from an index on that share a symbol with an expected call, ascending.
    fn positions_from(&self, expected: usize, from: usize) -> Merged<'_> {
        let [first, second] = self.symbols.expected[expected];
        let after = |symbol: u32| {
            let places = self.of_symbol.get(symbol as usize);
            let places = places.map_or(&[][..], Vec::as_slice);
            &places[places.partition_point(|place| *place < from)..]
        };
        let others = if second == first { &[] } else { after(second) };
        Merged([after(first), others])
    }
}

/// Merges two ascending lists.
struct Merged<'p>([&'p [usize]; 2]);

impl Iterator for Merged<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let heads = self
            .0
            .map(|list| list.first().copied().unwrap_or(usize::MAX));
        let nearer = &mut self.0[usize::from(heads[1] < heads[0])];
        let (first, rest) = nearer.split_first()?;
        *nearer = rest;
        Some(*first)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::Grade;
    use crate::alignment::table::{Table, tables};

    fn ends(alignment: &Alignment) -> Vec<(usize, usize)> {
        let pairs = alignment.pairs.iter();
        pairs.map(|pair| (pair.expected, pair.actual)).collect()
    }

    #[test]
    fn an_expected_call_without_a_match_is_skipped() {
        let calls = Table::from_calls(
            &[(0, 0), (2, 0), (1, 0), (0, 0)],
            &[(0, 0), (0, 1), (1, 0), (1, 0)],
            true,
        );
        assert_eq!(ends(&forward(&calls).unwrap()), [(0, 0), (2, 2)]);
    }

    #[test]
    fn a_late_match_leaves_earlier_calls_unused() {
        let calls = Table::from_calls(&[(1, 0), (0, 0)], &[(0, 0), (1, 0)], true);
        assert_eq!(ends(&forward(&calls).unwrap()), [(0, 1)]);
    }

    fn reference(calls: &Table) -> Result<Vec<(usize, usize)>, EvaluationError> {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for expected in 0..calls.expected() {
            let from = pairs.last().map_or(0, |&(_, actual)| actual + 1);
            for actual in from..calls.actual() {
                if calls.names().same(expected, actual)
                    && calls.grade(expected, actual)? == Grade::Full
                {
                    pairs.push((expected, actual));
                    break;
                }
            }
        }
        Ok(pairs)
    }

    proptest! {
        #[test]
        fn equals_the_reference_with_and_without_symbols(calls in tables(8)) {
            for calls in [calls.clone(), calls.without_symbols()] {
                prop_assert_eq!(forward(&calls).map(|found| ends(&found)), reference(&calls));
            }
        }
    }
}
