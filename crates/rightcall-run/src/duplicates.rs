//! Which cases have been seen, so that the second of the same name is noticed.
//!
//! An entry is 16 bytes: 96 bits of the case's keyed hash and its place as 32 bits. Most entries lie in one sorted list that
//! is exactly as long as it must be; the latest, at most an eighth of all, in a hash table. So a case costs 16 bytes in the
//! list and at most 5 in the table, where a hash table alone would take up to 39.

use std::cmp::Ordering;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Slot;

/// The name of a case and its trial, hashed with a key that nobody outside of this process knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CaseKey([u32; 3]);

impl CaseKey {
    /// The key of a 128-bit hash.
    pub(crate) fn new(hash: u128) -> Self {
        Self([hash as u32, (hash >> 32) as u32, (hash >> 64) as u32])
    }

    fn hash(self) -> u64 {
        u64::from(self.0[0]) << 32 | u64::from(self.0[1])
    }
}

/// The `n`th line of all inputs together, from 0.
pub(crate) type Place = u32;

type Entry = (CaseKey, Place);

/// All cases seen so far.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    sorted: Vec<Entry>,
    latest: HashTable<Entry>,
}

/// The table may hold this many entries, however short the list is.
const FEW: usize = 4096;

impl Seen {
    /// Notes a case; the place of the first of that name if there was one.
    pub(crate) fn insert(&mut self, key: CaseKey, place: Place) -> Option<Place> {
        if let Some(found) = self.find_sorted(key) {
            return Some(found);
        }
        match self.latest.entry(key.hash(), |entry| entry.0 == key, |entry| entry.0.hash()) {
            Slot::Occupied(first) => return Some(first.get().1),
            Slot::Vacant(slot) => _ = slot.insert((key, place)),
        }
        if self.latest.len() >= FEW.max(self.sorted.len() / 8) {
            self.settle();
        }
        None
    }

    /// Looks a key up near the place that it has if keys are spread evenly, as those of a keyed hash are: few entries are looked at,
    /// which all lie together.
    fn find_sorted(&self, key: CaseKey) -> Option<Place> {
        let guess = ((u128::from(key.hash()) * self.sorted.len() as u128) >> 64) as usize;
        let is_before = |entry: &Entry| entry.0 < key;
        let (mut from, mut to) = (guess, guess);
        let mut step = 8;
        while from > 0 && !is_before(&self.sorted[from]) {
            from = from.saturating_sub(step);
            step *= 2;
        }
        step = 8;
        while to < self.sorted.len() && is_before(&self.sorted[to]) {
            to = (to + step).min(self.sorted.len());
            step *= 2;
        }
        let place = from + self.sorted[from..to].partition_point(is_before);
        self.sorted.get(place).filter(|entry| entry.0 == key).map(|entry| entry.1)
    }

    /// Moves the latest entries into the sorted list, which is merged in place from its end.
    fn settle(&mut self) {
        let mut latest: Vec<Entry> = self.latest.drain().collect();
        latest.sort_unstable();
        let mut unread = self.sorted.len();
        self.sorted.reserve_exact(latest.len());
        self.sorted.extend_from_slice(&latest);
        let mut free = self.sorted.len();
        while let Some(&next) = latest.last() {
            free -= 1;
            if unread > 0 && self.sorted[unread - 1].cmp(&next) == Ordering::Greater {
                unread -= 1;
                self.sorted[free] = self.sorted[unread];
            } else {
                self.sorted[free] = next;
                latest.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spreads numbers over the hash as a hash function would.
    fn key(number: u64) -> CaseKey {
        let spread = u128::from(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        CaseKey::new(spread << 40 ^ spread)
    }

    #[test]
    fn the_second_of_a_name_finds_the_place_of_the_first() {
        let mut seen = Seen::default();
        for number in 0..100_000 {
            assert_eq!(seen.insert(key(number), number as u32), None, "{number}");
        }
        for number in (0..100_000).rev() {
            assert_eq!(seen.insert(key(number), 7), Some(number as u32));
        }
    }

    #[test]
    fn a_case_costs_at_most_24_bytes() {
        let mut seen = Seen::default();
        let cases = 1_000_000;
        for number in 0..cases {
            seen.insert(key(number), 0);
        }
        let bytes = seen.sorted.capacity() * size_of::<Entry>() + seen.latest.allocation_size();
        assert!(bytes as u64 <= 24 * cases, "{} bytes a case", bytes as f64 / cases as f64);
    }
}
