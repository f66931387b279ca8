//! Rewrites a file with the changes that a person accepted. All other bytes stay unchanged.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::Path;

use rightcall_core::value::{Syntax, decode_with};
use rightcall_formats::{Limits, read_bytes};

use super::written::ExpectationChange;
use crate::{OutputFile, text_hash};

/// Why a file of expectations could not be rewritten.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RewriteError {
    /// It changed since it was read.
    #[error("line {0} is another one than before")]
    Changed(u64),
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Rewrites the lines of the changes with these numbers. Other bytes stay unchanged; the file is
/// replaced atomically.
///
/// # Errors
/// The file has changed since it was compared, or cannot be read or written. It is left unchanged.
pub fn rewrite(
    path: &Path,
    changes: &[ExpectationChange],
    accepted: &BTreeSet<usize>,
    originals: &OriginalFile,
) -> Result<(), RewriteError> {
    let bytes = read_bytes(path, originals.limits.max_document)?;
    // The line numbers of the changes refer to the file as it was compared.
    if bytes != originals.bytes {
        let before = originals.bytes.split(|byte| *byte == b'\n');
        let line = bytes
            .split(|byte| *byte == b'\n')
            .zip(before)
            .position(|(now, then)| now != then);
        return Err(RewriteError::Changed(line.unwrap_or_default() as u64 + 1));
    }
    let mut output = OutputFile::replacing(path)?;
    let change_of = |line: u64| {
        let mut changes = accepted.iter().map(|&it| &changes[it]);
        changes.find(|change| change.line == Some(line))
    };
    for (number, line) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        if let Some(change) = change_of(number) {
            let (head, _, tail) = split_line(line);
            output.write_all(&[head, change.text.as_bytes(), tail].concat())?;
        } else {
            output.write_all(line)?;
        }
    }
    let new: Vec<_> = accepted
        .iter()
        .map(|&it| &changes[it])
        .filter(|change| change.line.is_none())
        .collect();
    // Without a final line end, the new lines would continue the last one.
    if !new.is_empty() && !bytes.is_empty() && !bytes.ends_with(b"\n") {
        output.write_all(b"\n")?;
    }
    for change in new {
        output.write_all(change.text.as_bytes())?;
        output.write_all(b"\n")?;
    }
    output.commit()?;
    Ok(())
}

const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// The bytes before the object of a line, the object, and the bytes after it.
fn split_line(line: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let from = line
        .iter()
        .position(|&byte| byte == b'{')
        .unwrap_or(line.len());
    let to = line
        .iter()
        .rposition(|&byte| byte == b'}')
        .map_or(from, |at| at + 1)
        .max(from);
    (&line[..from], &line[from..to], &line[to..])
}

/// The bytes of a file at the time of the comparison.
#[derive(Debug)]
pub struct OriginalFile {
    bytes: Vec<u8>,
    limits: Limits,
}

impl OriginalFile {
    /// Reads the file.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(path: &Path, limits: Limits) -> io::Result<Self> {
        Ok(Self {
            bytes: read_bytes(path, limits.max_document)?,
            limits,
        })
    }

    /// A hash of its bytes.
    pub fn hash(&self) -> String {
        text_hash(&String::from_utf8_lossy(&self.bytes))
    }

    /// The object on a line, counted from 1; `None` if it is not text.
    pub fn object(&self, line: u64) -> Option<&str> {
        let place = usize::try_from(line).ok()?.checked_sub(1)?;
        let line = self.bytes.split(|byte| *byte == b'\n').nth(place)?;
        std::str::from_utf8(split_line(line).1).ok()
    }

    /// True if each of these changes is on a line with one complete object, so it can be replaced.
    pub fn hold(&self, changes: &[ExpectationChange]) -> bool {
        let lines: Vec<_> = self.bytes.split(|byte| *byte == b'\n').collect();
        let syntax = Syntax {
            max_depth: self.limits.max_depth,
            ..Syntax::PYTHON
        };
        let is_blank = |bytes: &[u8]| {
            let is_blank = |byte: &u8| byte.is_ascii_whitespace() || BYTE_ORDER_MARK.contains(byte);
            bytes.iter().all(is_blank)
        };
        let whole = |line: u64| {
            let line = usize::try_from(line).ok().and_then(|it| it.checked_sub(1));
            let Some(line) = line.and_then(|line| lines.get(line)) else {
                return false;
            };
            let (head, object, tail) = split_line(line);
            let object = std::str::from_utf8(object);
            is_blank(head)
                && is_blank(tail)
                && object.is_ok_and(|text| decode_with(text, syntax).is_ok())
        };
        changes.iter().filter_map(|change| change.line).all(whole)
    }
}
