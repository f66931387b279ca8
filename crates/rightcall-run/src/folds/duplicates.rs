//! Remembers the cases seen so far, to detect a second case with the same name.
//!
//! An entry is 16 bytes: 96 bits of the case's keyed hash, and its line number as 32 bits. Entries are in one list with gaps, sorted by
//! hash. An entry is at the position that evenly spread hashes would have, or at the next free position after it. A keyed hash spreads
//! evenly, so a lookup takes few steps. The list can be 7/8 full and grows in place by a quarter, while a common hash table
//! doubles. A case costs at most 23 bytes instead of 39.

use std::sync::Arc;

use rightcall_formats::Location;

use crate::Problem;
use crate::judged::{CaseHash, JudgedBlock, LineNumber};

/// The cases of all inputs so far, and the first line number of each input if all lines are counted as one sequence.
#[derive(Default)]
pub(crate) struct SeenCases {
    table: HashTable,
    files: Vec<(Arc<str>, u64)>,
    lines: u64,
}

impl SeenCases {
    /// Whether each case of a block is a duplicate, and the errors to report for duplicates.
    pub(crate) fn duplicates(&mut self, block: &JudgedBlock) -> (Vec<bool>, Vec<Problem>) {
        let is_same = |(file, _): &(Arc<str>, u64)| Arc::ptr_eq(file, &block.file);
        if !self.files.last().is_some_and(is_same) {
            self.files.push((Arc::clone(&block.file), self.lines));
        }
        let before = self.files.last().map_or(0, |(_, before)| *before);
        let mut problems = Vec::new();
        let is_duplicate = block.cases.iter().map(|case| {
            self.lines = before + case.result.line;
            let place = LineNumber::try_from(self.lines).unwrap_or(LineNumber::MAX);
            let first = case.hash.and_then(|hash| self.table.insert(hash, place));
            if let Some(first) = first {
                problems.push(Problem::Duplicate {
                    id: case.result.label.clone(),
                    trial: case.result.trial.clone(),
                    first: self.location(first),
                    again: Location::on_line(&block.file, case.result.line),
                });
            }
            first.is_some()
        });
        (is_duplicate.collect(), problems)
    }

    fn location(&self, place: LineNumber) -> Option<Location> {
        let line = u64::from(place);
        let file = self
            .files
            .partition_point(|(_, before)| *before < line)
            .checked_sub(1)?;
        let (file, before) = &self.files[file];
        (place < LineNumber::MAX).then(|| Location::on_line(file, line - before))
    }
}

/// The hash in the upper bits, the line number in the lower ones.
type Entry = u128;

/// An empty slot.
const NONE: Entry = 0;

fn entry(key: CaseHash, place: LineNumber) -> Entry {
    key.0 << LineNumber::BITS | u128::from(place)
}

fn key_of(entry: Entry) -> CaseHash {
    CaseHash(entry >> LineNumber::BITS)
}

/// The position of an entry in a list of this length if hashes were spread evenly.
fn home(entry: Entry, length: usize) -> usize {
    (((entry >> 64) * length as u128) >> 64) as usize
}

/// All cases seen so far.
#[derive(Debug, Default)]
struct HashTable {
    /// Sorted, with gaps; slightly longer than `length` to hold entries that overflow the end.
    entries: Vec<Entry>,
    /// The length that home positions are computed from.
    length: usize,
    number: usize,
}

/// The length of the initial list.
const FIRST: usize = 1 << 10;

impl HashTable {
    /// Inserts a case; returns the line of the first case with that name if there was one.
    pub(crate) fn insert(&mut self, key: CaseHash, place: LineNumber) -> Option<LineNumber> {
        if self.number >= self.length / 8 * 7 {
            self.grow();
        }
        let new = entry(key, place);
        let mut at = home(new, self.length);
        // Entries are sorted, so a larger one ends the search.
        while let Some(&there) = self.entries.get(at).filter(|&&there| there != NONE) {
            if key_of(there) == key {
                return Some(there as LineNumber);
            }
            if there > new {
                break;
            }
            at += 1;
        }
        // Shift the following entries by one, up to the next gap.
        let behind = self.entries.get(at..).unwrap_or_default();
        let gap = at
            + behind
                .iter()
                .position(|&there| there == NONE)
                .unwrap_or(behind.len());
        if gap == self.entries.len() {
            self.entries.push(NONE);
        }
        self.entries.copy_within(at..gap, at + 1);
        self.entries[at] = new;
        self.number += 1;
        None
    }

    /// Grows the list by a quarter: moves all entries to its end, then puts each at its new position.
    fn grow(&mut self) {
        self.length = (self.length / 4 * 5).max(FIRST);
        let mut places = Places {
            length: self.length,
            free: 0,
        };
        // First pass: compute how much space the new positions need.
        let needed = self
            .entries
            .iter()
            .filter(|&&it| it != NONE)
            .map(|&it| places.next(it) + 1)
            .last()
            .unwrap_or(0);
        let total = self.length.max(needed).max(self.entries.len());
        self.entries.reserve_exact(total - self.entries.len());
        self.entries.resize(total, NONE);
        let mut first = total;
        for at in (0..total).rev() {
            let there = std::mem::replace(&mut self.entries[at], NONE);
            if there != NONE {
                first -= 1;
                self.entries[first] = there;
            }
        }
        places.free = 0;
        for at in first..total {
            // An entry never moves past its old position, so all later entries still fit after it.
            let there = std::mem::replace(&mut self.entries[at], NONE);
            self.entries[places.next(there)] = there;
        }
    }
}

/// Assigns positions to ascending entries.
struct Places {
    length: usize,
    /// The first position after the latest entry.
    free: usize,
}

impl Places {
    fn next(&mut self, entry: Entry) -> usize {
        let place = home(entry, self.length).max(self.free);
        self.free = place + 1;
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spreads numbers over all bits, as a hash function does.
    fn key(number: u64) -> CaseHash {
        let spread = u128::from(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        CaseHash::new(spread << 40 ^ spread)
    }

    #[test]
    fn the_second_of_a_name_finds_the_place_of_the_first() {
        let mut seen = HashTable::default();
        for number in 0..100_000 {
            assert_eq!(seen.insert(key(number), number as u32), None, "{number}");
        }
        for number in (0..100_000).rev() {
            assert_eq!(seen.insert(key(number), 7), Some(number as u32));
        }
    }

    #[test]
    fn keys_that_are_not_spread_are_told_apart_too() {
        for shift in [1, 30, 64, 87] {
            let key = |number: u64| CaseHash::new(1 << 95 | u128::from(number) << shift);
            let mut seen = HashTable::default();
            let numbers = || (0..200).map(|number| number * 37 % 200);
            numbers().for_each(|number| {
                assert_eq!(
                    seen.insert(key(number), number as u32),
                    None,
                    "{shift} {number}"
                );
            });
            numbers().for_each(|number| {
                assert_eq!(
                    seen.insert(key(number), 7),
                    Some(number as u32),
                    "{shift} {number}"
                );
            });
        }
    }

    #[test]
    fn a_case_costs_at_most_24_bytes() {
        let mut seen = HashTable::default();
        let cases = 1_000_000;
        for number in 0..cases {
            seen.insert(key(number), 0);
        }
        let bytes = seen.entries.capacity() * size_of::<Entry>();
        assert!(
            bytes as u64 <= 24 * cases,
            "{} bytes a case",
            bytes as f64 / cases as f64
        );
    }
}
