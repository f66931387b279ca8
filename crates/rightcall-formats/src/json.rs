//! Writes JSON texts, with helpers for optional members.

use rightcall_core::value::python::parse_literal;
use rightcall_core::value::{JsonText, JsonWriter, MAX_DEPTH, Text, Value, on_one_line};

use crate::node::Node;

/// The text of a value written by `write`.
pub(crate) fn written(write: impl FnOnce(&mut JsonWriter)) -> String {
    let mut writer = JsonWriter::new();
    write(&mut writer);
    writer.finish().into_string()
}

/// The text of an object with members written by `write`.
pub(crate) fn object(write: impl FnOnce(&mut JsonWriter)) -> String {
    written(|writer| {
        writer.begin_object();
        write(writer);
        writer.end_object();
    })
}

/// The text of a list with items written by `write`.
pub(crate) fn list(write: impl FnOnce(&mut JsonWriter)) -> String {
    written(|writer| {
        writer.begin_list();
        write(writer);
        writer.end_list();
    })
}

/// A string as JSON text.
pub(crate) fn quoted(text: &str) -> String {
    written(|writer| _ = writer.str(text))
}

/// True if the text is a single JSON value.
pub(crate) fn is_whole(text: &str) -> bool {
    Node::parse(text, MAX_DEPTH).is_ok()
}

/// The text of an object without these members.
pub(crate) fn object_without(node: &Node<'_>, names: &[&str]) -> String {
    object(|writer| {
        for (key, value) in node.entries() {
            if !names.iter().any(|name| *key == **name) {
                writer.key_text(key).raw(value.raw());
            }
        }
    })
}

/// Writes an optional member from JSON text.
pub(crate) fn raw(writer: &mut JsonWriter, key: &str, json: Option<&str>) {
    if let Some(json) = json {
        writer.key(key).raw(json);
    }
}

/// Writes an optional text member.
pub(crate) fn text(writer: &mut JsonWriter, key: &str, text: Option<&Text<'_>>) {
    if let Some(text) = text {
        writer.key(key).text(text);
    }
}

/// [`object`] on one line.
pub(crate) fn object_line(write: impl FnOnce(&mut JsonWriter)) -> String {
    on_one_line(object(write))
}

/// A Python list or dict as JSON.
pub(crate) fn python_structure(text: &str) -> Option<String> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let value = parse_literal(&Text::new(text)).ok()?;
    let is_structure = matches!(value, Value::List(_) | Value::Object(_));
    is_structure.then(|| JsonText::from_value(&value).into_string())
}
