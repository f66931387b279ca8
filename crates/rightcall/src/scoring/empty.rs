//! What empty lists are worth. No two originals agree on it.

use crate::explanation::Costs;

/// What is decided before anything is aligned, because a side is empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Worth {
    /// This score.
    Fixed(f64),
    /// What the formula gives.
    Compute,
    /// An error of this message.
    Error(&'static str),
}

/// What empty lists are worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EmptyPolicy {
    pub(crate) both: Worth,
    pub(crate) expected: Worth,
    pub(crate) actual: Worth,
    /// In words, when a score is fixed.
    pub(crate) rule: &'static str,
    /// Which calls without an answer lower it then.
    pub(crate) costs: Costs,
}

impl EmptyPolicy {
    /// 1 if both are empty, 0 if one is.
    pub(crate) const ALIKE: Self = Self {
        both: Worth::Fixed(1.0),
        expected: Worth::Fixed(0.0),
        actual: Worth::Fixed(0.0),
        rule: "no calls on one side or both",
        costs: Costs::BOTH,
    };

    /// 1 if both are empty, 0 if calls were made where none is expected.
    pub(crate) const EXPECTED: Self = Self {
        actual: Worth::Compute,
        rule: "no calls are expected",
        ..Self::ALIKE
    };

    /// What the formula gives.
    pub(crate) const COMPUTE: Self = Self {
        both: Worth::Compute,
        expected: Worth::Compute,
        actual: Worth::Compute,
        ..Self::ALIKE
    };

    /// The worth of lists of these lengths; [`Worth::Compute`] where neither is empty.
    pub(crate) fn worth(&self, expected: usize, actual: usize) -> Worth {
        match (expected, actual) {
            (0, 0) => self.both,
            (0, _) => self.expected,
            (_, 0) => self.actual,
            _ => Worth::Compute,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_emptiness_has_its_worth() {
        let policy = EmptyPolicy {
            expected: Worth::Error("nothing is expected"),
            ..EmptyPolicy::ALIKE
        };
        assert_eq!(policy.worth(0, 0), Worth::Fixed(1.0));
        assert_eq!(policy.worth(0, 3), Worth::Error("nothing is expected"));
        assert_eq!(policy.worth(3, 0), Worth::Fixed(0.0));
        assert_eq!(policy.worth(1, 1), Worth::Compute);
    }
}
