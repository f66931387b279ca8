//! Bounds on the number of calls per name in the runs of a subtree; the search derives a lower bound of the remaining cost from them.

use wide::u16x8;

/// Number of parts that names are hashed into. Names in one part are counted together.
pub(super) const PARTS: usize = 16;

/// A number of calls for each part of the names, capped at [`MOST`] if a greater one would raise
/// the bound.
#[derive(Clone, Copy, Debug, Default)]
struct Counts([u16x8; 2]);

/// Maximum count per part, chosen so that the sum over all parts fits into 16 bits.
const MOST: u16 = 4095;

/// The minimum and maximum number of calls for each part of the names.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NameBounds {
    min: Counts,
    max: Counts,
}

/// The actual calls from some position on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NamesLeft {
    all: Counts,
    /// Calls that some expected call matches in full.
    matched: Counts,
    /// Number of calls that no expected call matches in full.
    unmatched: u32,
}

impl NamesLeft {
    /// Adds a call.
    pub(super) fn add(&mut self, part: usize, is_matched: bool) {
        let call = Counts::one(part);
        self.all = self.all.plus(call).capped();
        if is_matched {
            self.matched = self.matched.plus(call).capped();
        } else {
            self.unmatched += 1;
        }
    }
}

impl NameBounds {
    /// The bounds of one call.
    pub(super) fn one(part: usize) -> Self {
        let (min, max) = (Counts::one(part), Counts::one(part));
        Self { min, max }
    }

    /// The bounds of a run of one followed by a run of the other.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            min: self.min.plus(other.min).capped(),
            max: self.max.plus(other.max),
        }
    }

    /// The bounds of a run of either.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            min: self.min.with(other.min, u16x8::min),
            max: self.max.with(other.max, u16x8::max),
        }
    }

    /// The bounds of `min` to `max` runs.
    pub(super) fn times(self, min: u64, max: Option<u64>) -> Self {
        Self {
            min: self.min.times(min).capped(),
            max: self.max.times(max.unwrap_or(u64::MAX)),
        }
    }

    /// A lower bound of the remaining cost: the number of calls that match no expected call in
    /// full, plus surplus and missing calls per name.
    ///
    /// The bound is consistent: no step lowers it by more than the step costs. So the search settles each state once.
    pub(super) fn least_cost(&self, left: &NamesLeft) -> u64 {
        // No part has both surplus and missing calls.
        let counts = left.matched.minus(self.max).plus(self.min.minus(left.all));
        u64::from(left.unmatched) + counts.sum()
    }

    /// The bound for an unfinished run, in which no call is missing yet.
    pub(super) fn least_cost_so_far(&self, left: &NamesLeft) -> u64 {
        u64::from(left.unmatched) + left.matched.minus(self.max).sum()
    }
}

impl Counts {
    fn one(part: usize) -> Self {
        let mut counts = [0; PARTS];
        counts[part] = 1;
        let (low, high) = counts.split_at(8);
        Self([u16x8::from(low), u16x8::from(high)])
    }

    fn with(self, other: Self, operation: fn(u16x8, u16x8) -> u16x8) -> Self {
        Self([
            operation(self.0[0], other.0[0]),
            operation(self.0[1], other.0[1]),
        ])
    }

    fn plus(self, other: Self) -> Self {
        self.with(other, u16x8::saturating_add)
    }

    fn minus(self, other: Self) -> Self {
        self.with(other, u16x8::saturating_sub)
    }

    fn times(self, rounds: u64) -> Self {
        let rounds = u16::try_from(rounds).unwrap_or(u16::MAX);
        Self(
            self.0
                .map(|counts| u16x8::new(counts.to_array().map(|it| it.saturating_mul(rounds)))),
        )
    }

    /// The counts, at most [`MOST`].
    fn capped(self) -> Self {
        let most = Self([u16x8::splat(MOST); 2]);
        self.minus(self.minus(most))
    }

    fn sum(self) -> u64 {
        (self.0[0] + self.0[1]).reduce_add().into()
    }
}
