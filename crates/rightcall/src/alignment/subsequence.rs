//! Subsequence: a pointer into the expected calls moves on at each actual call that matches.
//!
//! Linear time; at most one comparison an actual call. What is paired is the longest beginning of the expected list that
//! occurs in order among the actual calls.

use super::{Alignment, Comparison, ComparisonObserver, Grade, Pair};
use crate::outcome::EvaluationError;

/// Pairs the expected calls, from the first on, each with the first actual call after the one before that is the same.
///
/// # Errors
/// Where a comparison fails.
pub(crate) fn subsequence<C: Comparison, O: ComparisonObserver>(
    calls: &C,
    observer: &mut O,
) -> Result<Alignment, EvaluationError> {
    let symbols = calls.calls().filter(|_| !O::OBSERVES);
    let mut pairs = Vec::new();
    let mut expected = 0;
    for actual in 0..calls.actual() {
        if expected == calls.expected() {
            break;
        }
        let mut broken_off = false;
        let full = if let Some(symbols) = symbols {
            symbols.same(expected, actual)
        } else if calls.names().same(expected, actual) {
            let grade = calls.grade(expected, actual)?;
            broken_off = observer.compared(expected, actual, grade).is_break();
            grade == Grade::Full
        } else {
            false
        };
        if full {
            pairs.push(Pair {
                expected,
                actual,
                grade: Grade::Full,
            });
            expected += 1;
        }
        if broken_off {
            return Ok(Alignment {
                broken_off,
                ..Alignment::from_pairs(pairs)
            });
        }
    }
    Ok(Alignment::from_pairs(pairs))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::table::{Recorder, Table, tables};

    fn ends(alignment: &Alignment) -> Vec<(usize, usize)> {
        alignment
            .pairs
            .iter()
            .map(|pair| (pair.expected, pair.actual))
            .collect()
    }

    #[test]
    fn calls_in_between_are_passed_over() {
        let calls = Table::from_calls(
            &[(0, 0), (0, 0), (1, 0)],
            &[(1, 0), (0, 0), (0, 1), (0, 0), (0, 0), (1, 0), (1, 0)],
            true,
        );
        assert_eq!(
            ends(&subsequence(&calls, &mut ()).unwrap()),
            [(0, 1), (1, 3), (2, 5)]
        );
    }

    #[test]
    fn it_stands_still_at_the_first_call_that_is_missing() {
        let calls = Table::from_calls(&[(0, 0), (2, 0), (1, 0)], &[(0, 0), (1, 0)], true);
        assert_eq!(ends(&subsequence(&calls, &mut ()).unwrap()), [(0, 0)]);
        assert_eq!(
            subsequence(&Table::from_calls(&[], &[(0, 0)], true), &mut ()).unwrap(),
            Alignment::default()
        );
    }

    #[test]
    fn an_observer_that_ends_it_leaves_it_broken_off() {
        let calls = Table::from_calls(&[(0, 0), (1, 0)], &[(0, 0), (1, 0)], true);
        let alignment = subsequence(&calls, &mut Recorder::ending_after(1)).unwrap();
        assert_eq!(
            (ends(&alignment), alignment.broken_off),
            (vec![(0, 0)], true)
        );
    }

    proptest! {
        #[test]
        fn all_ways_follow_the_rule(calls in tables(9)) {
            let (mut pairs, mut compared, mut pointer, mut failure) = (Vec::new(), Vec::new(), 0, None);
            for actual in 0..calls.actual() {
                if pointer < calls.expected() && calls.names().same(pointer, actual) {
                    match calls.grade(pointer, actual) {
                        Ok(grade) => {
                            compared.push((pointer, actual, grade));
                            if grade == Grade::Full {
                                pairs.push((pointer, actual));
                                pointer += 1;
                            }
                        }
                        Err(error) => { failure = Some(error); break }
                    }
                }
            }
            let wanted = match failure { Some(error) => Err(error), None => Ok(pairs) };
            let mut recorder = Recorder::default();
            prop_assert_eq!(subsequence(&calls, &mut recorder).map(|it| ends(&it)), wanted.clone());
            prop_assert_eq!(recorder.compared, compared);
            prop_assert_eq!(subsequence(&calls, &mut ()).map(|it| ends(&it)), wanted);
        }
    }
}
