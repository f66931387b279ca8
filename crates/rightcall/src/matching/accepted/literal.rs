//! Numbers as Python's `int` and `float` read them from text.

use crate::value::{Integer, Text, Value};

/// A number, as an integer where it is one; `None` for any other text.
pub(super) fn number(text: &str) -> Option<Value<'static>> {
    integer(text).or_else(|| float(text).map(Value::Float))
}

pub(super) fn integer(text: &str) -> Option<Value<'static>> {
    let digits = without_underscores(text.trim())?;
    let unsigned = digits.strip_prefix(['-', '+']).unwrap_or(&digits);
    let is_whole = !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit());
    let digits = digits.strip_prefix('+').unwrap_or(&digits);
    Integer::parse(digits)
        .filter(|_| is_whole)
        .map(Value::Integer)
}

pub(super) fn float(text: &str) -> Option<f64> {
    let text = without_underscores(text.trim())?;
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(&text);
    // Rust takes the same words for infinity and for what is no number.
    let is_number = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    let words = ["inf", "infinity", "nan"];
    let is_word = words.iter().any(|word| unsigned.eq_ignore_ascii_case(word));
    text.parse().ok().filter(|_| is_number || is_word)
}

/// The text without single underscores between digits; `None` where one stands elsewhere.
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
