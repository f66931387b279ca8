//! The values in a request or reply body. Undoes what libraries do to it: wrappers, text, pieces, base64, compression.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use rightcall_core::value::Text;
use std::io::Read;

use super::event_stream;
use crate::event_line::message_payload;
use crate::node::Node;

/// Keys around a body: in the exchange, a library class, a cassette.
const WRAPPERS: &[&str] = &[
    "parsed_body",
    "body",
    "bodySegments",
    "__data__",
    "string",
    "base64_string",
    "chunks",
    "events",
    // Of WireMock.
    "base64Body",
    "bodyPatterns",
    "equalToJson",
];

/// Keys of the content in a body with a `kind` or an `encoding`.
const CONTENTS: &[&str] = &[
    "value",
    "chunks",
    "text",
    "data",
    "content",
    "body",
    "base64",
    "json",
    "jsonBody",
    "base64Body",
];

/// Values of a body's `kind`.
const KINDS: &[&str] = &[
    "json", "sse", "stream", "text", "string", "base64", "binary", "buffer", "hex",
];

/// The keys of the content of a message in a HAR file.
const HAR: &[&str] = &[
    "text",
    "size",
    "mimeType",
    "encoding",
    "compression",
    "params",
    "comment",
];

/// The maximum decompressed size of one body, in bytes.
const LIMIT: u64 = 64 << 20;

/// The result of `tell` on the values of a body; the default if there are none.
pub(super) fn of_body<T: Default>(
    body: Option<&Node<'_>>,
    max_depth: usize,
    mut tell: impl FnMut(&[&Node<'_>]) -> T,
) -> T {
    let mut told = T::default();
    if let Some(body) = body {
        with_body(body, max_depth, &mut |values, _| told = tell(values));
    }
    told
}

/// True for a text body without values: its encoding may be unknown.
pub(super) fn is_unreadable(body: &Node<'_>, max_depth: usize) -> bool {
    let is_read = of_body(Some(body), max_depth, |values| !values.is_empty());
    let content = content_of(body).unwrap_or(body);
    let has_text = |node: &Node<'_>| node.str().is_some_and(|text| !text.trim().is_empty());
    !is_read && (has_text(content) || content.items().iter().any(has_text))
}

/// The content of an object around a body.
fn content_of<'n, 'a>(node: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let kind = node.any(&["kind", "type"]).and_then(Node::str);
    let is_of_har = |(key, _): &(Text<'_>, Node<'_>)| HAR.iter().any(|it| *key == **it);
    let is_reply = node.has_any(&["status_code", "statusCode", "headers"])
        || node.whole_at("status").is_some();
    let is_described = node.has_any(&["encoding", "mimeType", "contentType"])
        || is_reply && !node.has("role")
        || node.has("text") && node.entries().iter().all(is_of_har)
        || kind.is_some_and(|kind| KINDS.iter().any(|it| kind.eq_ignore_ascii_case(it)));
    let described = is_described.then(|| node.any(CONTENTS)).flatten();
    described.or_else(|| node.any(WRAPPERS))
}

/// Receives the values of a body, and true if the data of some events of its stream is no JSON.
type ReadValues<'r> = dyn FnMut(&[&Node<'_>], bool) + 'r;

/// Passes the values of a body to `read`: the events of a stream (as list or text), messages, or a single value.
pub(super) fn with_body(node: &Node<'_>, depth: usize, read: &mut ReadValues<'_>) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    if let Some(inner) = content_of(node) {
        return with_body(inner, depth, read);
    }
    if let Some(text) = node.str() {
        return with_text(text, depth, read);
    }
    if node.is_list() {
        return with_list(node.items(), depth, read);
    }
    if node.is_object() {
        read(&[node], false);
    }
}

fn with_text(text: &str, depth: usize, read: &mut ReadValues<'_>) {
    if let Ok(whole) = Node::parse(text, depth)
        && (whole.is_object() || whole.is_list() || whole.str().is_some())
    {
        return with_body(&whole, depth, read);
    }
    let payloads = text
        .split('\n')
        .filter_map(|line| message_payload(line.trim_end()));
    let parsed = payloads.map(|(payload, is_data)| (Node::parse(payload, depth), is_data));
    let (mut values, mut is_broken) = (Vec::new(), false);
    for (value, is_data) in parsed {
        is_broken |= is_data && value.is_err();
        values.extend(value.ok().filter(Node::is_object));
    }
    if !values.is_empty() {
        return read(&values.iter().collect::<Vec<_>>(), is_broken);
    }
    if let Some(text) = decoded(&[text]) {
        with_text(&text, depth.saturating_sub(1), read);
    }
}

