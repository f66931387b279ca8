//! Remembers all cases so far, to detect a second case with the same name.
//!
//! An entry has 16 bytes: 96 bits of the case's keyed hash, and its line number as 32 bits. Entries
//! are in one list with gaps, sorted by hash. If hashes were spread evenly, each would have a known
//! position: its home. An entry is at its home or at the next free position after it. A keyed hash
//! spreads evenly, so a lookup takes few steps. The list may be 7/8 full and grows in place by a
//! quarter, while a common hash table doubles. A case costs at most 23 bytes instead of 39.

use std::sync::Arc;

use rightcall_formats::Location;

use crate::Problem;
use crate::judged::{CaseHash, JudgedBlock, LineNumber};

/// The cases of all inputs so far. Lines are numbered across inputs; each input has the number of
/// lines before it.
#[derive(Default)]
pub(crate) struct SeenCases {
    table: HashTable,
    files: Vec<(Arc<str>, u64)>,
    lines: u64,
}

impl SeenCases {
    /// Returns, for each case of a block, true if it is a duplicate; and the errors to report.
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
            let again = || Location::on_line(&block.file, case.result.line);
            let mut insert = |hash| self.table.insert(hash, place);
            let first = case.hash.and_then(&mut insert);
            let asked = first.is_none().then_some(case.question).flatten();
            let asked = asked.and_then(insert);
            if let Some(first) = first {
                problems.push(Problem::Duplicate {
                    id: case.result.label.clone(),
                    trial: case.result.trial.clone(),
                    first: self.location(first),
                    again: again(),
                });
            }
            if let Some(first) = asked {
                problems.push(Problem::SameQuestion {
                    id: case.result.label.clone(),
                    first: self.location(first),
                    again: again(),
                });
            }
            first.or(asked).is_some()
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

/// The home of an entry in a list of this length.
fn home(entry: Entry, length: usize) -> usize {
    (((entry >> 64) * length as u128) >> 64) as usize
}

/// The hashes and lines of all cases so far.
#[derive(Debug, Default)]
struct HashTable {
    /// Sorted, with gaps; slightly longer than `length` to hold entries that overflow the end.
    entries: Vec<Entry>,
    /// The length that homes are computed from.
    length: usize,
    number: usize,
}

/// The length of the initial list.
const INITIAL_LENGTH: usize = 1 << 10;

impl HashTable {
    /// Inserts a case. Returns the line of the first case with that name, if there is one.
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
        self.length = (self.length / 4 * 5).max(INITIAL_LENGTH);
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
            let entry = std::mem::replace(&mut self.entries[at], NONE);
            if entry != NONE {
                first -= 1;
                self.entries[first] = entry;
            }
        }
        places.free = 0;
        for at in first..total {
            // An entry never moves past its old position, so all later entries still fit after it.
            let entry = std::mem::replace(&mut self.entries[at], NONE);
            self.entries[places.next(entry)] = entry;
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
    fn insert_returns_the_line_of_the_first_case() {
        let mut seen = HashTable::default();
        for number in 0..100_000 {
            assert_eq!(seen.insert(key(number), number as u32), None, "{number}");
        }
        for number in (0..100_000).rev() {
            assert_eq!(seen.insert(key(number), 7), Some(number as u32));
        }
    }

    #[test]
    fn unevenly_spread_keys_are_distinguished() {
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
