//! Fast paths for members and keys in the usual layout: strings without escapes, numbers of a few
//! digits, at most one space. Other input takes the general path. Only that path reports errors.

use super::{First, Reader};
use crate::syntax::Result;
use rightcall_python_values::Text;

/// A scalar value in the usual layout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Plain<'a> {
    /// A string without escapes.
    String(&'a [u8]),
    /// A number of at most fifteen digits without an exponent; or a boolean, which is a number in Python.
    Number(f64),
    /// `null`.
    Null,
}

/// Parses the plain number at an offset, and returns it after the offset of its end. The caller
/// checks what follows.
///
/// Inline, because a function call costs as much as parsing the number.
#[inline(always)]
fn plain_number(bytes: &[u8], at: usize) -> Option<(usize, Plain<'static>)> {
    /// More digits may not fit into the mantissa of a float.
    const MAX_DIGITS: usize = 15;
    const POWERS: [f64; MAX_DIGITS + 1] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ];
    let from = at + usize::from(bytes.get(at) == Some(&b'-'));
    let mut mantissa = 0_u64;
    let mut digits = |from: usize| {
        let mut end = from;
        while let Some(digit @ b'0'..=b'9') = bytes.get(end) {
            mantissa = mantissa
                .wrapping_mul(10)
                .wrapping_add(u64::from(digit - b'0'));
            end += 1;
        }
        end
    };
    let point = digits(from);
    let (end, decimals) = match bytes.get(point) {
        Some(b'.') => {
            let end = digits(point + 1);
            (end, end - point - 1)
        }
        _ => (point, 0),
    };
    let has_leading_zero = bytes.get(from) == Some(&b'0') && point - from > 1;
    let is_unusual = point == from
        || has_leading_zero
        || point < end && decimals == 0
        || end - from > MAX_DIGITS;
    if is_unusual {
        return None;
    }
    // Both operands are exact, so the quotient is the float nearest to the decimal number.
    let number = mantissa as f64 / POWERS[decimals];
    Some((end, Plain::Number(if from > at { -number } else { number })))
}

impl<'a> Reader<'a> {
    /// Like [`raw`](Self::raw), plus true if the value is an object of plain members only. In any
    /// case, `see` receives the leading plain members.
    #[inline]
    pub(crate) fn raw_with_members(
        &mut self,
        mut see: impl FnMut(&'a [u8], Plain<'a>),
    ) -> Result<(&'a str, bool)> {
        self.skip_white_space();
        let from = self.at;
        if self.byte() != Some(b'{') || self.depth >= self.syntax.max_depth {
            return self.raw().map(|text| (text, false));
        }
        self.at += 1;
        self.skip_white_space();
        if self.byte() == Some(b'}') {
            self.at += 1;
            return Ok((&self.text[from..self.at], true));
        }
        if self.skip_plain_members(|key, value, _| see(key, value)) {
            return Ok((&self.text[from..self.at], true));
        }
        self.skip_rest_of_object()?;
        Ok((&self.text[from..self.at], false))
    }

    /// Skips the rest of an object, starting at the key of a member that is not plain.
    fn skip_rest_of_object(&mut self) -> Result<()> {
        self.depth += 1;
        self.skip_white_space();
        self.skip_key()?;
        self.skip_value()?;
        let mut first = First(false);
        while self.next_key(&mut first)?.is_some() {
            self.skip_white_space();
            self.skip_value()?;
        }
        Ok(())
    }