fn with_list(items: &[Node<'_>], depth: usize, read: &mut ReadValues<'_>) {
    // Pieces of a text, split anywhere.
    let texts: Option<Vec<&str>> = items.iter().map(Node::str).collect();
    if let Some(texts) = texts.filter(|texts| !texts.is_empty()) {
        let mut is_read = false;
        let are_events = texts.iter().all(|text| begins_event(text));
        let joined = [texts.concat(), texts.join("\n")];
        for joined in &joined[usize::from(are_events)..] {
            if is_read {
                return;
            }
            with_text(joined, depth, &mut |values, is_broken| {
                is_read = true;
                read(values, is_broken);
            });
        }
        if let Some(text) = decoded(&texts).filter(|_| !is_read) {
            with_text(&text, depth, read);
        }
        return;
    }
    let bytes: Option<Vec<u8>> = items
        .iter()
        .map(|it| u8::try_from(it.whole()?).ok())
        .collect();
    if let Some(text) = bytes.filter(|bytes| bytes.len() > 1).and_then(text_of) {
        return with_text(&text, depth, read);
    }
    // Events and pieces with metadata.
    let inner: Vec<_> = items
        .iter()
        .map(|item| piece_of(item).unwrap_or(item))
        .collect();
    let texts: Option<Vec<&str>> = inner.iter().map(|item| item.str()).collect();
    match texts.filter(|texts| !texts.is_empty()) {
        Some(texts) => with_text(&texts.join("\n"), depth, read),
        None => read(&inner, false),
    }
}

/// True for a piece that begins with a field of an event, so that it is not the middle of one.
fn begins_event(piece: &str) -> bool {
    let fields = ["event:", "data:", "id:", "retry:", ":"];
    fields.iter().any(|field| piece.starts_with(field))
}

/// The data of an event, or the piece inside an object.
fn piece_of<'n, 'a>(item: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let is_value = item.has_any(&["type", "role", "choices", "candidates"]);
    let data = item.get("data").or_else(|| item.any(&["chunk", "text"]));
    content_of(item).or(data.filter(|_| !is_value))
}

/// Decodes pieces of hex digits or base64 as one text; `None` for other text.
fn decoded(pieces: &[&str]) -> Option<String> {
    let pieces: Vec<String> = pieces
        .iter()
        .map(|it| it.split_ascii_whitespace().collect())
        .collect();
    let bytes_by = |decode: fn(&str) -> Option<Vec<u8>>| {
        let bytes: Option<Vec<_>> = pieces.iter().map(|piece| decode(piece)).collect();
        bytes
            .map(|bytes| bytes.concat())
            .filter(|bytes| bytes.len() > 1)
    };
    [hex, base64]
        .into_iter()
        .find_map(|decode| text_of(bytes_by(decode)?))
}

fn base64(text: &str) -> Option<Vec<u8>> {
    STANDARD
        .decode(text)
        .or_else(|_| STANDARD_NO_PAD.decode(text))
        .ok()
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let is_hex = text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    is_hex.then(|| (0..text.len()).step_by(2).map(byte).collect())?
}

/// Converts bytes to text: decompressed, or decoded from event frames.
fn text_of(bytes: Vec<u8>) -> Option<String> {
    let bytes = match bytes[..] {
        [0x1F, 0x8B, ..] => unpacked(flate2::read::MultiGzDecoder::new(&bytes[..]))?,
        [0x78, 0x01 | 0x5E | 0x9C | 0xDA, ..] => {
            unpacked(flate2::read::ZlibDecoder::new(&bytes[..]))?
        }
        _ => bytes,
    };
    event_stream::lines(&bytes).or_else(|| String::from_utf8(bytes).ok())
}

fn unpacked(decoder: impl Read) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    decoder.take(LIMIT).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
