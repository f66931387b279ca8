//! Scores from tallies.
//!
//! All formulas use f64 and the order of operations of their original; the order is part of the formula.

mod empty;
mod formula;
mod rounding;

pub(crate) use empty::{EmptyPolicy, Worth};
pub(crate) use formula::{
    Penalised, Penalties, Scored, Weights, all_or_nothing, exact_f1, f1, mean, precision, recall,
    unanswered, weighed_share, weighted,
};
pub(crate) use rounding::Rounding;

use crate::explanation::Costs;
use crate::tally::{Tally, WeighedSums};

/// A formula for the score of a tally.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scoring {
    /// The share of expected calls that were made.
    Recall,
    /// As `Recall`, but 0 unless the calls at every position have the same tool.
    RecallIfNamesAlign,
    /// The share of actual calls that were expected.
    Precision(Idle),
    /// The harmonic mean of precision and recall, computed from both.
    F1(Idle),
    /// The harmonic mean of precision and recall, computed from their credit. 0 for a run without calls.
    ExactF1,
    /// Weighted credit minus penalties.
    Weighted(Weights, Lengths),
    /// 1 if the condition holds, otherwise 0: every call that has a cost is paired with an equal call.
    AllOrNothing(&'static str, Costs),
    /// As `AllOrNothing`, with separate texts for success and failure.
    Verdict([&'static str; 2], Costs),
    /// 0 if the condition of [`Scoring::AllOrNothing`] holds, otherwise 1.
    NotAll(&'static str, Costs),
    /// 1 if no expected call is paired, otherwise 0.
    NoneAnswered(&'static str),
    /// The share of expected calls that are unpaired.
    Unanswered,
}

/// The precision of a run without calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Idle {
    /// 0.
    Zero,
    /// 1.
    One,
}

/// The difference in length that is penalised, in addition to unpaired actual calls.
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
    /// The score of a tally. `whole` is false if the alignment ended early.
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
                // A single extra call means that the names don't align.
                recall(credit, expected)
                    .only_if("the names align", aligned)
                    .with_costs(Costs::BOTH)
            }
            Self::Precision(idle) => precision(idle),
            Self::F1(idle) => f1(precision(idle), recall(credit, expected)),
            Self::ExactF1 => {
                let calls = [expected as f64, actual as f64];
                exact_f1(
                    precision(Idle::Zero),
                    recall(credit, expected),
                    credit,
                    calls,
                )
            }
            Self::Weighted(weights, lengths) => {
                let penalised = lengths.penalised(tally);
                weighted(weights, full, tally.pairs() - full, penalised, expected)
            }
            Self::AllOrNothing(condition, costs) => {
                all_or_nothing(condition, holds(costs)).with_costs(costs)
            }
            Self::NotAll(condition, costs) => {
                all_or_nothing(condition, !holds(costs)).with_costs(Costs::NONE)
            }
            Self::NoneAnswered(condition) => {
                all_or_nothing(condition, full == 0).with_costs(Costs::NONE)
            }
            Self::Unanswered => unanswered(expected - full, expected),
            Self::Verdict([yes, no], costs) => {
                let held = holds(costs);
                let value = f64::from(u8::from(held));
                Scored::fixed(if held { yes } else { no }, value).with_costs(costs)
            }
        }
    }

    /// The score of weighed calls; `None` for a formula without weights of calls.
    pub(crate) fn weighed(self, sums: WeighedSums) -> Option<Scored> {
        let precision = || {
            let share = weighed_share(
                "weighed precision",
                sums.precise,
                sums.actual,
                "nothing was called",
            );
            share.with_costs(Costs::EXTRA)
        };
        let recall = || {
            let share = weighed_share(
                "weighed recall",
                sums.recalled,
                sums.expected,
                "nothing is expected",
            );
            share.with_costs(Costs::MISSED)
        };
        match self {
            Self::Recall => Some(recall()),
            Self::Precision(Idle::Zero) => Some(precision()),
            // Paired calls may have other weights on the other side.
            Self::ExactF1 if sums.precise == sums.recalled => {
                let weights = [sums.expected, sums.actual];
                Some(exact_f1(precision(), recall(), sums.precise, weights))
            }
            Self::F1(Idle::Zero) | Self::ExactF1 => Some(f1(precision(), recall())),
            _ => None,
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
