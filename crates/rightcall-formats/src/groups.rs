//! Groups related records that are scattered across an input: a small index in memory, the records in a temporary file.
//!
//! A group takes 40 bytes of memory. A record takes 8 while records are added and 16 once groups are requested; adjacent records of a
//! group count as one. Small inputs, up to some megabytes of records, are never written to disk.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Seek, SeekFrom, Write};

use siphasher::sip128::{Hasher128, SipHasher13};

/// Records by the key of their group.
pub(crate) struct RecordGroups {
    /// The index of each group, by the hash of its key.
    by_key: HashMap<u128, u32, foldhash::fast::RandomState>,
    hash_key: (u64, u64),
    /// The first line of each group.
    lines: Vec<u64>,
    /// The group and length of each entry in the store, in order.
    runs: Vec<(u32, u32)>,
    store: Store,
    /// Bytes of records not yet committed by [`Self::take_held`].
    held: Vec<u8>,
    /// Key, line and length of each held record.
    held_records: Vec<(u128, u64, u32)>,
    /// The error of a failed write to the store.
    failure: Option<io::Error>,
    /// Set once groups are requested: the store's entries sorted by group, and how many were returned.
    sorted: Option<(Vec<Extent>, usize)>,
}

/// The group, length and offset of an entry in the store.
type Extent = (u32, u32, u64);

/// A complete group.
pub(crate) struct RecordGroup {
    /// Its first line.
    pub(crate) line: u64,
    /// Its records, in order, each prefixed by its length.
    pub(crate) records: Vec<u8>,
}

impl RecordGroups {
    pub(crate) fn new() -> Self {
        let random = |number: u8| RandomState::new().hash_one(number);
        Self {
            by_key: HashMap::default(),
            hash_key: (random(0), random(1)),
            lines: Vec::new(),
            runs: Vec::new(),
            store: Store::default(),
            held: Vec::new(),
            held_records: Vec::new(),
            failure: None,
            sorted: None,
        }
    }

    /// Holds a record, appended by `write`, until it is taken or dropped.
    pub(crate) fn hold(&mut self, key: &[u8], line: u64, write: impl FnOnce(&mut Vec<u8>)) {
        let mut hasher = SipHasher13::new_with_keys(self.hash_key.0, self.hash_key.1);
        hasher.write(key);
        let from = self.held.len();
        // The length precedes the record.
        self.held.extend([0; 4]);
        write(&mut self.held);
        let length = (self.held.len() - from - 4) as u32;
        self.held[from..from + 4].copy_from_slice(&length.to_le_bytes());
        self.held_records
            .push((hasher.finish128().as_u128(), line, length + 4));
    }

    /// Commits the held records.
    pub(crate) fn take_held(&mut self) {
        for &(key, line, length) in &self.held_records {
            let next = self.lines.len() as u32;
            let group = *self.by_key.entry(key).or_insert(next);
            if group == next {
                self.lines.push(line);
            }
            match self.runs.last_mut() {
                Some((last, run)) if *last == group && run.checked_add(length).is_some() => {
                    *run += length;
                }
                _ => self.runs.push((group, length)),
            }
        }
        if let Err(error) = self.store.push(&self.held) {
            self.failure.get_or_insert(error);
        }
        self.drop_held();
    }

    /// Drops the held records.
    pub(crate) fn drop_held(&mut self) {
        self.held.clear();
        self.held_records.clear();
    }

    /// The next group, ordered by first record. No record may be added after the first call.
    ///
    /// # Errors
    /// The temporary file cannot be written or read.
    pub(crate) fn next_group(&mut self) -> io::Result<Option<RecordGroup>> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let (runs, given) = self.sorted.get_or_insert_with(|| {
            self.by_key = HashMap::default();
            let mut place = 0;
            let with_place = |(group, length): (u32, u32)| {
                place += u64::from(length);
                (group, length, place - u64::from(length))
            };
            let mut runs: Vec<_> = std::mem::take(&mut self.runs)
                .into_iter()
                .map(with_place)
                .collect();
            runs.sort_by_key(|&(group, ..)| group);
            (runs, 0)
        });
        let Some(&(group, ..)) = runs.get(*given) else {
            return Ok(None);
        };
        let of_group = runs[*given..].iter().take_while(|run| run.0 == group);
        let mut records = Vec::with_capacity(of_group.map(|&(_, length, _)| length as usize).sum());
        while let Some(&(_, length, place)) = runs.get(*given).filter(|run| run.0 == group) {
            self.store.read(place, length as usize, &mut records)?;
            *given += 1;
        }
        Ok(Some(RecordGroup {
            line: self.lines[group as usize],
            records,
        }))
    }
}