    /// Skips an object of plain members and passes each to `see`. False for any other value; the reader then stops inside it.
    pub fn plain_object(&mut self, see: impl FnMut(&'a [u8], Plain<'a>, &'a str)) -> bool {
        let is_object = self.byte() == Some(b'{');
        self.at += 1;
        is_object && self.skip_plain_members(see)
    }

    /// Moves to the value of `key`, which needs no escapes, if that key is next and in the usual layout. Otherwise reads nothing.
    #[expect(clippy::inline_always, reason = "keys are known where it is called")]
    #[inline(always)]
    pub fn next_key_is(&mut self, key: &str, first: &mut First) -> bool {
        let mut rest = &self.text.as_bytes()[self.at..];
        if !first.0 {
            let Some(after_comma) = rest.strip_prefix(b",") else {
                return false;
            };
            rest = after_comma.strip_prefix(b" ").unwrap_or(after_comma);
        }
        let value = rest
            .strip_prefix(b"\"")
            .and_then(|rest| rest.strip_prefix(key.as_bytes())?.strip_prefix(b"\":"));
        if let Some(value) = value {
            first.0 = false;
            self.at = self.text.len() - value.len();
        }
        value.is_some()
    }

    /// Leaves the innermost object, after at least one member, if its end is next. Otherwise reads
    /// nothing.
    #[inline]
    pub fn object_ends(&mut self) -> bool {
        let ends = self.byte() == Some(b'}');
        if ends {
            self.at += 1;
            self.depth -= 1;
        }
        ends
    }

    /// Reads a string if it is in the usual layout. Otherwise reads nothing.
    #[inline]
    pub fn plain_text(&mut self) -> Option<Text<'a>> {
        let bytes = self.text.as_bytes();
        let at = self.at + usize::from(bytes.get(self.at) == Some(&b' '));
        self.at = self.plain_string(at)?;
        Some(Text::from_bytes(&bytes[at + 1..self.at - 1]))
    }

    /// The next key if it is in the usual layout: without escapes, and with at most one space after the comma.
    #[inline]
    pub(super) fn plain_key(&mut self, first: &mut First) -> Option<Text<'a>> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        if !first.0 {
            if bytes.get(at) != Some(&b',') {
                return None;
            }
            at += 1 + usize::from(bytes.get(at + 1) == Some(&b' '));
        }
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        let end = self.special(at + 1);
        if !bytes.get(end..)?.starts_with(b"\":") {
            return None;
        }
        first.0 = false;
        self.at = end + 2;
        Some(Text::from_bytes(&bytes[at + 1..end]))
    }

    /// Skips plain members, starting at a key. Returns true if they were the rest of the object;
    /// its end is then read too. Otherwise the reader stops at the key of the first other member.
    /// `see` receives each key, its value and the value's text.
    #[inline]
    pub(super) fn skip_plain_members(
        &mut self,
        mut see: impl FnMut(&'a [u8], Plain<'a>, &'a str),
    ) -> bool {
        let text = self.text;
        let bytes = text.as_bytes();
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        let skip_space = |at: usize| at + usize::from(byte(at) == b' ');
        loop {
            let Some(colon) = self.plain_string(self.at).filter(|&at| byte(at) == b':') else {
                return false;
            };
            let key = &bytes[self.at + 1..colon - 1];
            let at = skip_space(colon + 1);
            let word = |word: &str, value| {
                bytes[at..]
                    .starts_with(word.as_bytes())
                    .then_some((at + word.len(), value))
            };
            let value = match byte(at) {
                b'"' => self
                    .plain_string(at)
                    .map(|end| (end, Plain::String(&bytes[at + 1..end - 1]))),
                b'-' | b'0'..=b'9' => plain_number(bytes, at),
                b't' => word("true", Plain::Number(1.0)),
                b'f' => word("false", Plain::Number(0.0)),
                b'n' => word("null", Plain::Null),
                _ => None,
            };
            let Some((end, value)) = value else {
                return false;
            };
            match byte(end) {
                b',' => self.at = skip_space(end + 1),
                b'}' => self.at = end + 1,
                _ => return false,
            }
            see(key, value, text.get(at..end).unwrap_or_default());
            if byte(end) == b'}' {
                return true;
            }
        }
    }

    /// The offset after the string that starts at an offset, if it has no escapes and no control characters.
    #[inline]
    fn plain_string(&mut self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        let end = self.special(at + 1);
        (bytes.get(end) == Some(&b'"')).then_some(end + 1)
    }
}
