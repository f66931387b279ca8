//! Bit sets of small numbers.

use smallvec::{SmallVec, smallvec};

/// The indices of the set bits, ascending.
pub(super) fn ones(words: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    words.enumerate().flat_map(|(word, bits)| {
        let mut remaining = bits;
        std::iter::from_fn(move || {
            let bit = remaining.trailing_zeros() as usize;
            remaining &= remaining.wrapping_sub(1);
            (bit < 64).then_some(64 * word + bit)
        })
    })
}

/// A set of numbers below a limit.
#[derive(Clone, Debug)]
pub(super) struct BitSet(SmallVec<[u64; 2]>);

impl BitSet {
    /// The empty set.
    pub(super) fn none(limit: usize) -> Self {
        Self(smallvec![0; limit.div_ceil(64)])
    }

    /// The set of all numbers below the limit.
    pub(super) fn all(limit: usize) -> Self {
        let mut all = Self(smallvec![u64::MAX; limit.div_ceil(64)]);
        if let (Some(last), 1..) = (all.0.last_mut(), limit % 64) {
            *last = (1 << (limit % 64)) - 1;
        }
        all
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    pub(super) fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    pub(super) fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.0
    }

    /// The numbers in both the set and a row, ascending.
    pub(super) fn common(&self, row: &[u64]) -> impl Iterator<Item = usize> {
        ones(self.0.iter().zip(row).map(|(one, other)| one & other))
    }
}

/// The first number in a row that is at least `from` and below a limit.
pub(super) fn next_one(row: &[u64], from: usize, limit: usize) -> Option<usize> {
    let mut word = from / 64;
    let mut bits = row.get(word)? & (u64::MAX << (from % 64));
    while bits == 0 {
        word += 1;
        if 64 * word >= limit {
            return None;
        }
        bits = *row.get(word)?;
    }
    let number = 64 * word + bits.trailing_zeros() as usize;
    (number < limit).then_some(number)
}

/// Rows of bits.
#[derive(Clone, Debug)]
pub(super) struct BitRows {
    bits: SmallVec<[u64; 8]>,
    words: usize,
}

impl BitRows {
    /// Empty rows for numbers below a limit.
    pub(super) fn new(rows: usize, limit: usize) -> Self {
        let words = limit.div_ceil(64);
        Self {
            bits: smallvec![0; rows * words],
            words,
        }
    }

    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..(row + 1) * self.words]
    }

    pub(super) fn insert(&mut self, row: usize, number: usize) {
        self.bits[row * self.words + number / 64] |= 1 << (number % 64);
    }

    pub(super) fn contains(&self, row: usize, number: usize) -> bool {
        self.bits[row * self.words + number / 64] >> (number % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_order() {
        let mut set = BitSet::none(200);
        for number in [3, 63, 64, 130, 199] {
            set.insert(number);
        }
        set.remove(64);
        assert_eq!(
            ones(set.words().iter().copied()).collect::<Vec<_>>(),
            [3, 63, 130, 199]
        );
        let next = |from, limit| next_one(set.words(), from, limit);
        let found = [next(0, 200), next(3, 4), next(4, 64), next(64, 131)];
        assert_eq!(found, [3, 3, 63, 130].map(Some));
        let none = [next(0, 3), next(4, 63), next(64, 130), next(200, 900)];
        assert_eq!(none, [None; 4]);
        for limit in [0, 1, 64, 65] {
            assert_eq!(
                ones(BitSet::all(limit).words().iter().copied()).count(),
                limit
            );
        }
    }
}
