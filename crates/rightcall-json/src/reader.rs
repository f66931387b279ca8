//! The one reader of JSON text.
//!
//! A pull reader: the caller asks for the next key, item or value, so a record is read straight into its type, errors know
//! where they are, and what nobody asks for is checked and skipped. It is strict JSON (RFC 8259); the two liberties of
//! Python's parser are switches. Safe Rust throughout, and skipping needs no stack.

mod plain;
#[cfg(test)]
mod tests;
mod unread;
mod window;

use std::fmt;
use std::ops::Deref;

use wide::u8x16;

pub use plain::Plain;
use rightcall_python_values::{Integer, Text, TextBuilder};
use window::Window;

/// The deepest nesting that is read; deeper input is an error, so that no input can exhaust the stack.
pub const MAX_DEPTH: usize = 512;

/// Python refuses decimal integers with more digits than this.
const MAX_INTEGER_DIGITS: usize = 4300;

/// What is accepted beyond strict JSON, and how deep.
#[derive(Clone, Copy, Debug)]
pub struct Syntax {
    /// `NaN`, `Infinity` and `-Infinity` are numbers, as Python writes and reads them.
    pub non_finite: bool,
    /// Characters below U+0020 may stand in strings.
    pub control_characters: bool,
    /// Nesting up to this depth, itself at most [`MAX_DEPTH`].
    pub max_depth: usize,
}

impl Syntax {
    /// RFC 8259.
    pub const JSON: Self = Self {
        non_finite: false,
        control_characters: false,
        max_depth: MAX_DEPTH,
    };
    /// What Python's `json` module reads.
    pub const PYTHON: Self = Self {
        non_finite: true,
        ..Self::JSON
    };
}

/// Where and why a text is not JSON. Boxed: results of the hot path stay small.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {}, found {}", self.0.expected, self.0.found)]
pub struct SyntaxError(Box<Misfit>);

/// What a [`SyntaxError`] tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Byte offset into the text.
    pub offset: usize,
    /// What could have stood there.
    pub expected: &'static str,
    /// What stood there, in a few words.
    pub found: String,
}

impl SyntaxError {
    #[cold]
    fn new(offset: usize, expected: &'static str, found: String) -> Self {
        Self(Box::new(Misfit {
            offset,
            expected,
            found,
        }))
    }
}

impl Deref for SyntaxError {
    type Target = Misfit;

    fn deref(&self) -> &Misfit {
        &self.0
    }
}

/// What kind of value comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// A list.
    List,
    /// An object.
    Object,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::List => "a list",
            Self::Object => "an object",
        })
    }
}

/// A number as it was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// Without point and exponent.
    Integer(Integer),
    /// Any other.
    Float(f64),
}

/// Reads one JSON text from front to back.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    syntax: Syntax,
    window: Window,
}

pub(crate) type Result<T> = std::result::Result<T, SyntaxError>;

impl<'a> Reader<'a> {
    /// A reader at the start of a text.
    pub fn new(text: &'a str, syntax: Syntax) -> Self {
        let max_depth = syntax.max_depth.min(MAX_DEPTH);
        Self {
            text,
            at: 0,
            depth: 0,
            syntax: Syntax {
                max_depth,
                ..syntax
            },
            window: Window::NOWHERE,
        }
    }

    /// The byte offset of what is read next.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Number of bytes that are left.
    pub fn left(&self) -> usize {
        self.text.len() - self.at
    }

    /// The kind of the value that comes next; reads white space only.
    #[inline]
    pub fn peek(&mut self) -> Result<Kind> {
        self.skip_white_space();
        match self.byte() {
            Some(b'{') => Ok(Kind::Object),
            Some(b'"') => Ok(Kind::String),
            byte => self.other_kind(byte),
        }
    }

