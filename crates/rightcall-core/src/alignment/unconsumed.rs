//! Unconsumed: each call of one side takes the first equal call of the other side, which can be taken again.
//!
//! One call can match many. With symbols for whole calls, time and memory are linear. Otherwise each call is compared with the calls of its
//! name up to the first match.

use super::first_fit::{Counterparts, Driver};
use super::{Alignment, Comparison, Pair};
use crate::outcome::EvaluationError;

/// Pairs each call of the driving side with the first call of the other side graded [`Grade::Full`], even if that one is already paired.
/// Pairs are in the order of the driving side.
///
/// # Errors
/// A comparison fails.
pub(crate) fn unconsumed<C: Comparison>(
    calls: &C,
    driver: Driver,
) -> Result<Alignment, EvaluationError> {
    let mut choices = Counterparts::new(calls, driver);
    let mut pairs = Vec::with_capacity(driver.choosing(calls));
    for choosing in 0..driver.choosing(calls) {
        if let Some(choice) = choices.first_same(choosing)? {
            let (expected, actual) = driver.sides(choosing, choice);
            pairs.push(Pair::full(expected, actual));
        }
    }
    Ok(Alignment::from_pairs(pairs))
}

/// Like [`unconsumed`], up to the first expected call without a match after the previous match.
///
/// # Errors
/// A comparison fails.
pub(crate) fn first_occurrences<C: Comparison>(calls: &C) -> Result<Alignment, EvaluationError> {
    let mut pairs = unconsumed(calls, Driver::Expected)?.pairs;
    let continues = |at: usize| {
        pairs[at].expected == at && (at == 0 || pairs[at - 1].actual < pairs[at].actual)
    };
    let end = (0..pairs.len()).find(|at| !continues(*at));
    pairs.truncate(end.unwrap_or(pairs.len()));
    Ok(Alignment::from_pairs(pairs))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::Grade;
    use crate::alignment::table::{Table, tables};

    const SIDES: [Driver; 2] = [Driver::Expected, Driver::Actual];

    fn pairs_of(calls: &Table, driver: Driver) -> Vec<(usize, usize)> {
        let alignment = unconsumed(calls, driver).unwrap();
        let pairs = alignment.pairs.iter();
        pairs.map(|pair| (pair.expected, pair.actual)).collect()
    }

    #[test]
    fn one_actual_call_matches_all_equal_expected_calls() {
        let calls = Table::from_calls(
            &[(0, 0), (0, 0), (0, 1), (1, 0)],
            &[(0, 2), (0, 0), (0, 0)],
            true,
        );
        assert_eq!(pairs_of(&calls, Driver::Expected), [(0, 1), (1, 1)]);
        let alignment = unconsumed(&calls, Driver::Expected).unwrap();
        assert_eq!(
            (alignment.credit, alignment.left_over(4, 3)),
            (2.0, (vec![2, 3], vec![0, 2]))
        );
    }

    #[test]
    fn first_occurrences_must_be_in_expected_order() {
        let first = |expected: &[(u32, u32)], actual: &[(u32, u32)]| {
            let calls = Table::from_calls(expected, actual, true);
            first_occurrences(&calls).unwrap().pairs.len()
        };
        let (a, b, c) = ((0, 0), (1, 0), (2, 0));
        assert_eq!(first(&[a, b], &[a, c, b]), 2);
        // The first `a` comes before the first `b`; later ones don't matter.
        assert_eq!(first(&[b, a], &[a, b, a]), 1);
        // One call can't match twice.
        assert_eq!(first(&[a, a], &[a, a]), 1);
        assert_eq!(first(&[a, c, b], &[a, b]), 1);
        assert_eq!(first(&[c, a], &[a, b]), 0);
    }

    #[test]
    fn one_expected_call_matches_all_equal_actual_calls() {
        let calls = Table::from_calls(&[(1, 0), (0, 0), (0, 0)], &[(0, 0), (2, 0), (0, 0)], true);
        assert_eq!(pairs_of(&calls, Driver::Actual), [(1, 0), (1, 2)]);
    }

    #[test]
    fn no_actual_calls_give_no_pairs() {
        for driver in SIDES {
            assert_eq!(
                pairs_of(&Table::from_calls(&[(0, 0)], &[], true), driver),
                []
            );
        }
    }

    fn reference(calls: &Table, driver: Driver) -> Result<Vec<(usize, usize)>, EvaluationError> {
        let (expected, actual) = (calls.expected(), calls.actual());
        let (choosing, choices) = match driver {
            Driver::Expected => (expected, actual),
            Driver::Actual => (actual, expected),
        };
        let mut pairs = Vec::new();
        for chooser in 0..choosing {
            for choice in 0..choices {
                let (expected, actual) = match driver {
                    Driver::Expected => (chooser, choice),
                    Driver::Actual => (choice, chooser),
                };
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
                for driver in SIDES {
                    let found = unconsumed(&calls, driver).map(|found| found.pairs.iter().map(|it| (it.expected, it.actual)).collect::<Vec<_>>());
                    prop_assert_eq!(found, reference(&calls, driver));
                }
            }
        }
    }
}
