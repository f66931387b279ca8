//! Blocks of consecutive records, cheap to send from the reading thread to another.

use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex, PoisonError};

use rightcall_core::value::pointer::steps;
use rightcall_core::value::{Reader, Syntax};

use crate::divide::divided;
use crate::error::{CaseError, ReadError};
use crate::format::Format;
use crate::options::ReadOptions;
use crate::trace::{Report, Trace, TraceRecord};

/// Consecutive records of an input.
#[derive(Debug)]
pub struct Block {
    pub(super) content: Content,
    /// True if the records have the same offsets as in the file.
    pub(crate) is_in_place: bool,
    pub(super) format: Option<&'static Format>,
}

#[derive(Debug)]
pub(super) enum Content {
    /// Whole lines.
    Lines {
        bytes: Buffer,
        /// The number of the first line.
        line: u64,
        /// The offset of the first byte in the input.
        offset: u64,
        max_line: usize,
    },
    /// A line over the length limit, not stored.
    LongLine {
        line: u64,
        offset: u64,
        length: u64,
        max_line: usize,
    },
    /// Parts of a document.
    Elements {
        document: Arc<String>,
        /// The offset of the document in the input.
        offset: u64,
        /// The range within the document and the first line of each part.
        places: Vec<(Range<usize>, u64)>,
    },
    /// Canonical cases built from traces.
    Traces {
        /// Their concatenated texts.
        text: String,
        /// The line and the range in the text of each case.
        places: Vec<(u64, Result<Range<usize>, CaseError>)>,
        report: Report,
    },
    /// Work that is not done yet.
    Later(Later),
}

/// The bytes of a block; on drop, the memory returns to the input's pool.
#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    pub(super) pool: BufferPool,
}

/// Memory to reuse for the next blocks of an input.
#[derive(Clone, Debug, Default)]
pub(super) struct BufferPool(Arc<Mutex<Vec<Vec<u8>>>>);

impl BufferPool {
    /// The maximum number of buffers kept.
    const FEW: usize = 64;

    /// Larger buffers are not kept, so that one long line doesn't hold its memory forever.
    const LARGEST: usize = 4 << 20;

    /// A used buffer, or a new one.
    pub(super) fn take(&self) -> Vec<u8> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut pool = self.pool.0.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.len() < BufferPool::FEW && self.bytes.capacity() <= BufferPool::LARGEST {
            pool.push(std::mem::take(&mut self.bytes));
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Work deferred to another thread.
pub(super) struct Later(pub(super) Box<dyn FnOnce() -> Block + Send>);

impl std::fmt::Debug for Later {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Later")
    }
}

/// The text of one case, or the reason why it has none.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<'a> {
    /// The line it begins on, from 1.
    pub line: u64,
    /// The offset of its text in the (decompressed) input, in bytes; for a trace, in the texts of its block.
    pub offset: u64,
    /// The text.
    pub text: Result<&'a str, CaseError>,
}

impl CaseError {
    /// The error with its place. In a record over several lines, that is the line of the invalid value.
    pub fn in_record(self, file: &Arc<str>, record: &Record<'_>) -> ReadError {
        let line = record.line_of(&self.pointer);
        self.at(file, Some(line))
    }
}

impl Record<'_> {
    /// The line of the value at a pointer, or of the deepest part of the pointer that exists.
    pub fn line_of(&self, pointer: &str) -> u64 {
        let text = self.text.as_ref();
        self.line + text.map_or(0, |text| lines_before(text, pointer))
    }
}

/// The number of line breaks before the value of a pointer, or before the deepest part of it that exists.
fn lines_before(text: &str, pointer: &str) -> u64 {
    if pointer.is_empty() || !text.contains('\n') {
        return 0;
    }
    let mut reader = Reader::new(text, Syntax::PYTHON);
    for step in steps(pointer) {
        if !reader.step_into(&step).is_ok_and(|found| found) {
            break;
        }
    }
    // Skip white space before the value.
    _ = reader.peek();
    text[..reader.offset()].matches('\n').count() as u64
}

impl Block {
    pub(super) fn new(content: Content) -> Self {
        Self {
            content,
            is_in_place: false,
            format: None,
        }
    }

    /// The block, with records that hold several cases split.
    pub(super) fn divided(self, options: &ReadOptions) -> Self {
        let (mut text, mut places) = (String::new(), Vec::new());
        let mut place = |case: &str, line| {
            let start = text.len();
            text.push_str(case);
            places.push((line, Ok(start..text.len())));
        };
        let mut errors = Vec::new();
        for record in self.records() {
            let told = record.text.clone().and_then(|text| divided(text, options));
            match (record.text, told) {
                (Ok(whole), Ok(None)) => place(whole, record.line),
                (_, Ok(cases)) => {
                    let cases = cases.unwrap_or_default();
                    cases.iter().for_each(|case| place(case, record.line));
                }
                (_, Err(error)) => errors.push((record.line, Err(error))),
            }
        }
        places.extend(errors);
        places.sort_by_key(|(line, _)| *line);
        Self {
            content: Content::Traces {
                text,
                places,
                report: Report::default(),
            },
            is_in_place: false,
            format: self.format,
        }
    }

