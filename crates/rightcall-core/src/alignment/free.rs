//! The free calls of one side, found by symbol in index order.
//!
//! There is one linked list per symbol. A taken call is unlinked when a walk reaches it, so each call is skipped at most once per list.
//! Building takes linear time; finding the first free call of a symbol takes amortised constant time.

use smallvec::{SmallVec, smallvec};

use super::Symbols;

/// The end of a list.
const END: u32 = u32::MAX;

/// Number of calls stored inline, without an allocation.
const FEW: usize = 32;

type Slots = SmallVec<[u32; FEW]>;

/// The free calls of one side.
pub(super) struct FreeCalls {
    /// A call's slot is its index shifted left by this. An expected call has two slots, one per symbol.
    shift: u32,
    heads: Slots,
    next: Slots,
    taken: SmallVec<[bool; FEW]>,
}

/// Iterates over the free calls of one or two symbols, ascending. No call may be taken during the walk.
pub(super) struct Walk {
    slots: [u32; 2],
}

impl FreeCalls {
    /// All actual calls, in order.
    pub(super) fn actual(symbols: &Symbols) -> Self {
        let mut free = Self::empty(symbols.count, symbols.actual.len(), 0);
        for (index, &symbol) in symbols.actual.iter().enumerate().rev() {
            free.link(index, symbol);
        }
        free
    }

    /// All expected calls, in order.
    pub(super) fn expected(symbols: &Symbols) -> Self {
        Self::from_expected(symbols, symbols.expected.iter().enumerate().rev())
    }

    /// All expected calls, in reverse order: [`FreeCalls::first_of`] then returns the greatest index of a symbol.
    pub(super) fn expected_from_last(symbols: &Symbols) -> Self {
        Self::from_expected(symbols, symbols.expected.iter().enumerate())
    }

    fn from_expected<'s>(
        symbols: &Symbols,
        backwards: impl Iterator<Item = (usize, &'s [u32; 2])>,
    ) -> Self {
        let mut free = Self::empty(symbols.count, symbols.expected.len(), 1);
        for (index, &[first, second]) in backwards {
            free.link(2 * index, first);
            if second != first {
                free.link(2 * index + 1, second);
            }
        }
        free
    }

    fn empty(symbols: usize, calls: usize, shift: u32) -> Self {
        let slots = calls << shift;
        assert!(slots < END as usize, "calls are counted in 32 bits");
        Self {
            shift,
            heads: smallvec![END; symbols],
            next: smallvec![END; slots],
            taken: smallvec![false; calls],
        }
    }

    fn link(&mut self, slot: usize, symbol: u32) {
        if symbol != Symbols::NONE {
            self.next[slot] = std::mem::replace(&mut self.heads[symbol as usize], slot as u32);
        }
    }

    /// Marks a call as taken.
    pub(super) fn take(&mut self, index: usize) {
        self.taken[index] = true;
    }

    /// The first free call of one symbol.
    pub(super) fn first_of(&mut self, symbol: u32) -> Option<usize> {
        let slot = self.first_slot(symbol);
        (slot != END).then(|| self.call(slot))
    }

    /// The free call of one or two symbols with the lowest index.
    pub(super) fn first_of_either(&mut self, symbols: [u32; 2]) -> Option<usize> {
        let slot = self.walk(symbols).slots.into_iter().min().unwrap_or(END);
        (slot != END).then(|| self.call(slot))
    }

    /// Walks the free calls of one or two symbols.
    pub(super) fn walk(&mut self, [first, second]: [u32; 2]) -> Walk {
        let slot = self.first_slot(first);
        Walk {
            slots: [
                slot,
                if second == first {
                    END
                } else {
                    self.first_slot(second)
                },
            ],
        }
    }

    /// The next free call of a walk.
    #[inline]
    pub(super) fn step(&mut self, walk: &mut Walk) -> Option<usize> {
        let nearer = usize::from(walk.slots[1] < walk.slots[0]);
        let slot = walk.slots[nearer];
        if slot == END {
            return None;
        }
        let after = self.skip_taken(self.next[slot as usize]);
        self.next[slot as usize] = after;
        walk.slots[nearer] = after;
        Some(self.call(slot))
    }

    fn call(&self, slot: u32) -> usize {
        slot as usize >> self.shift
    }

    fn first_slot(&mut self, symbol: u32) -> u32 {
        let Some(&head) = self.heads.get(symbol as usize) else {
            return END;
        };
        let slot = self.skip_taken(head);
        self.heads[symbol as usize] = slot;
        slot
    }

    fn skip_taken(&self, mut slot: u32) -> u32 {
        while slot != END && self.taken[self.call(slot)] {
            slot = self.next[slot as usize];
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(free: &mut FreeCalls, symbols: [u32; 2]) -> Vec<usize> {
        let mut walk = free.walk(symbols);
        std::iter::from_fn(|| free.step(&mut walk)).collect()
    }

    #[test]
    fn two_symbols_are_walked_in_the_order_of_indices() {
        let symbols = Symbols::new(Vec::new(), vec![1, 0, 2, 1, Symbols::NONE, 0], 3);
        let mut free = FreeCalls::actual(&symbols);
        assert_eq!(walked(&mut free, [0, 1]), [0, 1, 3, 5]);
        free.take(3);
        free.take(0);
        assert_eq!(walked(&mut free, [1, 0]), [1, 5]);
        assert!(walked(&mut free, [1, 1]).is_empty());
        assert!(walked(&mut free, [Symbols::NONE; 2]).is_empty());
    }

    #[test]
    fn taking_an_expected_call_removes_it_from_both_symbols() {
        let symbols = Symbols::new(vec![[0, 1], [1, 1], [0, 0]], Vec::new(), 2);
        let mut free = FreeCalls::expected(&symbols);
        assert_eq!(free.first_of(1), Some(0));
        free.take(0);
        assert!(free.taken[0]);
        assert_eq!((free.first_of(0), free.first_of(1)), (Some(2), Some(1)));
        assert_eq!(FreeCalls::expected_from_last(&symbols).first_of(1), Some(1));
    }
}
