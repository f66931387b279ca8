//! Counts for `exactly n`, the only rule that is not monotone: activations are counted by how certain they are.

use super::fit::{Fit, FitStatus};
use super::verdict::RuleVerdict;

/// Counted activations of a run.
#[derive(Clone, Debug)]
pub(super) struct ExactCount {
    number: u64,
    /// The number of calls with each fit.
    calls: [u64; Fit::COUNT],
}

impl ExactCount {
    pub(super) fn new(number: u64) -> Self {
        Self {
            number,
            calls: [0; Fit::COUNT],
        }
    }

    pub(super) fn add(&mut self, fit: Fit) {
        self.calls[fit.index()] += 1;
    }

    pub(super) fn remove(&mut self, fit: Fit) {
        self.calls[fit.index()] -= 1;
    }

    fn count(&self, is: impl Fn(Fit) -> bool) -> u64 {
        let fits = Fit::all().filter(|fit| is(*fit));
        fits.map(|fit| self.calls[fit.index()]).sum()
    }

    /// Number of certain activations, and of possible ones.
    fn bounds(&self) -> (u64, u64) {
        (self.count(Fit::is_sure), self.count(|fit| !fit.is_no()))
    }

    pub(super) fn held(&self) -> Option<bool> {
        let (least, most) = self.bounds();
        if least == most {
            Some(least == self.number)
        } else {
            (self.number < least || self.number > most).then_some(false)
        }
    }

    pub(super) fn verdict(&self) -> Option<RuleVerdict> {
        let may_be = |status| move |fit: Fit| fit.may_be(status);
        let (least, _) = self.bounds();
        if least > self.number {
            return Some(RuleVerdict::Violated);
        }
        // Depending on their arguments, these may be activations before any result arrives.
        let most = self.count(may_be(FitStatus::Yes));
        // Calls that wait for a result whatever their arguments are, and calls that wait only for some arguments.
        let waiting = self.count(|fit| fit == Fit::AS_RESULT);
        let may_wait = self.count(may_be(FitStatus::AsResult));
        // The minimum if no call waits for a result: calls that may be no activation don't count.
        let settled_least =
            self.count(|fit| fit.may_be(FitStatus::Yes) && !fit.may_be(FitStatus::No));
        let may_hold = waiting == 0 && (settled_least..=most).contains(&self.number);
        let may_be_open = least < self.number || may_wait > 0;
        match (most > self.number, may_hold, may_be_open) {
            (false, true, false) => Some(RuleVerdict::SatisfiedSoFar),
            (false, false, true) => Some(RuleVerdict::Open),
            _ => None,
        }
    }

    /// True if one more call exceeds the number.
    pub(super) fn is_broken_by(&self, fit: Fit) -> bool {
        fit.is_sure() && self.bounds().0 >= self.number
    }
}
