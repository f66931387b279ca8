//! Which actual call answers which expected one.
//!
//! Each alignment is one function over a [`Comparison`], which knows both lists and what two calls are to each other. Where a
//! comparison can say so by keys (equal keys, same call), an alignment looks up instead of comparing pair by pair; the
//! pairs are the same either way. Originals that report comparisons rather than pairs put an [`ComparisonObserver`] in, which sees
//! each comparison in the original's order and may end the evaluation.

mod assignment;
mod best_fit;
mod by_turn;
mod call_lists;
mod distinct;
mod first_fit;
mod forward;
mod free;
mod lcs;
mod multiset;
mod parallel;
mod position;
mod subsequence;
#[cfg(test)]
pub(crate) mod table;
mod unconsumed;
mod weighted_lcs;

pub(crate) use assignment::assignment;
pub(crate) use best_fit::best_fit;
pub(crate) use by_turn::{Turn, by_turn};
pub use call_lists::CallAlignment;
pub(crate) use distinct::distinct;
pub(crate) use first_fit::{Driver, Fallback, complete_fit, first_fit, observed_first_fit};
pub(crate) use forward::forward;
pub(crate) use lcs::longest_common_subsequence;
pub(crate) use multiset::multiset;
pub(crate) use parallel::{Arrange, Permuted, arrange};
pub(crate) use position::position;
pub(crate) use subsequence::subsequence;
pub(crate) use unconsumed::{first_occurrences, unconsumed};
pub(crate) use weighted_lcs::weighted_lcs;

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::outcome::EvaluationError;

/// A side of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What was demanded.
    Expected,
    /// What was done.
    Actual,
}

/// What an expected call and an actual call are to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grade {
    /// The same call.
    Full,
    /// The same tool, with arguments worth this share.
    Partial(f64),
    /// The same tool, with other arguments.
    NameOnly,
    /// Another tool.
    Unlike,
}

impl Grade {
    /// What the pair is worth where only arguments earn credit.
    pub fn credit(self) -> f64 {
        match self {
            Self::Full => 1.0,
            Self::Partial(share) => share,
            Self::NameOnly | Self::Unlike => 0.0,
        }
    }
}

/// Two lists of calls, and what any two of them are to each other.
pub(crate) trait Comparison {
    /// Number of expected calls.
    fn expected(&self) -> usize;

    /// Number of actual calls.
    fn actual(&self) -> usize;

    /// Symbols for the names: a pair has one name just where [`Symbols::same`] says so.
    fn names(&self) -> &Symbols<'_>;

    /// Symbols for whole calls: a pair is graded [`Grade::Full`] just where [`Symbols::same`] says so. `None` where the rules do
    /// not allow it, or where a comparison could fail.
    fn calls(&self) -> Option<&Symbols<'_>>;

    /// False if no pair is graded [`Grade::Partial`], so that symbols for whole calls say all there is to say of credits.
    fn has_partial(&self) -> bool {
        true
    }

    /// How many pairs may be compared. What makes a table of all pairs may look at four times as many: that costs less.
    fn most_comparisons(&self) -> u64 {
        u64::MAX
    }

    /// What a pair is to each other.
    ///
    /// # Errors
    /// Where the original raises an error for this very pair.
    fn grade(&self, expected: usize, actual: usize) -> Result<Grade, EvaluationError>;
}

/// Refuses a table of all pairs of two lists that are too long for it.
fn check_table<C: Comparison>(calls: &C) -> Result<(), EvaluationError> {
    let pairs = (calls.expected() as u64).saturating_mul(calls.actual() as u64);
    let limit = calls.most_comparisons();
    if pairs / 4 > limit {
        Err(EvaluationError::TooManyComparisons { limit })
    } else {
        Ok(())
    }
}

