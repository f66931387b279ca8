//! Position by position: the first expected call with the first actual one, and so on, up to the length of the shorter list.
//!
//! Linear time; at most one comparison per position.

use super::{Alignment, Comparison, Grade, Pair};
use crate::outcome::EvaluationError;

/// Pairs the calls at each position if their tool is the same.
///
/// # Errors
/// A comparison fails.
pub(crate) fn position<C: Comparison>(calls: &C) -> Result<Alignment, EvaluationError> {
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
    }
    Ok(Alignment::from_pairs(pairs))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::table::{Table, tables};

    #[test]
    fn the_longer_list_has_unpaired_calls() {
        let calls = Table::from_calls(
            &[(0, 0), (1, 0), (2, 0)],
            &[(0, 0), (1, 1), (0, 0), (2, 0)],
            true,
        );
        let alignment = position(&calls).unwrap();
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
    fn empty_lists_have_no_pairs() {
        assert_eq!(
            position(&Table::from_calls(&[], &[(0, 0)], true)).unwrap(),
            Alignment::default()
        );
    }

    proptest! {
        #[test]
        fn positions_with_the_same_name_are_compared_and_paired(calls in tables(8)) {
            let places = (0..calls.expected().min(calls.actual())).filter(|&at| calls.names().same(at, at));
            let wanted: Result<Vec<_>, _> = places.map(|at| calls.grade(at, at).map(|grade| (at, at, grade))).collect();
            let pairs = position(&calls).map(|alignment| {
                alignment.pairs.iter().map(|pair| (pair.expected, pair.actual, pair.grade)).collect()
            });
            prop_assert_eq!(pairs, wanted);
        }
    }
}
