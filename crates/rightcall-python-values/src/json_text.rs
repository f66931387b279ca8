//! Python's `json.dumps` with sorted keys: several published metrics compare this text.

use crate::repr::str;
use crate::text::{Text, TextBuilder};
use crate::value::{PythonValue, Value};

/// The text of Python's `json.dumps(value, sort_keys=True)`. Python values that JSON lacks become the string of their `str`.
pub fn json_text(value: &Value<'_>) -> Text<'static> {
    let mut out = TextBuilder::default();
    push_json(value, &mut out);
    out.finish()
}

fn push_json(value: &Value<'_>, out: &mut TextBuilder) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Float(float) if float.is_nan() => out.push_str("NaN"),
        Value::Float(float) if float.is_infinite() => {
            out.push_str(if *float > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            });
        }
        Value::Integer(_) | Value::Float(_) => out.push_text(&str(value)),
        Value::String(text) => push_string(text, out),
        Value::List(items) => push_items(items, out),
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by(|(one, _), (other, _)| one.code_points().cmp(other.code_points()));
            out.push_str("{");
            for (at, (key, value)) in entries.into_iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                push_string(key, out);
                out.push_str(": ");
                push_json(value, out);
            }
            out.push_str("}");
        }
        Value::Python(python) => match &**python {
            PythonValue::Tuple(items) => push_items(items, out),
            _ => push_string(&str(value), out),
        },
    }
}

fn push_items(items: &[Value<'_>], out: &mut TextBuilder) {
    out.push_str("[");
    for (at, item) in items.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        push_json(item, out);
    }
    out.push_str("]");
}

/// Writes a string with all non-ASCII characters escaped.
fn push_string(text: &Text<'_>, out: &mut TextBuilder) {
    out.push_str("\"");
    for point in text.code_points() {
        match point {
            0x22 => out.push_str("\\\""),
            0x5C => out.push_str("\\\\"),
            0x0A => out.push_str("\\n"),
            0x0D => out.push_str("\\r"),
            0x09 => out.push_str("\\t"),
            0x0C => out.push_str("\\f"),
            0x08 => out.push_str("\\b"),
            0x20..=0x7E => out.push(point),
            0x1_0000.. => {
                let above = point - 0x1_0000;
                let (high, low) = (0xD800 + (above >> 10), 0xDC00 + (above & 0x3FF));
                out.push_str(&format!("\\u{high:04x}\\u{low:04x}"));
            }
            _ => out.push_str(&format!("\\u{point:04x}")),
        }
    }
    out.push_str("\"");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Integer, Object};

    #[test]
    fn values_are_written_as_in_python() {
        let text = |text: &'static str| Value::String(Text::new(text));
        let object = Object::new(vec![
            (Text::new("é"), Value::Null),
            (
                Text::new("b"),
                Value::List(vec![Value::Bool(true), Value::Float(1.0)]),
            ),
            (Text::new("a"), Value::Object(Object::default())),
        ]);
        for (value, written) in [
            (Value::Integer(Integer::Small(-7)), "-7"),
            (Value::Float(-0.0), "-0.0"),
            (Value::Float(1e22), "1e+22"),
            (Value::Float(f64::NAN), "NaN"),
            (Value::Float(f64::NEG_INFINITY), "-Infinity"),
            (text("a\"\\\n\u{7f}/"), r#""a\"\\\n\u007f/""#),
            (text("é🙂"), r#""\u00e9\ud83d\ude42""#),
            (
                Value::Object(object),
                r#"{"a": {}, "b": [true, 1.0], "\u00e9": null}"#,
            ),
            (Value::List(Vec::new()), "[]"),
        ] {
            assert_eq!(json_text(&value), *written);
        }
    }
}