/// Interned names or calls, so that matching is a comparison of small numbers.
///
/// An expected call can go by two symbols, since in some dialects an actual call answers by id or by name; an actual call goes
/// by one. Symbols count from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols<'s> {
    /// For each expected call the symbols that it goes by, twice the same where there is one.
    pub(crate) expected: Cow<'s, [[u32; 2]]>,
    /// For each actual call its symbol.
    pub(crate) actual: Cow<'s, [u32]>,
    /// Number of different symbols.
    pub(crate) count: usize,
}

impl<'s> Symbols<'s> {
    /// Symbols of which there are `count`.
    pub(crate) fn new(
        expected: impl Into<Cow<'s, [[u32; 2]]>>,
        actual: impl Into<Cow<'s, [u32]>>,
        count: usize,
    ) -> Self {
        Self {
            expected: expected.into(),
            actual: actual.into(),
            count,
        }
    }

    /// Stands for a call that matches nothing.
    pub(crate) const NONE: u32 = u32::MAX;

    /// The same, borrowed.
    pub(crate) fn reborrow(&self) -> Symbols<'_> {
        Symbols::new(&*self.expected, &*self.actual, self.count)
    }

    /// True if the pair has a symbol in common.
    #[inline]
    pub(crate) fn same(&self, expected: usize, actual: usize) -> bool {
        let symbol = self.actual[actual];
        symbol != Self::NONE && self.expected[expected].contains(&symbol)
    }
}

/// Sees what an alignment looks at, in the original's order.
pub(crate) trait ComparisonObserver {
    /// A pair of one name was compared. `Break` ends the alignment.
    fn compared(&mut self, expected: usize, actual: usize, grade: Grade) -> ControlFlow<()>;

    /// No actual call at all was there to be compared with this expected one. `Break` ends the alignment.
    fn unanswered(&mut self, expected: usize) -> ControlFlow<()>;
}

/// The outcome of an alignment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Alignment {
    /// The pairs, in the order in which they were made.
    pub(crate) pairs: Vec<Pair>,
    /// Sum of what the pairs are worth, in the order of the original's own sum.
    pub(crate) credit: f64,
    /// True if an observer ended the alignment before all was looked at.
    pub(crate) broken_off: bool,
}

/// An expected call and the actual call that answers it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) expected: usize,
    pub(crate) actual: usize,
    pub(crate) grade: Grade,
}

impl Pair {
    /// A pair graded [`Grade::Full`].
    pub(crate) fn full(expected: usize, actual: usize) -> Self {
        Self {
            expected,
            actual,
            grade: Grade::Full,
        }
    }
}

/// True for a pair graded [`Grade::Full`].
fn is_full<C: Comparison>(
    calls: &C,
    expected: usize,
    actual: usize,
) -> Result<bool, EvaluationError> {
    match calls.calls() {
        Some(symbols) => Ok(symbols.same(expected, actual)),
        None => {
            Ok(calls.names().same(expected, actual)
                && calls.grade(expected, actual)? == Grade::Full)
        }
    }
}

impl Alignment {
    /// Pairs whose credits are summed in their order.
    pub(crate) fn from_pairs(pairs: Vec<Pair>) -> Self {
        let credit = pairs
            .iter()
            .fold(0.0, |sum, pair| sum + pair.grade.credit());
        Self {
            pairs,
            credit,
            broken_off: false,
        }
    }

    /// The expected and the actual calls that are in no pair, in order.
    pub(crate) fn left_over(&self, expected: usize, actual: usize) -> (Vec<usize>, Vec<usize>) {
        const TAKEN: usize = usize::MAX;
        let open = |calls: usize, of_side: fn(&Pair) -> usize| {
            let mut open: Vec<usize> = (0..calls).collect();
            for pair in &self.pairs {
                open[of_side(pair)] = TAKEN;
            }
            open.retain(|&index| index != TAKEN);
            open
        };
        (
            open(expected, |pair| pair.expected),
            open(actual, |pair| pair.actual),
        )
    }
}
