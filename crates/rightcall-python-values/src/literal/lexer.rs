//! Tokens of a Python expression.

use std::borrow::Cow;

use num_bigint::BigInt;

use super::{Literal, LiteralError, names};
use crate::integer::Integer;
use crate::text::{Text, TextBuilder};
use crate::value::{PythonValue, Value};

/// Python's limit on the digits of a decimal integer.
const MAX_DIGITS: usize = 4300;

/// Python's limit of nested brackets.
const MAX_BRACKETS: usize = 200;

/// Longest first.
const OPERATORS: [&str; 36] = [
    "...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", ":=", "(", ")", "[", "]", "{", "}", ",",
    ":", ".", "=", "+", "-", "*", "/", "%", "@", "|", "^", "&", "~", "<", ">", "!", ";", "$", "?",
];

pub(super) type Result<T> = std::result::Result<T, LiteralError>;

pub(super) const fn fail<T>() -> Result<T> {
    Err(LiteralError::Invalid)
}

/// A token. Strings are decoded and numbers parsed.
#[derive(Debug)]
pub(super) enum Token<'s> {
    /// End of the text or of the only logical line.
    End,
    /// A number: integer, float or imaginary.
    Number(Literal),
    /// A string literal, not yet joined with adjacent ones.
    Piece(Piece),
    /// An identifier or keyword.
    Name(&'s str),
    /// An operator or bracket.
    Operator(&'static str),
}

/// One string literal.
#[derive(Debug)]
pub(super) enum Piece {
    Text(Text<'static>),
    Bytes(Vec<u8>),
    /// An f-string, which is never a literal.
    Format,
}

/// Turns `\r\n` and `\r` into `\n` and removes leading blanks. Fails on characters that Python's source reader rejects anywhere.
pub(super) fn prepare<'t>(text: &'t Text<'_>) -> Result<Cow<'t, str>> {
    // Python passes the source to its compiler as UTF-8, which can't encode a lone surrogate.
    let source = text
        .as_str()
        .ok_or(LiteralError::Invalid)?
        .trim_start_matches([' ', '\t']);
    if source.contains('\0') {
        return fail();
    }
    if source.contains('\r') {
        Ok(Cow::Owned(source.replace("\r\n", "\n").replace('\r', "\n")))
    } else {
        Ok(Cow::Borrowed(source))
    }
}

/// Produces tokens from left to right.
pub(super) struct Lexer<'s> {
    source: &'s str,
    at: usize,
    /// Open brackets, innermost last.
    brackets: Vec<u8>,
    /// True when the logical line has ended.
    ended: bool,
}

impl<'s> Lexer<'s> {
    /// A lexer at the start of the first line that is neither blank nor a comment.
    pub(super) fn new(source: &'s str) -> Result<Self> {
        let mut lexer = Self {
            source,
            at: 0,
            brackets: Vec::new(),
            ended: false,
        };
        lexer.start_of_line()?;
        Ok(lexer)
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    /// Skips blank lines and comments. The next line must start in column 0, even if it is only the end of the text.
    fn start_of_line(&mut self) -> Result<()> {
        loop {
            // The first indented continuation line sets the indentation of the next ones.
            let (mut indented, mut continued_indented) = (false, false);
            loop {
                match self.byte(0) {
                    Some(b' ' | b'\t') => indented = true,
                    Some(b'\x0C') => indented = false,
                    Some(b'\\') => {
                        continued_indented |= indented;
                        self.continuation()?;
                        continue;
                    }
                    _ => break,
                }
                self.at += 1;
            }
            match self.byte(0) {
                Some(b'#') => self.comment(),
                Some(b'\n') => {}
                _ if indented || continued_indented => return fail(),
                _ => return Ok(()),
            }
            if self.byte(0).is_none() {
                return Ok(());
            }
            self.at += 1;
        }
    }

    fn comment(&mut self) {
        self.at = self
            .rest()
            .find('\n')
            .map_or(self.source.len(), |newline| self.at + newline);
    }

    /// Skips a backslash and the newline after it. The text may not end there.
    fn continuation(&mut self) -> Result<()> {
        if self.byte(1) != Some(b'\n') || self.byte(2).is_none() {
            return fail();
        }
        self.at += 2;
        Ok(())
    }

    /// The next token. After the end of the logical line, only blank lines and comments may follow.
    pub(super) fn next(&mut self) -> Result<Token<'s>> {
        if self.ended {
            return Ok(Token::End);
        }
        let first = loop {
            match self.byte(0) {
                Some(b' ' | b'\t' | b'\x0C') => self.at += 1,
                Some(b'\\') => self.continuation()?,
                Some(b'#') => self.comment(),
                Some(b'\n') if !self.brackets.is_empty() => self.at += 1,
                Some(b'\n') => {
                    self.at += 1;
                    self.start_of_line()?;
                    if self.byte(0).is_some() {
                        return fail();
                    }
                }
                Some(byte) => break byte,
                None if self.brackets.is_empty() => {
                    self.ended = true;
                    return Ok(Token::End);
                }
                None => return fail(),
            }
        };
        match first {
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(1).is_some_and(|byte| byte.is_ascii_digit()) => self.number(),
            b'\'' | b'"' => self.string(""),
            _ if is_name_byte(first) => self.name_or_string(),
            _ => self.operator(),
        }
    }

    fn operator(&mut self) -> Result<Token<'s>> {
        let rest = self.rest();
        let operator = *OPERATORS
            .iter()
            .find(|operator| rest.starts_with(**operator))
            .ok_or(LiteralError::Invalid)?;
        match operator.as_bytes()[0] {
            open @ (b'(' | b'[' | b'{') => {
                if self.brackets.len() == MAX_BRACKETS {
                    return fail();
                }
                self.brackets.push(open);
            }
            b')' if self.brackets.pop() != Some(b'(') => return fail(),
            b']' if self.brackets.pop() != Some(b'[') => return fail(),
            b'}' if self.brackets.pop() != Some(b'{') => return fail(),
            _ => {}
        }
        self.at += operator.len();
        Ok(Token::Operator(operator))
    }

    fn name_or_string(&mut self) -> Result<Token<'s>> {
        let rest = self.rest();
        let length = rest
            .bytes()
            .position(|byte| !is_name_byte(byte))
            .unwrap_or(rest.len());
        let name = &rest[..length];
        self.at += length;
        let is_prefix = matches!(
            name.to_ascii_lowercase().as_str(),
            "u" | "r" | "b" | "br" | "rb" | "f" | "fr" | "rf"
        );
        if is_prefix && matches!(self.byte(0), Some(b'\'' | b'"')) {
            return self.string(name);
        }
        let is_identifier = name.chars().all(|it| it.is_ascii() || it.is_alphanumeric())
            && name.starts_with(|it: char| it == '_' || it.is_alphabetic());
        if is_identifier {
            Ok(Token::Name(name))
        } else {
            fail()
        }
    }

    /// Reads digits with single underscores between them into `digits`; at least one digit.
    fn digits(&mut self, is_digit: fn(&u8) -> bool, digits: &mut String) -> Result<()> {
        loop {
            let rest = &self.source.as_bytes()[self.at..];
            let length = rest
                .iter()
                .position(|byte| !is_digit(byte))
                .unwrap_or(rest.len());
            if length == 0 {
                return fail();
            }
            digits.push_str(&self.source[self.at..self.at + length]);
            self.at += length;
            if self.byte(0) != Some(b'_') {
                return Ok(());
            }
            self.at += 1;
        }
    }

    fn number(&mut self) -> Result<Token<'s>> {
        if self.byte(0) == Some(b'0') {
            let (radix, is_digit): (u32, fn(&u8) -> bool) = match self.byte(1) {
                Some(b'x' | b'X') => (16, u8::is_ascii_hexdigit),
                Some(b'o' | b'O') => (8, |byte| matches!(byte, b'0'..=b'7')),
                Some(b'b' | b'B') => (2, |byte| matches!(byte, b'0' | b'1')),
                _ => return self.decimal(),
            };
            self.at += if self.byte(2) == Some(b'_') { 3 } else { 2 };
            let mut digits = String::new();
            self.digits(is_digit, &mut digits)?;
            self.end_of_number()?;
            let value =
                BigInt::parse_bytes(digits.as_bytes(), radix).ok_or(LiteralError::Invalid)?;
            return Ok(Token::Number(Value::Integer(value.into())));
        }
        self.decimal()
    }

    fn decimal(&mut self) -> Result<Token<'s>> {
        let mut digits = String::new();
        let mut is_float = false;
        if self.byte(0) != Some(b'.') {
            self.digits(u8::is_ascii_digit, &mut digits)?;
        }
        if self.byte(0) == Some(b'.') {
            is_float = true;
            self.at += 1;
            digits.push('.');
            if self.byte(0).is_some_and(|byte| byte.is_ascii_digit()) {
                self.digits(u8::is_ascii_digit, &mut digits)?;
            }
        }
        if matches!(self.byte(0), Some(b'e' | b'E')) {
            let sign = match self.byte(1) {
                Some(b'-') => "e-",
                Some(b'+') => "e+",
                _ => "e",
            };
            // Without a sign and digits, this may still be `1else`.
            if sign.len() == 2 || self.byte(1).is_some_and(|byte| byte.is_ascii_digit()) {
                is_float = true;
                self.at += sign.len();
                digits.push_str(sign);
                self.digits(u8::is_ascii_digit, &mut digits)?;
            }
        }
        let is_imaginary = matches!(self.byte(0), Some(b'j' | b'J'));
        if is_imaginary {
            self.at += 1;
        }
        self.end_of_number()?;
        if is_float || is_imaginary {
            let float = digits.parse().map_err(|_| LiteralError::Invalid)?;
            return Ok(Token::Number(if is_imaginary {
                complex(0.0, float)
            } else {
                Value::Float(float)
            }));
        }
        let significant = digits.trim_start_matches('0');
        if significant.is_empty() {
            return Ok(Token::Number(Value::Integer(Integer::Small(0))));
        }
        if significant.len() != digits.len() || digits.len() > MAX_DIGITS {
            return fail();
        }
        Integer::parse(significant)
            .map(|value| Token::Number(Value::Integer(value)))
            .ok_or(LiteralError::Invalid)
    }

    /// Rejects a name directly after a number, except for some keywords.
    fn end_of_number(&self) -> Result<()> {
        let rest = self.rest();
        let keyword = ["and", "else", "for", "if", "in", "is", "or", "not"]
            .iter()
            .any(|keyword| rest.starts_with(keyword));
        if !keyword && self.byte(0).is_some_and(is_name_byte) {
            fail()
        } else {
            Ok(())
        }
    }

    /// A string literal, starting at its quote.
    fn string(&mut self, prefix: &str) -> Result<Token<'s>> {
        let rest = self.rest();
        let quote = rest.as_bytes()[0];
        let tripled = rest.as_bytes().get(1..3) == Some(&[quote, quote]);
        let width = if tripled { 3 } else { 1 };
        let bytes = rest.as_bytes();
        let mut end = width;
        loop {
            match bytes.get(end) {
                None => return fail(),
                Some(b'\\') => end += 1,
                Some(b'\n') if !tripled => return fail(),
                Some(byte)
                    if *byte == quote
                        && (!tripled || bytes.get(end..end + 3) == Some(&[quote; 3])) =>
                {
                    break;
                }
                _ => {}
            }
            end += 1;
        }
        let body = &rest[width..end];
        self.at += end + width;
        let has = |letter: char| prefix.contains([letter, letter.to_ascii_uppercase()]);
        let piece = match (has('b'), has('r')) {
            _ if has('f') => {
                // The expressions in braces are not parsed: an f-string is never a literal.
                if !has('r') {
                    unescape(body, false, &mut |_| {})?;
                }
                Piece::Format
            }
            (true, _) if !body.is_ascii() => return fail(),
            (true, true) => Piece::Bytes(body.as_bytes().to_vec()),
            (true, false) => {
                let mut bytes = Vec::with_capacity(body.len());
                // An octal escape may exceed one byte; Python keeps the low byte.
                unescape(body, true, &mut |part| match part {
                    Part::Plain(plain) => bytes.extend_from_slice(plain.as_bytes()),
                    Part::Point(point) => bytes.push(point as u8),
                })?;
                Piece::Bytes(bytes)
            }
            (false, true) => Piece::Text(Text::from(body.to_owned())),
            (false, false) => {
                let mut text = TextBuilder::default();
                unescape(body, false, &mut |part| match part {
                    Part::Plain(plain) => text.push_str(plain),
                    Part::Point(point) => text.push(point),
                })?;
                Piece::Text(text.finish())
            }
        };
        Ok(Token::Piece(piece))
    }
}

