//! Writes values so that an expectation reads them literally.

use std::borrow::Cow;

use super::pattern_reader::MATCHERS;
use crate::value::{JsonText, Object, Syntax, Text, Value, decode_with};

/// The JSON text of an expectation that demands exactly this value: objects with keys that begin with `$` are wrapped in `$literal`.
pub fn literal(json: &str) -> Cow<'_, str> {
    if !has_matcher_key(json) {
        return Cow::Borrowed(json);
    }
    match decode_with(json, Syntax::PYTHON) {
        Ok(value) => Cow::Owned(JsonText::from_value(&quoted(value)).into_string()),
        Err(_) => Cow::Borrowed(json),
    }
}

fn quoted(value: Value<'_>) -> Value<'_> {
    match value {
        Value::List(items) => Value::List(items.into_iter().map(quoted).collect()),
        Value::Object(object) if object.iter().any(|(key, _)| begins_with_dollar(key)) => {
            Value::Object(Object::new(vec![(
                Text::new("$literal"),
                Value::Object(object),
            )]))
        }
        Value::Object(object) => Value::Object(Object::new(
            object
                .iter()
                .map(|(key, value)| (key.clone(), quoted(value.clone())))
                .collect(),
        )),
        other => other,
    }
}

fn begins_with_dollar(key: &Text<'_>) -> bool {
    key.as_bytes().first() == Some(&b'$')
}

/// True if an object in a JSON text has a key that begins with an unescaped `$`. An escaped `$` is ignored: it doesn't occur in practice,
/// and searching for it would double the time per case.
pub fn has_matcher_key(json: &str) -> bool {
    let bytes = json.as_bytes();
    memchr::memchr_iter(b'$', bytes).any(|at| {
        let begins = at > 0 && bytes[at - 1] == b'"';
        begins && is_key(&bytes[at..])
    })
}

/// True if the string that contains `rest` is a key, that is, a colon follows it.
fn is_key(rest: &[u8]) -> bool {
    end_of_string(rest).is_some_and(|end| {
        let behind = &mut rest[end + 1..].iter();
        behind.find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
    })
}

/// The place of the quote that ends the string.
fn end_of_string(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// The matchers whose names an expectation in JSON has as texts, which demand that text: `"$any"` where `{"$any": true}` is meant. Texts of
/// `$literal` and names of variables are meant as they are.
pub fn matchers_as_text(json: &str) -> impl Iterator<Item = &'static str> {
    let bytes = json.as_bytes();
    let as_text = |at: usize| {
        let before = json.get(..at)?.strip_suffix('"')?.trim_ascii_end();
        let rest = &bytes[at..];
        let name = json.get(at..at + end_of_string(rest)?)?;
        let matcher = MATCHERS.into_iter().find(|it| *it == name)?;
        let is_meant = ["\"$literal\"", "\"$var\""].iter().any(|key| {
            let owner = before.strip_suffix(':').map(str::trim_ascii_end);
            owner.is_some_and(|it| it.ends_with(key))
        });
        (!is_meant && !is_key(rest)).then_some(matcher)
    };
    memchr::memchr_iter(b'$', bytes).filter_map(as_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_begin_with_a_dollar_are_found() {
        for (json, expected) in [
            (r#"{"a":{"$gt":5}}"#, true),
            (r#"{"a":{"$gt" : 5}}"#, true),
            (r#"{"a":"$5"}"#, false),
            (r#"["$a","$b"]"#, false),
            (r#"{"a$":1}"#, false),
            (r#"{"a":"say \"$x\": no"}"#, false),
        ] {
            assert_eq!(has_matcher_key(json), expected, "{json}");
        }
    }

    #[test]
    fn names_of_matchers_as_texts_are_found() {
        for (json, expected) in [
            (r#"{"a":"$any","b":["$gt"]}"#, &["$any", "$gt"][..]),
            (r#"{"a":{"$any":true}}"#, &[]),
            (r#"{"a":{"$one_of" : ["$any", "x"]}}"#, &["$any"]),
            (r#"{"a":{"$literal" : "$any"},"b":{"$var":"$any"}}"#, &[]),
            (r#"{"a":"$anything","b":"say \"$any\"","c":"$5"}"#, &[]),
        ] {
            assert!(
                matchers_as_text(json).eq(expected.iter().copied()),
                "{json}"
            );
        }
    }

    #[test]
    fn data_with_such_keys_is_written_as_a_literal() {
        for (json, expected) in [
            (
                r#"{"price":{"$gt":50}}"#,
                r#"{"price":{"$literal":{"$gt":50}}}"#,
            ),
            (r#"{"$or":[{"a":1}]}"#, r#"{"$literal":{"$or":[{"a":1}]}}"#),
            (
                r#"[{"a":{"$b":1,"c":2}},"$x"]"#,
                r#"[{"a":{"$literal":{"$b":1,"c":2}}},"$x"]"#,
            ),
            (r#"{"price": 5}"#, r#"{"price": 5}"#),
        ] {
            assert_eq!(literal(json), expected);
        }
    }
}
