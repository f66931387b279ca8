//! What an evaluator returns.

use crate::explanation::Explanation;
use crate::outcome::Outcome;
use crate::value::JsonText;

/// The judgement of one evaluator on one case.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The score, or why there is none.
    pub outcome: Outcome,
    /// Whether the case passed: by the threshold, or by the original's own verdict; `None` where there is neither.
    pub passed: Option<bool>,
    /// The original's own details, key for key; `None` unless asked for.
    pub details: Option<JsonText>,
    /// The original's whole result object; `None` unless asked for, and where the original raises an error.
    pub result: Option<JsonText>,
    /// The universal alignment; `None` unless asked for. Boxed: evaluations without one stay small.
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

/// What is wanted of an evaluation beyond its outcome; each part costs its making.
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
    /// The universal alignment.
    pub explanation: bool,
    /// The universal alignment where the case falls short: by a score below 1, or by its verdict.
    pub shortfall: bool,
}

impl Ask {
    /// Whether an alignment may be wanted.
    pub(crate) fn may_explain(self) -> bool {
        self.explanation || self.shortfall
    }

    /// The outcome alone.
    pub const OUTCOME: Self = Self {
        details: false,
        result: false,
        explanation: false,
        shortfall: false,
    };
    /// Everything.
    pub const ALL: Self = Self {
        details: true,
        result: true,
        explanation: true,
        shortfall: true,
    };
}
