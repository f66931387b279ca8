//! Strings as in Python and JavaScript.
//!
//! In both languages a string can hold a lone surrogate, which UTF-8 can't encode, and agents do produce them. So a [`Text`] is kept in
//! *generalised* UTF-8, which encodes a surrogate in three bytes. Byte order is code point order, and text without surrogates (nearly all
//! of it) is borrowed from the input unchanged.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};

use crate::integer::Integer;

/// A sequence of code points, lone surrogates included.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Text<'a>(Bytes<'a>);

/// Bytes, borrowed or owned, in two words instead of the three of a [`Cow`]: every call holds several.
#[derive(Clone)]
enum Bytes<'a> {
    Borrowed(&'a [u8]),
    #[expect(clippy::box_collection, reason = "one word where the list is three")]
    Owned(Box<Vec<u8>>),
}

impl Bytes<'static> {
    #[inline]
    fn owned(bytes: Vec<u8>) -> Self {
        Self::Owned(Box::new(bytes))
    }
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Owned(bytes) => bytes,
        }
    }
}

impl Default for Bytes<'_> {
    #[inline]
    fn default() -> Self {
        Self::Borrowed(&[])
    }
}

impl PartialEq for Bytes<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Bytes<'_> {}

impl PartialOrd for Bytes<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Bytes<'_> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Bytes<'_> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

/// Serializes as a string. As bytes if it has a lone surrogate, which most formats can't encode, or if the format is not human-readable.
impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable()
            && let Some(text) = self.as_str()
        {
            return serializer.serialize_str(text);
        }
        serializer.serialize_bytes(self.as_bytes())
    }
}

impl<'de> Deserialize<'de> for Text<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(AnyText)
    }
}

/// Deserializes a string or bytes.
struct AnyText;

impl Visitor<'_> for AnyText {
    type Value = Text<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text::new(text).into_owned())
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Text::from_bytes(bytes).into_owned())
    }
}

impl<'a> Text<'a> {
    /// A text from a string slice.
    #[inline]
    pub const fn new(text: &'a str) -> Self {
        Self(Bytes::Borrowed(text.as_bytes()))
    }

    /// A text from generalised UTF-8.
    #[inline]
    pub const fn from_bytes(bytes: &'a [u8]) -> Self {
        Self(Bytes::Borrowed(bytes))
    }

    /// The text as a string slice, or `None` if it holds a surrogate.
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The generalised UTF-8.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// True for the empty text.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The code points, surrogates included.
    #[inline]
    pub fn code_points(&self) -> CodePoints<'_> {
        CodePoints(&self.0)
    }

    /// The UTF-16 units, as in JavaScript.
    pub fn utf16(&self) -> impl Iterator<Item = u16> + '_ {
        self.code_points().flat_map(|point| {
            let (first, second) = match point.checked_sub(0x1_0000) {
                Some(high) => (
                    0xD800 + (high >> 10) as u16,
                    Some(0xDC00 + (high & 0x3FF) as u16),
                ),
                None => (point as u16, None),
            };
            std::iter::once(first).chain(second)
        })
    }

    /// The text without the code points at both ends that satisfy `is_space`.
    pub fn trimmed(&self, is_space: impl Fn(u32) -> bool) -> Text<'_> {
        let (mut start, mut end, mut at) = (None, 0, 0);
        let mut points = self.code_points();
        while let Some(point) = points.next() {
            let next = self.0.len() - points.0.len();
            if !is_space(point) {
                start = start.or(Some(at));
                end = next;
            }
            at = next;
        }
        Text::from_bytes(&self.0[start.unwrap_or(0)..end])
    }

    /// The same text, borrowed from this one.
    #[inline]
    pub fn reborrow(&self) -> Text<'_> {
        Text(Bytes::Borrowed(&self.0))
    }

    /// The same text, owned.
    pub fn into_owned(self) -> Text<'static> {
        Text(match self.0 {
            Bytes::Borrowed(bytes) => Bytes::owned(bytes.to_vec()),
            Bytes::Owned(bytes) => Bytes::Owned(bytes),
        })
    }

    /// The generalised UTF-8, borrowed if the text is.
    #[inline]
    pub fn into_bytes(self) -> Cow<'a, [u8]> {
        match self.0 {
            Bytes::Borrowed(bytes) => Cow::Borrowed(bytes),
            Bytes::Owned(bytes) => Cow::Owned(*bytes),
        }
    }

    /// The text as UTF-8, with each surrogate written as `\udXXX`.
    pub fn to_display(&self) -> Cow<'_, str> {
        match self.as_str() {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.to_string()),
        }
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = self.as_str() {
            return f.pad(text);
        }
        self.code_points()
            .try_for_each(|point| match char::from_u32(point) {
                Some(character) => write!(f, "{character}"),
                None => write!(f, "\\u{point:04x}"),
            })
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_display())
    }
}

