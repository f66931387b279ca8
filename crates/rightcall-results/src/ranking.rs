//! Which case is worse.

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
    cases: Vec<(f64, T)>,
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
            cases: Vec::new(),
        }
    }

    /// Takes a case of this worth, if it is among the worst so far.
    pub fn offer(&mut self, worth: f64, case: impl FnOnce() -> T) {
        let place = self.cases.partition_point(|(kept, _)| *kept <= worth);
        if place < self.limit {
            self.cases.truncate(self.limit - 1);
            self.cases.insert(place, (worth, case()));
        }
    }

    /// The cases, the worst first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.cases.iter().map(|(_, case)| case)
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }
}

impl CaseResult {
    /// How bad the case is, by all that evaluators made of it together; one that any of them failed on comes first.
    pub fn worth(&self) -> f64 {
        let failed = |it: &&EvaluationResult| matches!(it.outcome, Outcome::Failed(_));
        let failed = self.evaluations.iter().find(failed);
        worth(failed.unwrap_or(&self.whole))
    }
}
