//! Pseudorandom numbers that are the same on every machine and in every version.
//!
//! Source: `SplitMix64`, after G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators" (2014).

/// A generator of one pseudorandom sequence.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Starts the sequence for a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from `low` to `high`, inclusive.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        let count = (high - low + 1) as u128;
        low + ((u128::from(self.bits()) * count) >> 64) as usize
    }

    /// True with a probability of `percent` per cent.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.between(0, 99) < percent
    }

    /// A random item of a non-empty list.
    pub(crate) fn choose<'l, T: ?Sized>(&mut self, list: &[&'l T]) -> &'l T {
        list[self.between(0, list.len() - 1)]
    }

    /// Shuffles a list (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.between(0, last));
        }
    }
}
