//! Which cases have been seen, so that the second of the same name is noticed.
//!
//! An entry is 16 bytes: 96 bits of the case's keyed hash and its place as 32 bits. Entries stand in one list with gaps, in the order of
//! their hashes: each where it would be if hashes were spread evenly, as those of a keyed hash are, or as soon behind it as there is
//! room. So one is found after a few steps, and the list can be filled to seven eighths and made longer by a quarter where it is, where
//! a common hash table doubles: a case costs 23 bytes at most, where it would cost 39.

use std::sync::Arc;

use rightcall_formats::Location;

use crate::Problem;
use crate::judged::{CaseHash, JudgedBlock, LineNumber};

/// The cases of all inputs so far, and where their lines begin when all lines are counted as one.
#[derive(Default)]
pub(crate) struct SeenCases {
    table: HashTable,
    files: Vec<(Arc<str>, u64)>,
    lines: u64,
}

impl SeenCases {
    /// Whether each case of a block has come before, and what is to be said of those that have.
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

/// A key above a place.
type Entry = u128;

/// Where there is no entry.
const NONE: Entry = 0;

fn entry(key: CaseHash, place: LineNumber) -> Entry {
    key.0 << LineNumber::BITS | u128::from(place)
}

fn key_of(entry: Entry) -> CaseHash {
    CaseHash(entry >> LineNumber::BITS)
}

/// Where an entry would be in a list of this length if hashes were spread evenly.
fn home(entry: Entry, length: usize) -> usize {
    (((entry >> 64) * length as u128) >> 64) as usize
}

/// All cases seen so far.
#[derive(Debug, Default)]
struct HashTable {
    /// Ascending, with gaps; somewhat longer than `length`, for what finds no room at its end.
    entries: Vec<Entry>,
    /// That of which homes are places.
    length: usize,
    number: usize,
}

/// The length of the first list.
const FIRST: usize = 1 << 10;

impl HashTable {
    /// Notes a case; the place of the first of that name if there was one.
    pub(crate) fn insert(&mut self, key: CaseHash, place: LineNumber) -> Option<LineNumber> {
        if self.number >= self.length / 8 * 7 {
            self.grow();
        }
        let new = entry(key, place);
        let mut at = home(new, self.length);
        while let Some(&there) = self.entries.get(at).filter(|&&there| there != NONE) {
            if key_of(there) == key {
                return Some(there as LineNumber);
            }
            if there > new {
                break;
            }
            at += 1;
        }
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

    /// Makes the list longer by a quarter: gathers all entries at its end, and puts each where it belongs.
    fn grow(&mut self) {
        self.length = (self.length / 4 * 5).max(FIRST);
        let mut places = Places {
            length: self.length,
            free: 0,
        };
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
            // No place is beyond that of an entry still to be placed: all that follow fit behind it.
            let there = std::mem::replace(&mut self.entries[at], NONE);
            self.entries[places.next(there)] = there;
        }
    }
}

/// Where ascending entries go.
struct Places {
    length: usize,
    /// Behind the latest.
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

    /// Spreads numbers over the hash as a hash function would.
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