    fn other_kind(&self, byte: Option<u8>) -> Result<Kind> {
        match byte {
            Some(b'[') => Ok(Kind::List),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b't' | b'f') => Ok(Kind::Bool),
            Some(b'n') => Ok(Kind::Null),
            Some(b'N' | b'I') if self.syntax.non_finite => Ok(Kind::Number),
            _ => Err(self.unexpected("a JSON value")),
        }
    }

    /// Reads `null`.
    pub fn null(&mut self) -> Result<()> {
        self.word("null")
    }

    /// Reads `true` or `false`.
    pub fn bool(&mut self) -> Result<bool> {
        self.skip_white_space();
        if self.byte() == Some(b't') {
            self.word("true").map(|()| true)
        } else {
            self.word("false").map(|()| false)
        }
    }

    /// Reads a number.
    pub fn number(&mut self) -> Result<Number> {
        self.skip_white_space();
        let from = self.at;
        if self.syntax.non_finite
            && self.text.as_bytes()[from..]
                .iter()
                .take(2)
                .any(|byte| matches!(byte, b'N' | b'I'))
        {
            for (word, value) in [
                ("NaN", f64::NAN),
                ("Infinity", f64::INFINITY),
                ("-Infinity", f64::NEG_INFINITY),
            ] {
                if self.rest().starts_with(word) {
                    self.at += word.len();
                    return Ok(Number::Float(value));
                }
            }
        }
        let integral = self.skip_number()?;
        let digits = &self.text[from..self.at];
        if !integral {
            return digits
                .parse()
                .map(Number::Float)
                .map_err(|_| Self::error_at(from, "a number", "other text"));
        }
        if digits.len() - usize::from(digits.starts_with('-')) > MAX_INTEGER_DIGITS {
            return Err(Self::error_at(
                from,
                "an integer of at most 4300 digits",
                "a longer one",
            ));
        }
        Integer::parse(digits)
            .map(Number::Integer)
            .ok_or_else(|| Self::error_at(from, "a number", "other text"))
    }

    /// Reads a number as the float next to it.
    pub(crate) fn float(&mut self) -> Result<f64> {
        self.skip_white_space();
        let from = self.at;
        if self.byte().is_some_and(|byte| byte.is_ascii_digit())
            && self.skip_number()?
            && self.at - from < 16
        {
            let digits = &self.text.as_bytes()[from..self.at];
            return Ok(digits.iter().fold(0_u64, |number, &digit| {
                number * 10 + u64::from(digit - b'0')
            }) as f64);
        }
        self.at = from;
        Ok(match self.number()? {
            Number::Integer(integer) => integer.to_f64(),
            Number::Float(float) => float,
        })
    }

    /// Reads a string; borrowed where it holds no escape.
    #[inline]
    pub fn string(&mut self) -> Result<Text<'a>> {
        self.skip_white_space();
        let from = self.at + 1;
        if self.skip_string()? {
            return self.unescape(from, self.at - 1);
        }
        Ok(Text::from_bytes(&self.text.as_bytes()[from..self.at - 1]))
    }

    /// Checks and skips one value of any kind and gives its text.
    #[inline]
    pub fn raw(&mut self) -> Result<&'a str> {
        self.skip_white_space();
        let from = self.at;
        match self.byte() {
            Some(b'"') => _ = self.skip_string()?,
            _ => self.skip_value()?,
        }
        Ok(&self.text[from..self.at])
    }

    /// Enters an object; its entries follow with [`Reader::next_key`].
    pub fn enter_object(&mut self) -> Result<First> {
        self.enter(b'{', "an object")
    }

    /// Enters a list; its items follow with [`Reader::next_item`].
    pub fn enter_list(&mut self) -> Result<First> {
        self.enter(b'[', "a list")
    }

    /// The next key of the object entered last, its value to be read next; `None` once the object has been left.
    #[inline]
    pub fn next_key(&mut self, first: &mut First) -> Result<Option<Text<'a>>> {
        match self.plain_key(first) {
            Some(key) => Ok(Some(key)),
            None if self.object_ends() => Ok(None),
            None => self.any_key(first),
        }
    }

    fn any_key(&mut self, first: &mut First) -> Result<Option<Text<'a>>> {
        if !self.next(first, b'}', "`,` or `}`")? {
            return Ok(None);
        }
        if self.byte() != Some(b'"') {
            return Err(self.unexpected("a string as key"));
        }
        let key = self.string()?;
        self.skip_white_space();
        if self.byte() != Some(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.at += 1;
        Ok(Some(key))
    }

    /// True if another item of the list entered last is to be read; false once the list has been left.
    #[inline]
    pub fn next_item(&mut self, first: &mut First) -> Result<bool> {
        self.next(first, b']', "`,` or `]`")
    }

    /// Only white space may be left.
    pub fn end(&mut self) -> Result<()> {
        self.skip_white_space();
        if self.at == self.text.len() {
            Ok(())
        } else {
            Err(self.unexpected("the end of the text"))
        }
    }

    fn enter(&mut self, bracket: u8, expected: &'static str) -> Result<First> {
        self.skip_white_space();
        if self.byte() != Some(bracket) {
            return Err(self.unexpected(expected));
        }
        if self.depth >= self.syntax.max_depth {
            return Err(self.too_deep());
        }
        self.depth += 1;
        self.at += 1;
        Ok(First(true))
    }

    #[inline]
    fn next(&mut self, first: &mut First, end: u8, expected: &'static str) -> Result<bool> {
        self.skip_white_space();
        let begins = std::mem::take(&mut first.0);
        match self.byte() {
            Some(byte) if byte == end => {
                self.at += 1;
                self.depth -= 1;
                Ok(false)
            }
            Some(b',') if !begins => {
                self.at += 1;
                self.skip_white_space();
                if self.byte() == Some(end) {
                    Err(self.unexpected("a value after `,`"))
                } else {
                    Ok(true)
                }
            }
            Some(_) if begins => Ok(true),
            _ => Err(self.unexpected(expected)),
        }
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    #[inline]
    fn skip_white_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte() {
            self.at += 1;
        }
    }

    fn word(&mut self, word: &'static str) -> Result<()> {
        self.skip_white_space();
        if !self.rest().starts_with(word) {
            return Err(self.unexpected("a JSON value"));
        }
        self.at += word.len();
        Ok(())
    }

    /// Skips a value without recursion: one bit a level tells lists from objects.
    fn skip_value(&mut self) -> Result<()> {
        let mut is_object = [0_u64; MAX_DEPTH.div_ceil(64)];
        let outer = self.depth;
        loop {
            // At the start of a value, white space skipped.
            match self.byte() {
                Some(b'"') => {
                    self.skip_string()?;
                }
                Some(bracket @ (b'{' | b'[')) => {
                    if self.depth >= self.syntax.max_depth {
                        return Err(self.too_deep());
                    }
                    let level = self.depth - outer;
                    let bit = 1 << (level % 64);
                    if bracket == b'{' {
                        is_object[level / 64] |= bit;
                    } else {
                        is_object[level / 64] &= !bit;
                    }
                    self.depth += 1;
                    self.at += 1;
                    self.skip_white_space();
                    if self.byte() == Some(if bracket == b'{' { b'}' } else { b']' }) {
                        self.at += 1;
                        self.depth -= 1;
                    } else if bracket == b'{' && self.skip_plain_members(|_, _, _| {}) {
                        self.depth -= 1;
                    } else {
                        if bracket == b'{' {
                            self.skip_white_space();
                            self.skip_key()?;
                        }
                        continue;
                    }
                }
                Some(b't') => self.word("true")?,
                Some(b'f') => self.word("false")?,
                Some(b'n') => self.word("null")?,
                Some(b'N' | b'I') if self.syntax.non_finite => {
                    self.number()?;
                }
                Some(b'-') if self.syntax.non_finite && self.rest().starts_with("-I") => {
                    self.number()?;
                }
                Some(b'-' | b'0'..=b'9') => {
                    self.skip_number()?;
                }
                _ => return Err(self.unexpected("a JSON value")),
            }
            // After a value: leave what ends here, go on with what does not.
            loop {
                if self.depth == outer {
                    return Ok(());
                }
                let level = self.depth - outer - 1;
                let in_object = is_object[level / 64] >> (level % 64) & 1 == 1;
                self.skip_white_space();
                match self.byte() {
                    Some(b',') => {
                        self.at += 1;
                        self.skip_white_space();
                        if in_object {
                            self.skip_key()?;
                        }
                        break;
                    }
                    Some(b'}') if in_object => {}
                    Some(b']') if !in_object => {}
                    _ => {
                        return Err(self.unexpected(if in_object {
                            "`,` or `}`"
                        } else {
                            "`,` or `]`"
                        }));
                    }
                }
                self.at += 1;
                self.depth -= 1;
            }
        }
    }

    fn skip_key(&mut self) -> Result<()> {
        if self.byte() != Some(b'"') {
            return Err(self.unexpected("a string as key"));
        }
        self.skip_string()?;
        self.skip_white_space();
        if self.byte() != Some(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.at += 1;
        self.skip_white_space();
        Ok(())
    }

    /// Skips a string, its escapes checked; tells whether it holds any.
    #[inline]
    fn skip_string(&mut self) -> Result<bool> {
        if self.byte() != Some(b'"') {
            return Err(self.unexpected("a string"));
        }
        self.at = self.special(self.at + 1);
        if self.byte() == Some(b'"') {
            self.at += 1;
            return Ok(false);
        }
        self.skip_rest_of_string()
    }

    /// Skips a string from somewhere inside; tells whether escapes were met.
    fn skip_rest_of_string(&mut self) -> Result<bool> {
        let bytes = self.text.as_bytes();
        let mut escaped = false;
        loop {
            self.at = self.special(self.at);
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    match bytes.get(self.at + 1) {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                            self.at += 2
                        }
                        Some(b'u') if hex4(bytes, self.at + 2).is_some() => self.at += 6,
                        _ => return Err(self.unexpected("an escape that JSON knows")),
                    }
                }
                Some(_) if self.syntax.control_characters => self.at += 1,
                Some(_) => return Err(self.unexpected("an escape in place of a control character")),
                None => return Err(self.unexpected("`\"` at the end of the string")),
            }
        }
    }

    /// Decodes the escapes of a checked string. A surrogate pair becomes one code point, a lone one stays.
    fn unescape(&self, from: usize, to: usize) -> Result<Text<'a>> {
        let bytes = self.text.as_bytes();
        let mut builder = TextBuilder::with_capacity(to - from);
        let mut at = from;
        while at < to {
            if let Some(block) = bytes[at..to].first_chunk() {
                let escapes = u8x16::new(*block).simd_eq(u8x16::splat(b'\\')).to_bitmask();
                let plain = if escapes == 0 {
                    block.len()
                } else {
                    escapes.trailing_zeros() as usize
                };
                builder.push_start(block, plain);
                at += plain;
            } else {
                let plain = bytes[at..to]
                    .iter()
                    .position(|&byte| byte == b'\\')
                    .unwrap_or(to - at);
                builder.push_bytes(&bytes[at..at + plain]);
                at += plain;
            }
            if at >= to {
                break;
            }
            if bytes[at] != b'\\' {
                continue;
            }
            let simple = match bytes[at + 1] {
                b'b' => 0x08,
                b'f' => 0x0C,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'u' => {
                    let unicode = unescape_unicode(bytes, at, to);
                    let (point, length) = unicode
                        .ok_or_else(|| Self::error_at(at, "four hex digits", "other text"))?;
                    builder.push(point);
                    at += length;
                    continue;
                }
                other => other,
            };
            builder.push_ascii(simple);
            at += 2;
        }
        Ok(builder.finish())
    }

    /// Skips a number; tells whether it has neither point nor exponent.
    fn skip_number(&mut self) -> Result<bool> {
        let from = self.at;
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        match self.byte() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.skip_digits(),
            _ => return Err(self.unexpected("a digit")),
        }
        if let Some(b'0'..=b'9') = self.byte() {
            return Err(Self::error_at(from, "a number", "one with a leading zero"));
        }
        let mut integral = true;
        if self.byte() == Some(b'.') {
            integral = false;
            self.at += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            integral = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.some_digits()?;
        }
        Ok(integral)
    }

    fn skip_digits(&mut self) {
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Result<()> {
        let from = self.at;
        self.skip_digits();
        if self.at == from {
            Err(self.unexpected("a digit"))
        } else {
            Ok(())
        }
    }

    /// The error of a caller who takes less than the reader, at the place that has been reached.
    #[cold]
    pub fn refuse(&self, expected: &'static str, found: String) -> SyntaxError {
        SyntaxError::new(self.at, expected, found)
    }

    #[cold]
    fn too_deep(&self) -> SyntaxError {
        SyntaxError::new(
            self.at,
            "less nesting",
            format!("more than {} levels", self.syntax.max_depth),
        )
    }

    #[cold]
    fn unexpected(&self, expected: &'static str) -> SyntaxError {
        let found = match self.rest().chars().next() {
            None => "the end of the text".to_owned(),
            Some(character) if character.is_control() => format!("U+{:04X}", u32::from(character)),
            Some(character) => format!("`{character}`"),
        };
        SyntaxError::new(self.at, expected, found)
    }

    #[cold]
    fn error_at(offset: usize, expected: &'static str, found: &str) -> SyntaxError {
        SyntaxError::new(offset, expected, found.to_owned())
    }
}

/// Remembers whether a list or object is at its first member.
#[derive(Debug)]
pub struct First(bool);

fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.iter().try_fold(0, |value, &byte| {
        Some(value << 4 | char::from(byte).to_digit(16)?)
    })
}

/// The code point of `\uXXXX` at `at`, joined with a low surrogate that follows, and the length of its text.
fn unescape_unicode(bytes: &[u8], at: usize, to: usize) -> Option<(u32, usize)> {
    let first = hex4(bytes, at + 2)?;
    if (0xD800..0xDC00).contains(&first)
        && at + 12 <= to
        && bytes[at + 6..].starts_with(b"\\u")
        && let Some(second @ 0xDC00..0xE000) = hex4(bytes, at + 8)
    {
        return Some((0x1_0000 + ((first - 0xD800) << 10 | (second - 0xDC00)), 12));
    }
    Some((first, 6))
}
