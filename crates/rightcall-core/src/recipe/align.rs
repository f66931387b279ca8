//! The alignments by name, with their requirements.

use std::collections::BTreeMap;

use super::{Comparisons, Order, Recipe, Sides, Source};
use crate::alignment::{
    Alignment, Arrange, Comparison, Driver, Fallback, Grade, Permuted, Symbols, arrange,
    assignment, best_fit, by_turn, complete_fit, distinct, first_fit, first_occurrences, forward,
    longest_common_subsequence, multiset, observed_first_fit, position, subsequence, unconsumed,
    weighted_lcs,
};
use crate::evaluation::Ask;
use crate::explanation::{ExpectedList, Side};
use crate::matching::{ArgumentsRef, Item, Matcher, Rules, value_classes};
use crate::outcome::{EvaluationError, NotApplicable, Outcome};
use crate::tally::Tally;

/// How actual calls are paired with expected ones.
#[derive(Clone, Debug)]
pub(crate) enum Align {
    /// The first expected call with the first actual one, and so on.
    Position,
    /// Like `Position`, but only pairs of equal calls.
    PositionIfSame,
    /// Each call of one side takes the first free equal call of the other side, or the fallback.
    FirstFit(Driver, Fallback),
    /// Each expected call takes the first free equal actual call, if both sides have the same
    /// number. Ends at the first call without a match.
    CompleteFit,
    /// Each expected call takes the first free equal actual call, and the details list the comparisons.
    NotedFirstFit {
        /// True to end at the first failed comparison.
        end_at_failure: bool,
    },
    /// A first fit of the expected calls, which must also be a first fit of the actual calls, for rules that depend on the direction.
    FirstFitBothWays(Box<Rules>),
    /// Each expected call takes the best free actual call.
    BestFit,
    /// Like `BestFit`, but a call is free only until one with the same values is taken.
    BestFitOfValues,
    /// Equal calls as multisets, then calls with the same name.
    Multiset,
    /// Equal calls as sets.
    Distinct,
    /// Like `Distinct`, but over lists: repeated calls are paired only once.
    Once,
    /// The longest common subsequence, or the one with the greatest credit if pairs can earn partial credit.
    Lcs,
    /// The common subsequence with the greatest credit.
    WeightedLcs,
    /// The longest prefix of the expected calls that is a subsequence of the actual ones.
    Subsequence,
    /// Each expected call, in order, takes the first equal actual call after the previously taken
    /// one.
    Forward,
    /// The pairing with the greatest total credit.
    Assignment,
    /// Turn by turn, in any order inside a turn, up to the first turn that differs.
    ByTurn(Unreached),
    /// Each call of one side takes the first equal call of the other side, which can be taken again.
    Unconsumed(Driver),
    /// Like `Unconsumed` for both sides, which must have the same length.
    UnconsumedBothWays,
    /// Like [`Unconsumed`](Self::Unconsumed) for expected calls, up to the first match that is not
    /// after the previous match.
    FirstOccurrences,
    /// An error of the original.
    Raises(String),
}

impl Align {
    /// True if a call may be in several pairs.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Self::Unconsumed(_) | Self::UnconsumedBothWays)
    }
}

/// How calls that an alignment did not reach are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreached {
    /// As not examined: neither missed nor extra.
    NotExamined,
    /// As missed and extra, like others.
    Unanswered,
}

/// An alignment and its additional results. Small, since most alignments have none.
#[derive(Debug)]
pub(super) struct Aligned {
    pub(super) alignment: Alignment,
    /// False if the alignment found a failure that the pairs don't show.
    pub(super) holds: bool,
    pub(super) more: Option<Box<More>>,
}

/// Additional results of some alignments.
#[derive(Debug, Default)]
pub(super) struct More {
    /// Number of calls that count on each side, if not all do.
    pub(super) counted: Option<(usize, usize)>,
    /// Number of calls examined on each side, if neither all nor none.
    pub(super) examined_calls: Option<(usize, usize)>,
    /// Calls that equal others and are neither missed nor extra.
    pub(super) duplicates: Vec<(Side, usize)>,
    /// The comparisons, if the details list them.
    pub(super) comparisons: Comparisons,
}

impl From<Alignment> for Aligned {
    fn from(alignment: Alignment) -> Self {
        Self {
            holds: !alignment.broken_off,
            alignment,
            more: None,
        }
    }
}

impl Aligned {
    fn with(alignment: Alignment, more: More) -> Self {
        Self {
            more: Some(Box::new(more)),
            ..Self::from(alignment)
        }
    }

