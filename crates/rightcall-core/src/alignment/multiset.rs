//! Multisets: equal calls cancel out, and the rest pairs by name.
//!
//! Linear time and memory, by look-up alone.

use super::free::FreeCalls;
use super::{Alignment, Grade, Pair, Symbols};

/// Pairs each actual call, in order, with the *last* free expected call equal to it. Then pairs each leftover actual call, in order, with
/// the first free expected call of its name, as [`Grade::NameOnly`].
pub(crate) fn multiset(names: &Symbols, calls: &Symbols) -> Alignment {
    let mut same = FreeCalls::expected_from_last(calls);
    let mut of_name = FreeCalls::expected(names);
    let (mut pairs, mut left_over) = (Vec::new(), Vec::new());
    for (actual, &symbol) in calls.actual.iter().enumerate() {
        if let Some(expected) = same.first_of(symbol) {
            same.take(expected);
            of_name.take(expected);
            pairs.push(Pair::full(expected, actual));
        } else {
            left_over.push(actual);
        }
    }
    for actual in left_over {
        if let Some(expected) = of_name.first_of(names.actual[actual]) {
            of_name.take(expected);
            pairs.push(Pair {
                expected,
                actual,
                grade: Grade::NameOnly,
            });
        }
    }
    Alignment::from_pairs(pairs)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::Comparison;
    use crate::alignment::table::{Table, tables_without_failure};

    fn reference(names: &Symbols, calls: &Symbols) -> Vec<(usize, usize, Grade)> {
        let mut remaining: Vec<usize> = (0..calls.expected.len()).collect();
        let (mut pairs, mut left_over) = (Vec::new(), Vec::new());
        for actual in 0..calls.actual.len() {
            match remaining
                .iter()
                .rposition(|&expected| calls.same(expected, actual))
            {
                Some(place) => pairs.push((remaining.remove(place), actual, Grade::Full)),
                None => left_over.push(actual),
            }
        }
        for actual in left_over {
            if let Some(place) = remaining
                .iter()
                .position(|&expected| names.same(expected, actual))
            {
                pairs.push((remaining.remove(place), actual, Grade::NameOnly));
            }
        }
        pairs
    }

    fn pairs_of(calls: &Table) -> Vec<(usize, usize, Grade)> {
        let alignment = multiset(calls.names(), calls.calls().unwrap());
        alignment
            .pairs
            .iter()
            .map(|pair| (pair.expected, pair.actual, pair.grade))
            .collect()
    }

    #[test]
    fn the_last_of_equal_calls_is_paired_first() {
        let calls = Table::from_calls(&[(0, 0), (0, 1), (0, 0)], &[(0, 2), (0, 0), (1, 0)], true);
        assert_eq!(
            pairs_of(&calls),
            [(2, 1, Grade::Full), (0, 0, Grade::NameOnly)]
        );
    }

    #[test]
    fn empty_lists_have_no_pairs() {
        assert_eq!(pairs_of(&Table::from_calls(&[], &[], true)), []);
        assert_eq!(pairs_of(&Table::from_calls(&[(0, 0)], &[], true)), []);
    }

    proptest! {
        #[test]
        fn equals_the_reference(calls in tables_without_failure(9)) {
            prop_assert_eq!(pairs_of(&calls), reference(calls.names(), calls.calls().unwrap()));
        }
    }
}
