//! Alignments: which actual call matches which expected call.
//!
//! Each alignment is a function over a [`Comparison`], which has both lists and grades any pair of calls. If a comparison can express
//! equality by keys (equal keys, equal calls), an alignment looks calls up instead of comparing pair by pair; the pairs are the same either
//! way. Originals that report comparisons instead of pairs pass a [`ComparisonObserver`]: it sees each comparison in the original's order
//! and can end the evaluation.

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
    /// The expected calls.
    Expected,
    /// The actual calls.
    Actual,
}

/// How well an actual call matches an expected one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grade {
    /// Equal calls.
    Full,
    /// The same tool, with arguments that earn this share of the credit.
    Partial(f64),
    /// The same tool with other arguments.
    NameOnly,
    /// Different tools.
    Unlike,
}

impl Grade {
    /// The pair's credit, if only arguments earn credit.
    pub fn credit(self) -> f64 {
        match self {
            Self::Full => 1.0,
            Self::Partial(share) => share,
            Self::NameOnly | Self::Unlike => 0.0,
        }
    }
}

/// Two lists of calls, and the grade of any pair.
pub(crate) trait Comparison {
    /// Number of expected calls.
    fn expected(&self) -> usize;

    /// Number of actual calls.
    fn actual(&self) -> usize;

    /// Symbols for names: two calls have the same name exactly if [`Symbols::same`] is true.
    fn names(&self) -> &Symbols<'_>;

    /// Symbols for whole calls: a pair is graded [`Grade::Full`] exactly if [`Symbols::same`] is true. `None` if the rules can't be
    /// expressed by symbols, or if a comparison could fail.
    fn calls(&self) -> Option<&Symbols<'_>>;

    /// False if no pair is graded [`Grade::Partial`], so that symbols for whole calls determine all credits.
    fn has_partial(&self) -> bool {
        true
    }

    /// Maximum number of compared pairs. For a table of all pairs the limit is four times this, since that is cheaper.
    fn most_comparisons(&self) -> u64 {
        u64::MAX
    }

    /// The grade of a pair.
    ///
    /// # Errors
    /// The original raises an error for this pair.
    fn grade(&self, expected: usize, actual: usize) -> Result<Grade, EvaluationError>;
}

/// Returns an error if two lists are too long for a table of all pairs.
fn check_table<C: Comparison>(calls: &C) -> Result<(), EvaluationError> {
    let pairs = (calls.expected() as u64).saturating_mul(calls.actual() as u64);
    let limit = calls.most_comparisons();
    if pairs / 4 > limit {
        Err(EvaluationError::TooManyComparisons { limit })
    } else {
        Ok(())
    }
}

/// Interned names or calls, so that matching compares small numbers.
///
/// An expected call can have two symbols, since in some dialects an actual call matches by id or by name. An actual call has one. Symbols
/// count from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols<'s> {
    /// The symbols of each expected call; twice the same if it has only one.
    pub(crate) expected: Cow<'s, [[u32; 2]]>,
    /// The symbol of each actual call.
    pub(crate) actual: Cow<'s, [u32]>,
    /// Number of distinct symbols.
    pub(crate) count: usize,
}

impl<'s> Symbols<'s> {
    /// Symbols from 0 to `count - 1`.
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

    /// The symbol of a call that matches no call.
    pub(crate) const NONE: u32 = u32::MAX;

    /// The same, borrowed.
    pub(crate) fn reborrow(&self) -> Symbols<'_> {
        Symbols::new(&*self.expected, &*self.actual, self.count)
    }

    /// True if the pair has a common symbol.
    #[inline]
    pub(crate) fn same(&self, expected: usize, actual: usize) -> bool {
        let symbol = self.actual[actual];
        symbol != Self::NONE && self.expected[expected].contains(&symbol)
    }
}

/// Observes an alignment's comparisons in the original's order.
pub(crate) trait ComparisonObserver {
    /// A pair with the same name was compared. `Break` ends the alignment.
    fn compared(&mut self, expected: usize, actual: usize, grade: Grade) -> ControlFlow<()>;

    /// No actual call could be compared with this expected one. `Break` ends the alignment.
    fn unanswered(&mut self, expected: usize) -> ControlFlow<()>;
}

/// The outcome of an alignment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Alignment {
    /// The pairs, in the order of pairing.
    pub(crate) pairs: Vec<Pair>,
    /// Sum of the pairs' credits, added in the original's order.
    pub(crate) credit: f64,
    /// True if an observer or a difference ended the alignment early.
    pub(crate) broken_off: bool,
}

/// An expected call and the actual call that matches it.
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
    /// An alignment of these pairs, with their credits summed in order.
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

    /// The unpaired expected and actual calls, in order.
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
