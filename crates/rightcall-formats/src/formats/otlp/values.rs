//! OTLP attributes. Their values name their own type.

use std::borrow::Cow;

use rightcall_core::value::{JsonWriter, Kind, MAX_DEPTH, Reader, Text};

use super::json::{Reads, items, node};
use crate::binary::text_of_base64;
use crate::json::written;
use crate::node::Node;
use crate::spans::{Attribute, Attributes};

pub(super) fn attributes<'a>(reader: &mut Reader<'a>) -> Reads<Attributes<'a>> {
    let mut attributes = Vec::with_capacity(USUAL);
    items(reader, &mut |reader| {
        let (mut key, mut value, mut other) = (None, None, None);
        if reader.peek()? != Kind::Object {
            // A string here has no key, but it may hold pairs or messages.
            let raw = reader.raw()?;
            let before = attributes.len();
            _ = Node::parse(raw, MAX_DEPTH).map(|node| pairs(&node, &mut attributes));
            if attributes.len() == before {
                attributes.push((Text::default(), Attribute::Json(raw.into())));
            }
            return Ok(());
        }
        let mut first = reader.enter_object()?;
        while let Some(member) = reader.next_key(&mut first)? {
            match member.as_bytes() {
                b"key" if reader.peek()? == Kind::String => key = Some(reader.string()?),
                b"value" => value = attribute(reader)?,
                // An incomplete attribute is read by its contents alone.
                _ => {
                    let mut ahead = reader.clone();
                    pairs(&node(&mut ahead)?, &mut attributes);
                    other = attribute(reader)?;
                }
            }
        }
        match (key, value) {
            (Some(key), Some(value)) => attributes.push((key, value)),
            (key, value) => attributes.extend(
                value
                    .filter(|_| key.is_none())
                    .or(other)
                    .map(|lost| (Text::default(), lost)),
            ),
        }
        Ok(())
    })?;
    Ok(attributes.into_iter().collect())
}

/// The attributes in a wrapped or stringified value.
fn pairs<'a>(value: &Node<'_>, attributes: &mut Vec<(Text<'a>, Attribute<'a>)>) {
    value.each_item(&mut |item| {
        let key = item.get("key").and_then(Node::text);
        let value = item.get("value").map(any_value).map(Attribute::into_owned);
        match key.zip(value) {
            Some((key, value)) => attributes.push((key.clone().into_owned(), value)),
            None => item
                .entries()
                .iter()
                .for_each(|(_, inner)| pairs(inner, attributes)),
        }
    });
}

/// The usual number of attributes of a model span.
const USUAL: usize = 12;

/// The value of an attribute, most often a string; `None` if missing.
fn attribute<'a>(reader: &mut Reader<'a>) -> Reads<Option<Attribute<'a>>> {
    let mut ahead = reader.clone();
    if ahead.peek()? == Kind::Object {
        let mut first = ahead.enter_object()?;
        if let Some(key) = ahead.next_key(&mut first)?
            && ahead.peek()? == Kind::String
        {
            let plain = match key.as_bytes() {
                b"stringValue" | b"string_value" => Some(Attribute::Text(ahead.string()?)),
                // 64-bit integers are written as strings.
                b"intValue" | b"int_value" => ahead
                    .raw()?
                    .get(1..)
                    .and_then(|text| text.strip_suffix('"'))
                    .and_then(plain_integer),
                _ => None,
            };
            if plain.is_some() && ahead.next_key(&mut first)?.is_none() {
                *reader = ahead;
                return Ok(plain);
            }
        }
    }
    let value = node(reader)?;
    let is_there = value.text().is_some() || value.is_list() || !value.entries().is_empty();
    Ok(is_there.then(|| any_value(&value)))
}