    /// The tally of an alignment in which a call may be in several pairs: unpaired calls are missed or extra.
    pub(super) fn with_open_calls(&self, tally: Tally) -> Tally {
        let (missed, extra) = self.alignment.left_over(tally.expected, tally.actual);
        let repeated = self.more.as_ref().map_or(0, |more| more.duplicates.len());
        Tally {
            missed: missed.len(),
            extra: extra.len() - repeated,
            ..tally
        }
    }
}

impl Recipe {
    /// Aligns two lists.
    #[inline]
    pub(super) fn align(
        &self,
        source: &Source<'_>,
        sides: &Sides<'_>,
        matcher: &Matcher<'_, '_>,
        ask: Ask,
    ) -> Result<Aligned, Outcome> {
        let alignment = match &self.align {
            Align::Position => self.arranged(sides, matcher, Arrange::Position)?,
            Align::PositionIfSame => {
                let mut alignment = position(matcher)?;
                alignment.pairs.retain(|pair| pair.grade == Grade::Full);
                alignment
            }
            Align::FirstFit(driver, fallback) => first_fit(matcher, *driver, *fallback)?,
            Align::CompleteFit => complete_fit(matcher)?,
            Align::NotedFirstFit { end_at_failure } => {
                return Ok(noted_first_fit(matcher, *end_at_failure, ask)?);
            }
            Align::FirstFitBothWays(rules) => {
                return Ok(first_fit_both_ways(sides, matcher, (rules, source))?);
            }
            Align::BestFit => best_fit(matcher, None)?,
            Align::BestFitOfValues => {
                return Ok(best_fit_of_values(sides, matcher, (source, ask))?);
            }
            Align::Multiset => multiset(matcher.names(), symbols(sides, matcher)?),
            Align::Distinct => {
                let sets = distinct(symbols(sides, matcher)?);
                let more = More {
                    counted: Some((sets.expected_classes, sets.actual_classes)),
                    duplicates: sets.duplicates,
                    ..More::default()
                };
                return Ok(Aligned::with(sets.alignment, more));
            }
            Align::Once => distinct(symbols(sides, matcher)?).alignment,
            Align::Lcs if !matcher.has_partial() => {
                self.arranged(sides, matcher, Arrange::Sequence)?
            }
            Align::Lcs | Align::WeightedLcs => weighted_lcs(matcher)?,
            Align::Subsequence => self.arranged(sides, matcher, Arrange::Beginning)?,
            Align::Forward => forward(matcher)?,
            Align::Assignment => assignment(matcher)?,
            Align::ByTurn(unreached) => return by_turns(sides, matcher, *unreached),
            Align::Unconsumed(driver) => unconsumed(matcher, *driver)?,
            Align::UnconsumedBothWays => return Ok(unconsumed_both_ways(matcher)?),
            Align::FirstOccurrences => first_occurrences(matcher)?,
            Align::Raises(message) => return Err(EvaluationError::Raised(message.clone()).into()),
        };
        Ok(alignment.into())
    }

    /// Runs an alignment that depends on order, with parallel calls in their best order.
    fn arranged(
        &self,
        sides: &Sides<'_>,
        matcher: &Matcher<'_, '_>,
        order: Arrange,
    ) -> Result<Alignment, EvaluationError> {
        if self.order != Order::GroupsFree || sides.groups().is_empty() {
            return in_order(matcher, order);
        }
        let permuted = Permuted::new(matcher, arrange(matcher, sides.groups(), order)?);
        in_order(&permuted, order).map(|alignment| permuted.original(alignment))
    }
}

fn in_order<C: Comparison>(calls: &C, order: Arrange) -> Result<Alignment, EvaluationError> {
    match order {
        Arrange::Position => position(calls),
        Arrange::Sequence => longest_common_subsequence(calls),
        Arrange::Beginning => subsequence(calls),
    }
}

/// Records comparisons if details are requested, or if a failure ends the alignment.
fn noted_first_fit(
    matcher: &Matcher<'_, '_>,
    end_at_failure: bool,
    ask: Ask,
) -> Result<Aligned, EvaluationError> {
    if !end_at_failure && !ask.details && !ask.result {
        let alignment = first_fit(matcher, Driver::Expected, Fallback::None)?;
        return Ok(alignment.into());
    }
    let mut comparisons = Comparisons::new(end_at_failure);
    let alignment = observed_first_fit(matcher, &mut comparisons)?;
    let more = More {
        comparisons,
        ..More::default()
    };
    Ok(Aligned::with(alignment, more))
}