impl RecordGroup {
    /// The records, in order.
    pub(crate) fn records(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.records[..];
        std::iter::from_fn(move || {
            let (length, after) = rest.split_first_chunk()?;
            let (record, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            rest = after;
            Some(record)
        })
    }
}

/// The maximum size in memory before a file is created or appended to.
const IN_MEMORY: usize = 16 << 20;

/// The number of bytes read from the file at a time.
const WINDOW: u64 = 1 << 17;

/// The part of the window before the requested offset: groups overlap in the file, and the next one may begin there.
const LOOK_BACK: u64 = WINDOW / 4;

/// Bytes that can be read back by offset.
#[derive(Default)]
struct Store {
    file: Option<File>,
    /// The length of the file.
    written: u64,
    /// The bytes after the end of the file, in memory.
    rest: Vec<u8>,
    /// Offset and bytes of the last read.
    window: (u64, Vec<u8>),
}

impl Store {
    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.rest.extend_from_slice(bytes);
        if self.rest.len() < IN_MEMORY {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.write_all(&self.rest)?;
        self.written += self.rest.len() as u64;
        self.rest.clear();
        Ok(())
    }

    /// Appends `length` bytes from `place`. An entry may begin in the file and continue in memory.
    fn read(&mut self, place: u64, length: usize, to: &mut Vec<u8>) -> io::Result<()> {
        let in_file = self.written.saturating_sub(place).min(length as u64);
        if in_file > 0 {
            self.read_file(place, in_file as usize, to)?;
        }
        let left = length - in_file as usize;
        let from = usize::try_from((place + in_file).saturating_sub(self.written));
        let rest = from
            .ok()
            .and_then(|from| self.rest.get(from..)?.get(..left));
        to.extend_from_slice(rest.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    /// Appends `length` bytes from `place` in the file.
    fn read_file(&mut self, place: u64, length: usize, to: &mut Vec<u8>) -> io::Result<()> {
        let (begin, bytes) = &mut self.window;
        let within = |begin: u64| usize::try_from(place.checked_sub(begin)?).ok();
        if within(*begin).is_none_or(|from| from + length > bytes.len()) {
            let file = self.file.as_mut().ok_or(io::ErrorKind::UnexpectedEof)?;
            *begin = place.saturating_sub(LOOK_BACK);
            let end = (place + length as u64).max(*begin + WINDOW);
            let size = end.min(self.written).saturating_sub(*begin);
            bytes.resize(size as usize, 0);
            file.seek(SeekFrom::Start(*begin))?;
            file.read_exact(bytes)?;
        }
        let found = within(*begin).and_then(|from| bytes.get(from..)?.get(..length));
        to.extend_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(groups: &mut RecordGroups) -> Vec<(u64, Vec<Vec<u8>>)> {
        std::iter::from_fn(|| groups.next_group().unwrap())
            .map(|group| (group.line, group.records().map(<[u8]>::to_vec).collect()))
            .collect()
    }

    #[test]
    fn records_come_back_by_group_in_the_order_in_which_groups_began() {
        let mut groups = RecordGroups::new();
        for (line, (key, record)) in
            (1..).zip([("b", "1"), ("a", "2"), ("b", ""), ("b", "3"), ("a", "4")])
        {
            groups.hold(key.as_bytes(), line, |out| {
                out.extend_from_slice(record.as_bytes());
            });
            if record == "3" {
                groups.drop_held();
            } else {
                groups.take_held();
            }
        }
        let bytes = |records: &[&str]| {
            records
                .iter()
                .map(|record| record.as_bytes().to_vec())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            all(&mut groups),
            [(1, bytes(&["1", ""])), (2, bytes(&["2", "4"]))]
        );
    }

    #[test]
    fn what_passes_through_a_file_comes_back_the_same() {
        let mut groups = RecordGroups::new();
        let record = |number: usize| vec![number as u8; 1000 + number % 7];
        for number in 0..40_000_usize {
            groups.hold(&(number % 300).to_le_bytes(), number as u64, |out| {
                out.extend(record(number));
            });
            groups.take_held();
        }
        assert!(groups.store.file.is_some() && !groups.store.rest.is_empty());
        let found = all(&mut groups);
        assert_eq!(found.len(), 300);
        for (group, (line, records)) in found.iter().enumerate() {
            assert_eq!(*line, group as u64);
            assert!(
                (group..40_000)
                    .step_by(300)
                    .map(record)
                    .eq(records.iter().cloned())
            );
        }
    }

    #[test]
    fn a_group_that_lies_half_in_the_file_comes_back_whole() {
        let mut groups = RecordGroups::new();
        let record = |number: usize| vec![number as u8; 1000 + number % 7];
        // Adjacent records of one group, across the end of the file.
        for number in 0..40_000_usize {
            groups.hold(&(number / 500).to_le_bytes(), number as u64, |out| {
                out.extend(record(number));
            });
            groups.take_held();
        }
        assert!(groups.store.file.is_some() && !groups.store.rest.is_empty());
        let found = all(&mut groups);
        assert_eq!(found.len(), 80);
        for (group, (_, records)) in found.iter().enumerate() {
            let expected = (group * 500..(group + 1) * 500).map(record);
            assert!(expected.eq(records.iter().cloned()), "{group}");
        }
    }
}