/// A string in place of an OTLP value: some exporters write bare values, or their JSON as text.
fn plain<'a>(value: &Node<'a>, text: &Text<'a>) -> Attribute<'a> {
    let mut inner = None;
    value.each_item(&mut |item| {
        let is_value = item.is_object() && is_any_value(item);
        inner = is_value.then(|| any_value(item).into_owned());
    });
    inner.unwrap_or_else(|| Attribute::Text(text.clone()))
}

fn is_any_value(node: &Node<'_>) -> bool {
    node.entries()
        .iter()
        .any(|(key, _)| key.as_bytes().ends_with(b"Value") || key.as_bytes().ends_with(b"_value"))
}

/// An integer, if its text is already canonical.
fn plain_integer(text: &str) -> Option<Attribute<'_>> {
    let is_plain = matches!(text.as_bytes(), [b'1'..=b'9', rest @ ..] if rest.len() < 18 && rest.iter().all(u8::is_ascii_digit));
    is_plain.then_some(Attribute::Json(Cow::Borrowed(text)))
}

pub(super) fn attributes_of<'a>(node: &Node<'a>) -> Attributes<'a> {
    let entry = |entry: &Node<'a>| {
        let key = entry.get("key")?.text()?.clone();
        let value = entry
            .get("value")
            .filter(|value| !value.entries().is_empty())?;
        Some((key, any_value(value)))
    };
    node.list("attributes").iter().filter_map(entry).collect()
}

/// A typed OTLP value, as text or plain JSON.
pub(super) fn any_value<'a>(value: &Node<'a>) -> Attribute<'a> {
    if let Some(text) = value
        .any(&["stringValue", "string_value"])
        .and_then(Node::text)
    {
        return Attribute::Text(text.clone());
    }
    if let Some(text) = value.text() {
        return plain(value, text);
    }
    let bytes = value
        .any(&["bytesValue", "bytes_value"])
        .and_then(Node::str);
    if let Some(text) = bytes.and_then(text_of_base64) {
        return Attribute::Text(Text::from(text));
    }
    // A value may be wrapped in a list or in another object.
    match (value.items(), value.entries()) {
        ([only], _) => any_value(only),
        (_, [(_, inner)]) if inner.is_object() && !is_any_value(value) && is_any_value(inner) => {
            any_value(inner)
        }
        ([], [_] | []) => Attribute::Json(Cow::Owned(written(|writer| write(writer, value)))),
        ([], _) if is_any_value(value) => {
            Attribute::Json(Cow::Owned(written(|writer| write(writer, value))))
        }
        _ => Attribute::from_node(value),
    }
}

fn write(writer: &mut JsonWriter, value: &Node<'_>) {
    let Some((kind, inner)) = value.entries().iter().find(|(_, inner)| !inner.is_null()) else {
        writer.null();
        return;
    };
    match kind.as_str().unwrap_or_default() {
        // Values in an unknown form are kept verbatim.
        "arrayValue" | "array_value" | "kvlistValue" | "kvlist_value"
            if !inner.get("values").is_some_and(Node::is_list)
                && !inner.raw().trim_matches(['{', '}', ' ']).is_empty() =>
        {
            writer.raw(inner.raw());
        }
        "arrayValue" | "array_value" => {
            writer.begin_list();
            for item in inner.list("values") {
                write(writer, item);
            }
            writer.end_list();
        }
        "kvlistValue" | "kvlist_value" => {
            writer.begin_object();
            for entry in inner.list("values") {
                writer.key_text(&entry.text_at(&["key"]));
                match entry.get("value") {
                    Some(value) => write(writer, value),
                    None => _ = writer.null(),
                }
            }
            writer.end_object();
        }
        // 64-bit integers are written as strings.
        "intValue" | "int_value" => match inner.whole() {
            Some(number) => _ = writer.raw(&number.to_string()),
            None => _ = writer.raw(inner.raw()),
        },
        _ => match inner.text() {
            Some(text) => _ = writer.text(text),
            None => _ = writer.raw(inner.raw()),
        },
    }
}
