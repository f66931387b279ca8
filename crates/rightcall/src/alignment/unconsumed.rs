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
