//! Values as YAML on one line.

use rightcall_core::value::{JsonText, JsonWriter, Value};

/// A value in YAML, on one line.
pub fn yaml_line(value: &Value<'_>) -> String {
    match value {
        Value::String(text) => yaml_text(&text.to_display()),
        Value::List(items) => {
            let items: Vec<_> = items.iter().map(yaml_line).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(object) => {
            let members = object.iter().map(|(key, value)| {
                let key = yaml_text(&key.to_display());
                format!("{key}: {}", yaml_line(value))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        other => JsonText::from_value(other).into_string(),
    }
}

/// A text in YAML: plain if every parser reads it as text, otherwise quoted.
pub fn yaml_text(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b' ');
    let starts_well = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_word = matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    if starts_well && !is_word && text.bytes().all(is_plain) && !text.ends_with(' ') {
        return text.to_owned();
    }
    let mut writer = JsonWriter::new();
    writer.str(text);
    writer.finish().into_string()
}
