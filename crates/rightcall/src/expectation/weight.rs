//! What a run is worth beside others: the order in which the nearest is chosen.

/// Cost, then actual calls that are not matched in full, then calls of the run; the least is the best.
///
/// As the actual calls are given, the fewest that are not matched in full are the most full pairs. All three add up over the steps of an
/// alignment, and each step adds to one of them at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Weight(u64);

/// So many bits hold each part.
const BITS: u32 = 21;

impl Weight {
    /// The most that each part may come to.
    pub(super) const LIMIT: u64 = 1 << (BITS - 1);

    /// More than any run comes to.
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

    /// The three parts, less what this number of extra calls weighs.
    pub(super) fn without_extra(self, calls: u32) -> [i64; 3] {
        let part = |number: u32| (self.0 >> (number * BITS)) as i64 & ((1 << BITS) - 1);
        [
            part(2) - i64::from(calls),
            part(1) - i64::from(calls),
            part(0),
        ]
    }

    /// How many calls the run has.
    pub(super) fn calls(self) -> usize {
        (self.0 & ((1 << BITS) - 1)) as usize
    }

    pub(super) fn cost(self) -> u64 {
        self.0 >> (2 * BITS)
    }
}
