//! Equal keys, equal numbers.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use smallvec::SmallVec;

use crate::value::HashKey;

/// What an [`Interner`] gives numbers to.
pub(crate) trait InternKey: Eq + Hash {
    /// A number that costs nothing: the same for equal keys, mostly another for others.
    fn hint(&self) -> u64;
}

impl InternKey for &[u8] {
    fn hint(&self) -> u64 {
        mark_of(self)
    }
}

impl InternKey for NameKey<'_> {
    fn hint(&self) -> u64 {
        mark_of(&self.name)
    }
}

/// A name, in a space of its own kind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NameKey<'t> {
    space: u8,
    name: Cow<'t, [u8]>,
}

impl<'t> NameKey<'t> {
    pub(crate) fn new(space: u8, name: Cow<'t, [u8]>) -> Self {
        Self { space, name }
    }
}

impl Hash for NameKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u8(self.space);
        state.write(&self.name);
    }
}

/// A number that tells most texts apart: of their first and last bytes, or of all where there are few.
pub(crate) fn mark_of(bytes: &[u8]) -> u64 {
    /// The golden ratio: products with it differ in their upper half wherever the factors differ.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from_le_bytes(*first).wrapping_mul(SPREAD) ^ u64::from_le_bytes(*last)
        }
        _ => bytes.iter().fold(bytes.len() as u64, |mark, &byte| {
            mark << 8 | u64::from(byte)
        }),
    }
}

/// Up to this many keys are found by their hints; more have a table.
const FEW: usize = 24;

/// Gives equal keys equal numbers, counting from 0.
///
/// Calls of a case mostly share few names, and to look through the hints of a few keys is faster than to hash one.
#[derive(Debug)]
pub(crate) struct Interner<K> {
    keys: Vec<K>,
    /// The hints of the first keys.
    hints: SmallVec<[u64; FEW]>,
    /// Empty as long as there are few keys.
    table: HashTable<u32>,
    /// Number of keys that may come.
    capacity: usize,
    state: FixedState,
}

impl<K: InternKey> Interner<K> {
    /// An interner for about this many keys.
    pub(crate) fn new(key: HashKey, capacity: usize) -> Self {
        Self {
            keys: Vec::with_capacity(capacity.min(FEW)),
            hints: SmallVec::new(),
            table: HashTable::new(),
            capacity,
            state: FixedState::with_seed(key.0),
        }
    }

    /// The number of a key.
    #[inline]
    pub(crate) fn intern(&mut self, key: K) -> u32 {
        if !self.table.is_empty() {
            return self.look_up(key);
        }
        let hint = key.hint();
        for (number, known) in self.hints.iter().enumerate() {
            if *known == hint && self.keys[number] == key {
                return number as u32;
            }
        }
        if self.keys.len() == FEW {
            self.make_table();
            return self.look_up(key);
        }
        self.hints.push(hint);
        self.keys.push(key);
        self.keys.len() as u32 - 1
    }

    #[cold]
    fn make_table(&mut self) {
        // Room for all that may come, so that none moves before its hash can be told.
        self.table.reserve(self.capacity.max(2 * FEW), |_| 0);
        for (number, key) in (0..).zip(&self.keys) {
            self.table
                .insert_unique(self.state.hash_one(key), number, |_| 0);
        }
    }

    fn look_up(&mut self, key: K) -> u32 {
        let Self {
            keys, table, state, ..
        } = self;
        let is_same = |&number: &u32| keys[number as usize] == key;
        let hash_of = |&number: &u32| state.hash_one(&keys[number as usize]);
        match table.entry(state.hash_one(&key), is_same, hash_of) {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(vacant) => {
                let number = keys.len() as u32;
                vacant.insert(number);
                keys.push(key);
                number
            }
        }
    }

    /// The number of a key that was interned before.
    pub(crate) fn find(&self, key: &K) -> Option<u32> {
        if self.table.is_empty() {
            let found = self.keys.iter().position(|known| known == key);
            return found.map(|number| number as u32);
        }
        let is_same = |&number: &u32| self.keys[number as usize] == *key;
        self.table.find(self.state.hash_one(key), is_same).copied()
    }

    /// Number of different keys.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The different keys, by number.
    pub(crate) fn into_keys(self) -> Vec<K> {
        self.keys
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl InternKey for &String {
        fn hint(&self) -> u64 {
            self.len() as u64
        }
    }

    proptest! {
        #[test]
        fn symbols_are_equal_just_where_texts_are(texts in prop::collection::vec("[a-d]{0,3}", 0..120)) {
            let mut interner = Interner::new(HashKey(7, 0), 0);
            let symbols: Vec<u32> = texts.iter().map(|text| interner.intern(text)).collect();
            for (a, x) in texts.iter().zip(&symbols) {
                for (b, y) in texts.iter().zip(&symbols) {
                    prop_assert_eq!(a == b, x == y);
                }
            }
        }
    }
}
