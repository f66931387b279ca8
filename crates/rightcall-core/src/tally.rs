//! The counts of an alignment, for scores and explanations.

use serde::{Deserialize, Serialize};

use crate::alignment::{Alignment, Grade};

/// The counts of an alignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// Expected calls.
    pub expected: usize,
    /// Actual calls.
    pub actual: usize,
    /// Pairs of equal calls.
    pub full: usize,
    /// Pairs of the same tool with partly right arguments.
    pub partial: usize,
    /// Pairs of the same tool with other arguments.
    pub name_only: usize,
    /// Unpaired expected calls.
    pub missed: usize,
    /// Unpaired actual calls.
    pub extra: usize,
    /// Sum of the pairs' credits, in the alignment's order.
    pub credit: f64,
}

impl Tally {
    /// Counts an alignment of this number of calls. Each unpaired call is missed or extra.
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

    /// The tally if a list is empty.
    pub(crate) fn without_pairs(expected: usize, actual: usize) -> Self {
        Self::from_alignment(&Alignment::default(), expected, actual)
    }

    /// Number of pairs.
    pub(crate) fn pairs(&self) -> usize {
        self.full + self.partial + self.name_only
    }

    /// The integer counts, by name.
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

/// Sums of weights over the calls of each side, and over the credit of the pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WeighedSums {
    pub(crate) expected: f64,
    pub(crate) actual: f64,
    /// The credit of the pairs, weighed by their expected calls.
    pub(crate) recalled: f64,
    /// The credit of the pairs, weighed by their actual calls.
    pub(crate) precise: f64,
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
