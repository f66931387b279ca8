//! Inputs that are one JSON text: a list of cases, or cases in several lines.

use std::ops::Range;
use std::sync::Arc;

use rightcall_core::value::{Reader, Syntax};

use super::block::{Block, Content};
use crate::error::CaseError;
use crate::place::LinePlace;

/// A document in memory, and the read position.
#[derive(Debug)]
pub(super) struct Document {
    text: Arc<String>,
    offset: u64,
    at: usize,
    line: u64,
    /// The place of the element before.
    place: LinePlace,
    is_list: bool,
    stage: Stage,
    /// An error to report after the elements before it, with its line.
    failure: Option<(u64, CaseError)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Stage {
    Start,
    Between,
    End,
}

impl Document {
    pub(super) fn new(text: String, offset: u64, is_list: bool) -> Self {
        Self {
            text: Arc::new(text),
            offset,
            at: 0,
            line: 1,
            place: LinePlace::default(),
            is_list,
            stage: Stage::Start,
            failure: None,
        }
    }

    /// The next elements, about `target` bytes in total; `None` at the end. Errors come with their line.
    pub(super) fn next(&mut self, target: usize) -> Result<Option<Block>, (u64, CaseError)> {
        let mut parts = Vec::new();
        let mut size = 0;
        while self.stage != Stage::End && size < target.max(1) {
            let found = self.element();
            match found {
                Ok(Some(range)) => {
                    size += range.len();
                    parts.push((range, self.place));
                }
                Ok(None) => self.stage = Stage::End,
                Err(error) => {
                    self.stage = Stage::End;
                    self.failure = Some((self.line, error));
                }
            }
        }
        if parts.is_empty() {
            return self.failure.take().map_or(Ok(None), Err);
        }
        Ok(Some(Block::new(Content::Elements {
            document: Arc::clone(&self.text),
            offset: self.offset,
            parts,
        })))
    }

    /// The range of the next element; moves the place to it.
    fn element(&mut self) -> Result<Option<Range<usize>>, CaseError> {
        let text = Arc::clone(&self.text);
        let mut at = self.skip_white_space(self.at);
        if self.is_list {
            let byte = text.as_bytes().get(at);
            match (byte, &self.stage) {
                (Some(b'['), Stage::Start) | (Some(b','), Stage::Between) => {
                    at = self.skip_white_space(at + 1);
                    if self.stage == Stage::Start && text.as_bytes().get(at) == Some(&b']') {
                        return self.end(at + 1);
                    }
                }
                (Some(b']'), Stage::Between) => return self.end(at + 1),
                _ => return Err(self.unexpected(at, "`,` or `]` after a case")),
            }
        } else if at == text.len() {
            return Ok(None);
        }
        let mut reader = Reader::new(&text[at..], Syntax::PYTHON);
        let length = match reader.raw() {
            Ok(raw) => raw.len(),
            Err(error) => {
                let mut found = self.unexpected(at + error.offset, error.expected);
                if error.expected == "less nesting" {
                    found.found.clone_from(&error.found);
                }
                return Err(found);
            }
        };
        self.line += lines(&text[self.at..at]);
        self.place.move_to(self.line);
        self.line += lines(&text[at..at + length]);
        self.at = at + length;
        self.stage = Stage::Between;
        Ok(Some(at..at + length))
    }

    fn end(&mut self, at: usize) -> Result<Option<Range<usize>>, CaseError> {
        let end = self.skip_white_space(at);
        if end == self.text.len() {
            Ok(None)
        } else {
            Err(self.unexpected(end, "the end of the file after the list"))
        }
    }

    fn skip_white_space(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default().bytes();
        at + rest
            .take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'))
            .count()
    }

    /// An error at this offset; moves the line to it.
    #[cold]
    fn unexpected(&mut self, at: usize, expected: &'static str) -> CaseError {
        let from = self.at.min(at);
        let found = match self.text.get(at..).and_then(|rest| rest.chars().next()) {
            None => "the end of the file".to_owned(),
            Some(character) if character.is_control() => format!("U+{:04X}", u32::from(character)),
            Some(character) => format!("`{character}`"),
        };
        let passed = self.text.get(from..at).unwrap_or_default();
        self.line += lines(passed);
        self.at = at;
        let column = self
            .text
            .get(..at)
            .unwrap_or_default()
            .chars()
            .rev()
            .take_while(|&character| character != '\n')
            .count()
            + 1;
        CaseError::new(expected, format!("{found} at column {column}"))
            .help("the file is read as one JSON document, and nothing after this place can be read")
    }
}

/// The consecutive values of a text, up to the first invalid one.
pub(super) fn values(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut reader = Reader::new(rest, Syntax::PYTHON);
        let value = reader.raw().ok()?;
        rest = rest.get(reader.offset()..)?;
        Some(value)
    })
}

fn lines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}
