//! The combined score of checks.

use crate::scoring::{Scored, all_or_nothing, mean};

/// How checks are combined into a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerdictScore {
    /// The share of checks that hold.
    Proportional,
    /// 1 if all hold, else 0.
    AllOrNothing,
}

impl VerdictScore {
    /// The score of the checks; `every` describes the requirement of all-or-nothing.
    pub(crate) fn score(self, every: &'static str, held: impl IntoIterator<Item = bool>) -> Scored {
        let mut held = held.into_iter();
        match self {
            Self::Proportional => mean("mean", held.map(|held| f64::from(u8::from(held)))),
            Self::AllOrNothing => all_or_nothing(every, held.all(|held| held)),
        }
    }
}
