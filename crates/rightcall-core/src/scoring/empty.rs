//! The score of empty lists. No two originals agree on it.

use crate::explanation::Costs;

/// The score if a side is empty, decided before any alignment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Worth {
    /// This score.
    Fixed(f64),
    /// The result of the formula.
    Compute,
    /// An error with this message.
    Error(&'static str),
}

/// The policy for empty lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EmptyPolicy {
    pub(crate) both: Worth,
    pub(crate) expected: Worth,
    pub(crate) actual: Worth,
    /// A description of a fixed score.
    pub(crate) rule: &'static str,
    /// Which unpaired calls lower the score in that case.
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

    /// 1 if both are empty, 0 if no calls are expected but some were made.
    pub(crate) const EXPECTED: Self = Self {
        actual: Worth::Compute,
        rule: "no calls are expected",
        ..Self::ALIKE
    };

    /// The result of the formula.
    pub(crate) const COMPUTE: Self = Self {
        both: Worth::Compute,
        expected: Worth::Compute,
        actual: Worth::Compute,
        ..Self::ALIKE
    };

    /// The score of lists with these lengths; [`Worth::Compute`] if neither is empty.
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
    fn each_kind_of_empty_side_has_its_score() {
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
