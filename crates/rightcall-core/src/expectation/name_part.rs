//! The calls of one name in a parallel block.

use smallvec::SmallVec;

use super::bits::BitRows;
use super::matches::MatchTable;

/// The leaves of a block with one name, and the actual calls of that name. Both are numbered from 0, in order.
#[derive(Clone, Debug)]
pub(super) struct NamePart {
    pub(super) leaves: SmallVec<[u32; 4]>,
    /// The indices of the calls.
    pub(super) calls: SmallVec<[u32; 4]>,
    /// For each leaf, the calls that match it in full.
    pub(super) of_leaves: BitRows,
    /// For each call, the leaves that it matches in full.
    pub(super) of_calls: BitRows,
}

impl NamePart {
    pub(super) fn new(
        leaves: SmallVec<[u32; 4]>,
        calls: SmallVec<[u32; 4]>,
        table: &MatchTable<'_>,
    ) -> Self {
        let mut of_leaves = BitRows::new(leaves.len(), calls.len());
        let mut of_calls = BitRows::new(calls.len(), leaves.len());
        for (leaf, &number) in leaves.iter().enumerate() {
            for position in table.full(number) {
                if let Ok(call) = calls.binary_search(&(position as u32)) {
                    of_leaves.insert(leaf, call);
                    of_calls.insert(call, leaf);
                }
            }
        }
        Self {
            leaves,
            calls,
            of_leaves,
            of_calls,
        }
    }

    /// The number of the first call at or after a position.
    pub(super) fn call_from(&self, position: usize) -> usize {
        self.calls
            .partition_point(|call| (*call as usize) < position)
    }
}
