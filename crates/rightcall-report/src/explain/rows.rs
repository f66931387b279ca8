//! The rows of an alignment, in reading order.

use std::collections::BTreeSet;

use rightcall_core::{ExplainedPair, Explanation, Grade, Side, nearest};

use super::call::Shown;

/// A row of an alignment.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Row<'e> {
    Pair(&'e ExplainedPair),
    /// A missed call, with the most similar unmatched call.
    Missed {
        expected: usize,
        nearest: Option<usize>,
    },
    Extra(usize),
    /// A duplicate, which a set counts only once.
    Duplicate(Side, usize),
    /// A call after the end of the evaluation.
    NotExamined(Side, usize),
}

impl Row<'_> {
    pub(super) fn expected(&self) -> Option<usize> {
        match *self {
            Self::Pair(pair) => Some(pair.expected),
            Self::Missed { expected, .. } => Some(expected),
            Self::Duplicate(Side::Expected, index) | Self::NotExamined(Side::Expected, index) => {
                Some(index)
            }
            _ => None,
        }
    }

    pub(super) fn actual(&self) -> Option<usize> {
        match *self {
            Self::Pair(pair) => Some(pair.actual),
            Self::Extra(index)
            | Self::Duplicate(Side::Actual, index)
            | Self::NotExamined(Side::Actual, index) => Some(index),
            _ => None,
        }
    }
}

/// The first expected call without an equal call. All calls before it are equal, even if an evaluator does not count them.
pub(crate) fn first_gap(explanation: &Explanation) -> usize {
    let same = explanation
        .pairs
        .iter()
        .filter(|pair| pair.grade == Grade::Full);
    let same: BTreeSet<usize> = same.map(|pair| pair.expected).collect();
    (0..)
        .zip(same)
        .take_while(|(place, expected)| place == expected)
        .count()
}

/// The rows in the order of the expected calls. Unmatched actual calls come before the first pair with a later call.
pub(crate) fn rows<'e>(
    explanation: &'e Explanation,
    expected: &[Shown],
    actual: &[Shown],
) -> Vec<Row<'e>> {
    let duplicate = |side, index| explanation.duplicates.contains(&(side, index));
    let is_shown = |pair: &&ExplainedPair| {
        pair.counted
            || !duplicate(Side::Expected, pair.expected) && !duplicate(Side::Actual, pair.actual)
    };
    let paired: Vec<_> = explanation
        .pairs
        .iter()
        .filter(is_shown)
        .map(Row::Pair)
        .collect();
    let stands_in_a_pair = |row: &Row<'_>| {
        paired.iter().any(|pair| {
            row.expected().is_some_and(|it| pair.expected() == Some(it))
                || row.actual().is_some_and(|it| pair.actual() == Some(it))
        })
    };
    let mut free: Vec<usize> = explanation.extra.clone();
    free.retain(|&index| !stands_in_a_pair(&Row::Extra(index)));
    let near = |&index: &usize| Row::Missed {
        expected: index,
        nearest: nearest_call(index, expected, &free, actual),
    };
    let sided = |of: fn(Side, usize) -> Row<'e>, members: &[(Side, usize)]| {
        members
            .iter()
            .map(move |&(side, index)| of(side, index))
            .collect::<Vec<_>>()
    };
    let others = explanation
        .missed
        .iter()
        .map(near)
        .chain(explanation.extra.iter().map(|&index| Row::Extra(index)))
        .chain(sided(Row::Duplicate, &explanation.duplicates))
        .chain(sided(Row::NotExamined, &explanation.not_examined))
        .filter(|row| !stands_in_a_pair(row));
    let (mut demanded, mut unasked): (Vec<_>, Vec<_>) = paired
        .iter()
        .copied()
        .chain(others)
        .partition(|row| row.expected().is_some());
    // Rows with an expected call keep the expected order. The others are merged by the position of
    // their actual call.
    demanded.sort_by_key(Row::expected);
    unasked.sort_by_key(Row::actual);
    let mut unasked = unasked.into_iter().peekable();
    let mut rows = Vec::new();
    for row in demanded {
        if let Some(actual) = row.actual() {
            while let Some(earlier) = unasked.next_if(|it| it.actual() < Some(actual)) {
                rows.push(earlier);
            }
        }
        rows.push(row);
    }
    rows.extend(unasked);
    rows
}

/// The unmatched actual call with the most similar name; on a tie, the first.
fn nearest_call(
    missed: usize,
    expected: &[Shown],
    free: &[usize],
    actual: &[Shown],
) -> Option<usize> {
    let name = &expected.get(missed)?.name;
    let best = nearest(name, free.iter().map(|&index| actual[index].name.as_str()));
    free.iter()
        .copied()
        .find(|&index| best.first() == Some(&actual[index].name.as_str()))
}
