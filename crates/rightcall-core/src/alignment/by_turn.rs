//! Turn by turn: turns are paired by position, calls inside a turn in any order.
//!
//! Linear time, except within a turn: its calls are compared pair by pair, in the original's order.

use std::ops::Range;

use super::{Alignment, Comparison, Pair, is_full};
use crate::outcome::EvaluationError;

/// A turn of a trajectory, such as a message or an invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Its calls, as a range of the flat list.
    pub(crate) calls: Range<usize>,
}

/// The outcome of an alignment by turns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ByTurn {
    /// The pairs up to the first difference, which ends the alignment.
    pub(crate) alignment: Alignment,
    /// Number of turns compared, including the one with the difference.
    pub(crate) turns: usize,
}

impl ByTurn {
    /// The number of expected and of actual calls in the compared turns.
    pub(crate) fn examined_calls(&self, expected: &[Turn], actual: &[Turn]) -> (usize, usize) {
        let end = |turns: &[Turn]| turns[..self.turns].last().map_or(0, |turn| turn.calls.end);
        (end(expected), end(actual))
    }
}

/// Aligns two lists of turns up to the first difference: a different number of turns; a different role at a position, by
/// `same_role(expected turn, actual turn)`; a different number of calls in a turn; or an actual call without a free expected call of its
/// turn graded [`Grade::Full`]. Each actual call, in order, takes the first such call.
///
/// # Errors
/// A comparison fails.
pub(crate) fn by_turn<C: Comparison>(
    calls: &C,
    expected: &[Turn],
    actual: &[Turn],
    same_role: impl Fn(usize, usize) -> bool,
) -> Result<ByTurn, EvaluationError> {
    let mut pairs = Vec::new();
    let (mut turns, mut same) = (0, expected.len() == actual.len());
    while same && turns < expected.len() {
        let (wanted, found) = (&expected[turns].calls, &actual[turns].calls);
        same = same_role(turns, turns)
            && wanted.len() == found.len()
            && pair_turn(calls, wanted, found, &mut pairs)?;
        turns += 1;
    }
    Ok(ByTurn {
        alignment: Alignment {
            broken_off: !same,
            ..Alignment::from_pairs(pairs)
        },
        turns,
    })
}

/// Pairs the calls of one turn; false at the first actual call that can't be paired.
fn pair_turn<C: Comparison>(
    calls: &C,
    wanted: &Range<usize>,
    found: &Range<usize>,
    pairs: &mut Vec<Pair>,
) -> Result<bool, EvaluationError> {
    let mut free: Vec<usize> = wanted.clone().collect();
    for actual in found.clone() {
        let mut answer = None;
        for (place, &expected) in free.iter().enumerate() {
            if is_full(calls, expected, actual)? {
                answer = Some(place);
                break;
            }
        }
        let Some(place) = answer else {
            return Ok(false);
        };
        pairs.push(Pair::full(free.remove(place), actual));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::Grade;
    use crate::alignment::table::{Table, tables};

    fn turns(ends: &[usize]) -> Vec<Turn> {
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts
            .zip(ends)
            .map(|(start, &end)| Turn { calls: start..end })
            .collect()
    }

    fn ends(by_turn: &ByTurn) -> Vec<(usize, usize)> {
        by_turn
            .alignment
            .pairs
            .iter()
            .map(|pair| (pair.expected, pair.actual))
            .collect()
    }

    #[test]
    fn calls_of_a_turn_match_in_any_order() {
        let calls = Table::from_calls(&[(0, 0), (1, 0), (2, 0)], &[(1, 0), (0, 0), (2, 0)], true);
        let given = by_turn(&calls, &turns(&[0, 2, 3]), &turns(&[0, 2, 3]), |_, _| true).unwrap();
        assert_eq!(
            (ends(&given), given.alignment.broken_off, given.turns),
            (vec![(1, 0), (0, 1), (2, 2)], false, 3)
        );
        let given = by_turn(&calls, &turns(&[1, 3]), &turns(&[1, 3]), |_, _| true).unwrap();
        assert_eq!(
            (ends(&given), given.alignment.broken_off, given.turns),
            (vec![], true, 1)
        );
    }

    #[test]
    fn the_first_difference_ends_the_alignment() {
        let calls = Table::from_calls(&[(0, 0), (1, 0)], &[(0, 0), (1, 0)], true);
        let given = by_turn(&calls, &turns(&[1, 2]), &turns(&[1, 2]), |expected, _| {
            expected == 0
        })
        .unwrap();
        assert_eq!(
            (ends(&given), given.alignment.broken_off, given.turns),
            (vec![(0, 0)], true, 2)
        );
        let given = by_turn(&calls, &turns(&[1, 2]), &turns(&[2]), |_, _| true).unwrap();
        assert_eq!(
            (ends(&given), given.alignment.broken_off, given.turns),
            (vec![], true, 0)
        );
        let given = by_turn(&calls, &turns(&[1, 2]), &turns(&[0, 2]), |_, _| true).unwrap();
        assert_eq!((given.alignment.broken_off, given.turns), (true, 1));
        let nothing = by_turn(&Table::from_calls(&[], &[], true), &[], &[], |_, _| false);
        assert!(!nothing.unwrap().alignment.broken_off);
    }

    proptest! {
        #[test]
        fn equals_the_reference(calls in tables(8), cuts in prop::collection::vec((0..5_usize, 0..5_usize), 0..4)) {
            let (mut e, mut a) = (Vec::new(), Vec::new());
            let (mut last_e, mut last_a) = (0, 0);
            for &(more_e, more_a) in &cuts {
                last_e = calls.expected().min(last_e + more_e);
                last_a = calls.actual().min(last_a + if more_a == 0 { 0 } else { more_e });
                e.push(last_e);
                a.push(last_a);
            }
            let (e, a) = (turns(&e), turns(&a));
            let reference = || -> Result<(Vec<(usize, usize)>, bool), EvaluationError> {
                let (mut pairs, mut used) = (Vec::new(), vec![false; calls.expected()]);
                for (e, a) in e.iter().zip(&a) {
                    if e.calls.is_empty() != a.calls.is_empty() || e.calls.len() != a.calls.len() {
                        return Ok((pairs, false));
                    }
                    for actual in a.calls.clone() {
                        let mut found = false;
                        for expected in e.calls.clone() {
                            if !used[expected] && calls.names().same(expected, actual) && calls.grade(expected, actual)? == Grade::Full {
                                used[expected] = true;
                                found = true;
                                pairs.push((expected, actual));
                                break;
                            }
                        }
                        if !found {
                            return Ok((pairs, false));
                        }
                    }
                }
                Ok((pairs, true))
            };
            let given = by_turn(&calls, &e, &a, |_, _| true).map(|it| (ends(&it), !it.alignment.broken_off));
            prop_assert_eq!(given, reference());
        }
    }
}
