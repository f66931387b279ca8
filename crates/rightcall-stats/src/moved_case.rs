//! Cases that changed between two runs.

use crate::{EQUAL_WITHIN, TrialCounts};

/// A case with a different weighted score or verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedCase {
    /// Its key.
    pub key: String,
    /// Its mean score before; without scores, the share of its trials that passed.
    pub before: f64,
    /// The same after.
    pub after: f64,
    /// False if it has a score only after, such as a case without a run before. Then `before` is the share of its trials that passed.
    pub(crate) was_scored: bool,
    /// Its trials before.
    pub trials_before: TrialCounts,
    /// Its trials after.
    pub trials_after: TrialCounts,
}

impl MovedCase {
    /// A case that has a score before and after, or neither.
    pub fn new(key: &str, [before, after]: [f64; 2], trials: [TrialCounts; 2]) -> Self {
        let [trials_before, trials_after] = trials;
        Self {
            key: key.to_owned(),
            before,
            after,
            was_scored: true,
            trials_before,
            trials_after,
        }
    }

    /// Its score before, as in `before`; `None` if it has a score only after.
    pub fn score_before(&self) -> Option<f64> {
        self.was_scored.then_some(self.before)
    }

    /// True if it got worse: it newly fails, or its score is lower, or (with an equal score) fewer
    /// of its trials pass. A fixed case got better even if its score is lower.
    pub fn is_worse(&self) -> bool {
        if self.is_newly_failing() || self.is_fixed() {
            return self.is_newly_failing();
        }
        let by_verdict = self.trials_after.share() < self.trials_before.share();
        if !self.was_scored {
            return by_verdict;
        }
        self.after < self.before || (self.after - self.before < EQUAL_WITHIN && by_verdict)
    }

    /// The cases that got worse, and those that got better. Newly failing and fixed cases come first, then by size of the change; equal
    /// ones stay in order.
    pub fn by_direction<'m>(cases: impl IntoIterator<Item = &'m Self>) -> [Vec<&'m Self>; 2] {
        let (mut worse, mut better): (Vec<_>, Vec<_>) =
            cases.into_iter().partition(|it| it.is_worse());
        let change = |case: &Self| (case.after - case.before).abs();
        let is_turned = |case: &Self| case.is_newly_failing() || case.is_fixed();
        for cases in [&mut worse, &mut better] {
            cases.sort_by(|one, other| {
                let turned = is_turned(other).cmp(&is_turned(one));
                turned.then(change(other).total_cmp(&change(one)))
            });
        }
        [worse, better]
    }

    /// True if all trials passed before and not all pass now.
    pub fn is_newly_failing(&self) -> bool {
        self.trials_before.share() == Some(1.0)
            && self.trials_after.share().is_some_and(|it| it < 1.0)
    }

    /// True if all trials pass now and not all passed before.
    pub fn is_fixed(&self) -> bool {
        self.trials_after.share() == Some(1.0)
            && self.trials_before.share().is_some_and(|it| it < 1.0)
    }
}
