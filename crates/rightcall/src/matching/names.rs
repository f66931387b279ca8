//! When two names are the same.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use smallvec::{SmallVec, smallvec};

use super::{Item, Listed, NameOf};
use crate::alignment::Symbols;
use crate::value::{HashKey, Text};

/// How names are compared.
#[derive(Clone, Debug)]
pub(crate) enum NameRule {
    /// Code point by code point.
    Exact,
    /// After case folding.
    CaseFolded,
    /// After sanitising, see [`sanitise`].
    Sanitised,
    /// An actual call with a tool id by that id alone (against the expected id, or the expected name where there is none); one
    /// without by its sanitised name.
    IdElseSanitised,
    /// As exact, with some names standing for others.
    Aliased(BTreeMap<String, String>),
}

impl NameRule {
    /// Interns the names of both sides.
    pub(crate) fn symbols<'m>(
        &self,
        expected: Listed<'m, '_>,
        actual: Listed<'m, '_>,
        key: HashKey,
    ) -> Symbols<'m> {
        if let (Some(names), Some(_)) = (expected.names, actual.names)
            && self.takes(|| names.are_safe())
        {
            return names.symbols(expected.items, actual.items).reborrow();
        }
        let (expected, actual) = (expected.items, actual.items);
        if let Some(symbols) = self.numbers(expected, actual) {
            return symbols;
        }
        // Where no actual call goes by an id, no expected one needs a symbol for it.
        let by_id = matches!(self, Self::IdElseSanitised)
            && actual.iter().any(|item| item.tool_id.is_some());
        let calls = expected.len() + actual.len();
        let mut naming = Naming {
            rule: self,
            interner: Interner::new(key, calls),
            of_number: vec![Symbols::NONE; calls],
        };
        let expected = expected
            .iter()
            .map(|item| naming.expected(item, by_id))
            .collect();
        let actual = actual.iter().map(|item| naming.actual(item)).collect();
        Symbols {
            expected,
            actual,
            count: naming.interner.len(),
        }
    }

    /// True if this rule tells the same names apart as their texts do, among calls without tool ids; `are_safe` tells whether
    /// [`sanitise`] leaves the names as they are.
    fn takes(&self, are_safe: impl FnOnce() -> bool) -> bool {
        match self {
            Self::Exact => true,
            Self::Sanitised | Self::IdElseSanitised => are_safe(),
            Self::CaseFolded | Self::Aliased(_) => false,
        }
    }

    /// The numbers that the case has given to its names, where this rule tells the same names apart.
    fn numbers(&self, expected: &[Item<'_>], actual: &[Item<'_>]) -> Option<Symbols<'static>> {
        let is_told = |item: &Item<'_>| {
            let has_id = matches!(self, Self::IdElseSanitised) && item.tool_id.is_some();
            let is_plain = item.number != Item::UNNUMBERED && item.kind == 0 && !item.is_blank;
            is_plain && !has_id && self.takes(|| item.name().is_safe())
        };
        let all = || expected.iter().chain(actual);
        let count = || {
            all()
                .map(|item| item.number as usize + 1)
                .max()
                .unwrap_or(0)
        };
        all()
            .all(is_told)
            .then(|| Item::numbers(expected, actual, count()))
    }

    /// What a text is to be called.
    fn key<'t>(&self, name: &'t Text<'_>) -> Cow<'t, [u8]> {
        match self {
            Self::Exact => Cow::Borrowed(name.as_bytes()),
            Self::Sanitised | Self::IdElseSanitised => sanitise(name),
            Self::CaseFolded => match name.as_str() {
                Some(text) => Cow::Owned(text.to_lowercase().into_bytes()),
                None => Cow::Borrowed(name.as_bytes()),
            },
            Self::Aliased(aliases) => match name.as_str().and_then(|text| aliases.get(text)) {
                Some(canonical) => Cow::Owned(canonical.clone().into_bytes()),
                None => Cow::Borrowed(name.as_bytes()),
            },
        }
    }
}

/// Names of a case on their way to symbols.
struct Naming<'r, 'i> {
    rule: &'r NameRule,
    interner: Interner<NameKey<'i>>,
    /// The symbols of names that the case has numbered: the rule looks at each once.
    of_number: Vec<u32>,
}

