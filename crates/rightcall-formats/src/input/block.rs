//! Blocks of consecutive records, cheap to send from the reading thread to another.

use std::borrow::Cow;
use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex, PoisonError};

use rightcall_core::call::Case;
use rightcall_core::value::pointer::steps;
use rightcall_core::value::{Reader, Syntax};

use crate::case::case_text;
use crate::divide::divided;
use crate::error::{CaseError, ReadError};
use crate::format::Format;
use crate::options::ReadOptions;
use crate::place::LinePlace;
use crate::read_case::{case_of_trace, read_case};
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
        /// The range within the document and the place of each part.
        parts: Vec<(Range<usize>, LinePlace)>,
    },
    /// Cases of records that hold several.
    Cases(Vec<(LinePlace, Result<String, CaseError>)>),
    /// Runs that were read from traces.
    Traces {
        records: Vec<TraceRecord>,
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

/// One record of an input, or the reason why it cannot be read.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// Where it begins.
    pub place: LinePlace,
    /// The offset of its text in the (decompressed) input, in bytes; 0 for a run that was read from a trace.
    pub offset: u64,
    /// Its content.
    pub content: Result<RecordContent<'a>, CaseError>,
}

/// The content of a record: the text of a case, or a run that was read from a trace.
#[derive(Clone, Copy, Debug)]
pub struct RecordContent<'a>(Held<'a>);

#[derive(Clone, Copy, Debug)]
enum Held<'a> {
    Text(&'a str),
    Run(&'a Trace),
}

impl<'a> RecordContent<'a> {
    /// The text of a case.
    pub fn of_text(text: &'a str) -> Self {
        Self(Held::Text(text))
    }

    fn of_run(trace: &'a Trace) -> Self {
        Self(Held::Run(trace))
    }

    /// The report on parts left out of the trace; `None` for the text of a case.
    pub fn report(self) -> Option<&'a Report> {
        match self.0 {
            Held::Text(_) => None,
            Held::Run(trace) => Some(&trace.report),
        }
    }

    /// The text of a case that is not read yet.
    pub(crate) fn unread(self) -> Option<&'a str> {
        match self.0 {
            Held::Text(text) => Some(text),
            Held::Run(_) => None,
        }
    }

    /// Reads it as a case, which borrows from it.
    ///
    /// # Errors
    /// The first place that is not JSON, or not valid in a case.
    pub fn case(self, options: &ReadOptions) -> Result<Case<'a>, CaseError> {
        match self.0 {
            Held::Text(text) => read_case(text, options),
            Held::Run(trace) => case_of_trace(trace, options),
        }
    }

    /// The text of the case. The text of a run is written only now, as a canonical case.
    ///
    /// # Errors
    /// The trace's expectation is not valid in a case.
    pub fn text(self) -> Result<Cow<'a, str>, CaseError> {
        match self.0 {
            Held::Text(text) => Ok(Cow::Borrowed(text)),
            Held::Run(_) => Ok(self.text_of(&self.case(&ReadOptions::default())?)),
        }
    }

    /// As [`text`](Self::text), for its [`case`](Self::case) that is read already.
    pub fn text_of(self, case: &Case<'_>) -> Cow<'a, str> {
        match self.0 {
            Held::Text(text) => Cow::Borrowed(text),
            Held::Run(_) => Cow::Owned(case_text(case)),
        }
    }
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
        let content = self.content.as_ref().ok();
        let text = content.and_then(|it| it.unread());
        self.place.line + text.map_or(0, |text| lines_before(text, pointer))
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
        let (mut parts, mut place) = (Vec::new(), LinePlace::default());
        for record in self.records() {
            let text = record.content.and_then(RecordContent::text);
            let found = text.and_then(|text| {
                let cases = divided(&text, options)?;
                Ok(cases.unwrap_or_else(|| vec![text.into_owned()]))
            });
            match found {
                Ok(cases) => parts.extend(
                    cases
                        .into_iter()
                        .map(|case| (place.move_into(record.place), Ok(case))),
                ),
                Err(error) => parts.push((place.move_into(record.place), Err(error))),
            }
        }
        Self {
            format: self.format,
            ..Self::new(Content::Cases(parts))
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
                place: LinePlace::on_line(*line),
                offset: *offset,
                content: Err(too_long(*length, *max_line)),
            })),
            Content::Elements {
                document,
                offset,
                parts,
            } => Box::new(parts.iter().map(move |(range, place)| Record {
                place: *place,
                offset: offset + range.start as u64,
                content: Ok(RecordContent::of_text(&document[range.clone()])),
            })),
            Content::Cases(cases) => {
                Box::new(read_records(cases, |text| RecordContent::of_text(text)))
            }
            Content::Traces { records, .. } => {
                Box::new(read_records(records, RecordContent::of_run))
            }
        }
    }

    /// The texts of the records that are not read yet, each with its place.
    pub(super) fn texts(&self) -> impl Iterator<Item = (LinePlace, Result<&str, CaseError>)> {
        self.records().filter_map(|record| {
            let text = record.content.map(RecordContent::unread).transpose()?;
            Some((record.place, text))
        })
    }

    /// A block of trace results.
    pub(super) fn from_traces(records: Vec<TraceRecord>) -> Self {
        let mut report = Report::default();
        let traces = records.iter().filter_map(|(_, trace)| trace.as_ref().ok());
        traces.for_each(|trace| report.add(&trace.report));
        Self::new(Content::Traces { records, report })
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
}

/// The records of a list of results, each with its place.
fn read_records<'b, T>(
    results: &'b [(LinePlace, Result<T, CaseError>)],
    content: impl Fn(&'b T) -> RecordContent<'b>,
) -> impl Iterator<Item = Record<'b>> {
    results.iter().map(move |(place, result)| Record {
        place: *place,
        offset: 0,
        content: result.as_ref().map(&content).map_err(Clone::clone),
    })
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
                place: LinePlace::on_line(line),
                offset: self.offset + start as u64,
                content: self.text_of(start..end).map(RecordContent::of_text),
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
