//! The verdict on a rule during a run.

/// The verdict on a rule during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleVerdict {
    /// The rule holds, whatever follows.
    Satisfied,
    /// The rule would hold if the run ended now, but may still be broken.
    SatisfiedSoFar,
    /// The rule would not hold if the run ended now, but may still be satisfied.
    Open,
    /// The rule is broken, whatever follows.
    Violated,
}

impl RuleVerdict {
    /// The verdict's name, such as `satisfied_so_far`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Satisfied => "satisfied",
            Self::SatisfiedSoFar => "satisfied_so_far",
            Self::Open => "open",
            Self::Violated => "violated",
        }
    }

    /// The verdict from three answers.
    pub(crate) fn new(can_be_kept: bool, holds: bool, can_be_broken: bool) -> Self {
        match (can_be_kept, holds, can_be_broken) {
            (false, ..) => Self::Violated,
            (true, false, _) => Self::Open,
            (true, true, true) => Self::SatisfiedSoFar,
            (true, true, false) => Self::Satisfied,
        }
    }
}
