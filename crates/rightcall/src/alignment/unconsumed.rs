//! Unconsumed: each expected call takes the first actual call that is the same call, and uses none up.
//!
//! One actual call can answer many expected ones. With symbols for whole calls: linear time and memory. Else each expected call is
//! compared with the actual calls of its name up to the first match.

use super::free::FreeCalls;
use super::{Alignment, Comparison, Grade, Pair};
use crate::outcome::EvaluationError;

/// Pairs each expected call with the first actual call graded [`Grade::Full`], whether or not that answers others too.
///
/// # Errors
/// Where a comparison fails.
pub(crate) fn unconsumed<C: Comparison>(calls: &C) -> Result<Alignment, EvaluationError> {
    let symbols = calls.calls();
    let mut choices = FreeCalls::actual(symbols.unwrap_or_else(|| calls.names()));
    let mut pairs = Vec::with_capacity(calls.expected());
    for expected in 0..calls.expected() {
        let found = if let Some(symbols) = symbols {
            choices.first_of_either(symbols.expected[expected])
        } else {
            let mut walk = choices.walk(calls.names().expected[expected]);
            loop {
                match choices.step(&mut walk) {
                    Some(actual) if calls.grade(expected, actual)? != Grade::Full => {}
                    found => break found,
                }
            }
        };
        pairs.extend(found.map(|actual| Pair {
            expected,
            actual,
            grade: Grade::Full,
        }));
    }
    Ok(Alignment::from_pairs(pairs))
}

/// As [`unconsumed`], up to the first expected call that nothing answers, or whose answer does not come after that of the one before.
///
/// # Errors
/// Where a comparison fails.
pub(crate) fn first_occurrences<C: Comparison>(calls: &C) -> Result<Alignment, EvaluationError> {
    let mut pairs = unconsumed(calls)?.pairs;
    let goes_on = |at: usize| {
        pairs[at].expected == at && (at == 0 || pairs[at - 1].actual < pairs[at].actual)
    };
    let end = (0..pairs.len()).find(|at| !goes_on(*at));
    pairs.truncate(end.unwrap_or(pairs.len()));
    Ok(Alignment::from_pairs(pairs))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::table::{Table, tables};

    #[test]
    fn one_actual_call_answers_every_expected_one_it_is_the_same_as() {
        let calls = Table::from_calls(
            &[(0, 0), (0, 0), (0, 1), (1, 0)],
            &[(0, 2), (0, 0), (0, 0)],
            true,
        );
        let alignment = unconsumed(&calls).unwrap();
        assert_eq!(
            alignment
                .pairs
                .iter()
                .map(|pair| (pair.expected, pair.actual))
                .collect::<Vec<_>>(),
            [(0, 1), (1, 1)]
        );
        assert_eq!(
            (alignment.credit, alignment.left_over(4, 3)),
            (2.0, (vec![2, 3], vec![0, 2]))
        );
    }

    #[test]
    fn first_occurrences_have_to_come_in_the_expected_order() {
        let first = |expected: &[(u32, u32)], actual: &[(u32, u32)]| {
            let calls = Table::from_calls(expected, actual, true);
            first_occurrences(&calls).unwrap().pairs.len()
        };
        let (a, b, c) = ((0, 0), (1, 0), (2, 0));
        assert_eq!(first(&[a, b], &[a, c, b]), 2);
        // The first `a` comes before the first `b`, whatever comes later.
        assert_eq!(first(&[b, a], &[a, b, a]), 1);
        // One call is not two.
        assert_eq!(first(&[a, a], &[a, a]), 1);
        assert_eq!(first(&[a, c, b], &[a, b]), 1);
        assert_eq!(first(&[c, a], &[a, b]), 0);
    }

    #[test]
    fn nothing_pairs_with_nothing() {
        assert_eq!(
            unconsumed(&Table::from_calls(&[(0, 0)], &[], true)).unwrap(),
            Alignment::default()
        );
    }

    fn reference(calls: &Table) -> Result<Vec<(usize, usize)>, EvaluationError> {
        let mut pairs = Vec::new();
        for expected in 0..calls.expected() {
            for actual in 0..calls.actual() {
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
        fn it_follows_the_rule_with_symbols_and_without(calls in tables(8)) {
            for calls in [calls.clone(), calls.without_symbols()] {
                let found = unconsumed(&calls).map(|found| found.pairs.iter().map(|it| (it.expected, it.actual)).collect::<Vec<_>>());
                prop_assert_eq!(found, reference(&calls));
            }
        }
    }
}
