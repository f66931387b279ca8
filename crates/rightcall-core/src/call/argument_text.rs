//! Decodes arguments given as text, for evaluators without their own rule.

use crate::value::python::parse_literal;
use crate::value::{Object, Syntax, Text, Value, decode_with};

/// The kind of content in an arguments text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentText {
    /// Empty: no arguments.
    Empty,
    /// A JSON object.
    Json,
    /// The text of a JSON object, encoded as JSON once more.
    EncodedTwice,
    /// A Python literal of a dict.
    Python,
    /// Another JSON value.
    OtherJson,
    /// None of these; the value is the text itself.
    Invalid,
}

/// Decodes arguments given as text. Accepts an empty text (no arguments), a JSON object, a JSON object encoded as a JSON string, a Python
/// dict literal, or any other JSON value; anything else stays the text itself.
///
/// Source: formats, section 0.1.
pub fn argument_text(text: &Text<'_>) -> (Value<'static>, ArgumentText) {
    if text
        .code_points()
        .all(|point| matches!(point, 0x20 | 0x09 | 0x0A | 0x0D))
    {
        return (Value::Object(Object::default()), ArgumentText::Empty);
    }
    let json = |text: &Text<'_>| {
        text.as_str()
            .and_then(|it| decode_with(it, Syntax::PYTHON).ok().map(Value::into_owned))
    };
    let is_object = |value: &Value<'_>| matches!(value, Value::Object(_));
    let decoded = json(text);
    if let Some(object) = decoded.as_ref().filter(|value| is_object(value)) {
        return (object.clone(), ArgumentText::Json);
    }
    if let Some(object) = decoded
        .as_ref()
        .and_then(Value::as_text)
        .and_then(json)
        .filter(is_object)
    {
        return (object, ArgumentText::EncodedTwice);
    }
    match (parse_literal(text), decoded) {
        (Ok(literal), _) if is_object(&literal) => (literal, ArgumentText::Python),
        (_, Some(value)) => (value, ArgumentText::OtherJson),
        (_, None) => (
            Value::String(text.clone().into_owned()),
            ArgumentText::Invalid,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{ValueEquality, decode};

    #[test]
    fn argument_text_is_decoded_by_the_first_format_that_fits() {
        for (text, expected, kind) in [
            ("", "{}", ArgumentText::Empty),
            (" \n", "{}", ArgumentText::Empty),
            (r#"{"a":1}"#, r#"{"a":1}"#, ArgumentText::Json),
            (r#""{\"a\":1}""#, r#"{"a":1}"#, ArgumentText::EncodedTwice),
            (
                "{'a': True, 'b': None}",
                r#"{"a":true,"b":null}"#,
                ArgumentText::Python,
            ),
            ("[1, 2]", "[1, 2]", ArgumentText::OtherJson),
            ("null", "null", ArgumentText::OtherJson),
            ("'a'", r#""'a'""#, ArgumentText::Invalid),
            ("(1, 2)", r#""(1, 2)""#, ArgumentText::Invalid),
            (r#"{"a": 1"#, r#""{\"a\": 1""#, ArgumentText::Invalid),
        ] {
            let (found, how) = argument_text(&Text::new(text));
            assert!(
                ValueEquality::Json.equal(&found, &decode(expected).unwrap()),
                "{text}: {found:?}"
            );
            assert_eq!(how, kind, "{text}");
        }
    }
}
