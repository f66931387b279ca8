//! OpenTelemetry export requests in protobuf: a single message, or length-prefixed messages as written by collectors.
//!
//! They are converted to equivalent JSON, one resource a line, so that the OTLP reader needs to support one form only. Only fields that
//! it reads are declared here; all others are skipped.

mod messages;

use std::io::{self, Cursor, Read};

use prost::encoding::{self, DecodeContext, WireType};
use rightcall_core::value::JsonWriter;

use super::unpacked::unpacked;
use super::whole::to_end;
use messages::{LogMessage, RecordMessage, SpanMessage};

/// The framing of messages in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// A single message, up to the end.
    One,
    /// Each message has a big-endian length of four bytes before it, and may be compressed on its own.
    Lengths,
}

/// The number of bytes used to distinguish protobuf from text.
pub(super) const HEAD: usize = 4096;

const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

/// The key of field 1 with a length: a request is a list of these.
const RESOURCE: u8 = 0x0A;

/// True if more bytes are needed to decide; JSON could only have a line break here.
pub(super) fn may_begin_with(head: &[u8]) -> bool {
    head.first()
        .is_some_and(|&byte| byte <= 8 || byte == RESOURCE)
}

/// The framing of a file with this beginning; `None` for text.
pub(super) fn framing(head: &[u8]) -> Option<Framing> {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..);
    match head {
        [RESOURCE, rest @ ..] if !rest.iter().all(is_text) => Some(Framing::One),
        [0..=8, _, _, _, RESOURCE, ..] => Some(Framing::Lengths),
        [0..=8, _, _, _, rest @ ..] if rest.starts_with(ZSTD) => Some(Framing::Lengths),
        _ => None,
    }
}

/// The JSON text of each resource.
pub(super) struct Requests<R> {
    reader: R,
    framing: Framing,
    message: Cursor<Vec<u8>>,
    /// The maximum length of a message, a resource and a line.
    most: usize,
}

impl<R: Read> Requests<R> {
    /// The resources of messages. Messages and resources may have at most `most` bytes, both as protobuf and as JSON.
    pub(super) fn new(reader: R, framing: Framing, most: usize) -> Self {
        Self {
            reader,
            framing,
            message: Cursor::default(),
            most,
        }
    }

    fn next_resource(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.framing == Framing::One {
            return next_resource(&mut self.reader, self.most);
        }
        loop {
            if let Some(resource) = next_resource(&mut self.message, self.most)? {
                return Ok(Some(resource));
            }
            let Some(first) = byte(&mut self.reader)? else {
                return Ok(None);
            };
            let rest = exactly(&mut self.reader, 3, self.most)?;
            let length = u32::from_be_bytes([first, rest[0], rest[1], rest[2]]);
            let mut message = exactly(&mut self.reader, u64::from(length), self.most)?;
            if message.starts_with(ZSTD) {
                let unpacked = to_end(unpacked(&message[..])?, self.most)?;
                message = unpacked.ok_or_else(|| too_long(self.most))?;
            }
            self.message = Cursor::new(message);
        }
    }
}

impl<R: Read> Iterator for Requests<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        let resource = self.next_resource().transpose()?;
        Some(resource.and_then(|resource| json(&resource, self.most)))
    }
}

/// The bytes of the next resource in a request; `None` at its end.
fn next_resource(reader: &mut impl Read, most: usize) -> io::Result<Option<Vec<u8>>> {
    while let Some(first) = byte(reader)? {
        let key = varint(reader, first)?;
        match (key >> 3, key & 7) {
            (1, 2) => {
                let length = next_varint(reader)?;
                return exactly(reader, length, most).map(Some);
            }
            (_, 0) => _ = next_varint(reader)?,
            (_, 1) => _ = exactly(reader, 8, most)?,
            (_, 2) => {
                let length = next_varint(reader)?;
                exactly(reader, length, most)?;
            }
            (_, 5) => _ = exactly(reader, 4, most)?,
            _ => return Err(invalid(&format!("no field of a message begins with {key}"))),
        }
    }
    Ok(None)
}

