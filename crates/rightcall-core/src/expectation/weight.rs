//! The weight of a run: the order in which the nearest run is chosen.

/// Cost, then actual calls that don't match in full, then calls of the run; the smallest weight is best.
///
/// The actual calls are fixed, so the fewest calls without a full match means the most full pairs. All three parts add up over the steps of
/// an alignment, and each step adds to at least one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Weight(u64);

/// Bits per part.
const BITS: u32 = 21;

impl Weight {
    /// Maximum value of each part.
    pub(super) const LIMIT: u64 = 1 << (BITS - 1);

    /// More than the weight of any run.
    pub(super) const MAX: Self = Self(u64::MAX);

    pub(super) const FULL: Self = Self::new(0, 0, 1);
    pub(super) const NAME_ONLY: Self = Self::new(1, 1, 1);
    pub(super) const MISSED: Self = Self::new(1, 0, 1);
    pub(super) const EXTRA: Self = Self::new(1, 1, 0);

    pub(super) const fn new(cost: u64, not_full: u64, calls: u64) -> Self {
        Self(cost << (2 * BITS) | not_full << BITS | calls)
    }

    /// The three parts as one number.
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    pub(super) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// The three parts without the weight of this number of extra calls.
    pub(super) fn without_extra(self, calls: u32) -> [i64; 3] {
        let part = |number: u32| (self.0 >> (number * BITS)) as i64 & ((1 << BITS) - 1);
        [
            part(2) - i64::from(calls),
            part(1) - i64::from(calls),
            part(0),
        ]
    }

    /// The run's number of calls.
    pub(super) fn calls(self) -> usize {
        (self.0 & ((1 << BITS) - 1)) as usize
    }

    pub(super) fn cost(self) -> u64 {
        self.0 >> (2 * BITS)
    }
}
