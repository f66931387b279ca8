//! Equal keys, equal numbers.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use smallvec::{SmallVec, smallvec};

use crate::value::HashKey;

/// What an [`Interner`] gives numbers to.
pub(crate) trait InternKey: Eq + Hash {
    /// A number that costs nothing: the same for equal keys, mostly another for others.
    fn hint(&self) -> u64;

    /// True for equal keys.
    fn is(&self, other: &Self) -> bool {
        self == other
    }
}

impl InternKey for &[u8] {
    fn hint(&self) -> u64 {
        mark_of(self)
    }

    #[inline]
    fn is(&self, other: &Self) -> bool {
        are_same(self, other)
    }
}

impl InternKey for NameKey<'_> {
    fn hint(&self) -> u64 {
        self.mark
    }
}

/// Gives equal keys equal numbers, counting from 0.
///
/// Calls of a case mostly share few names: a key is first looked for where one with its hint was found, and a few keys are compared one
/// by one, which is faster than hashing them.
#[derive(Debug)]
pub(crate) struct Interner<K> {
    /// Where keys were found, by their hints: each has two places.
    recent: SmallVec<[u32; RECENT]>,
    table: HashTable<u32>,
    keys: Vec<K>,
    /// Number of keys that may come.
    capacity: usize,
    state: FixedState,
}

/// Places for few keys, and for many: powers of two.
const RECENT: usize = 32;
const RECENT_OF_MANY: usize = 256;

/// No key yet.
const NEVER: u32 = u32::MAX;

/// A name, in a space of its own kind.
#[derive(Debug, Eq)]
pub(crate) struct NameKey<'t> {
    space: u8,
    mark: u64,
    name: Cow<'t, [u8]>,
}

impl<'t> NameKey<'t> {
    pub(crate) fn new(space: u8, name: Cow<'t, [u8]>) -> Self {
        Self {
            space,
            mark: mark_of(&name),
            name,
        }
    }
}

/// A number that tells most texts apart: of their first and last bytes, or of all where there are few.
pub(crate) fn mark_of(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from_le_bytes(*first).wrapping_mul(SPREAD) ^ u64::from_le_bytes(*last)
        }
        _ => bytes.iter().fold(bytes.len() as u64, |mark, &byte| {
            mark << 8 | u64::from(byte)
        }),
    }
}

/// Equality of names: those of 8 to 16 bytes, as most are, are told by two words.
#[inline]
fn are_same(one: &[u8], other: &[u8]) -> bool {
    let words = |bytes: &[u8]| {
        bytes
            .first_chunk::<8>()
            .copied()
            .zip(bytes.last_chunk::<8>().copied())
    };
    match (words(one), words(other)) {
        (Some(one_words), Some(other_words)) if one.len() <= 16 => {
            one.len() == other.len() && one_words == other_words
        }
        _ => one == other,
    }
}

/// The golden ratio: products with it differ in their upper half wherever the factors differ.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl PartialEq for NameKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.mark == other.mark && self.space == other.space && are_same(&self.name, &other.name)
    }
}

impl Hash for NameKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u8(self.space);
        state.write(&self.name);
    }
}

impl<K: InternKey> Interner<K> {
    /// Up to this many keys there is no table.
    const FEW: usize = 24;

    /// An interner for about this many keys.
    pub(crate) fn new(key: HashKey, capacity: usize) -> Self {
        Self {
            recent: SmallVec::from([NEVER; RECENT]),
            table: HashTable::new(),
            keys: Vec::with_capacity(capacity.min(Self::FEW)),
            capacity,
            state: FixedState::with_seed(key.0),
        }
    }

    /// The number of a key.
    #[expect(
        clippy::inline_always,
        reason = "a call for each call of a case costs as much as the key"
    )]
    #[inline(always)]
    pub(crate) fn intern(&mut self, key: K) -> u32 {
        let spread = key.hint().wrapping_mul(SPREAD);
        let places = self.places(spread);
        for place in places {
            let recent = self.recent[place];
            if self
                .keys
                .get(recent as usize)
                .is_some_and(|known| known.is(&key))
            {
                return recent;
            }
        }
        if self.recent[places[0]] == NEVER && self.table.is_empty() && self.keys.len() < Self::FEW {
            // No key with this hint has come before.
            let symbol = self.keys.len() as u32;
            self.keys.push(key);
            self.recent[places[0]] = symbol;
            return symbol;
        }
        self.look_up(key, spread)
    }

    /// Where a key may have been found before. All keys with a hint leave something in the first of its places.
    fn places(&self, spread: u64) -> [usize; 2] {
        [spread >> 32, spread >> 48].map(|place| place as usize & (self.recent.len() - 1))
    }

    fn look_up(&mut self, key: K, spread: u64) -> u32 {
        let symbol = self.number(key);
        let [first, second] = self.places(spread);
        let place = if self.recent[first] == NEVER {
            first
        } else {
            second
        };
        self.recent[place] = symbol;
        symbol
    }

    fn number(&mut self, key: K) -> u32 {
        let Self {
            table,
            keys,
            state,
            capacity: expected,
            recent,
        } = self;
        let symbol = keys.len() as u32;
        if table.is_empty() {
            if let Some(found) = keys.iter().position(|known| *known == key) {
                return found as u32;
            }
            if keys.len() < Self::FEW {
                keys.push(key);
                return symbol;
            }
            *recent = smallvec![NEVER; RECENT_OF_MANY];
            // Room for all that are there, so that none moves before its hash can be told.
            table.reserve((*expected).max(2 * keys.len()), |_| 0);
            for (symbol, key) in (0..).zip(&*keys) {
                table.insert_unique(state.hash_one(key), symbol, |_| 0);
            }
        }
        let is_same = |&symbol: &u32| keys[symbol as usize] == key;
        match table.entry(state.hash_one(&key), is_same, |&symbol| {
            state.hash_one(&keys[symbol as usize])
        }) {
            hashbrown::hash_table::Entry::Occupied(found) => *found.get(),
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                vacant.insert(symbol);
                keys.push(key);
                symbol
            }
        }
    }

    /// The number of a key that was interned before.
    pub(crate) fn find(&self, key: &K) -> Option<u32> {
        if self.table.is_empty() {
            return self
                .keys
                .iter()
                .position(|known| known == key)
                .map(|symbol| symbol as u32);
        }
        self.table
            .find(self.state.hash_one(key), |&symbol| {
                self.keys[symbol as usize] == *key
            })
            .copied()
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
        fn names_are_the_same_where_their_bytes_are(one in "[ab]{0,20}", other in "[ab]{0,20}", at in 0..20_usize) {
            let changed: Vec<u8> = one.bytes().enumerate().map(|(place, byte)| if place == at { b'c' } else { byte }).collect();
            for other in [one.as_bytes(), other.as_bytes(), &changed] {
                prop_assert_eq!(are_same(one.as_bytes(), other), one.as_bytes() == other);
            }
        }

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
