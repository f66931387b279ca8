//! JSON texts that are written at once.

use rightcall::value::JsonWriter;

use crate::node::Node;

/// The text of an object, whose members `write` writes.
pub(crate) fn object(write: impl FnOnce(&mut JsonWriter)) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_object();
    write(&mut writer);
    writer.end_object();
    writer.finish().into_string()
}

/// The text of a list, whose items `write` writes.
pub(crate) fn list(write: impl FnOnce(&mut JsonWriter)) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_list();
    write(&mut writer);
    writer.end_list();
    writer.finish().into_string()
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
