//! Subsequence: a pointer into the expected calls advances at each actual call that matches.
//!
//! Linear time; at most one comparison per actual call. This pairs the longest prefix of the expected list that occurs in order among the
//! actual calls.

use super::{Alignment, Comparison, Pair, is_full};
use crate::outcome::EvaluationError;

/// Pairs the expected calls in order, each with the first equal actual call after the previous pair.
///
/// # Errors
/// A comparison fails.
pub(crate) fn subsequence<C: Comparison>(calls: &C) -> Result<Alignment, EvaluationError> {
    let mut pairs = Vec::new();
    let mut expected = 0;
    for actual in 0..calls.actual() {
        if expected == calls.expected() {
            break;
        }
        if is_full(calls, expected, actual)? {
            pairs.push(Pair::full(expected, actual));
            expected += 1;
        }
    }
    Ok(Alignment::from_pairs(pairs))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::Grade;
    use crate::alignment::table::{Table, tables};

    fn ends(alignment: &Alignment) -> Vec<(usize, usize)> {
        alignment
            .pairs
            .iter()
            .map(|pair| (pair.expected, pair.actual))
            .collect()
    }

    #[test]
    fn calls_in_between_are_skipped() {
        let calls = Table::from_calls(
            &[(0, 0), (0, 0), (1, 0)],
            &[(1, 0), (0, 0), (0, 1), (0, 0), (0, 0), (1, 0), (1, 0)],
            true,
        );
        assert_eq!(
            ends(&subsequence(&calls).unwrap()),
            [(0, 1), (1, 3), (2, 5)]
        );
    }

    #[test]
    fn stops_at_the_first_missing_call() {
        let calls = Table::from_calls(&[(0, 0), (2, 0), (1, 0)], &[(0, 0), (1, 0)], true);
        assert_eq!(ends(&subsequence(&calls).unwrap()), [(0, 0)]);
        assert_eq!(
            subsequence(&Table::from_calls(&[], &[(0, 0)], true)).unwrap(),
            Alignment::default()
        );
    }

    proptest! {
        #[test]
        fn equals_the_reference(calls in tables(9)) {
            let (mut pairs, mut pointer, mut failure) = (Vec::new(), 0, None);
            for actual in 0..calls.actual() {
                if pointer < calls.expected() && calls.names().same(pointer, actual) {
                    match calls.grade(pointer, actual) {
                        Ok(Grade::Full) => {
                            pairs.push((pointer, actual));
                            pointer += 1;
                        }
                        Ok(_) => {}
                        Err(error) => { failure = Some(error); break }
                    }
                }
            }
            let wanted = match failure { Some(error) => Err(error), None => Ok(pairs) };
            prop_assert_eq!(subsequence(&calls).map(|it| ends(&it)), wanted.clone());
            prop_assert_eq!(subsequence(&calls.without_symbols()).map(|it| ends(&it)), wanted);
        }
    }
}
