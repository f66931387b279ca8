//! Tests of `parallel`.

use proptest::prelude::*;

use super::*;
use crate::alignment::table::{Table, symbols, tables_without_failure};
use crate::alignment::{longest_common_subsequence, position, subsequence};

/// All orders that move calls only within their group.
fn all_orders(actual: usize, groups: &[Range<usize>]) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for block in blocks(actual, groups) {
        let mut longer = Vec::new();
        for order in &orders {
            permutations(&mut block.clone().collect(), 0, &mut |members| {
                longer.push([&order[..], members].concat());
            });
        }
        orders = longer;
    }
    orders
}

fn permutations(members: &mut Vec<usize>, from: usize, each: &mut impl FnMut(&[usize])) {
    if from == members.len() {
        each(members);
    }
    for place in from..members.len() {
        members.swap(from, place);
        permutations(members, from + 1, each);
        members.swap(from, place);
    }
}

fn groups(actual: usize, lengths: &[(usize, usize)]) -> Vec<Range<usize>> {
    let (mut groups, mut end) = (Vec::new(), 0);
    for &(gap, length) in lengths {
        if end + gap + length <= actual {
            groups.push(end + gap..end + gap + length);
            end += gap + length;
        }
    }
    groups
}

fn lengths() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0..3_usize, 2..5_usize), 0..3)
}

fn full(alignment: &Alignment) -> usize {
    alignment
        .pairs
        .iter()
        .filter(|pair| pair.grade == Grade::Full)
        .count()
}

fn aligned(calls: &Table, order: Vec<usize>, by: Arrange) -> Alignment {
    let permuted = Permuted::new(calls, order);
    let alignment = match by {
        Arrange::Position => position(&permuted),
        Arrange::Sequence => longest_common_subsequence(&permuted),
        Arrange::Beginning => subsequence(&permuted),
    };
    permuted.original(alignment.unwrap())
}

fn check_order(order: &[usize], groups: &[Range<usize>], actual: usize) {
    for block in blocks(actual, groups) {
        let mut members = order[block.clone()].to_vec();
        members.sort_unstable();
        assert_eq!(members, block.collect::<Vec<_>>());
    }
}

#[test]
fn parallel_calls_match_in_any_order() {
    let calls = Table::from_calls(&[(0, 0), (1, 0), (2, 0)], &[(1, 0), (0, 0), (2, 0)], true);
    for by in [Arrange::Position, Arrange::Sequence, Arrange::Beginning] {
        let order = arrange(&calls, &groups(3, &[(0, 2)]), by).unwrap();
        assert_eq!(order, [1, 0, 2]);
        let pairs: Vec<_> = aligned(&calls, order, by)
            .pairs
            .iter()
            .map(|pair| (pair.expected, pair.actual))
            .collect();
        assert_eq!(pairs, [(0, 1), (1, 0), (2, 2)]);
        assert_eq!(arrange(&calls, &[], by).unwrap(), [0, 1, 2]);
    }
}

#[test]
fn calls_in_place_stay_there() {
    let calls = Table::from_calls(&[(1, 0), (0, 0), (0, 0)], &[(0, 0), (0, 0), (0, 1)], true);
    assert_eq!(
        arrange(&calls, &groups(3, &[(0, 3)]), Arrange::Position).unwrap(),
        [2, 1, 0]
    );
    assert_eq!(
        arrange(&calls, &groups(3, &[(0, 2)]), Arrange::Position).unwrap(),
        [0, 1, 2]
    );
}

#[test]
fn a_group_past_the_end_of_expected_keeps_its_order() {
    let calls = Table::from_calls(&[(0, 0)], &[(1, 0), (0, 0), (2, 0)], true);
    for by in [Arrange::Position, Arrange::Sequence, Arrange::Beginning] {
        assert_eq!(
            arrange(&calls, &groups(3, &[(1, 2)]), by).unwrap(),
            [0, 1, 2]
        );
    }
}

#[test]
fn the_limit_applies_in_sequence() {
    let calls = Table::from_calls(&[], &[(0, 0); 2_001], true);
    assert!(matches!(
        arrange(&calls, &groups(3, &[(0, 2)]), Arrange::Sequence),
        Err(EvaluationError::TooManyCalls {
            calls: 2_001,
            limit: 2_000,
            ..
        })
    ));
}

proptest! {
    #[test]
    fn no_order_has_more_equal_calls(calls in tables_without_failure(7), lengths in lengths(), compared in any::<bool>()) {
        let groups = groups(calls.actual(), &lengths);
        let calls = if compared { calls.without_symbols() } else { calls };
        for by in [Arrange::Sequence, Arrange::Beginning] {
            let order = arrange(&calls, &groups, by).unwrap();
            check_order(&order, &groups, calls.actual());
            let best = all_orders(calls.actual(), &groups).into_iter().map(|order| full(&aligned(&calls, order, by))).max();
            prop_assert_eq!(Some(full(&aligned(&calls, order, by))), best);
        }
    }

    #[test]
    fn no_order_has_more_equal_calls_in_place(symbols in symbols(7, 6), lengths in lengths()) {
        let single = Symbols { expected: symbols.expected.iter().map(|it| [it[0]; 2]).collect(), ..symbols };
        let name = |symbol: u32| if symbol == Symbols::NONE { symbol } else { symbol / 3 };
        let names = Symbols {
            expected: single.expected.iter().map(|it| it.map(name)).collect(),
            actual: single.actual.iter().copied().map(name).collect(),
            count: 2,
        };
        let calls = Table::from_symbols(names, single, |_, _| Grade::NameOnly);
        let groups = groups(calls.actual(), &lengths);
        let worth = |order: Vec<usize>| {
            let alignment = aligned(&calls, order, Arrange::Position);
            (full(&alignment), alignment.pairs.len())
        };
        let order = arrange(&calls, &groups, Arrange::Position).unwrap();
        check_order(&order, &groups, calls.actual());
        let best = all_orders(calls.actual(), &groups).into_iter().map(worth).max();
        prop_assert_eq!(Some(worth(order)), best);
    }
}
