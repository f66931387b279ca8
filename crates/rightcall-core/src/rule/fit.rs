//! The certainty that a call fits a pattern, and assumptions about unrecorded data.

/// The set of [`FitStatus`] values that a call may have once its unrecorded arguments are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fit(u8);

/// Whether a call fits a pattern, if all arguments are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FitStatus {
    No,
    /// It depends on the call's result.
    AsResult,
    Yes,
}

/// An assumption about unrecorded data: in favor of the rule, or against it.
///
/// All rules except `exactly` are monotone in each fit and each agreement, so these assumptions bound all possible cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Assumption {
    /// True if unrecorded arguments are assumed in favor of the rule.
    pub(crate) best_arguments: bool,
    /// True if unrecorded results are assumed in favor of the rule.
    pub(crate) best_results: bool,
}

impl Assumption {
    pub(crate) const COUNT: usize = 4;
    /// Everything in favor of the rule.
    pub(crate) const BEST: usize = 0;
    /// Everything against the rule.
    pub(crate) const WORST: usize = 3;
    /// The assumptions with results in favor of the rule, and arguments in favor or against.
    pub(crate) const BEST_RESULTS: [usize; 2] = [0, 2];
    /// The same with results against the rule.
    pub(crate) const WORST_RESULTS: [usize; 2] = [1, 3];

    /// All assumptions, by number.
    pub(crate) const ALL: [Self; Self::COUNT] = [
        Self::new(true, true),
        Self::new(true, false),
        Self::new(false, true),
        Self::new(false, false),
    ];

    const fn new(best_arguments: bool, best_results: bool) -> Self {
        Self {
            best_arguments,
            best_results,
        }
    }
}

impl Fit {
    pub(crate) const NO: Self = Self(1);
    pub(crate) const AS_RESULT: Self = Self(2);
    pub(crate) const YES: Self = Self(4);

    /// The fit of a pattern if no recorded part contradicts it.
    pub(super) fn from_unknown(arguments: bool, results: bool) -> Self {
        match (arguments, results) {
            (false, false) => Self::YES,
            (false, true) => Self::AS_RESULT,
            (true, false) => Self(1 | 4),
            (true, true) => Self(1 | 2),
        }
    }

    fn contains(self, status: FitStatus) -> bool {
        self.0 >> status as u8 & 1 == 1
    }

    fn statuses(self) -> impl DoubleEndedIterator<Item = FitStatus> {
        [FitStatus::No, FitStatus::AsResult, FitStatus::Yes]
            .into_iter()
            .filter(move |status| self.contains(*status))
    }

    /// The fit of two alternatives, each decided separately.
    pub(super) fn or(self, other: Self) -> Self {
        let mut all = Self(0);
        for one in self.statuses() {
            for another in other.statuses() {
                all.0 |= 1 << one.max(another) as u8;
            }
        }
        all
    }

    /// True if the call certainly does not fit.
    pub(crate) fn is_no(self) -> bool {
        self == Self::NO
    }

    /// True if a missing result may decide.
    pub(crate) fn is_pending(self) -> bool {
        self.contains(FitStatus::AsResult)
    }

    /// True if the call fits under an assumption. `for_rule` is true if fitting favors the rule.
    pub(crate) fn under(self, assumption: Assumption, for_rule: bool) -> bool {
        let more = assumption.best_arguments == for_rule;
        let mut statuses = self.statuses();
        let status = if more {
            statuses.next_back()
        } else {
            statuses.next()
        };
        match status {
            Some(FitStatus::Yes) => true,
            Some(FitStatus::AsResult) => assumption.best_results == for_rule,
            Some(FitStatus::No) | None => false,
        }
    }

    /// The index of the set among all seven, from 0.
    pub(super) fn index(self) -> usize {
        usize::from(self.0) - 1
    }

    /// All sets, by index.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (1..8).map(Self)
    }

    /// Number of sets.
    pub(super) const COUNT: usize = 7;

    /// True if the call may have this status.
    pub(super) fn may_be(self, status: FitStatus) -> bool {
        self.contains(status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_decided_separately() {
        let [unknown, both] = [(true, false), (true, true)].map(|(a, r)| Fit::from_unknown(a, r));
        assert_eq!(Fit::NO.or(Fit::AS_RESULT), Fit::AS_RESULT);
        assert_eq!(unknown.or(Fit::YES), Fit::YES);
        assert_eq!(Fit::AS_RESULT.or(unknown), Fit(2 | 4));
        assert_eq!(both.or(unknown), Fit(1 | 2 | 4));
    }

    #[test]
    fn assumptions_bound_all_possible_fits() {
        let both = Fit::from_unknown(true, true);
        let under = |for_rule| Assumption::ALL.map(|assumption| both.under(assumption, for_rule));
        assert_eq!(under(true), [true, false, false, false]);
        assert_eq!(under(false), [false, false, false, true]);
    }
}