/// A first fit of expected calls that must also be a first fit of actual calls, under other rules.
fn first_fit_both_ways(
    sides: &Sides<'_>,
    matcher: &Matcher<'_, '_>,
    (rules, source): (&Rules, &Source<'_>),
) -> Result<Aligned, EvaluationError> {
    let alignment = first_fit(matcher, Driver::Expected, Fallback::None)?;
    let mut aligned = Aligned::from(alignment);
    // The second direction is not tried if the first fails.
    aligned.holds = aligned.alignment.pairs.len() == matcher.expected() && {
        let backwards = source.matcher(rules, &sides.expected, &sides.actual);
        let covered = first_fit(&backwards, Driver::Actual, Fallback::None)?;
        covered.pairs.len() == matcher.actual()
    };
    Ok(aligned)
}

/// Requires that each call of either side equals some call of the other, and that the sides have the same length. If so, unpaired actual
/// calls are repeats.
fn unconsumed_both_ways(matcher: &Matcher<'_, '_>) -> Result<Aligned, EvaluationError> {
    let alignment = unconsumed(matcher, Driver::Expected)?;
    let of_actual = unconsumed(matcher, Driver::Actual)?;
    let (expected, actual) = (matcher.expected(), matcher.actual());
    let holds =
        expected == actual && alignment.pairs.len() == expected && of_actual.pairs.len() == actual;
    let (_, unpaired) = alignment.left_over(expected, actual);
    let repeated = unpaired.into_iter().filter(|_| holds);
    let more = More {
        duplicates: repeated.map(|index| (Side::Actual, index)).collect(),
        ..More::default()
    };
    Ok(Aligned {
        holds,
        ..Aligned::with(alignment, more)
    })
}

fn best_fit_of_values(
    sides: &Sides<'_>,
    matcher: &Matcher<'_, '_>,
    (source, ask): (&Source<'_>, Ask),
) -> Result<Aligned, EvaluationError> {
    let classes = value_classes(sides.actual.as_slice(), source.hash_key());
    let alignment = best_fit(matcher, Some(&classes))?;
    if !ask.may_explain() {
        return Ok(alignment.into());
    }
    let more = More {
        duplicates: equal_to_taken(&alignment, &classes),
        ..More::default()
    };
    Ok(Aligned::with(alignment, more))
}

/// The actual calls that can't be taken because an equal call is already taken.
fn equal_to_taken(alignment: &Alignment, classes: &[u32]) -> Vec<(Side, usize)> {
    let taken: BTreeMap<u32, usize> = alignment
        .pairs
        .iter()
        .map(|pair| (classes[pair.actual], pair.actual))
        .collect();
    let duplicate = |(index, class): (usize, &u32)| {
        let taken = taken.get(class).filter(|taken| **taken != index);
        taken.map(|_| (Side::Actual, index))
    };
    classes.iter().enumerate().filter_map(duplicate).collect()
}

fn by_turns(
    sides: &Sides<'_>,
    matcher: &Matcher<'_, '_>,
    unreached: Unreached,
) -> Result<Aligned, Outcome> {
    let Some([expected, actual]) = sides.turns() else {
        return Err(EvaluationError::Raised("the turns are not known".to_owned()).into());
    };
    let same_role = |e: usize, a: usize| expected.roles.get(e) == actual.roles.get(a);
    let aligned = by_turn(matcher, &expected.calls, &actual.calls, same_role)?;
    let examined_calls = match unreached {
        Unreached::NotExamined => aligned.examined_calls(&expected.calls, &actual.calls),
        Unreached::Unanswered => (matcher.expected(), matcher.actual()),
    };
    let more = More {
        examined_calls: Some(examined_calls),
        ..More::default()
    };
    Ok(Aligned::with(aligned.alignment, more))
}

/// Symbols for whole calls. They exist unless an expected call has no arguments.
fn symbols<'m>(
    sides: &Sides<'_>,
    matcher: &'m Matcher<'_, '_>,
) -> Result<&'m Symbols<'m>, Outcome> {
    let not_applicable = || {
        let has_none = |item: &Item<'_>| matches!(item.arguments(), ArgumentsRef::Absent);
        let first = sides.expected.as_slice().iter().position(has_none);
        // The names of an order are not calls.
        let index = first.filter(|_| sides.list == ExpectedList::Calls);
        let name = index.map(|index| {
            sides.expected.as_slice()[index]
                .name()
                .to_text()
                .to_string()
        });
        Outcome::NotApplicable(NotApplicable::ExpectedOpen {
            index: index.unwrap_or_default(),
            name: name.unwrap_or_default(),
            field: "args",
        })
    };
    matcher.calls().ok_or_else(not_applicable)
}
