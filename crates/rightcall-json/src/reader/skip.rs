//! Checks values and skips them.

use super::Reader;
use super::unescape::hex4;
use crate::syntax::{MAX_DEPTH, Result};

impl Reader<'_> {
    /// Skips a value without recursion: one bit per level marks lists and objects.
    pub(super) fn skip_value(&mut self) -> Result<()> {
        let mut is_object = [0_u64; MAX_DEPTH.div_ceil(64)];
        let outer = self.depth;
        loop {
            // At the start of a value, after white space.
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
                        // Now at the first item of a list, or before a key that is not in the usual layout.
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
            // After a value: leave the lists and objects that end here, continue those that don't.
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

    pub(super) fn skip_key(&mut self) -> Result<()> {
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

    /// Skips a string and checks its escapes; true if it has any.
    #[inline]
    pub(super) fn skip_string(&mut self) -> Result<bool> {
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

    /// Skips the rest of a string from inside it; true if it has escapes.
    pub(super) fn skip_rest_of_string(&mut self) -> Result<bool> {
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
                            self.at += 2;
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

    /// Skips a number; true if it has neither a point nor an exponent.
    pub(super) fn skip_number(&mut self) -> Result<bool> {
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
}