/// A complex number.
pub(super) fn complex(real: f64, imaginary: f64) -> Literal {
    Value::Python(Box::new(PythonValue::Complex { real, imaginary }))
}

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

enum Part<'s> {
    Plain(&'s str),
    Point(u32),
}

/// Passes the parts of a string's body to `part`, with escapes decoded.
fn unescape(body: &str, is_bytes: bool, part: &mut dyn FnMut(Part<'_>)) -> Result<()> {
    let mut rest = body;
    while let Some(backslash) = rest.find('\\') {
        part(Part::Plain(&rest[..backslash]));
        rest = &rest[backslash + 1..];
        let escape = rest.bytes().next().ok_or(LiteralError::Invalid)?;
        let (point, length) = match escape {
            b'\n' => {
                rest = &rest[1..];
                continue;
            }
            b'\\' | b'\'' | b'"' => (u32::from(escape), 1),
            b'a' => (0x07, 1),
            b'b' => (0x08, 1),
            b'f' => (0x0C, 1),
            b'n' => (0x0A, 1),
            b'r' => (0x0D, 1),
            b't' => (0x09, 1),
            b'v' => (0x0B, 1),
            b'0'..=b'7' => {
                let length = rest
                    .bytes()
                    .take(3)
                    .take_while(|byte| matches!(byte, b'0'..=b'7'))
                    .count();
                (number(&rest[..length], 8)?, length)
            }
            b'x' => (hexadecimal(rest, 2)?, 3),
            b'u' if !is_bytes => (hexadecimal(rest, 4)?, 5),
            b'U' if !is_bytes => (hexadecimal(rest, 8)?, 9),
            b'N' if !is_bytes => {
                let name = rest[1..]
                    .strip_prefix('{')
                    .and_then(|name| name.split_once('}'))
                    .ok_or(LiteralError::Invalid)?
                    .0;
                (
                    names::character(name).ok_or(LiteralError::Invalid)?,
                    name.len() + 3,
                )
            }
            _ => {
                part(Part::Plain("\\"));
                continue;
            }
        };
        if point > 0x10_FFFF {
            return fail();
        }
        part(Part::Point(point));
        rest = &rest[length..];
    }
    part(Part::Plain(rest));
    Ok(())
}

fn hexadecimal(escape: &str, digits: usize) -> Result<u32> {
    let digits = escape.get(1..=digits).ok_or(LiteralError::Invalid)?;
    if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        number(digits, 16)
    } else {
        fail()
    }
}

fn number(digits: &str, radix: u32) -> Result<u32> {
    u32::from_str_radix(digits, radix).map_err(|_| LiteralError::Invalid)
}
