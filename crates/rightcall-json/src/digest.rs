//! Hashes values under an equality: equal values have equal digests, unequal ones practically never do.
//!
//! The hash is 128 bits of keyed SipHash-1-3, so colliding values can't be made without the key. It is computed from JSON text without
//! building a tree. Members of an object are hashed one by one and summed, so their order doesn't matter; the last value of a repeated key
//! counts.

use once_cell::race::OnceBox;
use rightcall_python_values::{
    Integer, Object, PythonValue, SMALL_OBJECT, Text, TextBuilder, Value,
};
use siphasher::sip128::SipHasher13;

use crate::equality::{Scalar, ValueEquality};
use crate::reader::Reader;
use crate::syntax::{JsonNumber, Kind, Result, Syntax};

/// The key of the hash. Fixed in tests; random in a process that scores foreign data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct HashKey(pub u64, pub u64);

/// The hash of a value under one equality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    /// Low and high half.
    hash: [u64; 2],
    never_equal: bool,
}

impl Digest {
    fn new(hash: u128, never_equal: bool) -> Self {
        Self {
            hash: [hash as u64, (hash >> 64) as u64],
            never_equal,
        }
    }

    /// The digest of a JSON text.
    ///
    /// # Errors
    /// The first offset that is not JSON as Python reads it.
    pub fn from_text(text: &str, equality: ValueEquality, key: HashKey) -> Result<Self> {
        let mut hashing = Hashing::new(equality, key);
        let never_equal = hashing.add_top_from(&mut Reader::new(text, Syntax::PYTHON))?;
        Ok(Self::new(hashing.hash_from(0), never_equal))
    }

    /// The digest of a tree.
    pub fn from_value(value: &Value<'_>, equality: ValueEquality, key: HashKey) -> Self {
        let mut hashing = Hashing::new(equality, key);
        let never_equal = hashing.add_top_value(value);
        Self::new(hashing.hash_from(0), never_equal)
    }

    /// True if the two values are equal. A value that holds `NaN` equals no value.
    #[inline]
    pub fn equals(self, other: Self) -> bool {
        self.hash == other.hash && !self.never_equal && !other.never_equal
    }

    /// The hash, or `None` for a value that equals no value.
    #[inline]
    pub fn key(self) -> Option<u128> {
        (!self.never_equal).then_some(u128::from(self.hash[1]) << 64 | u128::from(self.hash[0]))
    }
}

/// Computes digests of many texts, reusing its buffers.
pub struct Digester<'a>(Hashing<'a>);

impl<'a> Digester<'a> {
    /// A digester for an equality.
    pub fn new(equality: ValueEquality, key: HashKey) -> Self {
        Self(Hashing::new(equality, key))
    }

    /// The equality of the digests.
    #[inline]
    pub fn equality(&self) -> ValueEquality {
        self.0.equality
    }

    /// The digest of a text that the reader has already checked.
    pub fn of_text(&mut self, text: &'a str) -> Digest {
        let hashing = &mut self.0;
        // Left over from an earlier text that turned out not to be JSON.
        hashing.members.clear();
        hashing.bytes.clear();
        match hashing.add_top_from(&mut Reader::new(text, Syntax::PYTHON)) {
            Ok(never_equal) => Digest::new(hashing.hash_from(0), never_equal),
            Err(_) => Digest::new(0, true),
        }
    }
}

/// Caches the digest of one value under the first requested equality, which is usually the only
/// one.
///
/// Boxed, since most values never need one.
#[derive(Clone, Debug, Default)]
pub struct KnownDigest(OnceBox<(ValueEquality, Digest)>);

impl KnownDigest {
    /// The digest of `text`, which must be the same JSON text in every call.
    #[inline]
    pub fn of<'a>(&self, text: &'a str, digester: &mut Digester<'a>) -> Digest {
        let equality = digester.equality();
        let (known, digest) = self
            .0
            .get_or_init(|| Box::new((equality, digester.of_text(text))));
        if *known == equality {
            *digest
        } else {
            digester.of_text(text)
        }
    }
}

#[derive(Clone, Copy)]
enum Tag {
    Null,
    False,
    True,
    Integer,
    BigInteger,
    Float,
    String,
    List,
    Object,
    End,
    Tuple,
    Set,
    Dict,
    Bytes,
    Complex,
    Ellipsis,
}

struct Hashing<'a> {
    equality: ValueEquality,
    key: HashKey,
    /// Members of the objects being read, innermost last: key, hash, and whether the value equals no value.
    members: Vec<(Text<'a>, u128, bool)>,
    /// Bytes to hash: those of the whole value, then of the members being read, innermost last. They are hashed in one go, since the hash
    /// is fast only on long inputs.
    bytes: Vec<u8>,
}

