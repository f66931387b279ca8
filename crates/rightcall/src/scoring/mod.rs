//! What an outcome is worth.
//!
//! Every formula is in f64, in the order of operations that its original has; the order is part of the formula.

mod empty;
mod formula;
mod rounding;

pub(crate) use empty::{EmptyPolicy, Worth};
pub(crate) use formula::{
    Penalised, Penalties, Scored, Weights, all_or_nothing, f1, mean, precision, recall, unanswered,
    weighted,
};
pub(crate) use rounding::Rounding;

use crate::explanation::Costs;
use crate::tally::Tally;

/// What a tally is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scoring {
    /// The share of what was demanded that was done.
    Recall,
    /// The same, if the calls of every position are of one tool, and 0 else.
    RecallIfNamesAlign,
    /// The share of what was done that was demanded.
    Precision(Idle),
    /// The harmonic mean of precision and recall.
    F1(Idle),
    /// Weighted credit less penalties.
    Weighted(Weights, Lengths),
    /// 1 if this holds, else 0: of the calls that cost something, each is answered by the same call.
    AllOrNothing(&'static str, Costs),
    /// The same, with words of its own where it holds and where it does not.
    Verdict([&'static str; 2], Costs),
    /// 0 if what [`Scoring::AllOrNothing`] asks for holds, else 1.
    NotAll(&'static str, Costs),
    /// 1 if no expected call is answered, else 0.
    NoneAnswered(&'static str),
    /// The share of expected calls that nothing answers.
    Unanswered,
}

/// How precise a run without any call is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Idle {
    /// Not at all.
    Zero,
    /// Perfectly.
    One,
}

/// Which difference in length is penalised, beside the calls that answer nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lengths {
    /// None.
    Free,
    /// More actual calls than expected ones.
    Surplus,
    /// Any.
    Both,
}

impl Scoring {
    /// The score of a tally; `whole` is false where the alignment ended before all was looked at.
    #[inline]
    pub(crate) fn score(self, tally: &Tally, whole: bool) -> Scored {
        let Tally {
            expected,
            actual,
            full,
            credit,
            ..
        } = *tally;
        let holds = |costs: Costs| {
            whole && (!costs.missed || full == expected) && (!costs.extra || full == actual)
        };
        let precision = |idle: Idle| match idle {
            Idle::One if actual == 0 => Scored::fixed("nothing was called", 1.0),
            _ => precision(credit, actual),
        };
        match self {
            Self::Recall => recall(credit, expected),
            Self::RecallIfNamesAlign => {
                let aligned = expected == actual && tally.pairs() == expected;
                // One extra call is enough for the names not to align.
                recall(credit, expected)
                    .only_if("the names align", aligned)
                    .costing(Costs::BOTH)
            }
            Self::Precision(idle) => precision(idle),
            Self::F1(idle) => f1(precision(idle), recall(credit, expected)),
            Self::Weighted(weights, lengths) => {
                let penalised = lengths.penalised(tally);
                weighted(weights, full, tally.pairs() - full, penalised, expected)
            }
            Self::AllOrNothing(condition, costs) => {
                all_or_nothing(condition, holds(costs)).costing(costs)
            }
            Self::NotAll(condition, costs) => {
                all_or_nothing(condition, !holds(costs)).costing(Costs::NONE)
            }
            Self::NoneAnswered(condition) => {
                all_or_nothing(condition, full == 0).costing(Costs::NONE)
            }
            Self::Unanswered => unanswered(expected - full, expected),
            Self::Verdict([yes, no], costs) => {
                let held = holds(costs);
                let value = f64::from(u8::from(held));
                Scored::fixed(if held { yes } else { no }, value).costing(costs)
            }
        }
    }
}

impl Lengths {
    /// The calls that cost a penalty.
    pub(crate) fn penalised(self, tally: &Tally) -> Penalised {
        let (too_many, too_few) = match self {
            Self::Free => (0, 0),
            Self::Surplus => (tally.actual.saturating_sub(tally.expected), 0),
            Self::Both => (
                tally.actual.saturating_sub(tally.expected),
                tally.expected.saturating_sub(tally.actual),
            ),
        };
        Penalised {
            extra: tally.extra,
            too_many,
            too_few,
        }
    }
}
