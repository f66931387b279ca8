//! The layout of records in an input: one a line, or in one document.

use std::io;

use rightcall_core::value::{Reader, Syntax};

use super::source::Source;

/// The layout of records in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Lines,
    List,
    /// Consecutive values over several lines.
    Values,
    /// Recognized by the file name only.
    Yaml,
}

/// The number of bytes of an input inspected first.
const HEAD: usize = 64 << 10;

/// An error this close to the end of a text may only result from the text being cut off.
const CUT: usize = 16;

/// Detects the layout from the beginning of an input. Reads as much as needed, up to a limit.
pub(super) fn detect(head: &mut Vec<u8>, source: &mut Source, limit: usize) -> io::Result<Layout> {
    let mut has_ended = false;
    if head.len() < HEAD {
        let missing = HEAD - head.len();
        // `fill` returns fewer bytes only at the end.
        has_ended = source.fill(head, missing)? < missing;
    }
    let Some(start) = head.iter().position(|byte| !byte.is_ascii_whitespace()) else {
        return Ok(Layout::Lines);
    };
    match head[start] {
        b'[' => return Ok(Layout::List),
        b'{' => {}
        _ => return Ok(Layout::Lines),
    }
    let Some(line) = memchr::memchr(b'\n', &head[start..]) else {
        return Ok(Layout::Lines);
    };
    match first_value(&head[start..start + line]) {
        Value::CutOff => {}
        Value::Several => return Ok(Layout::Values),
        Value::Whole | Value::Broken => return Ok(Layout::Lines),
    }
    // The first line begins an object without ending it. Find out if the line is broken or the object spans several lines.
    loop {
        match first_value(&head[start..]) {
            Value::Whole | Value::Several => return Ok(Layout::Values),
            Value::CutOff if !has_ended && head.len() <= limit => {
                let more = head.len();
                has_ended = source.fill(head, more)? < more;
            }
            Value::CutOff | Value::Broken => break,
        }
    }
    // The first line doesn't continue. If the next line begins an object, each line is a record, and the first one is broken.
    let next = head[start + line..]
        .iter()
        .find(|byte| !byte.is_ascii_whitespace());
    Ok(if matches!(next, None | Some(b'{')) {
        Layout::Lines
    } else {
        Layout::Values
    })
}

/// True if there are several values on the first line.
pub(super) fn begins_with_several(head: &[u8]) -> bool {
    let line = memchr::memchr(b'\n', head).map_or(head, |end| &head[..end]);
    first_value(line) == Value::Several
}

#[derive(PartialEq, Eq)]
enum Value {
    Whole,
    /// A whole value, directly followed by an object.
    Several,
    CutOff,
    Broken,
}

fn first_value(bytes: &[u8]) -> Value {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return Value::Broken,
    };
    let text = text.trim_end();
    let mut reader = Reader::new(text, Syntax::PYTHON);
    match reader.raw() {
        Ok(_)
            if text
                .get(reader.offset()..)
                .is_some_and(|rest| rest.trim_start().starts_with('{')) =>
        {
            Value::Several
        }
        Ok(_) => Value::Whole,
        Err(error) if error.offset + CUT >= text.len() => Value::CutOff,
        Err(_) => Value::Broken,
    }
}
