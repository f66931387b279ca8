//! Derives the demands of a score of 1 from a recipe.

use super::{Align, PairDemand, Recipe};
use crate::explanation::Costs;
use crate::matching::{ArgumentRule, MissingArguments};
use crate::scoring::Scoring;

impl Recipe {
    /// The demands of a score of 1; `None` if they don't apply call by call.
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
            // A call matches several others, or each direction has its own rules.
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

    /// The calls that must be matched for a score of 1; `None` if none must be.
    fn demanded(&self) -> Option<Costs> {
        Some(match self.score {
            Scoring::Recall => Costs::MISSED,
            Scoring::RecallIfNamesAlign | Scoring::F1(_) | Scoring::ExactF1 => Costs::BOTH,
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
