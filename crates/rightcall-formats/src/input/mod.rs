//! Inputs of any size as blocks of records, in order, with bounded memory.
//!
//! JSON Lines are read block by block and never held as a whole. A document, a list of cases or a case written over several
//! lines, is held in memory up to a limit; its elements are located with the same reader that reads cases.

mod block;
mod document;
mod layout;
mod lines;
mod source;
#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;
use std::sync::Arc;

pub use block::{Block, Record};

use crate::{CaseError, Limits, OpenError, ReadError};
use document::Document;
use layout::Layout;
use lines::Lines;
use source::Source;

/// An opened input, which gives its records block by block.
#[derive(Debug)]
pub struct Input {
    name: Arc<str>,
    source: Source,
    limits: Limits,
    state: State,
    buffers: Vec<Vec<u8>>,
}

#[derive(Debug)]
enum State {
    Unread { head: Vec<u8> },
    Lines(Lines),
    Document(Document),
    Ended,
}

/// Buffers that are kept for blocks to come.
const MAX_BUFFERS: usize = 64;

impl Input {
    /// Opens a file, or standard input for `-`. Packed data (gzip, zstd) are unpacked, a byte order mark is skipped.
    ///
    /// # Errors
    /// The input is not there, is a directory, may not be read, or is damaged at its beginning.
    pub fn open(path: &Path, limits: Limits) -> Result<Self, OpenError> {
        let (source, head) = Source::open(path)?;
        let name = if path == Path::new("-") { "<stdin>".into() } else { path.to_string_lossy().into() };
        Ok(Self { name, source, limits, state: State::Unread { head }, buffers: Vec::new() })
    }

    /// The next records, of about this size together; `None` at the end. A longer record comes in a block of its own.
    ///
    /// # Errors
    /// The input cannot be read further. What is wrong with a single record is told by the record.
    pub fn next_block(&mut self, target_bytes: usize) -> Result<Option<Block>, ReadError> {
        let result = self.next(target_bytes);
        if !matches!(result, Ok(Some(_))) {
            self.state = State::Ended;
        }
        result
    }

    /// Gives back a block that is no longer needed, so that its memory is used again.
    pub fn recycle(&mut self, block: Block) {
        if self.buffers.len() < MAX_BUFFERS {
            self.buffers.extend(block.into_buffer());
        }
    }

    /// The name as the user gave it, `<stdin>` for standard input.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The size of the file, packed if it is packed; `None` for a stream.
    pub fn size_hint(&self) -> Option<u64> {
        self.source.size
    }

    /// How much of [`Input::size_hint`] has been read.
    pub fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    /// True if records can be found again in the file by their offsets.
    pub(crate) fn is_the_file_itself(&self) -> bool {
        self.source.is_the_file_itself()
    }

    fn next(&mut self, target: usize) -> Result<Option<Block>, ReadError> {
        if let State::Unread { head } = &mut self.state {
            let head = std::mem::take(head);
            self.state = self.begin(head)?;
        }
        match &mut self.state {
            State::Lines(lines) => {
                let buffer = self.buffers.pop().unwrap_or_default();
                let next = lines.next(&mut self.source, target, buffer);
                let line = lines.line;
                next.map_err(|error| self.unreadable(&error, Some(line)))
            }
            State::Document(document) => document.next(target).map_err(|(line, error)| error.at(&self.name, Some(line))),
            State::Unread { .. } | State::Ended => Ok(None),
        }
    }

    fn begin(&mut self, mut head: Vec<u8>) -> Result<State, ReadError> {
        let layout = layout::detect(&mut head, &mut self.source, self.limits.max_document);
        let (layout, failure) = match layout {
            Ok(layout) => (layout, None),
            // The lines before a failure are still good.
            Err(failure) => (Layout::Lines, Some(failure)),
        };
        let offset = self.source.skipped;
        if layout == Layout::Lines {
            let has_ended = failure.is_some();
            return Ok(State::Lines(Lines { rest: head, line: 1, offset, has_ended, failure, max_line: self.limits.max_line }));
        }
        let limit = self.limits.max_document;
        let missing = limit.saturating_add(1).saturating_sub(head.len());
        self.source.fill_to_end(&mut head, missing).map_err(|error| self.unreadable(&error, None))?;
        if head.len() > limit {
            let error = CaseError {
                pointer: String::new(),
                expected: format!("a document of at most {limit} bytes").into(),
                found: "a larger one".to_owned(),
                help: Some("write one case a line (JSON Lines), or raise --max-document".into()),
            };
            return Err(error.at(&self.name, None));
        }
        let text = String::from_utf8(head).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes();
            let line = memchr::memchr_iter(b'\n', &bytes[..good]).count() as u64 + 1;
            let error = CaseError {
                pointer: String::new(),
                expected: "UTF-8 text".into(),
                found: format!("the byte 0x{:02X} at byte {} of the file", bytes[good], offset + good as u64 + 1),
                help: Some("save the file as UTF-8".into()),
            };
            error.at(&self.name, Some(line))
        })?;
        Ok(State::Document(Document::new(text, offset, layout == Layout::List)))
    }

    #[cold]
    fn unreadable(&self, error: &io::Error, line: Option<u64>) -> ReadError {
        let error = CaseError {
            pointer: String::new(),
            expected: "more data".into(),
            found: format!("an error: {error}"),
            help: Some("is the file complete?".into()),
        };
        error.at(&self.name, line)
    }
}
