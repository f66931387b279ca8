//! The source of a case's two sides, and the interface of presets.

use std::fmt::Debug;

use super::PairDemand;
use crate::call::MAX_COMPARISONS;
use crate::evaluation::{Ask, Evaluation};
use crate::matching::{ItemList, Matcher, Rules};
use crate::outcome::Outcome;
use crate::prepared::PreparedCase;
use crate::value::HashKey;

/// An evaluator with parsed settings.
pub(crate) trait Preset: Debug + Send + Sync {
    /// Judges one case. `Err` is the outcome of a case without a score.
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome>;

    /// The demands of a score of 1 on single calls; `None` if they don't apply call by call.
    fn demand(&self) -> Option<PairDemand> {
        None
    }

    /// The lowest passing score of a preset with its own threshold, after its rules for special values.
    fn threshold(&self) -> Option<f64> {
        None
    }

    /// True if the preset itself handles runs with missing calls.
    fn judges_incomplete_runs(&self) -> bool {
        false
    }
}

/// The source of the two sides.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'s> {
    /// A canonical case.
    Case(&'s PreparedCase<'s>),
    /// JSON text in the original's own shape.
    Native {
        /// The expected side.
        expected: &'s str,
        /// The actual side.
        actual: &'s str,
        /// The key for hashing arguments.
        hash_key: HashKey,
        /// Maximum number of compared pairs of arguments.
        max_comparisons: Option<u64>,
    },
}

impl Source<'_> {
    /// A matcher of two lists from this source.
    #[inline]
    pub(crate) fn matcher<'m, 'c>(
        &self,
        rules: &'m Rules,
        expected: impl Into<ItemList<'m, 'c>>,
        actual: impl Into<ItemList<'m, 'c>>,
    ) -> Matcher<'m, 'c> {
        let most = match self {
            Self::Case(prepared) => prepared.case().max_comparisons,
            Self::Native {
                max_comparisons, ..
            } => *max_comparisons,
        };
        Matcher::new(rules, expected, actual, self.hash_key())
            .at_most(most.unwrap_or(MAX_COMPARISONS))
    }

    /// The key for hashing arguments.
    #[inline]
    pub(crate) fn hash_key(&self) -> HashKey {
        match self {
            Self::Case(prepared) => prepared.case().hash_key,
            Self::Native { hash_key, .. } => *hash_key,
        }
    }
}
