//! Explains the alignments of presets that pair calls.

use std::collections::BTreeSet;

use super::{Align, Aligned};
use crate::alignment::{Comparison, Grade, Pair};
use crate::explanation::{ExplainedPair, Explanation, Side};
use crate::matching::{ArgumentRule, Differences, Matcher, MissingArguments};
use crate::tally::Tally;

/// Explains an alignment, with the indices of the items. Duplicates and unexamined calls are neither missed nor extra.
pub(super) fn explain(
    matcher: &Matcher<'_, '_>,
    aligned: &Aligned,
    tally: Tally,
    align: &Align,
) -> Explanation {
    let (alignment, more) = (&aligned.alignment, aligned.more.as_deref());
    let examined_calls =
        more.and_then(|more| more.examined_calls)
            .unwrap_or(if alignment.broken_off {
                (0, 0)
            } else {
                (matcher.expected(), matcher.actual())
            });
    let duplicates = more.map_or(&[][..], |more| &more.duplicates);
    let (missed, extra) = alignment.left_over(matcher.expected(), matcher.actual());
    let in_duplicates: BTreeSet<(bool, usize)> = duplicates
        .iter()
        .map(|&(side, index)| (side == Side::Expected, index))
        .collect();
    let mut not_examined = Vec::new();
    let mut examined =
        |side: Side, mut calls: Vec<usize>, end: usize, is_blank: &dyn Fn(usize) -> bool| {
            calls.retain(|index| {
                !is_blank(*index) && !in_duplicates.contains(&(side == Side::Expected, *index))
            });
            let others = calls.split_off(calls.partition_point(|index| *index < end));
            not_examined.extend(others.into_iter().map(|index| (side, index)));
            calls
        };
    let mut missed = examined(Side::Expected, missed, examined_calls.0, &|index| {
        matcher.expected_item(index).is_blank
    });
    let mut extra = examined(Side::Actual, extra, examined_calls.1, &|index| {
        matcher.actual_item(index).is_blank
    });
    let mut counted_pairs = alignment.pairs.clone();
    let can_move = matches!(align, Align::Lcs | Align::Multiset | Align::Assignment);
    if can_move && matcher.rules().arguments == ArgumentRule::Ignored {
        move_to_equal(matcher, &mut counted_pairs, &mut missed, &mut extra);
    }
    let mut for_display = for_display(matcher, &missed, &extra);
    if alignment.broken_off {
        // Equal calls after the first difference would have counted if the alignment had not ended there.
        for pair in for_display
            .iter_mut()
            .filter(|pair| pair.differences.is_empty())
        {
            if matches!(matcher.grade(pair.expected, pair.actual), Ok(Grade::Full)) {
                pair.grade = Grade::Full;
            }
        }
    }
    let tally = Tally {
        missed: missed.len(),
        extra: extra.len(),
        ..tally
    };
    let counted = counted_pairs
        .iter()
        .map(|pair| explained(matcher, *pair, true));
    let pairs = counted.chain(for_display).collect();
    Explanation {
        pairs,
        missed,
        extra,
        not_examined,
        tally,
        duplicates: duplicates.to_vec(),
        ..Explanation::default()
    }
}

/// An alignment may stop at the first missing expected call. Later calls that match in order would have counted without it: they are paired
/// as equal, for display only, and don't affect the score.
pub(super) fn count_after_the_first_missed(
    explanation: &mut Explanation,
    matcher: &Matcher<'_, '_>,
    aligned: &Aligned,
) {
    let first = explanation.missed.first().copied();
    let mut reached = aligned.alignment.pairs.iter().map(|pair| pair.actual).max();
    for pair in explanation.pairs.iter_mut().filter(|pair| !pair.counted) {
        let is_after = Some(pair.expected) != first && Some(pair.actual) > reached;
        if is_after && matches!(matcher.grade(pair.expected, pair.actual), Ok(Grade::Full)) {
            (pair.grade, pair.differences, pair.more_differences) = (Grade::Full, Vec::new(), 0);
        }
        reached = reached.max(Some(pair.actual));
    }
}

