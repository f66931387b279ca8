//! Maps equal keys to equal numbers.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::value::HashKey;

/// A name in a namespace.
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

/// Initial capacity: the calls of a case mostly share a few names.
const FEW: usize = 24;

/// Assigns equal keys equal numbers, counting from 0.
#[derive(Debug)]
pub(crate) struct Interner<K> {
    keys: Vec<K>,
    table: HashTable<u32>,
    state: FixedState,
}

impl<K: Eq + Hash> Interner<K> {
    /// An interner for at most this many keys.
    pub(crate) fn new(key: HashKey, capacity: usize) -> Self {
        let capacity = capacity.min(FEW);
        Self {
            keys: Vec::with_capacity(capacity),
            table: HashTable::with_capacity(capacity),
            state: FixedState::with_seed(key.0),
        }
    }

    /// The number of a key.
    #[inline]
    pub(crate) fn intern(&mut self, key: K) -> u32 {
        let Self { keys, table, state } = self;
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

    /// The number of an interned key.
    pub(crate) fn find(&self, key: &K) -> Option<u32> {
        let is_same = |&number: &u32| self.keys[number as usize] == *key;
        self.table.find(self.state.hash_one(key), is_same).copied()
    }

    /// Number of distinct keys.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The distinct keys, by number.
    pub(crate) fn into_keys(self) -> Vec<K> {
        self.keys
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_equal_exactly_if_texts_are(texts in prop::collection::vec("[a-d]{0,3}", 0..120)) {
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
