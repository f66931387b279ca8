//! Parses the arguments of a call and finds repeated keys. JSON parsers keep one value per key, so
//! a model could write several.

use rightcall_core::value::{Kind, Object, Reader, Syntax, SyntaxError, Text, Value};

/// Parses a JSON object. Also returns its repeated keys, and keys with a repeated key inside their
/// value. `None` and no keys if the text is not a JSON object.
pub(super) fn read_arguments(json: &str) -> (Option<Value<'_>>, Vec<Text<'_>>) {
    let mut reader = Reader::new(json, Syntax::PYTHON);
    match object_with_repeats(&mut reader) {
        Ok((object, repeated)) => (Some(Value::Object(object)), repeated),
        Err(_) => (None, Vec::new()),
    }
}

/// The object, and its keys with repeats.
fn object_with_repeats<'a>(
    reader: &mut Reader<'a>,
) -> Result<(Object<'a>, Vec<Text<'a>>), SyntaxError> {
    let mut first = reader.enter_object()?;
    let (mut entries, mut repeated) = (Vec::<(Text<'a>, Value<'a>)>::new(), Vec::new());
    while let Some(key) = reader.next_key(&mut first)? {
        let mut repeats = false;
        let value = value(reader, &mut repeats)?;
        if repeats || entries.iter().any(|(known, _)| *known == key) {
            repeated.push(key.clone());
        }
        entries.push((key, value));
    }
    reader.end()?;
    Ok((Object::new(entries), repeated))
}

/// The next value. Sets `repeats` if it holds an object with a repeated key.
fn value<'a>(reader: &mut Reader<'a>, repeats: &mut bool) -> Result<Value<'a>, SyntaxError> {
    match reader.peek()? {
        Kind::List => {
            let mut items = Vec::new();
            let mut first = reader.enter_list()?;
            while reader.next_item(&mut first)? {
                items.push(value(reader, repeats)?);
            }
            Ok(Value::List(items))
        }
        Kind::Object => {
            let mut entries = Vec::new();
            let mut first = reader.enter_object()?;
            while let Some(key) = reader.next_key(&mut first)? {
                entries.push((key, value(reader, repeats)?));
            }
            let written = entries.len();
            let object = Object::new(entries);
            *repeats |= object.len() < written;
            Ok(Value::Object(object))
        }
        _ => reader.value(),
    }
}

#[cfg(test)]
mod tests {
    use rightcall_core::value::{ValueEquality, decode_with};

    use super::*;

    #[test]
    fn repeated_keys_are_found_at_any_depth() {
        for (json, wanted) in [
            (r#"{"a": 1, "b": 2}"#, ""),
            (r#"{"a": 1, "a": 1}"#, "a"),
            (r#"{"a": 1, "\u0061": 2}"#, "a"),
            (r#"{"a": [{"x": 1, "x": 2}], "b": {}}"#, "a"),
            (r#"{"a": [{"x": 1}, {"x": 2}]}"#, ""),
            ("[1]", ""),
            ("{", ""),
            ("{}x", ""),
        ] {
            let (value, found) = read_arguments(json);
            let decoded = decode_with(json, Syntax::PYTHON).ok();
            match (&value, decoded.filter(|it| it.as_object().is_some())) {
                (Some(value), Some(decoded)) => {
                    assert!(ValueEquality::Strict.equal(value, &decoded), "{json}");
                }
                (value, decoded) => assert!(value.is_none() && decoded.is_none(), "{json}"),
            }
            let found: Vec<_> = found.iter().map(ToString::to_string).collect();
            assert_eq!(found.join(","), wanted, "{json}");
        }
    }
}
