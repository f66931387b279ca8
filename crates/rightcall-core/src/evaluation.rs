//! The result of an evaluator.

use crate::explanation::Explanation;
use crate::outcome::Outcome;
use crate::value::JsonText;

/// The result of one evaluator on one case.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The score, or why it is missing.
    pub outcome: Outcome,
    /// Whether the case passed, by the threshold or by the original's own verdict; `None` if neither exists.
    pub passed: Option<bool>,
    /// The original's own details, with its keys; `None` unless requested.
    pub details: Option<JsonText>,
    /// The original's whole result object; `None` unless requested, or if the original raises an error.
    pub result: Option<JsonText>,
    /// The alignment, in the form common to all evaluators; `None` unless requested. Boxed, to keep other evaluations small.
    pub explanation: Option<Box<Explanation>>,
}

impl Evaluation {
    /// An evaluation without a score.
    pub fn without_score(outcome: Outcome) -> Self {
        Self {
            outcome,
            passed: None,
            details: None,
            result: None,
            explanation: None,
        }
    }

    /// The score, if there is one.
    pub fn score(&self) -> Option<f64> {
        self.outcome.score()
    }
}

/// The parts of an evaluation to compute in addition to its outcome; each takes time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each part is asked for by itself"
)]
pub struct Ask {
    /// The original's details.
    pub details: bool,
    /// The original's whole result.
    pub result: bool,
    /// The alignment, in the form common to all evaluators.
    pub explanation: bool,
    /// The alignment, but only if the score is below 1 or the case failed.
    pub shortfall: bool,
}

impl Ask {
    /// True if an alignment may be needed.
    pub(crate) fn may_explain(self) -> bool {
        self.explanation || self.shortfall
    }

    /// Only the outcome.
    pub const OUTCOME: Self = Self {
        details: false,
        result: false,
        explanation: false,
        shortfall: false,
    };
    /// The outcome and the alignment.
    pub const EXPLANATION: Self = Self {
        explanation: true,
        ..Self::OUTCOME
    };
    /// All parts.
    pub const ALL: Self = Self {
        details: true,
        result: true,
        explanation: true,
        shortfall: true,
    };
}