/// If the evaluator ignores arguments, pairs calls with equal ones as far as the score allows: a missed or extra call takes the place of a
/// call with its name, without passing a neighbouring pair. So the missed calls are those that the agent left out.
fn move_to_equal(
    matcher: &Matcher<'_, '_>,
    pairs: &mut [Pair],
    missed: &mut Vec<usize>,
    extra: &mut Vec<usize>,
) {
    for side in [Side::Expected, Side::Actual] {
        let free = match side {
            Side::Expected => &mut *missed,
            Side::Actual => &mut *extra,
        };
        let count = pairs.len();
        // Forwards, then backwards: the call that a pair leaves is free for the next one.
        for place in (0..count).chain((0..count).rev()) {
            let index_of = |pair: &Pair| match side {
                Side::Expected => pair.expected,
                Side::Actual => pair.actual,
            };
            let pair = pairs[place];
            if free.is_empty() || pair.grade != Grade::Full || has_equal_arguments(matcher, pair) {
                continue;
            }
            let neighbours = [place.checked_sub(1), Some(place + 1)];
            let [before, after] = neighbours.map(|at| pairs.get(at?).map(index_of));
            let moved = |to: usize| match side {
                Side::Expected => Pair {
                    expected: to,
                    ..pair
                },
                Side::Actual => Pair { actual: to, ..pair },
            };
            let fits = |to: &usize| {
                let pair = moved(*to);
                before.is_none_or(|it| it < *to)
                    && after.is_none_or(|it| *to < it)
                    && matcher.grade(pair.expected, pair.actual) == Ok(Grade::Full)
                    && has_equal_arguments(matcher, pair)
            };
            if let Some(at) = free.iter().position(fits) {
                pairs[place] = moved(free[at]);
                free[at] = index_of(&pair);
                free.sort_unstable();
            }
        }
    }
}

fn has_equal_arguments(matcher: &Matcher<'_, '_>, pair: Pair) -> bool {
    let (expected, actual) = (
        matcher.expected_item(pair.expected),
        matcher.actual_item(pair.actual),
    );
    let equality = matcher.rules().equality;
    // Decides without building a tree if the texts are enough.
    if let Some(equal) = expected.quick_equal(actual, equality) {
        return equal;
    }
    match (expected.arguments().to_tree(), actual.arguments().to_tree()) {
        (Some(expected), Some(actual)) => equality.equal(&expected, &actual),
        (expected, actual) => expected.is_none() && actual.is_none(),
    }
}

/// Maximum number of pairs of calls for which equal arguments are searched before equal names.
const MAX_COMPARED: usize = 1_000_000;

/// Pairs missed and extra calls with the same name: those with equal arguments first, then the others in order.
fn for_display(matcher: &Matcher<'_, '_>, missed: &[usize], extra: &[usize]) -> Vec<ExplainedPair> {
    let mut free = extra.to_vec();
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut unpaired = missed.to_vec();
    let mut take = |fits: &dyn Fn(usize, usize) -> bool| {
        unpaired.retain(|&expected| {
            let at = free.iter().position(|&actual| fits(expected, actual));
            found.extend(at.map(|at| (expected, free.remove(at))));
            at.is_none()
        });
    };
    if missed.len().saturating_mul(extra.len()) <= MAX_COMPARED {
        take(&|expected, actual| {
            let pair = Pair::full(expected, actual);
            matcher.same_name(expected, actual) && has_equal_arguments(matcher, pair)
        });
    }
    take(&|expected, actual| matcher.same_name(expected, actual));
    found.sort_unstable();
    let pairs = found.into_iter().map(|(expected, actual)| Pair {
        expected,
        actual,
        grade: Grade::NameOnly,
    });
    pairs.map(|pair| explained(matcher, pair, false)).collect()
}

fn explained(matcher: &Matcher<'_, '_>, pair: Pair, counted: bool) -> ExplainedPair {
    let mut explained = ExplainedPair {
        grade: pair.grade,
        counted,
        ..ExplainedPair::new(pair.expected, pair.actual)
    };
    if pair.grade == Grade::Full {
        return explained;
    }
    let (rules, item) = (matcher.rules(), matcher.expected_item(pair.expected));
    let expected = matcher.expected_arguments(pair.expected);
    if rules.missing == MissingArguments::Compared || expected.is_some() {
        let (name, keys) = (item.name().to_text(), item.more().keys.as_deref());
        let actual = matcher.actual_arguments(pair.actual);
        let differences = Differences::between(
            &rules.arguments,
            (&name, keys),
            expected,
            actual,
            rules.equality,
        );
        (explained.differences, explained.more_differences) = (differences.found, differences.more);
    }
    explained
}

/// The explanation if an empty side decides the score.
pub(crate) fn explain_empty(expected: usize, actual: usize) -> Explanation {
    Explanation {
        missed: (0..expected).collect(),
        extra: (0..actual).collect(),
        tally: Tally::without_pairs(expected, actual),
        ..Explanation::default()
    }
}

/// Maps indices of sorted lists back to the original lists.
pub(super) fn at_places(mut explanation: Explanation, places: &[Vec<usize>; 2]) -> Explanation {
    let [expected, actual] = places;
    for pair in &mut explanation.pairs {
        (pair.expected, pair.actual) = (expected[pair.expected], actual[pair.actual]);
    }
    for (indices, places) in [
        (&mut explanation.missed, expected),
        (&mut explanation.extra, actual),
    ] {
        indices.iter_mut().for_each(|index| *index = places[*index]);
    }
    explanation
}