impl<'a> From<&'a str> for Text<'a> {
    #[inline]
    fn from(text: &'a str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Text<'static> {
    #[inline]
    fn from(text: String) -> Self {
        Self(Bytes::owned(text.into_bytes()))
    }
}

impl PartialEq<str> for Text<'_> {
    #[inline]
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other.as_bytes()
    }
}

impl PartialEq<&str> for Text<'_> {
    #[inline]
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

/// Builds a [`Text`] from code points. Surrogates are kept as they are, even in pairs.
#[derive(Debug, Default)]
pub struct TextBuilder(Vec<u8>);

impl TextBuilder {
    /// An empty text with room for the names of a typical case.
    #[inline]
    pub fn with_room() -> Self {
        Self(Vec::with_capacity(1 << 9))
    }

    /// An empty text with room for this number of bytes.
    #[inline]
    pub fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// Appends an ASCII character.
    #[inline]
    pub fn push_ascii(&mut self, character: u8) {
        debug_assert!(character.is_ascii());
        self.0.push(character);
    }

    /// Appends the first `length` bytes of a block. Runs between escapes are short, and copying a whole block is faster than a part of it.
    #[inline]
    pub fn push_start(&mut self, block: &[u8; 16], length: usize) {
        let before = self.0.len();
        self.0.extend_from_slice(block);
        self.0.truncate(before + length);
    }

    /// Appends bytes of UTF-8. They may split a character if its remaining bytes follow.
    #[inline]
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Appends UTF-8 text.
    #[inline]
    pub fn push_str(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Appends a text.
    #[inline]
    pub fn push_text(&mut self, text: &Text<'_>) {
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Appends the decimal digits of an integer.
    pub fn push_integer(&mut self, integer: &Integer) {
        match integer {
            Integer::Small(small) => self.push_str(itoa::Buffer::new().format(*small)),
            Integer::Big(big) => self.push_str(&big.to_string()),
        }
    }

    /// Appends a code point up to U+10FFFF, surrogate or not.
    pub fn push(&mut self, point: u32) {
        match char::from_u32(point) {
            Some(character) => self
                .0
                .extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            None => self.0.extend_from_slice(&[
                0xE0 | (point >> 12) as u8,
                0x80 | (point >> 6 & 0x3F) as u8,
                0x80 | (point & 0x3F) as u8,
            ]),
        }
    }

    /// The text so far.
    #[inline]
    pub fn as_text(&self) -> Text<'_> {
        Text::from_bytes(&self.0)
    }

    /// Empties the text, keeping its memory.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The finished text.
    #[inline]
    pub fn finish(self) -> Text<'static> {
        Text(Bytes::owned(self.0))
    }
}

/// True if all bytes are printable ASCII or DEL, and none is in `without`.
#[inline]
pub fn is_plain<const N: usize>(text: &[u8], without: [u8; N]) -> bool {
    if let Some(last) = text.last_chunk() {
        let mut words = text.as_chunks().0.iter();
        // Check the last eight bytes again, overlapping, instead of the rest byte by byte.
        return words.all(|word| is_plain_word(u64::from_ne_bytes(*word), without))
            && is_plain_word(u64::from_ne_bytes(*last), without);
    }
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        let halves = [*first, *last].map(|half| u64::from(u32::from_ne_bytes(half)));
        return is_plain_word(halves[0] << 32 | halves[1], without);
    }
    text.iter()
        .all(|byte| matches!(byte, b' '..0x80) && !without.contains(byte))
}

/// [`is_plain`] for eight bytes: none has its high bit set, is below a space, or is in `without`.
#[inline]
fn is_plain_word<const N: usize>(word: u64, without: [u8; N]) -> bool {
    const fn each(byte: u8) -> u64 {
        u64::from_ne_bytes([byte; 8])
    }
    // Subtracting from a byte that is too small borrows, which sets its high bit.
    let zero = |word: u64| word.wrapping_sub(each(1));
    let special = without
        .iter()
        .fold(word | word.wrapping_sub(each(b' ')), |special, byte| {
            special | zero(word ^ each(*byte))
        });
    special & each(0x80) == 0
}

