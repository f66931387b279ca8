//! Random numbers that are the same on every machine and in every version, which libraries do not guarantee.

/// `SplitMix64`.
///
/// Source: Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators* (2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

/// The fixed seed of every analysis.
const SEED: u64 = 0x7269_6768_7463_616c;

impl Random {
    pub(crate) fn new() -> Self {
        Self(SEED)
    }

    /// Random numbers that follow from a seed alone.
    pub fn from_seed(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number from 0 (inclusive) to 1 (exclusive).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number below `end`; 0 if `end` is 0. The bias is at most `end / 2^64`, which is negligible.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }
}
