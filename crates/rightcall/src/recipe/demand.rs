//! What a recipe's score of 1 demands of single calls, whatever their order.

use super::{Align, Recipe};
use crate::explanation::Costs;
use crate::matching::{ArgumentRule, MissingArguments};
use crate::scoring::Scoring;

/// What a score of 1 demands of single calls. A run that falls short of it can be ruled out without an evaluation.
///
/// Two calls are the same if the evaluator gives a case of these two calls alone a score of 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a demand of its own")]
pub struct PairDemand {
    /// Each expected call has an actual call of its own that is the same.
    pub missed: bool,
    /// Each actual call has an expected call of its own that is the same.
    pub extra: bool,
    /// Both sides are sets: equal calls count once.
    pub sets: bool,
    /// False if the order of calls never changes the score.
    pub order: bool,
}

impl Recipe {
    /// What a score of 1 demands; `None` where it can't be said call by call.
    pub(super) fn demand(&self) -> Option<PairDemand> {
        let Costs { missed, extra } = self.demanded()?;
        let same_is_equal = match self.rules.arguments {
            ArgumentRule::Ignored => true,
            ArgumentRule::Equal => self.rules.missing == MissingArguments::Compared,
            _ => false,
        };
        let order = match &self.align {
            Align::Multiset | Align::Distinct | Align::Once | Align::Assignment => false,
            Align::FirstFit(..)
            | Align::CompleteFit
            | Align::NotedFirstFit { .. }
            | Align::BestFit
            | Align::BestFitOfValues => !same_is_equal,
            Align::Position
            | Align::PositionIfSame
            | Align::Lcs
            | Align::WeightedLcs
            | Align::Subsequence
            | Align::Forward
            | Align::ByTurn(_)
            | Align::FirstOccurrences => true,
            // A call answers several others, or the two directions have rules of their own.
            Align::FirstFitBothWays(_)
            | Align::Unconsumed(_)
            | Align::UnconsumedBothWays
            | Align::Raises(_) => return None,
        };
        Some(PairDemand {
            missed,
            extra,
            sets: matches!(self.align, Align::Distinct),
            order,
        })
    }

    /// The calls that must have an answer for a score of 1; `None` where it is reached without.
    fn demanded(&self) -> Option<Costs> {
        Some(match self.score {
            Scoring::Recall => Costs::MISSED,
            Scoring::RecallIfNamesAlign | Scoring::F1(_) => Costs::BOTH,
            Scoring::Precision(_) => Costs::EXTRA,
            Scoring::AllOrNothing(_, costs) | Scoring::Verdict(_, costs) => costs,
            Scoring::Weighted(weights, _) if weights.full <= 1.0 && weights.name_only <= 1.0 => {
                Costs::MISSED
            }
            Scoring::Weighted(..)
            | Scoring::NotAll(..)
            | Scoring::NoneAnswered(_)
            | Scoring::Unanswered => return None,
        })
    }
}