    /// A block to be built on the thread that uses it.
    pub(super) fn later(make: impl FnOnce() -> Self + Send + 'static) -> Self {
        Self::new(Content::Later(Later(Box::new(make))))
    }

    /// The block with all deferred work done.
    pub(super) fn ready(self) -> Self {
        match self.content {
            Content::Later(Later(make)) => Self {
                content: make().ready().content,
                ..self
            },
            content => Self { content, ..self },
        }
    }

    /// The records, in order. UTF-8 is validated here, on the consuming thread.
    pub fn records(&self) -> Box<dyn Iterator<Item = Record<'_>> + '_> {
        match &self.content {
            Content::Later(_) => Box::new(std::iter::empty()),
            Content::Lines {
                bytes,
                line,
                offset,
                max_line,
            } => Box::new(Lines::new(bytes, *line, *offset, *max_line)),
            Content::LongLine {
                line,
                offset,
                length,
                max_line,
            } => Box::new(std::iter::once(Record {
                line: *line,
                offset: *offset,
                text: Err(too_long(*length, *max_line)),
            })),
            Content::Elements {
                document,
                offset,
                places,
            } => Box::new(places.iter().map(move |(place, line)| Record {
                line: *line,
                offset: offset + place.start as u64,
                text: Ok(&document[place.clone()]),
            })),
            Content::Traces { text, places, .. } => {
                Box::new(places.iter().map(move |(line, place)| Record {
                    line: *line,
                    offset: place.as_ref().map_or(0, |place| place.start as u64),
                    text: place.clone().map(|place| &text[place]),
                }))
            }
        }
    }

    /// A block of trace results.
    pub(super) fn from_traces(records: Vec<TraceRecord>) -> Self {
        let (mut text, mut report) = (String::new(), Report::default());
        let mut place = |trace: Trace| {
            report.add(&trace.report);
            let start = text.len();
            text.push_str(&trace.to_case());
            start..text.len()
        };
        let places = records
            .into_iter()
            .map(|(line, trace)| (line, trace.map(&mut place)))
            .collect();
        Self::new(Content::Traces {
            text,
            places,
            report,
        })
    }

    /// The format of the input that the records come from.
    pub fn format(&self) -> Option<&'static Format> {
        self.format
    }

    /// The report on parts left out of the traces behind these records; `None` for records read as they are.
    pub fn report(&self) -> Option<&Report> {
        match &self.content {
            Content::Traces { report, .. } => Some(report),
            _ => None,
        }
    }

    /// The text of a record, by its [offset](Record::offset) and length; `None` if it isn't in this block.
    pub fn text_at(&self, place: u64, length: usize) -> Option<&str> {
        let range = |offset: u64| {
            let start = usize::try_from(place.checked_sub(offset)?).ok()?;
            Some(start..start + length)
        };
        match &self.content {
            Content::Lines { bytes, offset, .. } => {
                simdutf8::basic::from_utf8(bytes.get(range(*offset)?)?).ok()
            }
            Content::LongLine { .. } | Content::Later(_) => None,
            Content::Elements {
                document, offset, ..
            } => document.get(range(*offset)?),
            Content::Traces { text, .. } => text.get(range(0)?),
        }
    }
}

struct Lines<'a> {
    bytes: &'a [u8],
    /// All bytes as text, if valid UTF-8.
    text: Option<&'a str>,
    at: usize,
    line: u64,
    offset: u64,
    max_line: usize,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8], line: u64, offset: u64, max_line: usize) -> Self {
        Self {
            bytes,
            text: simdutf8::basic::from_utf8(bytes).ok(),
            at: 0,
            line,
            offset,
            max_line,
        }
    }

    fn text_of(&self, line: Range<usize>) -> Result<&'a str, CaseError> {
        if line.len() > self.max_line {
            return Err(too_long(line.len() as u64, self.max_line));
        }
        match self.text {
            Some(text) => Ok(&text[line]),
            None => simdutf8::compat::from_utf8(&self.bytes[line.clone()])
                .map_err(|error| not_utf8(&self.bytes[line], error.valid_up_to())),
        }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        while self.at < self.bytes.len() {
            let start = self.at;
            let end = memchr::memchr(b'\n', &self.bytes[start..])
                .map_or(self.bytes.len(), |length| start + length);
            self.at = end + 1;
            let line = self.line;
            self.line += 1;
            let end = if end > start && self.bytes[end - 1] == b'\r' {
                end - 1
            } else {
                end
            };
            if self.bytes[start..end]
                .iter()
                .all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
            {
                continue;
            }
            return Some(Record {
                line,
                offset: self.offset + start as u64,
                text: self.text_of(start..end),
            });
        }
        None
    }
}

#[cold]
fn not_utf8(line: &[u8], at: usize) -> CaseError {
    CaseError::new(
        "UTF-8 text",
        format!(
            "the byte 0x{:02X} at byte {} of the line",
            line.get(at).copied().unwrap_or_default(),
            at + 1
        ),
    )
    .help("save the file as UTF-8")
}

#[cold]
fn too_long(length: u64, max_line: usize) -> CaseError {
    CaseError::new(
        format!("a line of at most {max_line} bytes"),
        format!("one of {length}"),
    )
    .help("--max-line allows longer ones")
}
