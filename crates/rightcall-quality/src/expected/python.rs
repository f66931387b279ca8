//! Strict parser for a Python call: anything that Python rejects is an error.

use rightcall_core::value::python::parse_literal;
use rightcall_core::value::{JsonText, Text};
use serde_json::Value;

/// A call.
#[derive(Debug, PartialEq)]
pub(super) struct PythonCall {
    pub(super) name: String,
    pub(super) positional: Vec<Value>,
    pub(super) named: Vec<(String, Value)>,
}

/// Parses a call with literal arguments. The error is the reason why the text is not a call.
pub(super) fn parse_call(text: &str) -> Result<PythonCall, String> {
    let (name, rest) = text.trim().split_once('(').ok_or("no parenthesis")?;
    if name.is_empty() || !name.split('.').all(is_identifier) {
        return Err(format!("`{name}`, which is no name"));
    }
    let inside = rest
        .strip_suffix(')')
        .ok_or("no closing parenthesis at the end")?;
    let mut call = PythonCall {
        name: name.to_owned(),
        positional: Vec::new(),
        named: Vec::new(),
    };
    for part in arguments(inside)? {
        match keyword(part) {
            Some((name, value)) => {
                if call.named.iter().any(|(known, _)| known == name) {
                    return Err(format!("the argument `{name}` twice"));
                }
                call.named.push((name.to_owned(), literal(value)?));
            }
            None if call.named.is_empty() => call.positional.push(literal(part)?),
            None => {
                return Err(format!(
                    "a value without a name after a named one: {}",
                    short(part)
                ));
            }
        }
    }
    Ok(call)
}

fn is_identifier(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    !text.is_empty()
        && !text.starts_with(|it: char| it.is_ascii_digit())
        && text.chars().all(is_letter)
}

/// The name and the value of `name=value`.
fn keyword(part: &str) -> Option<(&str, &str)> {
    let (name, value) = part.split_once('=')?;
    let name = name.trim();
    (is_identifier(name) && !value.starts_with('=')).then_some((name, value))
}

/// Splits at commas outside quotes and brackets.
fn arguments(inside: &str) -> Result<Vec<&str>, String> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let mut quote: Option<&str> = None;
    let mut at = 0;
    while let Some(letter) = inside[at..].chars().next() {
        let rest = &inside[at..];
        let mut length = letter.len_utf8();
        match quote {
            Some(_) if letter == '\\' => {
                length += rest.chars().nth(1).map_or(0, char::len_utf8);
            }
            Some(end) if rest.starts_with(end) => {
                length = end.len();
                quote = None;
            }
            Some(_) => {}
            None => match letter {
                '"' | '\'' => {
                    let opened = ["\"\"\"", "'''", "\"", "'"]
                        .into_iter()
                        .find(|it| rest.starts_with(it));
                    length = opened.map_or(1, str::len);
                    quote = opened;
                }
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => {
                    depth = depth.checked_sub(1).ok_or("a bracket that nothing opens")?;
                }
                ',' if depth == 0 => {
                    parts.push(&inside[start..at]);
                    start = at + 1;
                }
                _ => {}
            },
        }
        at += length;
    }
    if quote.is_some() || depth > 0 {
        return Err("a quote or a bracket that is not closed".to_owned());
    }
    let last = &inside[start..];
    // Python allows a trailing comma.
    if !last.trim().is_empty() {
        parts.push(last);
    }
    Ok(parts)
}

fn literal(text: &str) -> Result<Value, String> {
    let value = parse_literal(&Text::new(text.trim()))
        .map_err(|_| format!("{}, which is no literal", short(text)))?;
    serde_json::from_str(JsonText::from_value(&value).as_str())
        .map_err(|_| format!("{}, which JSON cannot hold", short(text)))
}

fn short(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_are_parsed_like_python() {
        let call =
            parse_call("a.f('it, (is)', n=-1.5, tags=['x', {'k': None}], s=\"it's\", ok=True,)")
                .unwrap();
        assert_eq!(call.name, "a.f");
        assert_eq!(call.positional, [json!("it, (is)")]);
        assert_eq!(
            call.named,
            [
                ("n".to_owned(), json!(-1.5)),
                ("tags".to_owned(), json!(["x", {"k": null}])),
                ("s".to_owned(), json!("it's")),
                ("ok".to_owned(), json!(true)),
            ]
        );
        assert!(parse_call("f()").unwrap().named.is_empty());
    }

    #[test]
    fn invalid_python_is_an_error() {
        for wrong in [
            "f",
            "f(",
            "f)",
            "(1)",
            "f(a=1",
            "f('a='b', c=1)",
            "f(s='I'll come')",
            "f(a: 1)",
            "f(a=1, 2)",
            "f(a=1, a=2)",
            "f(a=b)",
            "f(a=[1)",
        ] {
            assert!(parse_call(wrong).is_err(), "{wrong}");
        }
    }
}
