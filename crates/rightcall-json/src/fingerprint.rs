//! A weak digest: equal values have equal fingerprints, unequal ones mostly don't. It costs a tenth of a digest.
//!
//! Arguments of calls with the same name are mostly identical or clearly different. To distinguish
//! them, no collision-resistant hash is needed: a fingerprint uses a few bytes of each string and
//! takes all numbers as floats. Values with equal fingerprints need a full comparison.

use std::num::NonZeroU64;

use rightcall_python_values::Text;

use crate::equality::ValueEquality;
use crate::quick_equality::equals_itself;
use crate::reader::{Plain, Reader};
use crate::syntax::{Kind, Result, Syntax};

/// The hash that equal values share.
pub type Fingerprint = NonZeroU64;

/// Computes fingerprints of many texts, reusing its buffers.
pub struct Fingerprinter<'a> {
    equality: ValueEquality,
    /// Members of the objects being read, innermost last.
    members: Vec<(Text<'a>, u64)>,
    /// True if the latest text holds `NaN`.
    pub saw_nan: bool,
}

/// Null, and numbers that JavaScript writes as null.
const NULL: u64 = 1;
const LIST: u64 = 2;
const OBJECT: u64 = 3;

#[inline]
fn hash_string(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    let eight = |from: usize| {
        bytes[from..]
            .first_chunk()
            .map_or(0, |chunk| u64::from_le_bytes(*chunk))
    };
    let four = |from: usize| {
        bytes[from..]
            .first_chunk()
            .map_or(0, |chunk| u64::from(u32::from_le_bytes(*chunk)))
    };
    let ends = match length {
        0 => 0,
        1..4 => {
            u64::from(bytes[0]) << 16
                | u64::from(bytes[length / 2]) << 8
                | u64::from(bytes[length - 1])
        }
        4..8 => four(0) << 32 | four(length - 4),
        _ => eight(0) ^ mix(eight(length / 2 - 4)) ^ eight(length - 8).rotate_left(29),
    };
    mix(ends ^ (length as u64) << 56)
}

#[inline]
fn hash_number(number: f64) -> u64 {
    // -0 + 0 is 0.
    if number.is_infinite() {
        NULL
    } else {
        mix((number + 0.0).to_bits())
    }
}

/// The part that a member adds to its object's fingerprint.
#[inline]
fn hash_member(key: u64, value: u64) -> u64 {
    mix(key.rotate_left(23) ^ value)
}

/// The fingerprint of an object with plain members, computed while they are skipped. It equals that of [`Fingerprinter`] under every
/// equality that supports fingerprints.
#[derive(Debug)]
struct PlainFingerprint {
    sum: u64,
    keys: [u64; Self::FEW],
    length: usize,
}

impl Default for PlainFingerprint {
    #[inline]
    fn default() -> Self {
        Self {
            sum: OBJECT,
            keys: [0; Self::FEW],
            length: 0,
        }
    }
}

impl PlainFingerprint {
    /// Objects with more members are fingerprinted later, if needed.
    const FEW: usize = 8;

    /// Adds a member. Its key is as in the text and has no escapes.
    #[expect(
        clippy::inline_always,
        reason = "a call for each member costs more than the member"
    )]
    #[inline(always)]
    fn add(&mut self, key: &[u8], value: Plain<'_>) {
        let value = match value {
            Plain::String(bytes) => hash_string(bytes),
            Plain::Number(number) => hash_number(number),
            Plain::Null => NULL,
        };
        let Some(known) = self.keys.get(..self.length) else {
            return;
        };
        // Some equalities drop this key.
        let key = (key != b"__proto__").then(|| hash_string(key));
        let Some(key) = key.filter(|key| known.len() < Self::FEW && !known.contains(key)) else {
            self.mark_not_plain();
            return;
        };
        self.keys[self.length] = key;
        self.length += 1;
        self.sum = self.sum.wrapping_add(hash_member(key, value));
    }

    /// Marks the object as having a member that is not plain.
    #[inline]
    fn mark_not_plain(&mut self) {
        self.length = usize::MAX;
    }

    /// The fingerprint, if all members were plain and no key was repeated.
    #[inline]
    fn finish(&self) -> Option<Fingerprint> {
        (self.length <= Self::FEW).then(|| finished(self.sum))
    }
}

impl<'a> Reader<'a> {
    /// Like [`raw`](Self::raw), with the fingerprint of the value if it is a plain object.
    pub fn raw_with_fingerprint(&mut self) -> Result<(&'a str, Option<Fingerprint>)> {
        let mut fingerprint = PlainFingerprint::default();
        let (text, is_plain) = self.raw_with_members(|key, value| fingerprint.add(key, value))?;
        Ok((text, fingerprint.finish().filter(|_| is_plain)))
    }
}

