//! Writes values so that an expectation reads them literally.

use std::borrow::Cow;

use super::pattern_reader::MATCHERS;
use crate::value::pointer::child;
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
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => {
                let behind = rest[at + 1..]
                    .iter()
                    .find(|byte| !byte.is_ascii_whitespace());
                return behind == Some(&b':');
            }
            _ => at += 1,
        }
    }
    false
}

/// Finds strings that are names of matchers, each with its JSON pointer: `"$any"` where `{"$any": true}` is probably meant. Strings in
/// `$literal` and names of variables don't count.
pub fn matchers_as_text(json: &str) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    if memchr::memmem::find(json.as_bytes(), b"\"$").is_some()
        && let Ok(value) = decode_with(json, Syntax::PYTHON)
    {
        find_matchers(&value, "", &mut found);
    }
    found
}

fn find_matchers(value: &Value<'_>, pointer: &str, found: &mut Vec<(String, &'static str)>) {
    match value {
        Value::String(text) => {
            let matcher = MATCHERS.into_iter().find(|it| *text == **it);
            found.extend(matcher.map(|it| (pointer.to_owned(), it)));
        }
        Value::List(items) => {
            for (number, item) in items.iter().enumerate() {
                find_matchers(item, &child(pointer, &number.to_string()), found);
            }
        }
        Value::Object(object) if object.iter().all(|(key, _)| *key != *"$literal") => {
            for (key, value) in object.iter().filter(|(key, _)| *key != *"$var") {
                find_matchers(value, &child(pointer, &key.to_display()), found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_with_a_leading_dollar_are_found() {
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
            (
                r#"{"a":"$any","b":["$gt"]}"#,
                &[("/a", "$any"), ("/b/0", "$gt")][..],
            ),
            (r#"{"a":{"$any":true}}"#, &[]),
            (
                r#"{"a":{"$one_of" : ["$any", "x"]}}"#,
                &[("/a/$one_of/0", "$any")],
            ),
            (r#"{"a":{"$literal":{"b":"$any"}}}"#, &[]),
            (r#"{"a":{"$literal" : "$any"},"b":{"$var":"$any"}}"#, &[]),
            (r#"{"a":"$anything","b":"say \"$any\"","c":"$5"}"#, &[]),
        ] {
            let found = matchers_as_text(json);
            let found: Vec<_> = found.iter().map(|(at, name)| (&**at, *name)).collect();
            assert_eq!(found, expected, "{json}");
        }
    }

    #[test]
    fn data_with_dollar_keys_is_wrapped_as_a_literal() {
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
