//! JSON texts that are written at once, and members that may be missing.

use rightcall::value::python::parse_literal;
use rightcall::value::{JsonText, JsonWriter, MAX_DEPTH, Text, Value, on_one_line};

use crate::node::Node;

/// The text of a value that `write` writes.
pub(crate) fn written(write: impl FnOnce(&mut JsonWriter)) -> String {
    let mut writer = JsonWriter::new();
    write(&mut writer);
    writer.finish().into_string()
}

/// The text of an object, whose members `write` writes.
pub(crate) fn object(write: impl FnOnce(&mut JsonWriter)) -> String {
    written(|writer| {
        writer.begin_object();
        write(writer);
        writer.end_object();
    })
}

/// The text of a list, whose items `write` writes.
pub(crate) fn list(write: impl FnOnce(&mut JsonWriter)) -> String {
    written(|writer| {
        writer.begin_list();
        write(writer);
        writer.end_list();
    })
}

/// A text as JSON text.
pub(crate) fn quoted(text: &str) -> String {
    written(|writer| _ = writer.str(text))
}

/// True for a text that is one JSON value.
pub(crate) fn is_whole(text: &str) -> bool {
    Node::parse(text, MAX_DEPTH).is_ok()
}

/// The text of an object without the members of these names.
pub(crate) fn object_without(node: &Node<'_>, names: &[&str]) -> String {
    object(|writer| {
        for (key, value) in node.entries() {
            if !names.iter().any(|name| *key == **name) {
                writer.key_text(key).raw(value.raw());
            }
        }
    })
}

/// Writes a member that is a JSON text, where there is one.
pub(crate) fn raw(writer: &mut JsonWriter, key: &str, json: Option<&str>) {
    if let Some(json) = json {
        writer.key(key).raw(json);
    }
}

/// Writes a member that is a text, where there is one.
pub(crate) fn text(writer: &mut JsonWriter, key: &str, text: Option<&Text<'_>>) {
    if let Some(text) = text {
        writer.key(key).text(text);
    }
}

/// [`object`] on one line.
pub(crate) fn object_line(write: impl FnOnce(&mut JsonWriter)) -> String {
    on_one_line(object(write))
}

/// A list or a dict as Python prints it, as JSON.
pub(crate) fn python_structure(text: &str) -> Option<String> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let value = parse_literal(&Text::new(text)).ok()?;
    let is_structure = matches!(value, Value::List(_) | Value::Object(_));
    is_structure.then(|| JsonText::from_value(&value).into_string())
}
