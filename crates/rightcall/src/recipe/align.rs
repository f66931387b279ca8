//! Which actual call answers which expected one: the alignments by name, and what each needs.

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

/// Which actual call answers which expected one.
#[derive(Clone, Debug)]
pub(crate) enum Align {
    /// The first expected call is answered by the first actual one, and so on.
    Position,
    /// The same, where the two are the same call.
    PositionIfSame,
    /// Each call of one side takes the first free one of the other that is the same call, or this.
    FirstFit(Driver, Fallback),
    /// Each expected call takes the first free actual one that is the same call, if there are as many; the first that finds none ends it.
    CompleteFit,
    /// Each expected call takes the first free actual one that is the same call, and the details say what was compared.
    NotedFirstFit {
        /// The first comparison that fails is the last.
        end_at_failure: bool,
    },
    /// The first fit of expected calls, which then has to be one of actual calls too, for rules that differ with the direction.
    FirstFitBothWays(Box<Rules>),
    /// Each expected call takes the best free actual one.
    BestFit,
    /// The same; a call is free until one with the same values is taken.
    BestFitOfValues,
    /// Equal calls as multisets, then calls of one name.
    Multiset,
    /// Equal calls as sets.
    Distinct,
    /// The same over lists: a call that comes twice is answered once, and answers once.
    Once,
    /// The longest common subsequence, or the heaviest where pairs earn part of the credit.
    Lcs,
    /// The heaviest common subsequence.
    WeightedLcs,
    /// The longest beginning of the expected calls that is a subsequence of the actual ones.
    Subsequence,
    /// Each expected call, in order, takes the first actual one that is the same and comes after the one taken before.
    Forward,
    /// The pairing of the greatest credit.
    Assignment,
    /// Turn by turn, and inside a turn in any order, up to the first turn that differs.
    ByTurn(Unlooked),
    /// Each call of one side takes the first one of the other that is the same, which is not used up.
    Unconsumed(Driver),
    /// The same of either side, and the sides are of one length.
    UnconsumedBothWays,
    /// As [`Unconsumed`](Self::Unconsumed) by the expected calls, up to the first whose answer does not come after that of the one before.
    FirstOccurrences,
    /// An error of the original.
    Raises(String),
}

impl Align {
    /// True if a call may stand in several pairs.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Self::Unconsumed(_) | Self::UnconsumedBothWays)
    }
}

/// What calls are that come after the end of an alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unlooked {
    /// Neither missed nor extra.
    NotExamined,
    /// Missed and extra like others.
    Unanswered,
}

/// An alignment, and what else came of it. Small, since most alignments have nothing else.
#[derive(Debug)]
pub(super) struct Aligned {
    pub(super) alignment: Alignment,
    /// False where it says by itself that something is amiss.
    pub(super) holds: bool,
    pub(super) more: Option<Box<More>>,
}

/// What only some alignments have.
#[derive(Debug, Default)]
pub(super) struct More {
    /// How many calls count on each side, where that is not all of them.
    pub(super) counted: Option<(usize, usize)>,
    /// Up to which calls of each side it has looked, where that is neither all nor none.
    pub(super) looked_at: Option<(usize, usize)>,
    /// Calls that equal others, and are neither missed nor extra.
    pub(super) duplicates: Vec<(Side, usize)>,
    /// What was compared, where the details say so.
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

    /// The tally of an alignment in which a call may stand in several pairs: missed and extra are those in none.
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
                return Ok(noted(matcher, *end_at_failure, ask)?);
            }
            Align::FirstFitBothWays(rules) => {
                return Ok(both_ways(sides, matcher, (rules, source))?);
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
            Align::ByTurn(unlooked) => return by_turns(sides, matcher, *unlooked),
            Align::Unconsumed(driver) => unconsumed(matcher, *driver)?,
            Align::UnconsumedBothWays => return Ok(unconsumed_both_ways(matcher)?),
            Align::FirstOccurrences => first_occurrences(matcher)?,
            Align::Raises(message) => return Err(EvaluationError::Raised(message.clone()).into()),
        };
        Ok(alignment.into())
    }

    /// An alignment that goes by order, of the order in which calls of one group stand best.
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

/// Notes comparisons if somebody asks for them, or a failure is the end.
fn noted(
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

/// The first fit of expected calls, which has to be one of actual calls by other rules too.
fn both_ways(
    sides: &Sides<'_>,
    matcher: &Matcher<'_, '_>,
    (rules, source): (&Rules, &Source<'_>),
) -> Result<Aligned, EvaluationError> {
    let alignment = first_fit(matcher, Driver::Expected, Fallback::None)?;
    let mut aligned = Aligned::from(alignment);
    // The second direction is not tried where the first fails.
    aligned.holds = aligned.alignment.pairs.len() == matcher.expected() && {
        let backwards = source.matcher(rules, &sides.expected, &sides.actual);
        let covered = first_fit(&backwards, Driver::Actual, Fallback::None)?;
        covered.pairs.len() == matcher.actual()
    };
    Ok(aligned)
}

/// Each call of either side is the same as some call of the other. Where that is so and the sides are of one length, actual calls that
/// are in no pair repeat others.
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

/// The actual calls that cannot answer any more, since one that equals them does.
fn equal_to_taken(alignment: &Alignment, classes: &[u32]) -> Vec<(Side, usize)> {
    let taken: BTreeMap<u32, usize> = alignment
        .pairs
        .iter()
        .map(|pair| (classes[pair.actual], pair.actual))
        .collect();
    let again = |(index, class): (usize, &u32)| {
        let taken = taken.get(class).filter(|taken| **taken != index);
        taken.map(|_| (Side::Actual, index))
    };
    classes.iter().enumerate().filter_map(again).collect()
}

fn by_turns(
    sides: &Sides<'_>,
    matcher: &Matcher<'_, '_>,
    unlooked: Unlooked,
) -> Result<Aligned, Outcome> {
    let Some([expected, actual]) = sides.turns() else {
        return Err(EvaluationError::Raised("the turns are not known".to_owned()).into());
    };
    let same_role = |e: usize, a: usize| expected.roles.get(e) == actual.roles.get(a);
    let aligned = by_turn(matcher, &expected.calls, &actual.calls, same_role)?;
    let looked_at = match unlooked {
        Unlooked::NotExamined => aligned.looked_at(&expected.calls, &actual.calls),
        Unlooked::Unanswered => (matcher.expected(), matcher.actual()),
    };
    let more = More {
        looked_at: Some(looked_at),
        ..More::default()
    };
    Ok(Aligned::with(aligned.alignment, more))
}

/// Symbols for whole calls, which there are unless an expected call states no arguments.
fn symbols<'m>(
    sides: &Sides<'_>,
    matcher: &'m Matcher<'_, '_>,
) -> Result<&'m Symbols<'m>, Outcome> {
    let open = || {
        let has_none = |item: &Item<'_>| matches!(item.arguments(), ArgumentsRef::Absent);
        let first = sides.expected.as_slice().iter().position(has_none);
        // The names of an order are no calls.
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
    matcher.calls().ok_or_else(open)
}
