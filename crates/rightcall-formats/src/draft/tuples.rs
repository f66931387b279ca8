//! Lists of lists of one length, such as `[["2026-03-01", {"tool": …}], …]`: the place in a list says what a value is.

use std::borrow::Cow;

use rightcall_core::value::MAX_DEPTH;

use crate::json;
use crate::node::Node;

/// Longer lists hold values of one kind.
const LONGEST: usize = 16;

/// A value with each such list as an object with the keys `[0]`, `[1]` and so on, which are paths to its items too.
pub(super) fn opened(text: &str) -> Cow<'_, str> {
    let Ok(node) = Node::parse(text, MAX_DEPTH) else {
        return Cow::Borrowed(text);
    };
    if !has_tuples(&node) {
        return Cow::Borrowed(text);
    }
    let mut written = String::new();
    write(&node, &mut written);
    Cow::Owned(written)
}

/// True for a list of lists of one length.
fn holds_tuples(node: &Node<'_>) -> bool {
    let items = node.items();
    let length = items.first().map_or(0, |item| item.items().len());
    let is_one = |item: &Node<'_>| item.is_list() && item.items().len() == length;
    let has_object = || items.iter().flat_map(Node::items).any(may_hold_call);
    (1..=LONGEST).contains(&length) && items.iter().all(is_one) && has_object()
}

/// True for an object, also one in a text.
fn may_hold_call(node: &Node<'_>) -> bool {
    node.is_object() || node.str().is_some_and(|text| text.starts_with('{'))
}

fn has_tuples(node: &Node<'_>) -> bool {
    let mut values = node.entries().iter().map(|(_, value)| value);
    holds_tuples(node) || node.items().iter().any(has_tuples) || values.any(has_tuples)
}

fn write(node: &Node<'_>, text: &mut String) {
    let is_of_tuples = holds_tuples(node);
    if node.is_object() {
        let entries = node.entries().iter();
        let entries = entries.map(|(key, value)| (Some(key.to_display().into_owned()), value));
        members(['{', '}'], entries, text);
    } else if is_of_tuples {
        text.push('[');
        for (number, tuple) in node.items().iter().enumerate() {
            text.push_str(if number > 0 { "," } else { "" });
            let items = tuple.items().iter().enumerate();
            let items = items.map(|(place, item)| (Some(format!("[{place}]")), item));
            members(['{', '}'], items, text);
        }
        text.push(']');
    } else if node.is_list() {
        members(
            ['[', ']'],
            node.items().iter().map(|item| (None, item)),
            text,
        );
    } else {
        text.push_str(node.raw());
    }
}

/// Writes the members of an object, or the items of a list, which have no keys.
fn members<'m, 'n: 'm>(
    [open, close]: [char; 2],
    members: impl Iterator<Item = (Option<String>, &'m Node<'n>)>,
    text: &mut String,
) {
    text.push(open);
    for (number, (key, value)) in members.enumerate() {
        text.push_str(if number > 0 { "," } else { "" });
        if let Some(key) = key {
            text.push_str(&json::quoted(&key));
            text.push(':');
        }
        write(value, text);
    }
    text.push(close);
}

/// True for a key that [`opened`] makes.
pub(super) fn is_place(key: &str) -> bool {
    let number = key.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    number.is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()))
}

/// The path to the lists and the place in them, if a path leads to this place of lists of one length.
pub(super) fn split(path: &str) -> (&str, Option<&str>) {
    let (before, last) = path.rsplit_once('.').unwrap_or(("", path));
    if is_place(last) {
        (before, Some(last))
    } else {
        (path, None)
    }
}
