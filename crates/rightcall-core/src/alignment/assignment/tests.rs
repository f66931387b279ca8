//! Tests of `assignment`.

use proptest::prelude::*;

use super::*;
use crate::alignment::table::{Table, symbols, tables, tables_without_failure};

/// Tries all matchings in the order of their lists of partners, and keeps the first with the greatest worth.
fn try_all(worths: &[Vec<i64>], chosen: &mut Vec<usize>, worth: i64, best: &mut (i64, Vec<usize>)) {
    let Some(row) = worths.get(chosen.len()) else {
        if worth > best.0 {
            *best = (worth, chosen.clone());
        }
        return;
    };
    for (column, &more) in row.iter().enumerate() {
        if more > 0 && !chosen.contains(&column) {
            chosen.push(column);
            try_all(worths, chosen, worth + more, best);
            chosen.pop();
        }
    }
    chosen.push(UNPAIRED);
    try_all(worths, chosen, worth, best);
    chosen.pop();
}

/// The same rule by brute force.
fn reference(calls: &Table) -> Result<Vec<(usize, usize)>, EvaluationError> {
    let mut worths = vec![vec![0; calls.actual()]; calls.expected()];
    for (expected, row) in worths.iter_mut().enumerate() {
        for (actual, worth) in row.iter_mut().enumerate() {
            if calls.names().same(expected, actual) {
                *worth = (calls.grade(expected, actual)?.credit() * 2_f64.powi(32)).round() as i64;
            }
        }
    }
    let mut best = (-1, Vec::new());
    try_all(&worths, &mut Vec::new(), 0, &mut best);
    let mut partners = best.1;
    let mut pairs: Vec<_> = partners
        .iter()
        .copied()
        .enumerate()
        .filter(|pair| pair.1 != UNPAIRED)
        .collect();
    for expected in 0..calls.expected() {
        if pairs.iter().all(|pair| pair.0 != expected) {
            let free = |actual: &usize| {
                calls.names().same(expected, *actual) && !partners.contains(actual)
            };
            if let Some(actual) = (0..calls.actual()).find(free) {
                partners.push(actual);
                pairs.push((expected, actual));
            }
        }
    }
    Ok(pairs)
}

fn ends(alignment: &Alignment) -> Vec<(usize, usize)> {
    alignment
        .pairs
        .iter()
        .map(|pair| (pair.expected, pair.actual))
        .collect()
}

/// A table without partial grades.
struct WithoutPartial(Table);

impl Comparison for WithoutPartial {
    fn expected(&self) -> usize {
        self.0.expected()
    }

    fn actual(&self) -> usize {
        self.0.actual()
    }

    fn names(&self) -> &Symbols<'_> {
        self.0.names()
    }

    fn calls(&self) -> Option<&Symbols<'_>> {
        self.0.calls()
    }

    fn has_partial(&self) -> bool {
        false
    }

    fn grade(&self, expected: usize, actual: usize) -> Result<Grade, EvaluationError> {
        self.0.grade(expected, actual)
    }
}

#[test]
fn the_greatest_total_wins_over_the_greatest_pair() {
    let part = Grade::Partial;
    let calls = Table::from_grades(
        vec![vec![part(0.9), part(0.8)], vec![part(0.8), Grade::NameOnly]],
        2,
    );
    let alignment = assignment(&calls).unwrap();
    assert_eq!(
        (alignment.credit, ends(&alignment)),
        (1.6, vec![(0, 1), (1, 0)])
    );
}

/// Regression test: an old partner was once given up only if it could stay free.
#[test]
fn an_unpaired_call_takes_the_partner_that_an_earlier_call_gives_up() {
    let part = Grade::Partial;
    let calls = Table::from_grades(
        vec![
            vec![part(0.25), part(0.5)],
            vec![Grade::NameOnly, part(0.25)],
        ],
        2,
    );
    assert_eq!(ends(&assignment(&calls).unwrap()), [(0, 0), (1, 1)]);
}

#[test]
fn leftover_calls_pair_by_name() {
    let calls = Table::from_calls(
        &[(0, 0), (0, 1), (1, 0), (0, 2)],
        &[(0, 3), (0, 1), (1, 0), (0, 4)],
        true,
    );
    let alignment = assignment(&calls).unwrap();
    assert_eq!(
        (alignment.credit, ends(&alignment)),
        (2.0, vec![(1, 1), (2, 2), (0, 0), (3, 3)])
    );
}

#[test]
fn the_limit_applies_only_if_pairs_are_compared() {
    let many = vec![(0, 0); 2_001];
    let calls = Table::from_calls(&[(0, 0)], &many, true);
    let error = EvaluationError::TooManyCalls {
        calls: 2_001,
        alignment: "assignment",
        limit: 2_000,
    };
    assert_eq!(assignment(&calls), Err(error));
    assert_eq!(ends(&assignment(&WithoutPartial(calls)).unwrap()), [(0, 0)]);
}

#[test]
fn many_equal_calls_pair_in_order() {
    let calls = Table::from_calls(&[(0, 0); 300], &[(0, 0); 200], false);
    assert_eq!(
        ends(&assignment(&calls).unwrap()),
        (0..200).map(|index| (index, index)).collect::<Vec<_>>()
    );
}

proptest! {
    #[test]
    fn finds_the_first_of_the_best_assignments(worths in prop::collection::vec(prop::collection::vec(0..5_u8, 7), 0..=7), columns in 0..=7_usize) {
        let grade = |share: u8| match share {
            0 => Grade::NameOnly,
            4 => Grade::Full,
            _ => Grade::Partial(f64::from(share) * 0.25),
        };
        let calls = Table::from_grades(worths.iter().map(|row| row[..columns].iter().map(|&it| grade(it)).collect()).collect(), columns);
        prop_assert_eq!(assignment(&calls).map(|it| ends(&it)), reference(&calls));
    }

    #[test]
    fn matches_the_reference_with_names_and_failures(calls in tables(6)) {
        prop_assert_eq!(assignment(&calls).map(|it| ends(&it)), reference(&calls));
    }

    #[test]
    fn pairing_by_symbol_gives_the_same_result(symbols in symbols(40, 6)) {
        let single = Symbols { expected: symbols.expected.iter().map(|it| [it[0]; 2]).collect(), ..symbols };
        let name = |symbol: u32| if symbol == Symbols::NONE { symbol } else { symbol / 2 };
        let names = Symbols {
            expected: single.expected.iter().map(|it| it.map(name)).collect(),
            actual: single.actual.iter().copied().map(name).collect(),
            count: 3,
        };
        let calls = Table::from_symbols(names, single, |_, _| Grade::NameOnly);
        prop_assert_eq!(assignment(&WithoutPartial(calls.clone())), assignment(&calls));
    }

    #[test]
    fn the_total_does_not_depend_on_the_order_of_the_calls(calls in tables_without_failure(12)) {
        let grades = |flip: bool| -> Vec<Vec<Grade>> {
            let (rows, columns) = (calls.expected(), calls.actual());
            let place = |index: usize, of: usize| if flip { of - 1 - index } else { index };
            (0..rows).map(|e| (0..columns).map(|a| calls.grade(place(e, rows), place(a, columns)).unwrap()).collect()).collect()
        };
        let worth = |flip| assignment(&Table::from_grades(grades(flip), calls.actual())).unwrap().credit;
        prop_assert!((worth(false) - worth(true)).abs() < 1e-9);
    }
}
