//! Records that belong together and lie anywhere in an input: a small index in memory, the records themselves in a temporary file.
//!
//! Of a group 40 bytes are held, of a record 8 while they come and 16 once they are asked for; records that follow each other in one
//! group count as one. Up to some megabytes of records never see a disk.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Seek, SeekFrom, Write};

use siphasher::sip128::{Hasher128, SipHasher13};

/// Records by the key of their group.
pub(crate) struct RecordGroups {
    /// Numbers of the groups by the hashes of their keys.
    by_key: HashMap<u128, u32, foldhash::fast::RandomState>,
    hash_key: (u64, u64),
    /// The line on which each group begins.
    lines: Vec<u64>,
    /// Group and length of what stands in the store, in its order.
    runs: Vec<(u32, u32)>,
    store: Store,
    /// What has not been taken for good yet.
    held: Vec<u8>,
    /// Key, line and length of each record that is held.
    held_records: Vec<(u128, u64, u32)>,
    /// What went wrong when something was stored.
    failure: Option<io::Error>,
    /// Once groups are asked for: what stands in the store, by group, and how much of it has been given.
    sorted: Option<(Vec<Extent>, usize)>,
}

/// Group, length and place of what stands in the store.
type Extent = (u32, u32, u64);

/// A group as it comes back.
pub(crate) struct RecordGroup {
    /// The line on which it begins.
    pub(crate) line: u64,
    /// Its records, in order, each with its length before it.
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

    /// Holds a record that `write` appends, until it is taken or dropped.
    pub(crate) fn hold(&mut self, key: &[u8], line: u64, write: impl FnOnce(&mut Vec<u8>)) {
        let mut hasher = SipHasher13::new_with_keys(self.hash_key.0, self.hash_key.1);
        hasher.write(key);
        let from = self.held.len();
        // The length stands before the record.
        self.held.extend([0; 4]);
        write(&mut self.held);
        let length = (self.held.len() - from - 4) as u32;
        self.held[from..from + 4].copy_from_slice(&length.to_le_bytes());
        self.held_records
            .push((hasher.finish128().as_u128(), line, length + 4));
    }

    /// Takes what is held.
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

    /// Drops what is held.
    pub(crate) fn drop_held(&mut self) {
        self.held.clear();
        self.held_records.clear();
    }

    /// The next group, in the order in which they began; no record may follow.
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

/// How much is held in memory before a file is begun, and then before it is written on.
const IN_MEMORY: usize = 16 << 20;

/// How much is read of the file at a time.
const WINDOW: u64 = 1 << 17;

/// How much of that stands before what is read: groups lie into each other, and the next may begin there.
const LOOK_BACK: u64 = WINDOW / 4;

/// Bytes that can be found again by their place.
#[derive(Default)]
struct Store {
    file: Option<File>,
    /// Length of the file.
    written: u64,
    /// What comes after the file.
    rest: Vec<u8>,
    /// Place and bytes of what was read last.
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

    /// Appends so many bytes from this place. What follows each other may begin in the file and go on in memory.
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

    /// Appends so many bytes from this place of the file.
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
        // Records that follow each other in one group, over the end of the file.
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