impl<'i> Naming<'_, 'i> {
    fn expected(&mut self, item: &'i Item<'_>, by_id: bool) -> [u32; 2] {
        match item.name() {
            NameOf::Text(name) if by_id && !item.is_blank => {
                let id = item.tool_id.as_ref().unwrap_or(name);
                [
                    self.interner
                        .intern(NameKey::new(ID, Cow::Borrowed(id.as_bytes()))),
                    self.interner.intern(NameKey::new(NAME, sanitise(name))),
                ]
            }
            _ => [self.plain(item); 2],
        }
    }

    fn actual(&mut self, item: &'i Item<'_>) -> u32 {
        match (self.rule, &item.tool_id) {
            (NameRule::IdElseSanitised, Some(id)) if !item.is_blank => self
                .interner
                .intern(NameKey::new(ID, Cow::Borrowed(id.as_bytes()))),
            _ => self.plain(item),
        }
    }

    #[inline]
    fn plain(&mut self, item: &'i Item<'_>) -> u32 {
        // Kinds have symbols of their own.
        let number = if item.kind == 0 {
            item.number
        } else {
            Item::UNNUMBERED
        } as usize;
        if let Some(&symbol) = self.of_number.get(number)
            && symbol != Symbols::NONE
        {
            return symbol;
        }
        let symbol = self.by_rule(item);
        if let Some(known) = self.of_number.get_mut(number) {
            *known = symbol;
        }
        symbol
    }

    fn by_rule(&mut self, item: &'i Item<'_>) -> u32 {
        match item.name() {
            _ if item.is_blank => Symbols::NONE,
            NameOf::Incomparable => Symbols::NONE,
            NameOf::Scalar(json) => self
                .interner
                .intern(NameKey::new(SCALAR, Cow::Borrowed(json.as_bytes()))),
            // Kinds, too, are spaces of their own.
            NameOf::Text(name) => self
                .interner
                .intern(NameKey::new(NAME + item.kind, self.rule.key(name))),
        }
    }
}

const SCALAR: u8 = 0;
const ID: u8 = 1;
const NAME: u8 = 2;

/// The bytes that may stand in a safe name.
const IS_SAFE: [bool; 256] = {
    let mut is_safe = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        is_safe[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'_' | b'-');
        byte += 1;
    }
    is_safe
};

/// True if [`sanitise`] leaves a name as it is.
pub(super) fn is_safe(name: &[u8]) -> bool {
    // Without a branch for each byte.
    name.len() <= LONGEST
        && name
            .iter()
            .fold(true, |all, byte| all & IS_SAFE[usize::from(*byte)])
}

/// The length of the longest safe name.
const LONGEST: usize = 64;

/// UiPath's safe form of a name: white space to `_`, everything but ASCII letters, digits, `_` and `-` dropped, at most 64.
///
/// Source: semantics, section 2.1.
pub(crate) fn sanitise<'t>(name: &'t Text<'_>) -> Cow<'t, [u8]> {
    if is_safe(name.as_bytes()) {
        return Cow::Borrowed(name.as_bytes());
    }
    let mut safe = Vec::with_capacity(LONGEST);
    let (mut seen_word, mut gap) = (false, false);
    for point in name.code_points() {
        if is_python_space(point) {
            gap = seen_word;
            continue;
        }
        if std::mem::take(&mut gap) {
            safe.push(b'_');
        }
        seen_word = true;
        if let Some(byte) = u8::try_from(point)
            .ok()
            .filter(|byte| IS_SAFE[usize::from(*byte)])
        {
            safe.push(byte);
        }
    }
    safe.truncate(LONGEST);
    Cow::Owned(safe)
}

/// White space of Python's `str.split`.
fn is_python_space(point: u32) -> bool {
    matches!(
        point,
        0x09..=0x0D | 0x1C..=0x20 | 0x85 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000
    )
}

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

    fn item<'c>(name: &'c str, id: Option<&'c str>) -> Item<'c> {
        Item::of_name(name.into()).with_tool_id(id.map(Text::new))
    }

    #[track_caller]
    fn check(rule: &NameRule, expected: Item<'_>, actual: Item<'_>, same: bool) {
        assert_eq!(
            rule.symbols((&[expected]).into(), (&[actual]).into(), HashKey::default())
                .same(0, 0),
            same
        );
    }

    #[test]
    fn names_are_sanitised_as_documented() {
        let long = "x".repeat(70);
        for (name, safe) in [
            ("  a \t b", "a_b"),
            ("工具", ""),
            ("my-tool.v2", "my-toolv2"),
            ("", ""),
            ("a  工 b", "a__b"),
            (&long, &long[..64]),
        ] {
            assert_eq!(sanitise(&Text::new(name)), safe.as_bytes(), "{name}");
        }
    }

    #[test]
    fn a_call_with_an_id_goes_by_it_alone() {
        let rule = NameRule::IdElseSanitised;
        check(&rule, item("t-1", None), item("find", Some("t-1")), true);
        check(
            &rule,
            item("find", Some("t-1")),
            item("other", Some("t-1")),
            true,
        );
        check(&rule, item("find", None), item("find", Some("t-1")), false);
        check(
            &rule,
            item("find", Some("t-1")),
            item("find", Some("find")),
            false,
        );
        check(
            &rule,
            item("my tool", Some("t-1")),
            item("my_tool", None),
            true,
        );
    }

    #[test]
    fn the_other_rules() {
        check(&NameRule::Exact, item("a", None), item("A", None), false);
        check(
            &NameRule::CaseFolded,
            item("Größe", None),
            item("GRÖßE", None),
            true,
        );
        check(
            &NameRule::Sanitised,
            item("a b", None),
            item("a_b", Some("id")),
            true,
        );
        let aliases = NameRule::Aliased(BTreeMap::from([("lookup".to_owned(), "find".to_owned())]));
        check(&aliases, item("find", None), item("lookup", None), true);
        check(&aliases, item("lookup", None), item("search", None), false);
        check(
            &NameRule::Exact,
            item("a", None),
            item("a", None).blank_if(true),
            false,
        );
        check(
            &NameRule::Exact,
            item("a", None),
            item("a", None).of_kind(1),
            false,
        );
    }

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
