//! Parses JavaScript values from text. A text that doesn't have the declared type stays a string.

use super::literal::{checked_integer, float, inside, number, strip, text};
use super::{Converted, stumble};
use crate::outcome::EvaluationError;
use crate::value::{Object, Text, Value, python};

// In Python, `$` also matches before a final line feed, and `\s` also matches four ASCII separators.
regex!(INTEGER, r"^-?\d+\n?$");
regex!(FLOAT, r"^-?\d+(\.\d+)?\n?$");
regex!(BIGINT, r"^-?\d+n\n?$");
regex!(
    ARRAY_OF_ARRAYS,
    r"^(?:\[[\s\x1c-\x1f]*\[.*?\][\s\x1c-\x1f]*(,[\s\x1c-\x1f]*\[.*?\][\s\x1c-\x1f]*)*\]|\bnew[\s\x1c-\x1f]+Array\([\s\x1c-\x1f]*\[.*?\][\s\x1c-\x1f]*(,[\s\x1c-\x1f]*\[.*?\][\s\x1c-\x1f]*)*\))"
);
regex!(INNER_ARRAY, r"\[(.*?)\]");
regex!(ARRAY, r"^(?:\[(.*?)\]|\bnew[\s\x1c-\x1f]+Array\((.*?)\))");
regex!(OBJECT, r"^\{(.*?)\}");

/// The value of a text, given its declared type and its item type.
pub(super) fn convert(written: &str, declared: &str, item: Option<&str>) -> Converted {
    let or_text = |value: Option<Value<'static>>| Ok(value.unwrap_or_else(|| text(written)));
    match declared {
        "String" => or_text(is_quoted(written).then(|| text(inside(written)))),
        "integer" if INTEGER.is_match(written) => checked_integer(written),
        "float" => {
            let float = FLOAT.is_match(written).then(|| float(written)).flatten();
            or_text(float.map(Value::Float))
        }
        "Bigint" if BIGINT.is_match(written) => {
            // The last character is removed, whatever it is, as in the original.
            let mut digits = written.chars();
            digits.next_back();
            checked_integer(digits.as_str())
        }
        "Boolean" => or_text(truth(written)),
        "dict" => Ok(object(strip(written))),
        "array" => Ok(array(strip(written), item)),
        "integer" | "Bigint" | "any" => Ok(text(written)),
        _ => Err(stumble("a type of JavaScript that is not converted")),
    }
}

fn is_quoted(written: &str) -> bool {
    ['"', '\'']
        .iter()
        .any(|quote| written.starts_with(*quote) && written.ends_with(*quote))
}

fn truth(written: &str) -> Option<Value<'static>> {
    match written {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ => None,
    }
}

/// A value of unknown type.
fn value(written: &str) -> Value<'static> {
    let written = strip(written);
    if let Some(truth) = truth(written) {
        return truth;
    }
    if is_quoted(written) {
        return text(inside(written));
    }
    number(written).unwrap_or_else(|| text(written))
}

fn array(code: &str, item: Option<&str>) -> Value<'static> {
    if let Some(found) = ARRAY_OF_ARRAYS.find(code) {
        let arrays = INNER_ARRAY.captures_iter(found.as_str());
        let arrays = arrays.enumerate().map(|(index, array)| {
            let inner = strip(&array[1]);
            // The first inner array starts inside the outer one.
            let inner = inner
                .strip_prefix('[')
                .filter(|_| index == 0)
                .unwrap_or(inner);
            Value::List(inner.split(',').map(value).collect())
        });
        return Value::List(arrays.collect());
    }
    let Some(found) = ARRAY.captures(code) else {
        return text(code);
    };
    let elements = found.get(1).or(found.get(2));
    let elements = strip(elements.map_or("", |elements| elements.as_str()));
    if elements.is_empty() {
        return Value::List(Vec::new());
    }
    let element = |element: &str| match item {
        None => Ok(value(element)),
        Some(item) => {
            let element = strip(element);
            let of_items = element.starts_with(['\'', '"']).then_some("String");
            convert(element, item, of_items)
        }
    };
    let elements: Result<_, EvaluationError> = elements.split(',').map(element).collect();
    // On an error, the original returns the text.
    elements.map_or_else(|_| text(code), Value::List)
}

fn object(code: &str) -> Value<'static> {
    let Some(found) = OBJECT.captures(code) else {
        return text(code);
    };
    let quotes = ['\'', '"'];
    let member = |(key, written): (String, String)| {
        let key = Text::from(strip(&key).trim_matches(quotes).to_owned());
        let written = strip(&written);
        let value = if written.starts_with('[') && written.ends_with(']') {
            array(written, None)
        } else if written.starts_with('{') && written.ends_with('}') {
            object(written)
        } else {
            value(written.trim_matches(quotes))
        };
        (key, value)
    };
    Value::Object(Object::new(
        pairs(&found[1]).into_iter().map(member).collect(),
    ))
}

/// The keys and values of an object's text. A value extends to a comma followed by another key, or to the end.
///
/// `([^:]+):[\s\x1c-\x1f]*(.*?)(?:,[\s\x1c-\x1f]*(?=[^,]+:)|$)`, which looks ahead.
fn pairs(content: &str) -> Vec<(String, String)> {
    let letters: Vec<char> = content.chars().collect();
    let text = |from: usize, to: usize| letters[from..to].iter().collect::<String>();
    let mut pairs = Vec::new();
    let mut start = 0;
    while start < letters.len() {
        let colon = (start..letters.len()).find(|at| letters[*at] == ':');
        let Some(colon) = colon else { break };
        if colon == start {
            start += 1;
            continue;
        }
        match value_end(&letters, colon + 1) {
            Some((from, to, end)) => {
                pairs.push((text(start, colon), text(from, to)));
                // A match that ends at the end of the text is the last one.
                start = end.max(start + 1);
            }
            None => start += 1,
        }
    }
    pairs
}

/// The start and end of the value after a colon, and the end of the match.
fn value_end(letters: &[char], after: usize) -> Option<(usize, usize, usize)> {
    let spaces = letters[after..]
        .iter()
        .take_while(|it| python::is_space((**it).into()));
    let first = after + spaces.count();
    for from in (after..=first).rev() {
        for to in from..=letters.len() {
            if let Some(end) = next_key(letters, to) {
                return Some((from, to, end));
            }
            let is_end = to == letters.len() || to + 1 == letters.len() && letters[to] == '\n';
            if is_end {
                return Some((from, to, to));
            }
            if letters[to] == '\n' {
                break;
            }
        }
    }
    None
}

/// The position after a comma at `at` and the space after it, if a key follows.
fn next_key(letters: &[char], at: usize) -> Option<usize> {
    (letters.get(at) == Some(&',')).then_some(())?;
    let spaces = letters[at + 1..]
        .iter()
        .take_while(|it| python::is_space((**it).into()));
    let last = at + 1 + spaces.count();
    (at + 1..=last).rev().find(|&from| {
        let key = letters[from..].iter().take_while(|it| **it != ',');
        key.enumerate()
            .any(|(place, letter)| place > 0 && *letter == ':')
    })
}