/// The number of bytes before the first special one. Eight are checked at a time, which compiles to a few instructions.
#[inline]
pub fn plain_prefix(bytes: &[u8], is_special: impl Fn(u8) -> bool) -> usize {
    let is_plain = |chunk: &[u8; 8]| {
        !chunk
            .iter()
            .fold(false, |found, &byte| found | is_special(byte))
    };
    let (chunks, rest) = bytes.as_chunks();
    let plain = chunks.iter().take_while(|chunk| is_plain(chunk)).count() * 8;
    // Check the last eight bytes again, overlapping, instead of the rest byte by byte.
    if plain + rest.len() == bytes.len() && bytes.last_chunk().is_some_and(is_plain) {
        return bytes.len();
    }
    bytes[plain..]
        .iter()
        .position(|&byte| is_special(byte))
        .map_or(bytes.len(), |at| plain + at)
}

/// Iterator over the code points of a [`Text`].
#[derive(Debug, Clone)]
pub struct CodePoints<'a>(&'a [u8]);

impl<'a> CodePoints<'a> {
    /// Takes the bytes before the first special one.
    pub(crate) fn take_plain(&mut self, is_special: impl Fn(u8) -> bool) -> &'a [u8] {
        let (plain, rest) = self.0.split_at(plain_prefix(self.0, is_special));
        self.0 = rest;
        plain
    }
}

impl Iterator for CodePoints<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let (&first, rest) = self.0.split_first()?;
        let (mut point, more) = match first {
            0..0x80 => (u32::from(first), 0),
            0x80..0xE0 => (u32::from(first & 0x1F), 1),
            0xE0..0xF0 => (u32::from(first & 0x0F), 2),
            _ => (u32::from(first & 0x07), 3),
        };
        let (tail, rest) = rest.split_at(more.min(rest.len()));
        for &byte in tail {
            point = point << 6 | u32::from(byte & 0x3F);
        }
        self.0 = rest;
        Some(point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(points: &[u32]) -> Text<'static> {
        let mut builder = TextBuilder::default();
        points.iter().for_each(|&point| builder.push(point));
        builder.finish()
    }

    #[test]
    fn a_text_is_trimmed_at_both_ends() {
        let is_space = |point| matches!(point, 0x20 | 0x3000);
        for (points, bare) in [
            (
                &[0x3000, 0x20, 0x61, 0x20, 0x62, 0x20][..],
                &[0x61, 0x20, 0x62][..],
            ),
            (&[0x20, 0xD800, 0x3000], &[0xD800]),
            (&[0x1_F642], &[0x1_F642]),
            (&[0x20, 0x3000], &[]),
            (&[], &[]),
        ] {
            assert_eq!(text_of(points).trimmed(is_space), text_of(bare));
        }
    }

    #[test]
    fn code_points_are_preserved() {
        for points in [
            &[][..],
            &[0x41],
            &[0xE9, 0x20AC, 0x1F642],
            &[0xD83D],
            &[0xD83D, 0xDE42],
            &[0x10_FFFF, 0xDFFF],
        ] {
            assert_eq!(text_of(points).code_points().collect::<Vec<_>>(), points);
        }
    }

    #[test]
    fn surrogates_print_as_escapes_and_have_no_str() {
        let text = text_of(&[0x61, 0xD83D]);
        assert_eq!(text.to_string(), "a\\ud83d");
        assert_eq!(text.as_str(), None);
        assert_eq!(text_of(&[0x61]).as_str(), Some("a"));
    }

    #[test]
    fn utf16_splits_code_points_above_the_first_plane() {
        assert_eq!(
            text_of(&[0x1F642]).utf16().collect::<Vec<_>>(),
            [0xD83D, 0xDE42]
        );
        assert_eq!(text_of(&[0xD83D]).utf16().collect::<Vec<_>>(), [0xD83D]);
    }

    #[test]
    fn the_plain_prefix_ends_before_the_first_special_byte() {
        for length in 0..40 {
            let mut bytes = vec![b'a'; length];
            assert_eq!(plain_prefix(&bytes, |byte| byte == b'x'), length);
            for at in (0..length).rev() {
                bytes[at] = b'x';
                assert_eq!(plain_prefix(&bytes, |byte| byte == b'x'), at);
            }
        }
    }

    #[test]
    fn order_is_code_point_order() {
        assert!(text_of(&[0xFFFF]) < text_of(&[0x1_0000]));
        assert!(text_of(&[0xD800]) < text_of(&[0xE000]));
    }
}
