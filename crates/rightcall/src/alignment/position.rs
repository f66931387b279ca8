//! Position by position: the first expected call with the first actual one, and so on, up to the shorter list.
//!
//! Linear time; at most one comparison a position.

use super::{Alignment, Comparison, ComparisonObserver, Grade, Pair};
use crate::outcome::EvaluationError;

/// Pairs the calls of each position that are calls of one tool. Positions with two tools are in no pair.
///
/// # Errors
/// Where a comparison fails.
pub(crate) fn position<C: Comparison, O: ComparisonObserver>(
    calls: &C,
    observer: &mut O,
) -> Result<Alignment, EvaluationError> {
    let mut pairs = Vec::new();
    for index in 0..calls.expected().min(calls.actual()) {
        if !calls.names().same(index, index) {
            continue;
        }
        let grade = calls.grade(index, index)?;
        if grade != Grade::Unlike {
            pairs.push(Pair {
                expected: index,
                actual: index,
                grade,
            });
        }
        if observer.compared(index, index, grade).is_break() {
            return Ok(Alignment {
                broken_off: true,
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

    #[test]
    fn the_longer_list_has_calls_without_a_partner() {
        let calls = Table::from_calls(
            &[(0, 0), (1, 0), (2, 0)],
            &[(0, 0), (1, 1), (0, 0), (2, 0)],
            true,
        );
        let alignment = position(&calls, &mut ()).unwrap();
        assert_eq!(
            alignment
                .pairs
                .iter()
                .map(|pair| (pair.expected, pair.grade))
                .collect::<Vec<_>>(),
            [(0, Grade::Full), (1, Grade::NameOnly)]
        );
        assert_eq!(
            (alignment.credit, alignment.left_over(3, 4)),
            (1.0, (vec![2], vec![2, 3]))
        );
    }

    #[test]
    fn nothing_pairs_with_nothing() {
        assert_eq!(
            position(&Table::from_calls(&[], &[(0, 0)], true), &mut ()).unwrap(),
            Alignment::default()
        );
    }

    proptest! {
        #[test]
        fn each_position_of_one_name_is_compared_and_paired(calls in tables(8), end in 0..6_usize) {
            let mut expected = Vec::new();
            let mut failure = None;
            for index in 0..calls.expected().min(calls.actual()) {
                if calls.names().same(index, index) && expected.len() < end {
                    match calls.grade(index, index) {
                        Ok(grade) => expected.push((index, index, grade)),
                        Err(error) => { failure = Some(error); break }
                    }
                }
            }
            let mut recorder = Recorder::ending_after(end.max(1));
            let alignment = position(&calls, &mut recorder);
            if end > 0 {
                prop_assert_eq!(&recorder.compared, &expected);
                if let Some(error) = failure {
                    prop_assert_eq!(alignment, Err(error));
                } else {
                    let alignment = alignment.unwrap();
                    let pairs: Vec<_> = alignment.pairs.iter().map(|pair| (pair.expected, pair.actual, pair.grade)).collect();
                    prop_assert_eq!(pairs, expected);
                    prop_assert_eq!(alignment.broken_off, recorder.compared.len() == end);
                }
            }
        }
    }
}
