//! Distinct calls: both sides become sets, and equal members are paired.
//!
//! Linear time and memory by look-up, plus a search tree for expected calls with two symbols.

use std::collections::BTreeSet;

use super::free::FreeCalls;
use super::{Alignment, Pair, Side, Symbols};

/// Two sets of calls and their common members.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Distinct {
    /// Pairs of the first members of each class on both sides, in expected order.
    pub(crate) alignment: Alignment,
    /// Number of distinct expected calls.
    pub(crate) expected_classes: usize,
    /// Number of distinct actual calls.
    pub(crate) actual_classes: usize,
    /// Calls equal to an earlier one on their side: first the expected ones, then the actual ones.
    pub(crate) duplicates: Vec<(Side, usize)>,
}

/// Pairs the distinct calls of both sides. A call that equals no call is its own class. Expected calls with two symbols are equal if both
/// symbols are; such a call matches the first free class of either symbol.
pub(crate) fn distinct(calls: &Symbols) -> Distinct {
    let mut duplicates = Vec::new();
    let mut seen = vec![false; calls.count];
    let mut seen_twofold = BTreeSet::new();
    let mut firsts = Vec::new();
    for (index, &[one, other]) in calls.expected.iter().enumerate() {
        let repeated = if one == other {
            is_repeated(&mut seen, one)
        } else {
            !seen_twofold.insert([one.min(other), one.max(other)])
        };
        if repeated {
            duplicates.push((Side::Expected, index));
        } else {
            firsts.push(index);
        }
    }
    let expected_duplicates = duplicates.len();
    seen.fill(false);
    let mut free = FreeCalls::actual(calls);
    for (index, &symbol) in calls.actual.iter().enumerate() {
        if is_repeated(&mut seen, symbol) {
            duplicates.push((Side::Actual, index));
            free.take(index);
        }
    }
    let mut pairs = Vec::new();
    for &expected in &firsts {
        if let Some(actual) = free.first_of_either(calls.expected[expected]) {
            free.take(actual);
            pairs.push(Pair::full(expected, actual));
        }
    }
    Distinct {
        alignment: Alignment::from_pairs(pairs),
        expected_classes: firsts.len(),
        actual_classes: calls.actual.len() - (duplicates.len() - expected_duplicates),
        duplicates,
    }
}

/// Marks a symbol as seen; true if it already was.
fn is_repeated(seen: &mut [bool], symbol: u32) -> bool {
    seen.get_mut(symbol as usize)
        .is_some_and(|seen| std::mem::replace(seen, true))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::table::symbols;

    #[test]
    fn duplicates_count_once() {
        let calls = Symbols::new(vec![[1; 2], [0; 2], [1; 2], [2; 2]], vec![2, 1, 1, 3, 2], 4);
        let sets = distinct(&calls);
        let pairs: Vec<_> = sets
            .alignment
            .pairs
            .iter()
            .map(|pair| (pair.expected, pair.actual))
            .collect();
        assert_eq!(
            (pairs, sets.expected_classes, sets.actual_classes),
            (vec![(0, 1), (3, 0)], 3, 3)
        );
        assert_eq!(sets.alignment.left_over(4, 5), (vec![1, 2], vec![2, 3, 4]));
        assert_eq!(
            sets.duplicates,
            [(Side::Expected, 2), (Side::Actual, 2), (Side::Actual, 4)]
        );
    }

    #[test]
    fn a_call_that_equals_no_call_is_its_own_class() {
        let none = Symbols::NONE;
        let sets = distinct(&Symbols::new(vec![[none; 2]; 2], vec![none; 3], 0));
        assert_eq!(
            (
                sets.expected_classes,
                sets.actual_classes,
                sets.alignment.pairs.len()
            ),
            (2, 3, 0)
        );
    }

    proptest! {
        #[test]
        fn matches_the_result_with_sets_of_symbols(mut calls in symbols(9, 4)) {
            for symbols in calls.expected.to_mut() {
                symbols[1] = symbols[0];
            }
            let of = |list: &[u32], symbol| list.iter().position(|&it| it == symbol);
            let expected: Vec<u32> = calls.expected.iter().map(|symbols| symbols[0]).collect();
            let is_first = |list: &[u32], index: usize| list[index] == Symbols::NONE || of(list, list[index]) == Some(index);
            let sets = distinct(&calls);
            prop_assert_eq!(sets.expected_classes, (0..expected.len()).filter(|&index| is_first(&expected, index)).count());
            prop_assert_eq!(sets.actual_classes, (0..calls.actual.len()).filter(|&index| is_first(&calls.actual, index)).count());
            let mut pairs = Vec::new();
            for index in 0..expected.len() {
                if expected[index] != Symbols::NONE && is_first(&expected, index) {
                    pairs.extend(of(&calls.actual, expected[index]).map(|actual| (index, actual)));
                }
            }
            let given: Vec<_> = sets.alignment.pairs.iter().map(|pair| (pair.expected, pair.actual)).collect();
            prop_assert_eq!(given, pairs);
            let duplicates = expected.len() - sets.expected_classes + calls.actual.len() - sets.actual_classes;
            prop_assert_eq!(sets.duplicates.len(), duplicates);
        }
    }
}
