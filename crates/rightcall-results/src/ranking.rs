//! Which case is worse.

use std::collections::BTreeMap;

use rightcall::Outcome;

use crate::{CaseResult, EvaluationResult};

/// How bad a case is: the lower, the sooner people look at it. Errors, then cases without a run, then scores from low to high; last
/// is what nothing applied to. Equal ones stay in input order.
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

/// So many of the worst cases, the worst first; of equal ones the first of the input.
#[derive(Clone, Debug)]
pub struct Worst<T> {
    limit: usize,
    offered: u64,
    /// By worth and place in the input.
    cases: BTreeMap<(i64, u64), T>,
}

impl<T> Default for Worst<T> {
    /// The ten worst, which are what people look at first.
    fn default() -> Self {
        Self::new(10)
    }
}

impl<T> Worst<T> {
    /// None yet, of at most so many.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            offered: 0,
            cases: BTreeMap::new(),
        }
    }

    /// Takes a case of this worth, if it is among the worst so far.
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

    /// The cases to be changed, the worst first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.cases.values_mut()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }
}

/// A number that is in the order of these numbers, which are no NaN; 0 and -0 are one.
fn in_order(worth: f64) -> i64 {
    let bits = (worth + 0.0).to_bits().cast_signed();
    // The larger the rest of a negative number, the smaller it is.
    bits ^ (bits >> 63).cast_unsigned().wrapping_shr(1).cast_signed()
}

impl CaseResult {
    /// How bad the case is, by all that evaluators made of it together; one that any of them failed on comes first.
    pub fn worth(&self) -> f64 {
        let failed = |it: &&EvaluationResult| matches!(it.outcome, Outcome::Failed(_));
        let failed = self.evaluations.iter().find(failed);
        worth(failed.unwrap_or(&self.whole))
    }
}
