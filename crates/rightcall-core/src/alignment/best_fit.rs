//! Best fit: each expected call, in order, takes the free actual call with the greatest credit.
//!
//! Greedy: an early call may take an actual call that a later one needs more. An equal call is
//! found by look-up in constant time. Without one, all free calls of the name are compared.

use super::free::FreeCalls;
use super::{Alignment, Comparison, Pair};
use crate::outcome::EvaluationError;

/// Pairs each expected call, in order, with the free actual call of the same name and the greatest
/// credit above 0. The first such call wins a tie.
///
/// Without `taken_classes`, a call is free until it is taken. With it, a call is free until any call of its class is taken;
/// `taken_classes[actual]` is the class of an actual call.
///
/// # Errors
/// A comparison fails. If comparisons can fail, the candidates after the best are compared too.
pub(crate) fn best_fit<C: Comparison>(
    calls: &C,
    taken_classes: Option<&[u32]>,
) -> Result<Alignment, EvaluationError> {
    let names = calls.names();
    let mut free_of_name = FreeCalls::actual(names);
    let mut free_equals = calls
        .calls()
        .map(|symbols| (symbols, FreeCalls::actual(symbols)));
    let classes = taken_classes.map(members);
    let mut pairs = Vec::new();
    for expected in 0..calls.expected() {
        let found = free_equals
            .as_mut()
            .and_then(|(symbols, free)| free.first_of_either(symbols.expected[expected]));
        let best = match found {
            Some(actual) => Some(Pair::full(expected, actual)),
            None if free_equals.is_some() && !calls.has_partial() => None,
            None => best_of_name(calls, expected, &mut free_of_name)?,
        };
        let Some(best) = best else { continue };
        pairs.push(best);
        let alone = [best.actual as u32];
        let taken = match (taken_classes, &classes) {
            (Some(class_of), Some(members)) => &members[class_of[best.actual] as usize][..],
            _ => &alone[..],
        };
        for &actual in taken {
            free_of_name.take(actual as usize);
            if let Some((_, free)) = &mut free_equals {
                free.take(actual as usize);
            }
        }
    }
    Ok(Alignment::from_pairs(pairs))
}

fn best_of_name<C: Comparison>(
    calls: &C,
    expected: usize,
    free: &mut FreeCalls,
) -> Result<Option<Pair>, EvaluationError> {
    let mut best: Option<Pair> = None;
    let mut walk = free.walk(calls.names().expected[expected]);
    while let Some(actual) = free.step(&mut walk) {
        let grade = calls.grade(expected, actual)?;
        if grade.credit() > best.map_or(0.0, |best| best.grade.credit()) {
            best = Some(Pair {
                expected,
                actual,
                grade,
            });
        }
    }
    Ok(best)
}

/// The members of each class, by index.
fn members(classes: &[u32]) -> Vec<Vec<u32>> {
    let count = classes.iter().max().map_or(0, |&class| class as usize + 1);
    let mut members = vec![Vec::new(); count];
    for (index, &class) in classes.iter().enumerate() {
        members[class as usize].push(index as u32);
    }
    members
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::Grade;
    use crate::alignment::table::{Table, tables};

    /// The rule as nested loops over all pairs.
    fn reference(calls: &Table, classes: &[u32]) -> Result<(Vec<Pair>, f64), EvaluationError> {
        let mut taken: Vec<u32> = Vec::new();
        let (mut pairs, mut total) = (Vec::new(), 0.0);
        for expected in 0..calls.expected() {
            let (mut best, mut pair) = (0.0, None);
            for (actual, class) in classes.iter().enumerate().take(calls.actual()) {
                if taken.contains(class) || !calls.names().same(expected, actual) {
                    continue;
                }
                let grade = calls.grade(expected, actual)?;
                if grade.credit() > best {
                    best = grade.credit();
                    pair = Some(Pair {
                        expected,
                        actual,
                        grade,
                    });
                }
            }
            if let Some(pair) = pair {
                total += best;
                taken.push(classes[pair.actual]);
                pairs.push(pair);
            }
        }
        Ok((pairs, total))
    }

    #[test]
    fn first_call_wins_a_tie() {
        let part = Grade::Partial;
        let calls = Table::from_grades(
            vec![
                vec![part(0.5), part(0.75), part(0.75)],
                vec![part(0.1), part(0.9), Grade::NameOnly],
            ],
            3,
        );
        let alignment = best_fit(&calls, None).unwrap();
        assert_eq!(
            alignment.pairs,
            [
                Pair {
                    expected: 0,
                    actual: 1,
                    grade: part(0.75)
                },
                Pair {
                    expected: 1,
                    actual: 0,
                    grade: part(0.1)
                },
            ]
        );
        assert_eq!(alignment.credit, 0.75 + 0.1);
    }

    #[test]
    fn taking_a_call_takes_its_class() {
        let calls = Table::from_calls(&[(0, 0), (0, 0)], &[(0, 0), (0, 0)], true);
        assert_eq!(best_fit(&calls, Some(&[0, 0])).unwrap().pairs.len(), 1);
        assert_eq!(best_fit(&calls, None).unwrap().pairs.len(), 2);
    }

    #[test]
    fn call_without_credit_is_not_paired() {
        let calls = Table::from_grades(vec![vec![Grade::NameOnly], vec![Grade::Full]], 1);
        assert_eq!(
            best_fit(&calls, None).unwrap().pairs,
            [Pair {
                expected: 1,
                actual: 0,
                grade: Grade::Full
            }]
        );
    }

    #[test]
    fn error_after_the_best_candidate_is_returned() {
        let calls =
            Table::from_grades(vec![vec![Grade::Full, Grade::Full]], 2).failing_at(&[(0, 1)]);
        assert!(best_fit(&calls, None).is_err());
    }

    proptest! {
        #[test]
        fn agrees_with_the_reference(calls in tables(8), classes in prop::collection::vec(0..4_u32, 8), by_class in any::<bool>()) {
            let alone: Vec<u32> = (0..8).collect();
            let wanted = reference(&calls, if by_class { &classes } else { &alone });
            let found_pairs = best_fit(&calls, by_class.then_some(&classes[..calls.actual()]));
            prop_assert_eq!(found_pairs.map(|alignment| (alignment.pairs, alignment.credit)), wanted.clone());
            let compared = best_fit(&calls.clone().without_symbols(), by_class.then_some(&classes[..calls.actual()]));
            prop_assert_eq!(compared.map(|alignment| (alignment.pairs, alignment.credit)), wanted);
        }
    }
}