impl<'a> Hashing<'a> {
    fn new(equality: ValueEquality, key: HashKey) -> Self {
        Self {
            equality,
            key,
            members: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Removes the bytes from `base` on and hashes them.
    fn hash_from(&mut self, base: usize) -> u128 {
        let hash = SipHasher13::new_with_keys(self.key.0, self.key.1)
            .hash(&self.bytes[base..])
            .as_u128();
        self.bytes.truncate(base);
        hash
    }

    fn write_tag(&mut self, tag: Tag) {
        self.bytes.push(tag as u8);
    }

    fn write_u64(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    fn write_bytes(&mut self, tag: Tag, bytes: &[u8]) {
        self.write_tag(tag);
        self.write_u64(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    fn lists_are_objects(&self) -> bool {
        self.equality == ValueEquality::JavaScriptListsAsObjects
    }

    /// Adds a value's bytes; true if the value equals no value.
    fn add_top_from(&mut self, reader: &mut Reader<'a>) -> Result<bool> {
        if self.lists_are_objects() && !matches!(reader.peek()?, Kind::List | Kind::Object) {
            let value = reader.value()?;
            return Ok(self.add_top_value(&value));
        }
        self.add_from(reader)
    }

    fn add_from(&mut self, reader: &mut Reader<'a>) -> Result<bool> {
        match reader.peek()? {
            Kind::Null => {
                reader.null()?;
                Ok(self.add_scalar(&Value::Null))
            }
            Kind::Bool => {
                let value = reader.bool()?;
                Ok(self.add_scalar(&Value::Bool(value)))
            }
            Kind::Number => {
                let value = match reader.number()? {
                    JsonNumber::Integer(integer) => Value::Integer(integer),
                    JsonNumber::Float(float) => Value::Float(float),
                };
                Ok(self.add_scalar(&value))
            }
            Kind::String => {
                self.write_bytes(Tag::String, reader.string()?.as_bytes());
                Ok(false)
            }
            Kind::List if self.lists_are_objects() => {
                let base = self.members.len();
                let mut first = reader.enter_list()?;
                while reader.next_item(&mut first)? {
                    // Nested members are already removed again, so this counts the items read.
                    let key = Text::from((self.members.len() - base).to_string());
                    self.add_member_from(key, reader)?;
                }
                Ok(self.add_members(base))
            }
            Kind::List => {
                self.write_tag(Tag::List);
                let mut never_equal = false;
                let mut first = reader.enter_list()?;
                while reader.next_item(&mut first)? {
                    never_equal |= self.add_from(reader)?;
                }
                self.write_tag(Tag::End);
                Ok(never_equal)
            }
            Kind::Object => {
                let base = self.members.len();
                let mut first = reader.enter_object()?;
                while let Some(key) = reader.next_key(&mut first)? {
                    self.add_member_from(key, reader)?;
                }
                Ok(self.add_members(base))
            }
        }
    }

    fn add_member_from(&mut self, key: Text<'a>, reader: &mut Reader<'a>) -> Result<()> {
        let base = self.bytes.len();
        self.write_bytes(Tag::String, key.as_bytes());
        let never_equal = self.add_from(reader)?;
        let hash = self.hash_from(base);
        self.members.push((key, hash, never_equal));
        Ok(())
    }

    fn add_top_value(&mut self, value: &Value<'_>) -> bool {
        if self.lists_are_objects() {
            match value {
                Value::String(text) => {
                    let units: Vec<u16> = text.utf16().collect();
                    let members = units.iter().enumerate().map(|(index, unit)| {
                        let mut builder = TextBuilder::default();
                        builder.push(u32::from(*unit));
                        (
                            Text::from(index.to_string()),
                            Value::String(builder.finish()),
                        )
                    });
                    let object = Object::new(members.collect());
                    return self.add_value(&Value::Object(object));
                }
                Value::Bool(_) | Value::Integer(_) | Value::Float(_) => {
                    return self.add_value(&Value::List(Vec::new()));
                }
                _ => {}
            }
        }
        self.add_value(value)
    }

    fn add_value(&mut self, value: &Value<'_>) -> bool {
        match value {
            Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Float(_) => {
                self.add_scalar(value)
            }
            Value::String(text) => {
                self.write_bytes(Tag::String, text.as_bytes());
                false
            }
            Value::List(items) if self.lists_are_objects() => {
                let base = self.members.len();
                for (index, item) in items.iter().enumerate() {
                    self.add_member(&Text::from(index.to_string()), item);
                }
                self.add_members(base)
            }
            Value::List(items) => self.add_sequence(Tag::List, items),
            Value::Object(object) => {
                let base = self.members.len();
                for (key, value) in object {
                    self.add_member(key, value);
                }
                self.add_members(base)
            }
            Value::Python(python) => self.add_python(python),
        }
    }

    fn add_member(&mut self, key: &Text<'_>, value: &Value<'_>) {
        let base = self.bytes.len();
        self.write_bytes(Tag::String, key.as_bytes());
        let never_equal = self.add_value(value);
        let hash = self.hash_from(base);
        self.members
            .push((key.clone().into_owned(), hash, never_equal));
    }

    fn add_sequence(&mut self, tag: Tag, items: &[Value<'_>]) -> bool {
        self.write_tag(tag);
        let mut never_equal = false;
        for item in items {
            never_equal |= self.add_value(item);
        }
        self.write_tag(Tag::End);
        never_equal
    }

    fn add_python(&mut self, python: &PythonValue<'_>) -> bool {
        match python {
            PythonValue::Tuple(items) => self.add_sequence(Tag::Tuple, items),
            PythonValue::Set(members) => {
                let hashes: Vec<_> = members
                    .iter()
                    .map(|member| self.hash_items(std::slice::from_ref(member)))
                    .collect();
                self.write_sum(Tag::Set, &hashes)
            }
            PythonValue::Dict(entries) => {
                let hashes: Vec<_> = entries
                    .iter()
                    .map(|(key, value)| self.hash_items(&[key.clone(), value.clone()]))
                    .collect();
                self.write_sum(Tag::Dict, &hashes)
            }
            PythonValue::Bytes(bytes) => {
                self.write_bytes(Tag::Bytes, bytes);
                false
            }
            PythonValue::Complex { real, imaginary } if *imaginary == 0.0 => {
                self.add_scalar(&Value::Float(*real))
            }
            PythonValue::Complex { real, imaginary } => {
                self.write_tag(Tag::Complex);
                self.write_u64((real + 0.0).to_bits());
                self.write_u64((imaginary + 0.0).to_bits());
                real.is_nan() || imaginary.is_nan()
            }
            PythonValue::Ellipsis => {
                self.write_tag(Tag::Ellipsis);
                false
            }
        }
    }

    fn hash_items(&mut self, items: &[Value<'_>]) -> (u128, bool) {
        let base = self.bytes.len();
        let never_equal = self.add_sequence(Tag::List, items);
        (self.hash_from(base), never_equal)
    }

    fn add_scalar(&mut self, value: &Value<'_>) -> bool {
        match self.equality.scalar(value) {
            None => return true,
            Some(Scalar::Null) => self.write_tag(Tag::Null),
            Some(Scalar::Bool(it)) => self.write_tag(if it { Tag::True } else { Tag::False }),
            Some(Scalar::Float(bits)) => {
                self.write_tag(Tag::Float);
                self.write_u64(bits);
            }
            Some(Scalar::Integer(Integer::Small(small))) => {
                self.write_tag(Tag::Integer);
                self.write_u64(small as u64);
            }
            Some(Scalar::Integer(Integer::Big(big))) => {
                self.write_bytes(Tag::BigInteger, &big.to_signed_bytes_le());
            }
        }
        false
    }

    /// Removes the members from `base` on, merges repeated keys and writes their sum.
    fn add_members(&mut self, base: usize) -> bool {
        let members = &mut self.members[base..];
        let last_of_key = |members: &[(Text<'_>, u128, bool)], at: usize| {
            members[at + 1..]
                .iter()
                .all(|(key, ..)| *key != members[at].0)
        };
        let (mut sum, mut count, mut never_equal) = (0_u128, 0_usize, false);
        let is_large = members.len() > SMALL_OBJECT;
        if is_large {
            // The sort is stable, so the last of several equal keys stays last.
            members.sort_by(|a, b| a.0.cmp(&b.0));
        }
        for at in 0..members.len() {
            let counts = if is_large {
                members
                    .get(at + 1)
                    .is_none_or(|next| next.0 != members[at].0)
            } else {
                last_of_key(members, at)
            };
            let (key, hash, equals_nothing) = &members[at];
            if counts && self.equality.keeps(key) {
                sum = sum.wrapping_add(*hash);
                count += 1;
                never_equal |= *equals_nothing;
            }
        }
        self.members.truncate(base);
        self.write_tag(Tag::Object);
        self.write_u64(count as u64);
        self.bytes.extend_from_slice(&sum.to_le_bytes());
        never_equal
    }

    /// Writes the sum of the hashes, so their order doesn't matter. True if any of them is of a value that equals no value.
    fn write_sum(&mut self, tag: Tag, hashes: &[(u128, bool)]) -> bool {
        self.write_tag(tag);
        let sum = hashes
            .iter()
            .fold(0_u128, |sum, (hash, _)| sum.wrapping_add(*hash));
        self.bytes.extend_from_slice(&sum.to_le_bytes());
        hashes.iter().any(|(_, never_equal)| *never_equal)
    }
}

#[cfg(test)]
pub(crate) mod tests;
