//! AWS event streams: each event is a frame with headers, a payload and checksums.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::json::quoted;
use crate::node::Node;

/// The events of a stream as JSON texts, one a line; `None` for bytes that aren't frames.
///
/// Converse names its events in a header and has their content as the payload. `InvokeModel` wraps the bytes of the model's own events.
pub(super) fn lines(mut bytes: &[u8]) -> Option<String> {
    let mut lines = String::new();
    while !bytes.is_empty() {
        let (frame, rest) = frame(bytes)?;
        bytes = rest;
        let payload = std::str::from_utf8(frame.payload).ok()?;
        let node = Node::parse(payload, rightcall_core::value::MAX_DEPTH).ok()?;
        let inner = node.str_at("bytes").map(|text| STANDARD.decode(text));
        match (inner, frame.kind) {
            (Some(inner), _) => lines.push_str(&String::from_utf8(inner.ok()?).ok()?),
            (None, Some(kind)) => {
                lines.extend(["{", &quoted(kind), ":", payload, "}"]);
            }
            (None, None) => lines.push_str(payload),
        }
        lines.push('\n');
    }
    (!lines.is_empty()).then_some(lines)
}

struct Frame<'b> {
    kind: Option<&'b str>,
    payload: &'b [u8],
}

/// The lengths and the first checksum precede the headers; the second checksum follows the payload.
const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;

/// The first frame, and the remaining bytes.
fn frame(bytes: &[u8]) -> Option<(Frame<'_>, &[u8])> {
    let length = |at: usize| {
        let four = bytes.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(four)).ok()
    };
    let (total, headers) = (length(0)?, length(4)?);
    let payload = PRELUDE.checked_add(headers)?;
    let end = total.checked_sub(CHECKSUM)?;
    let rest = bytes.get(total..)?;
    let frame = Frame {
        kind: kind(bytes.get(PRELUDE..payload)?),
        payload: bytes.get(payload..end)?,
    };
    Some((frame, rest))
}

/// The event name from its header.
fn kind(mut headers: &[u8]) -> Option<&str> {
    while let Some((&length, rest)) = headers.split_first() {
        let (name, rest) = rest.split_at_checked(usize::from(length))?;
        let (&of_type, rest) = rest.split_first()?;
        // Type 7 is a string; events have no other headers.
        if of_type != 7 {
            return None;
        }
        let (size, rest) = rest.split_first_chunk::<2>()?;
        let (value, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*size)))?;
        if name == b":event-type" {
            return std::str::from_utf8(value).ok();
        }
        headers = rest;
    }
    None
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A frame with an event of this kind, without checksums.
    pub(in super::super) fn framed(kind: &str, payload: &str) -> Vec<u8> {
        let header = |name: &str, value: &str| {
            let mut bytes = vec![u8::try_from(name.len()).unwrap()];
            bytes.extend(name.as_bytes());
            bytes.push(7);
            bytes.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
            bytes.extend(value.as_bytes());
            bytes
        };
        let headers = [
            header(":message-type", "event"),
            header(":event-type", kind),
        ]
        .concat();
        let total = PRELUDE + headers.len() + payload.len() + CHECKSUM;
        let mut bytes = u32::try_from(total).unwrap().to_be_bytes().to_vec();
        bytes.extend(u32::try_from(headers.len()).unwrap().to_be_bytes());
        bytes.extend([0; 4]);
        bytes.extend(headers);
        bytes.extend(payload.as_bytes());
        bytes.extend([0; CHECKSUM]);
        bytes
    }

    #[test]
    fn frames_are_events_and_other_bytes_are_none() {
        let bytes = [
            framed("messageStart", r#"{"role":"assistant"}"#),
            framed(
                "chunk",
                &format!(r#"{{"bytes":"{}"}}"#, STANDARD.encode(r#"{"a":1}"#)),
            ),
        ]
        .concat();
        assert_eq!(
            lines(&bytes).as_deref(),
            Some("{\"messageStart\":{\"role\":\"assistant\"}}\n{\"a\":1}\n")
        );
        assert_eq!(lines(b"{\"a\": [1, 2, 3, 4]}"), None);
        assert_eq!(lines(&bytes[..bytes.len() - 1]), None);
        assert_eq!(lines(b""), None);
    }
}