fn byte(reader: &mut impl Read) -> io::Result<Option<u8>> {
    let mut byte = [0];
    match reader.read_exact(&mut byte) {
        Ok(()) => Ok(Some(byte[0])),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

fn next_varint(reader: &mut impl Read) -> io::Result<u64> {
    let first = byte(reader)?.ok_or_else(cut_off)?;
    varint(reader, first)
}

fn varint(reader: &mut impl Read, first: u8) -> io::Result<u64> {
    let (mut value, mut last, mut shift) = (u64::from(first & 0x7F), first, 7);
    while last & 0x80 != 0 {
        last = byte(reader)?.ok_or_else(cut_off)?;
        if shift > 63 {
            return Err(invalid("a number of more than 64 bits"));
        }
        value |= u64::from(last & 0x7F) << shift;
        shift += 7;
    }
    Ok(value)
}

/// Reads `length` bytes, at most `most`. Memory grows with the data, not with the claimed length.
fn exactly(reader: &mut impl Read, length: u64, most: usize) -> io::Result<Vec<u8>> {
    if length > most as u64 {
        return Err(too_long(most));
    }
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length {
        Ok(bytes)
    } else {
        Err(cut_off())
    }
}

#[cold]
fn too_long(most: usize) -> io::Error {
    invalid(&format!(
        "a message or resource takes more than {most} bytes; --max-line allows more"
    ))
}

fn cut_off() -> io::Error {
    io::Error::new(
        io::ErrorKind::UnexpectedEof,
        "a message of protobuf ends too early",
    )
}

fn invalid(found: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("protobuf of OpenTelemetry was expected: {found}"),
    )
}

/// Converts a resource of spans, or else of log records: records of one kind never decode as the other.
fn json(resource: &[u8], most: usize) -> io::Result<Vec<u8>> {
    match json_of::<SpanMessage>(resource, most, ["resourceSpans", "scopeSpans", "spans"]) {
        Err(Unread::Other(error)) => {
            let logs =
                json_of::<LogMessage>(resource, most, ["resourceLogs", "scopeLogs", "logRecords"]);
            logs.map_err(|unread| {
                if let Unread::Other(_) = unread {
                    invalid(&error)
                } else {
                    too_long(most)
                }
            })
        }
        text => text.map_err(|_| too_long(most)),
    }
}

/// Why a resource is not readable.
enum Unread {
    TooLong,
    /// It isn't a resource with these records.
    Other(String),
}

/// A span may have a quarter of a line's length, since its attributes can take many times their size in memory.
const SPAN: usize = 4;

/// The JSON of a resource. Only one record is decoded at a time.
fn json_of<R: RecordMessage>(
    resource: &[u8],
    most: usize,
    [resources, scopes, records]: [&str; 3],
) -> Result<Vec<u8>, Unread> {
    let mut writer = JsonWriter::new();
    writer
        .begin_object()
        .key(resources)
        .begin_list()
        .begin_object()
        .key(scopes)
        .begin_list();
    for scope in Parts(resource) {
        writer.begin_object().key(records).begin_list();
        for record in Parts(scope?) {
            let record = record?;
            if record.len() > most / SPAN {
                return Err(Unread::TooLong);
            }
            R::decode(record)
                .map_err(|error| Unread::Other(error.to_string()))?
                .write(&mut writer);
            if writer.len() > most {
                return Err(Unread::TooLong);
            }
        }
        writer.end_list().end_object();
    }
    writer.end_list().end_object().end_list().end_object();
    Ok(writer.finish().as_str().as_bytes().to_vec())
}

/// The messages in field 2 of a message: the scopes of a resource, the records of a scope.
struct Parts<'b>(&'b [u8]);

impl<'b> Iterator for Parts<'b> {
    type Item = Result<&'b [u8], Unread>;

    fn next(&mut self) -> Option<Self::Item> {
        let part = self.part();
        if part.is_err() {
            self.0 = &[];
        }
        part.map_err(Unread::Other).transpose()
    }
}

impl<'b> Parts<'b> {
    fn part(&mut self) -> Result<Option<&'b [u8]>, String> {
        while !self.0.is_empty() {
            let told = |error: prost::DecodeError| error.to_string();
            let (tag, wire_type) = encoding::decode_key(&mut self.0).map_err(told)?;
            if (tag, wire_type) == (2, WireType::LengthDelimited) {
                let length = usize::try_from(encoding::decode_varint(&mut self.0).map_err(told)?)
                    .unwrap_or(usize::MAX);
                let Some((part, rest)) = self.0.split_at_checked(length) else {
                    return Err("a part ends too early".to_owned());
                };
                self.0 = rest;
                return Ok(Some(part));
            }
            encoding::skip_field(wire_type, tag, &mut self.0, DecodeContext::default())
                .map_err(told)?;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
