//! The JSON reader.
//!
//! A pull reader: the caller asks for the next key, item or value. So a record is read straight
//! into its type, errors know their location, and skipped values are still checked. It reads strict
//! JSON (RFC 8259), with switches for the two extensions of Python's parser. It is safe Rust, and
//! skipping needs no stack.

mod plain;
mod skip;
#[cfg(test)]
mod tests;
mod unescape;
mod unread;
mod window;

use rightcall_python_values::{Integer, Text};

pub use self::plain::Plain;
use self::window::Window;
use crate::syntax::{JsonNumber, Kind, MAX_DEPTH, Result, Syntax, SyntaxError};

/// Python rejects decimal integers with more digits than this.
const MAX_INTEGER_DIGITS: usize = 4300;

/// Reads one JSON text from front to back.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    syntax: Syntax,
    window: Window,
}

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

    /// The byte offset of the next read.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The text read since an earlier state of this reader.
    pub fn since(&self, earlier: &Self) -> &'a str {
        self.text.get(earlier.at..self.at).unwrap_or_default()
    }

    /// Number of bytes left.
    pub fn left(&self) -> usize {
        self.text.len() - self.at
    }

    /// The kind of the next value; consumes only white space.
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
    pub fn number(&mut self) -> Result<JsonNumber> {
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
                    return Ok(JsonNumber::Float(value));
                }
            }
        }
        let integral = self.skip_number()?;
        let digits = &self.text[from..self.at];
        if !integral {
            return digits
                .parse()
                .map(JsonNumber::Float)
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
            .map(JsonNumber::Integer)
            .ok_or_else(|| Self::error_at(from, "a number", "other text"))
    }

    /// Reads a number as the nearest float.
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
            JsonNumber::Integer(integer) => integer.to_f64(),
            JsonNumber::Float(float) => float,
        })
    }

    /// Reads a string; borrowed if it has no escapes.
    #[inline]
    pub fn string(&mut self) -> Result<Text<'a>> {
        self.skip_white_space();
        let from = self.at + 1;
        if self.skip_string()? {
            return self.unescape(from, self.at - 1);
        }
        Ok(Text::from_bytes(&self.text.as_bytes()[from..self.at - 1]))
    }

    /// Checks and skips one value of any kind and returns its text.
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

    /// Enters an object; read its entries with [`Reader::next_key`].
    pub fn enter_object(&mut self) -> Result<First> {
        self.enter(b'{', "an object")
    }

    /// Enters a list; read its items with [`Reader::next_item`].
    pub fn enter_list(&mut self) -> Result<First> {
        self.enter(b'[', "a list")
    }

    /// Moves to a member or an item, by one step of a JSON pointer. If it does not exist, returns false and does not move.
    pub fn step_into(&mut self, step: &str) -> Result<bool> {
        let start = self.clone();
        match self.peek()? {
            Kind::Object => {
                let mut first = self.enter_object()?;
                while let Some(key) = self.next_key(&mut first)? {
                    if key == *step {
                        return Ok(true);
                    }
                    self.raw()?;
                }
            }
            Kind::List => {
                let mut first = self.enter_list()?;
                let mut number = 0;
                while self.next_item(&mut first)? {
                    if step.parse() == Ok(number) {
                        return Ok(true);
                    }
                    self.raw()?;
                    number += 1;
                }
            }
            _ => {}
        }
        *self = start;
        Ok(false)
    }

    /// The next key of the innermost object; read its value next. `None` at the end of the object;
    /// the reader then leaves it.
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

    /// True if the innermost list has another item to read. At its end, returns false and leaves
    /// the list.
    #[inline]
    pub fn next_item(&mut self, first: &mut First) -> Result<bool> {
        self.next(first, b']', "`,` or `]`")
    }

    /// Checks that only white space is left.
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
        let is_first = std::mem::take(&mut first.0);
        match self.byte() {
            Some(byte) if byte == end => {
                self.at += 1;
                self.depth -= 1;
                Ok(false)
            }
            Some(b',') if !is_first => {
                self.at += 1;
                self.skip_white_space();
                if self.byte() == Some(end) {
                    Err(self.unexpected("a value after `,`"))
                } else {
                    Ok(true)
                }
            }
            Some(_) if is_first => Ok(true),
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

    /// An error at the current position, for callers that reject a valid value.
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

/// True while a list or object is at its first member.
#[derive(Debug)]
pub struct First(bool);
