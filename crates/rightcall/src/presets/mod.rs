//! The presets: each published metric as a choice from the four vocabularies, and a renderer for its own result.
//!
//! A preset reads its input through one of two doors, canonical cases and the original's own shape, which both end in lists
//! of items; aligns and scores them with the crate's vocabularies; and renders the original's result. It has no loop over
//! pairs of its own, and its quirks are named choices.

pub(crate) mod adk;
pub(crate) mod agentevals;
pub(crate) mod axion;
pub(crate) mod constraints;
pub(crate) mod deepeval;
mod departures;
pub(crate) mod evalite;
mod explain;
mod javascript_items;
pub(crate) mod ragas;
mod reading;
mod rendering;
pub(crate) mod tau2;
pub(crate) mod tpmjs;
pub(crate) mod trajectory;
pub(crate) mod uipath;

use std::fmt::Debug;

use crate::call::MAX_COMPARISONS;
use crate::evaluation::{Ask, Evaluation, Outcome};
use crate::matching::{ItemList, Matcher, Rules};
use crate::prepared::PreparedCase;
use crate::value::HashKey;

/// An evaluator with its settings read.
pub(crate) trait Preset: Debug + Send + Sync {
    /// Judges one case. `Err` holds the outcome of a case without a score.
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome>;
}

/// Where the two sides come from.
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
        /// How many pairs of arguments may be compared.
        max_comparisons: Option<u64>,
    },
}

impl Source<'_> {
    /// A matcher of two lists that were read from here.
    fn matcher<'m, 'c>(
        &self,
        rules: &'m Rules,
        expected: impl Into<ItemList<'m, 'c>>,
        actual: impl Into<ItemList<'m, 'c>>,
    ) -> Matcher<'m, 'c> {
        let most = match self {
            Self::Case(case) => case.max_comparisons,
            Self::Native {
                max_comparisons, ..
            } => *max_comparisons,
        };
        Matcher::new(rules, expected, actual, self.hash_key())
            .at_most(most.unwrap_or(MAX_COMPARISONS))
    }

    fn hash_key(&self) -> HashKey {
        match self {
            Self::Case(case) => case.hash_key,
            Self::Native { hash_key, .. } => *hash_key,
        }
    }
}
