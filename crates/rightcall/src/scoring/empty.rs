//! What empty lists are worth. No two originals agree on it.

/// What is decided before anything is aligned, because a side is empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Worth {
    /// These numbers.
    Fixed {
        score: f64,
        precision: f64,
        recall: f64,
    },
    /// What the formula gives.
    Compute,
    /// An error.
    Error,
}

impl Worth {
    /// The same number for score, precision and recall.
    pub(crate) const fn of(score: f64) -> Self {
        Self::Fixed {
            score,
            precision: score,
            recall: score,
        }
    }
}

/// What empty lists are worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EmptyPolicy {
    pub(crate) both: Worth,
    pub(crate) expected: Worth,
    pub(crate) actual: Worth,
}

impl EmptyPolicy {
    /// 1 if both are empty, 0 if one is.
    pub(crate) const ALIKE: Self = Self {
        both: Worth::of(1.0),
        expected: Worth::of(0.0),
        actual: Worth::of(0.0),
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
            both: Worth::of(1.0),
            expected: Worth::Error,
            actual: Worth::of(0.0),
        };
        assert_eq!(policy.worth(0, 0), Worth::of(1.0));
        assert_eq!(policy.worth(0, 3), Worth::Error);
        assert_eq!(policy.worth(3, 0), Worth::of(0.0));
        assert_eq!(policy.worth(1, 1), Worth::Compute);
    }
}
