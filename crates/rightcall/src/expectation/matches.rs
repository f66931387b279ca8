//! Which leaves match which actual calls.

use smallvec::{SmallVec, smallvec};

use super::bits::ones;

/// For each leaf and actual call, whether the names agree and whether all that is demanded is met.
#[derive(Clone, Debug)]
pub(super) struct MatchTable<'t> {
    /// The number of each leaf's name.
    pub(super) leaf_names: &'t [u32],
    /// The number of each actual call's name.
    pub(super) actual_names: Vec<u32>,
    /// A bit for each actual call, leaf by leaf.
    full: SmallVec<[u64; 16]>,
    words: usize,
}

impl<'t> MatchTable<'t> {
    /// A table in which nothing matches yet.
    pub(super) fn new(leaf_names: &'t [u32], actual_names: Vec<u32>) -> Self {
        let words = actual_names.len().div_ceil(64);
        Self {
            full: smallvec![0; words * leaf_names.len()],
            leaf_names,
            actual_names,
            words,
        }
    }

    pub(super) fn actual_len(&self) -> usize {
        self.actual_names.len()
    }

    pub(super) fn set(&mut self, leaf: usize, actual: usize, full: bool) {
        let word = &mut self.full[leaf * self.words + actual / 64];
        let bit = 1 << (actual % 64);
        *word = if full { *word | bit } else { *word & !bit };
    }

    /// True if the call has the leaf's name.
    pub(super) fn is_named(&self, leaf: u32, actual: usize) -> bool {
        self.leaf_names[leaf as usize] == self.actual_names[actual]
    }

    /// True if the call is all that the leaf demands.
    pub(super) fn is_full(&self, leaf: u32, actual: usize) -> bool {
        self.full[leaf as usize * self.words + actual / 64] >> (actual % 64) & 1 == 1
    }

    /// The calls that are all that the leaf demands, in order.
    pub(super) fn full(&self, leaf: u32) -> impl Iterator<Item = usize> {
        ones(self.row(leaf).iter().copied())
    }

    /// The bits of all leaves, by which tables of the same calls are told apart.
    pub(super) fn bits(&self) -> &[u64] {
        &self.full
    }

    pub(super) fn row(&self, leaf: u32) -> &[u64] {
        &self.full[leaf as usize * self.words..(leaf as usize + 1) * self.words]
    }

    pub(super) fn row_mut(&mut self, leaf: usize) -> &mut [u64] {
        &mut self.full[leaf * self.words..(leaf + 1) * self.words]
    }
}
