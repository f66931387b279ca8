//! Parses texts as Python does: numbers as `int` and `float` accept them, and white space.

use std::borrow::Cow;

use super::{Converted, stumble};
use crate::value::{Integer, Text, Value, python};

/// A text without leading and trailing white space, as from `str.strip`.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(|letter| python::is_space(u32::from(letter)))
}

/// A text with the digits of all scripts replaced by ASCII digits: `\d`, `int` and `float` treat them alike.
pub(super) fn with_ascii_digits(text: &str) -> Cow<'_, str> {
    let digit = |letter: char| python::decimal_digit(letter.into()).filter(|_| !letter.is_ascii());
    if !text.chars().any(|letter| digit(letter).is_some()) {
        return Cow::Borrowed(text);
    }
    let ascii = |letter| digit(letter).map_or(letter, |digit| char::from(b'0' + digit));
    Cow::Owned(text.chars().map(ascii).collect())
}

/// Parses a number, as an integer if possible; `None` for any other text.
pub(super) fn number(text: &str) -> Option<Value<'static>> {
    integer(text).or_else(|| float(text).map(Value::Float))
}

/// The maximum number of digits that `int` accepts.
const MAX_DIGITS: usize = 4300;

/// Parses an integer as `int` does; `None` if `int` raises an error.
pub(super) fn integer(text: &str) -> Option<Value<'static>> {
    let digits = without_underscores(strip(&with_ascii_digits(text)))?;
    let unsigned = digits.strip_prefix(['-', '+']).unwrap_or(&digits);
    let is_whole = (1..=MAX_DIGITS).contains(&unsigned.len())
        && unsigned.bytes().all(|byte| byte.is_ascii_digit());
    let digits = digits.strip_prefix('+').unwrap_or(&digits);
    Integer::parse(digits)
        .filter(|_| is_whole)
        .map(Value::Integer)
}

/// Parses text that looks like an integer; an error if `int` refuses it.
pub(super) fn checked_integer(text: &str) -> Converted {
    integer(text).ok_or_else(|| stumble("an integer that `int` refuses"))
}

/// Parses a number as `float` does; `None` if `float` raises an error.
pub(super) fn float(text: &str) -> Option<f64> {
    let text = without_underscores(strip(&with_ascii_digits(text)))?;
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(&text);
    // Rust also accepts words for infinity and NaN; only Python's words are allowed.
    let is_number = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    let words = ["inf", "infinity", "nan"];
    let is_word = words.iter().any(|word| unsigned.eq_ignore_ascii_case(word));
    text.parse().ok().filter(|_| is_number || is_word)
}

/// The text without single underscores between digits; `None` if an underscore is elsewhere.
fn without_underscores(text: &str) -> Option<String> {
    let is_digit = |part: Option<char>| part.is_some_and(|letter| letter.is_ascii_digit());
    let mut parts = text.split('_').peekable();
    let mut joined = parts.next()?.to_owned();
    for part in parts {
        if !is_digit(joined.chars().next_back()) || !is_digit(part.chars().next()) {
            return None;
        }
        joined.push_str(part);
    }
    Some(joined)
}

/// A text as a value.
pub(super) fn text(text: &str) -> Value<'static> {
    Value::String(Text::from(text.to_owned()))
}

/// A text without its first and its last character.
pub(super) fn inside(text: &str) -> &str {
    let mut letters = text.chars();
    letters.next();
    letters.next_back();
    letters.as_str()
}
