//! Finds keys that occur twice in a JSON object. JSON parsers keep only one value, so a model could write both.

use rightcall_core::value::{Kind, Reader, Syntax, SyntaxError, Text};

/// The keys in a JSON object that occur twice, or whose values contain such an object.
pub(super) fn repeated_keys(json: &str) -> Vec<Text<'_>> {
    let mut reader = Reader::new(json, Syntax::PYTHON);
    // Text that is not a JSON object has no keys.
    top(&mut reader).unwrap_or_default()
}

fn top<'a>(reader: &mut Reader<'a>) -> Result<Vec<Text<'a>>, SyntaxError> {
    let mut first = reader.enter_object()?;
    let (mut seen, mut repeated) = (Vec::new(), Vec::new());
    while let Some(key) = reader.next_key(&mut first)? {
        if repeats(reader)? || seen.contains(&key) {
            repeated.push(key.clone());
        }
        seen.push(key);
    }
    Ok(repeated)
}

/// True if the next value holds an object with a repeated key.
fn repeats(reader: &mut Reader<'_>) -> Result<bool, SyntaxError> {
    let mut found = false;
    match reader.peek()? {
        Kind::List => {
            let mut first = reader.enter_list()?;
            while reader.next_item(&mut first)? {
                found |= repeats(reader)?;
            }
        }
        Kind::Object => {
            let mut first = reader.enter_object()?;
            let mut keys = Vec::new();
            while let Some(key) = reader.next_key(&mut first)? {
                found |= repeats(reader)?;
                keys.push(key);
            }
            keys.sort_unstable();
            found |= keys.windows(2).any(|pair| pair[0] == pair[1]);
        }
        _ => {
            reader.raw()?;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
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
        ] {
            let found: Vec<_> = repeated_keys(json)
                .iter()
                .map(ToString::to_string)
                .collect();
            assert_eq!(found.join(","), wanted, "{json}");
        }
    }
}
