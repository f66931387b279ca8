//! What came out of an alignment, as numbers: scores are made of it, and explanations show it.

use serde::{Deserialize, Serialize};

use crate::alignment::{Alignment, Grade};

/// What came out of an alignment, as numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// Expected calls.
    pub expected: usize,
    /// Actual calls.
    pub actual: usize,
    /// Pairs that are the same call.
    pub full: usize,
    /// Pairs of the same tool with arguments that are partly right.
    pub partial: usize,
    /// Pairs of the same tool with other arguments.
    pub name_only: usize,
    /// Expected calls without an answer.
    pub missed: usize,
    /// Actual calls that answer nothing.
    pub extra: usize,
    /// Sum of what the pairs are worth, in the alignment's order.
    pub credit: f64,
}

impl Tally {
    /// What became of so many calls. Each that is in no pair is missed or extra.
    #[inline]
    pub(crate) fn from_alignment(alignment: &Alignment, expected: usize, actual: usize) -> Self {
        let mut tally = Self {
            expected,
            actual,
            credit: alignment.credit,
            missed: expected.saturating_sub(alignment.pairs.len()),
            extra: actual.saturating_sub(alignment.pairs.len()),
            ..Self::default()
        };
        for pair in &alignment.pairs {
            match pair.grade {
                Grade::Full => tally.full += 1,
                Grade::Partial(_) => tally.partial += 1,
                Grade::NameOnly => tally.name_only += 1,
                Grade::Unlike => {}
            }
        }
        tally
    }

    /// The tally of lists of which one is empty.
    pub(crate) fn without_pairs(expected: usize, actual: usize) -> Self {
        Self::from_alignment(&Alignment::default(), expected, actual)
    }

    /// Number of pairs.
    pub(crate) fn pairs(&self) -> usize {
        self.full + self.partial + self.name_only
    }

    /// The whole numbers, by name.
    pub(crate) fn counts(&self) -> [(&'static str, usize); 7] {
        [
            ("expected", self.expected),
            ("actual", self.actual),
            ("full", self.full),
            ("partial", self.partial),
            ("name_only", self.name_only),
            ("missed", self.missed),
            ("extra", self.extra),
        ]
    }
}

impl std::ops::Add for Tally {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            expected: self.expected + more.expected,
            actual: self.actual + more.actual,
            full: self.full + more.full,
            partial: self.partial + more.partial,
            name_only: self.name_only + more.name_only,
            credit: self.credit + more.credit,
            missed: self.missed + more.missed,
            extra: self.extra + more.extra,
        }
    }
}