fn finished(fingerprint: u64) -> Fingerprint {
    NonZeroU64::new(fingerprint).unwrap_or(NonZeroU64::MIN)
}

/// Spreads a number over all bits.
fn mix(number: u64) -> u64 {
    let product = (number ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    product ^ product >> 32
}

impl<'a> Fingerprinter<'a> {
    /// A fingerprinter that agrees with this equality.
    pub fn new(equality: ValueEquality) -> Self {
        Self {
            equality,
            members: Vec::new(),
            saw_nan: false,
        }
    }

    /// True if an equality supports fingerprints; false if values of different kinds can be equal.
    #[inline]
    pub fn tells(equality: ValueEquality) -> bool {
        equality != ValueEquality::JavaScriptListsAsObjects
    }

    /// The fingerprint of a text that the reader has already checked.
    pub fn of_text(&mut self, text: &'a str) -> Fingerprint {
        self.saw_nan = false;
        if !Self::tells(self.equality) {
            self.saw_nan = !equals_itself(text);
            return NonZeroU64::MIN;
        }
        self.members.clear();
        finished(
            self.hash_value(&mut Reader::new(text, Syntax::PYTHON))
                .unwrap_or(0),
        )
    }

    fn hash_value(&mut self, reader: &mut Reader<'a>) -> Result<u64> {
        Ok(match reader.peek()? {
            Kind::Null => {
                reader.null()?;
                NULL
            }
            // Python's booleans are numbers.
            Kind::Bool => self.hash_number(f64::from(u8::from(reader.bool()?))),
            Kind::Number => {
                let number = reader.float()?;
                self.hash_number(number)
            }
            Kind::String => hash_string(reader.string()?.as_bytes()),
            Kind::List => {
                let mut fingerprint = LIST;
                let mut first = reader.enter_list()?;
                while reader.next_item(&mut first)? {
                    fingerprint = mix(fingerprint.rotate_left(23) ^ self.hash_value(reader)?);
                }
                fingerprint
            }
            Kind::Object => {
                let outer = self.members.len();
                let mut first = reader.enter_object()?;
                while let Some(key) = reader.next_key(&mut first)? {
                    let value = self.hash_value(reader)?;
                    if self.equality.keeps(&key) {
                        self.members.push((key, value));
                    }
                }
                let fingerprint = hash_members(&mut self.members[outer..]);
                self.members.truncate(outer);
                fingerprint
            }
        })
    }

    fn hash_number(&mut self, number: f64) -> u64 {
        self.saw_nan |= number.is_nan();
        hash_number(number)
    }
}

/// The fingerprint of an object, independent of member order; the last value of a repeated key counts.
fn hash_members(members: &mut [(Text<'_>, u64)]) -> u64 {
    /// Above this number of members, keys are sorted to find repeated ones.
    const FEW: usize = 16;
    let hash_member =
        |(key, value): &(Text<'_>, u64)| hash_member(hash_string(key.as_bytes()), *value);
    if members.len() > FEW {
        members.sort_by(|a, b| a.0.cmp(&b.0));
        let last = members.chunk_by(|a, b| a.0 == b.0).filter_map(<[_]>::last);
        return last.fold(OBJECT, |sum, member| sum.wrapping_add(hash_member(member)));
    }
    let mut sum = OBJECT;
    for (place, member) in members.iter().enumerate() {
        if members[place + 1..].iter().all(|(key, _)| *key != member.0) {
            sum = sum.wrapping_add(hash_member(member));
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::decode_with;
    use crate::digest::tests::{ALL, json};

    fn fingerprint(text: &str, equality: ValueEquality) -> Fingerprint {
        Fingerprinter::new(equality).of_text(text)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn equal_values_have_equal_fingerprints(left in json(), right in json()) {
            let decode = |text: &str| decode_with(text, Syntax::PYTHON).unwrap().into_owned();
            for equality in ALL {
                for (left, right) in [(&left, &right), (&left, &left)] {
                    let equal = equality.equal(&decode(left), &decode(right));
                    let same = fingerprint(left, equality) == fingerprint(right, equality);
                    prop_assert!(same || !equal, "{:?} {} {}", equality, left, right);
                    let mut fingerprinter = Fingerprinter::new(equality);
                    fingerprinter.of_text(left);
                    let equals_itself = left != right || equal || equality == ValueEquality::JavaScriptListsAsObjects;
                    prop_assert!(equals_itself || fingerprinter.saw_nan, "{:?} {}", equality, left);
                }
            }
        }
    }

    /// Objects in the most common layout, and close variants of it.
    fn plain() -> impl Strategy<Value = String> {
        let number = r"-?(0|[1-9][0-9]{0,16})(\.[0-9]{1,4})?(e1)?";
        let value = prop_oneof![
            number,
            r#""[a-zé0-9 ]{0,20}""#,
            "true|false|null|NaN|\\[1\\]"
        ];
        let member = (r#""[a-d]{1,2}"|"[a-z]{3,18}"|"__proto__""#, value)
            .prop_map(|(key, value)| format!("{key}:{value}"));
        prop::collection::vec(member, 0..10)
            .prop_map(|members| format!("{{{}}} ", members.join(",")))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn fingerprints_while_reading_match_those_of_the_text(text in prop_oneof![plain(), json()]) {
            let (raw, known) = Reader::new(&text, Syntax::PYTHON).raw_with_fingerprint().unwrap();
            prop_assert_eq!(raw, Reader::new(&text, Syntax::PYTHON).raw().unwrap());
            for equality in ALL.into_iter().filter(|equality| Fingerprinter::tells(*equality)) {
                prop_assert!(known.is_none_or(|known| known == fingerprint(&text, equality)), "{:?} {}", equality, text);
            }
        }

        #[test]
        fn reading_with_a_fingerprint_rejects_invalid_json(text in r#"\{[\[\]{}",:0-9eE.+\- tfnu\\a\n]{0,24}"#) {
            let raw = Reader::new(&text, Syntax::JSON).raw();
            prop_assert_eq!(Reader::new(&text, Syntax::JSON).raw_with_fingerprint().map(|(raw, _)| raw), raw);
        }
    }

    #[test]
    fn only_plain_objects_get_a_fingerprint_while_reading() {
        let has_one = |text: &str| {
            Reader::new(text, Syntax::PYTHON)
                .raw_with_fingerprint()
                .unwrap()
                .1
                .is_some()
        };
        for (text, expected) in [
            ("{}", true),
            (r#"{"a":"x","b":-12.50,"c":true,"d":null,"e":0} "#, true),
            (r#"{"a":"x","a":"x"}"#, false),
            (r#"{"a":"\n","b":"some more text"}"#, false),
            (r#"{"a":[1],"b":"some more text"}"#, false),
            (r#"{"a":1e3,"b":"some more text"}"#, false),
            (r#"{"a":1234567890123456,"b":"some more text"}"#, false),
            (r#"{"__proto__":1,"b":"some more text"}"#, false),
            ("[1]", false),
        ] {
            assert_eq!(has_one(text), expected, "{text}");
        }
    }

    #[test]
    fn fingerprints_depend_on_content_not_on_order_or_spelling() {
        let same = |left: &str, right: &str| {
            fingerprint(left, ValueEquality::Python) == fingerprint(right, ValueEquality::Python)
        };
        for (left, right, expected) in [
            (r#"{"a":1,"b":"x"}"#, r#"{"b":"\u0078", "a":1.0}"#, true),
            (r#"{"a":[1,{"b":true}]}"#, r#"{"a": [1e0, {"b": 1}]}"#, true),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#, true),
            (
                r#"{"a":12345678901234567890}"#,
                r#"{"a":12345678901234567890.0}"#,
                true,
            ),
            (r#"{"a":-0.0}"#, r#"{"a":0}"#, true),
            (r#"{"a":1}"#, r#"{"a":2}"#, false),
            (r#"{"a":1}"#, r#"{"b":1}"#, false),
            (r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#, false),
            (r#"{"a":[1,2]}"#, r#"{"a":[2,1]}"#, false),
            (r#"{"a":[]}"#, r#"{"a":{}}"#, false),
            (r#"{"a":"some text"}"#, r#"{"a":"same text"}"#, false),
        ] {
            assert_eq!(same(left, right), expected, "{left} {right}");
        }
        let many = |keys: &mut dyn Iterator<Item = u32>| {
            let members: Vec<_> = keys.map(|key| format!("\"k{key}\":{key}")).collect();
            format!("{{{}}}", members.join(","))
        };
        assert!(same(&many(&mut (0..20)), &many(&mut (0..20).rev())));
        assert!(same(&many(&mut (0..20)), &many(&mut (0..20).chain([19]))));
        assert!(!same(&many(&mut (0..20)), &many(&mut (0..21))));
    }
}
