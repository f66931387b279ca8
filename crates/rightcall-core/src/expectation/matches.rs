//! The table of leaves and the actual calls that match them.

use smallvec::{SmallVec, smallvec};

use super::bits::ones;

/// For each leaf and actual call: whether the names agree, and whether the call meets the whole demand.
#[derive(Clone, Debug)]
pub(super) struct MatchTable<'t> {
    /// The name number of each leaf.
    pub(super) leaf_names: &'t [u32],
    /// The name number of each actual call.
    pub(super) actual_names: Vec<u32>,
    /// One bit per actual call, leaf by leaf.
    full: SmallVec<[u64; 16]>,
    words: usize,
}

impl<'t> MatchTable<'t> {
    /// A table without full matches.
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

    /// True if the call meets the leaf's whole demand.
    pub(super) fn is_full(&self, leaf: u32, actual: usize) -> bool {
        self.full[leaf as usize * self.words + actual / 64] >> (actual % 64) & 1 == 1
    }

    /// The calls that meet the leaf's whole demand, in order.
    pub(super) fn full(&self, leaf: u32) -> impl Iterator<Item = usize> {
        ones(self.row(leaf).iter().copied())
    }

    /// The bits of all leaves, which distinguish tables over the same calls.
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
