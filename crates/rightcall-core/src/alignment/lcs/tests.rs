//! Tests of `lcs`.

use proptest::prelude::*;

use super::*;
use crate::alignment::Grade;
use crate::alignment::table::{Table, symbols, tables};

/// The textbook's table and traceback.
fn reference(
    rows: usize,
    columns: usize,
    is_match: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut table = vec![vec![0; columns + 1]; rows + 1];
    for i in 1..=rows {
        for j in 1..=columns {
            table[i][j] = if is_match(i - 1, j - 1) {
                table[i - 1][j - 1] + 1
            } else {
                table[i - 1][j].max(table[i][j - 1])
            };
        }
    }
    let (mut i, mut j, mut pairs) = (rows, columns, Vec::new());
    while i > 0 && j > 0 {
        if is_match(i - 1, j - 1) {
            pairs.push((j - 1, i - 1));
            i -= 1;
            j -= 1;
        } else if table[i - 1][j] > table[i][j - 1] {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    pairs.reverse();
    pairs
}

fn ends(alignment: &Alignment) -> Vec<(usize, usize)> {
    alignment
        .pairs
        .iter()
        .map(|pair| (pair.expected, pair.actual))
        .collect()
}

/// Calls that have only symbols.
struct BySymbols<'s>(&'s Symbols<'s>);

impl Comparison for BySymbols<'_> {
    fn expected(&self) -> usize {
        self.0.expected.len()
    }

    fn actual(&self) -> usize {
        self.0.actual.len()
    }

    fn names(&self) -> &Symbols<'_> {
        self.0
    }

    fn calls(&self) -> Option<&Symbols<'_>> {
        Some(self.0)
    }

    fn grade(&self, _: usize, _: usize) -> Result<Grade, EvaluationError> {
        unreachable!("symbols say it all")
    }
}

fn by_symbols(symbols: &Symbols<'_>) -> Vec<(usize, usize)> {
    ends(&longest_common_subsequence(&BySymbols(symbols)).unwrap())
}

fn of(expected: &[u32], actual: &[u32]) -> Vec<(usize, usize)> {
    let symbols = Symbols::new(
        expected.iter().map(|&it| [it; 2]).collect::<Vec<_>>(),
        actual,
        9,
    );
    by_symbols(&symbols)
}

#[test]
fn ties_skip_the_expected_call() {
    assert_eq!(of(&[0, 1], &[1, 0]), [(0, 1)]);
    assert_eq!(of(&[0, 1, 2, 3], &[3, 2, 1, 0]), [(0, 3)]);
}

#[test]
fn a_match_is_taken_without_a_table_lookup() {
    assert_eq!(of(&[0, 0], &[0]), [(1, 0)]);
    assert_eq!(of(&[0], &[0, 0]), [(0, 1)]);
}

#[test]
fn equal_and_empty_lists_need_no_table() {
    assert_eq!(of(&[0, 1, 0], &[0, 1, 0]), [(0, 0), (1, 1), (2, 2)]);
    assert_eq!(of(&[], &[0]), []);
    assert_eq!(of(&[0], &[]), []);
}

/// A list of numbers without a visible pattern.
fn scattered(length: usize, of: u32, seed: u64) -> Vec<u32> {
    let mut state = seed;
    let next = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % of
    };
    (0..length).map(next).collect()
}

#[test]
fn long_lists_are_walked_from_checkpoints() {
    for (columns, rows, of) in [
        (1500, 2500, 3),
        (1500, 2500, 40),
        (2100, 2000, 1900),
        (3000, 900, 7),
        (66_000, 40, 9),
    ] {
        let symbols = Symbols {
            expected: scattered(columns, of, 1)
                .into_iter()
                .zip(scattered(columns, of, 2))
                .map(|(a, b)| [a, b])
                .collect(),
            actual: scattered(rows, of, 3).into(),
            count: of as usize,
        };
        let pairs = by_symbols(&symbols);
        assert_eq!(
            pairs,
            reference(rows, columns, |row, column| symbols.same(column, row))
        );
    }
}

#[test]
fn two_calls_are_found_at_the_beginning_of_a_million() {
    let mut expected = vec![2; 1_100_000];
    expected[..2].copy_from_slice(&[0, 1]);
    expected[1_099_990] = 0;
    assert_eq!(of(&expected, &[0, 1]), [(0, 0), (1, 1)]);
}

#[test]
fn each_pair_with_the_same_name_is_compared_once() {
    let calls = Table::from_calls(&[(0, 0), (1, 0), (0, 1)], &[(0, 1), (1, 1), (0, 0)], false);
    assert_eq!(ends(&longest_common_subsequence(&calls).unwrap()), [(0, 2)]);
    assert_eq!(
        calls.compared_pairs(),
        [(0, 0), (2, 0), (1, 1), (0, 2), (2, 2)]
    );
}

proptest! {
    #[test]
    fn pairs_match_the_textbook_traceback(calls in symbols(150, 4)) {
        let wanted = reference(calls.actual.len(), calls.expected.len(), |row, column| calls.same(column, row));
        prop_assert_eq!(by_symbols(&calls), wanted);
    }

    #[test]
    fn the_traceback_by_skipping_matches_the_table_of_credits(calls in symbols(150, 4)) {
        let (m, n) = (calls.expected.len(), calls.actual.len());
        let mut table = vec![vec![0; n + 1]; m + 1];
        for (i, j) in (1..=m).flat_map(|i| (1..=n).map(move |j| (i, j))) {
            let matched = if calls.same(i - 1, j - 1) { table[i - 1][j - 1] + 1 } else { 0 };
            table[i][j] = table[i - 1][j].max(table[i][j - 1]).max(matched);
        }
        let (mut i, mut j, mut wanted) = (m, n, Vec::new());
        while i > 0 && j > 0 {
            if table[i][j] == table[i - 1][j] {
                i -= 1;
            } else if table[i][j] == table[i][j - 1] {
                j -= 1;
            } else {
                wanted.insert(0, (i - 1, j - 1));
                i -= 1;
                j -= 1;
            }
        }
        prop_assert_eq!(ends(&longest_common_subsequence_by_skipping(&calls)), wanted);
    }

    #[test]
    fn matches_the_reference_with_many_symbols(mut calls in symbols(90, 5)) {
        calls.count = 1 << 13;
        let wanted = reference(calls.actual.len(), calls.expected.len(), |row, column| calls.same(column, row));
        prop_assert_eq!(by_symbols(&calls), wanted);
    }

    #[test]
    fn grades_give_the_same_pairs_as_symbols(calls in tables(9)) {
        let compared = longest_common_subsequence(&calls.clone().without_symbols());
        match &compared {
            Ok(alignment) => {
                let full = |row, column| calls.names().same(column, row) && calls.grade(column, row) == Ok(Grade::Full);
                prop_assert_eq!(ends(alignment), reference(calls.actual(), calls.expected(), full));
            }
            Err(error) => {
                let mut pairs = (0..calls.actual()).flat_map(|a| (0..calls.expected()).map(move |e| (e, a)));
                let first = pairs.find_map(|(e, a)| calls.names().same(e, a).then(|| calls.grade(e, a).err()).flatten());
                prop_assert_eq!(Some(error), first.as_ref());
            }
        }
        prop_assert_eq!(longest_common_subsequence(&calls), compared);
    }
}
