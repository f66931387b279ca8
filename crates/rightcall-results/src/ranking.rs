//! Ranks cases from worst to best.

use std::collections::BTreeMap;

use rightcall_core::Outcome;

use crate::{CaseResult, EvaluationResult};

/// The rank of a case; reports show the lowest first. Errors come first, then cases without a run,
/// then scores from low to high. Cases to which no evaluator applies come last. Equal cases stay in
/// input order.
pub fn worth(result: &EvaluationResult) -> f64 {
    const ERROR: f64 = -1e9;
    const NO_RUN: f64 = -1e8;
    const NOT_APPLICABLE: f64 = 1e9;
    match (&result.outcome, result.passed) {
        (Outcome::Scored(score), _) => score.get(),
        (Outcome::Failed(_), _) => ERROR,
        (Outcome::NotApplicable(_), Some(false)) => NO_RUN,
        (Outcome::NotApplicable(_), _) => NOT_APPLICABLE,
    }
}

/// The worst cases up to a limit, worst first; of equal ones, the first in the input.
#[derive(Clone, Debug)]
pub struct Worst<T> {
    limit: usize,
    offered: u64,
    /// Keys are the worth and the position in the input.
    cases: BTreeMap<(i64, u64), T>,
}

impl<T> Default for Worst<T> {
    /// Keeps ten cases; more are rarely needed.
    fn default() -> Self {
        Self::new(10)
    }
}

impl<T> Worst<T> {
    /// An empty list that keeps at most `limit` cases.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            offered: 0,
            cases: BTreeMap::new(),
        }
    }

    /// Adds a case of this worth if it is among the worst so far.
    pub fn offer(&mut self, worth: f64, case: impl FnOnce() -> T) {
        let key = (in_order(worth), self.offered);
        self.offered += 1;
        if self.cases.len() >= self.limit {
            let Some(last) = self.cases.last_entry().filter(|last| *last.key() > key) else {
                return;
            };
            last.remove();
        }
        self.cases.insert(key, case());
    }

    /// The cases, the worst first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.cases.values()
    }

    /// The cases for modification, worst first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.cases.values_mut()
    }

    /// True if there are no cases.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }
}

/// Maps a number to an integer in the same order. The number must not be NaN; 0 and -0 are equal.
fn in_order(worth: f64) -> i64 {
    let bits = (worth + 0.0).to_bits().cast_signed();
    // Flip the remaining bits of negative numbers, since their magnitude grows as the number falls.
    bits ^ (bits >> 63).cast_unsigned().wrapping_shr(1).cast_signed()
}

impl CaseResult {
    /// The worth of the case by its combined result. A case with an error in any evaluation comes first.
    pub fn worth(&self) -> f64 {
        let failed = |it: &&EvaluationResult| matches!(it.outcome, Outcome::Failed(_));
        let failed = self.evaluations.iter().find(failed);
        worth(failed.unwrap_or(&self.whole))
    }
}
