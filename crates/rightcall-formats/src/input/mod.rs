//! Inputs of any size as blocks of records, in order, with bounded memory.
//!
//! JSON Lines are read block by block and never held as a whole. A document, a list of cases or a case written over several
//! lines, is held in memory up to a limit; its elements are located with the same reader that reads cases. So is YAML, which is
//! turned into JSON text first. The format of a file is told by its first values. Records of cases leave as they stand; traces
//! leave as the text of canonical cases.

mod answers;
mod archive;
mod block;
mod columns;
mod document;
mod layout;
mod lines;
mod many;
mod on_lines;
mod pieces;
mod protobuf;
mod source;
#[cfg(test)]
mod tests;
mod traces;
mod whole;
mod yaml;

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use block::SpareBuffers;
pub use block::{Block, Record};
pub(crate) use lines::payload;
pub use many::{Inputs, Piece};
use rightcall::value::MAX_DEPTH;
pub use traces::TraceRecord;
pub use whole::{read_bytes, read_text};

use crate::detect::{Detection, SAMPLE};
use crate::format::{Scope, TraceReader};
use crate::node::Node;
use crate::trace::Trace;
use crate::{CaseError, Format, Limits, OpenError, ReadError, ReadOptions, read_case};
use document::Document;
use layout::Layout;
use lines::Lines;
use pieces::{InPlace, Pieces};
use source::Source;
use traces::Traces;
use yaml::{YamlCases, is_yaml};

/// An opened input, which gives its records block by block.
#[derive(Debug)]
pub struct Input {
    name: Arc<str>,
    source: Source,
    limits: Limits,
    options: ReadOptions,
    format: Option<&'static Format>,
    is_yaml: bool,
    state: State,
}

#[derive(Debug)]
enum State {
    Unread {
        head: Vec<u8>,
    },
    /// Values that are cases.
    Cases(Box<Values>),
    /// Values in which a reader finds traces.
    Traces(Box<Traces>),
    Ended,
}

/// The values of an input, in order.
#[derive(Debug)]
enum Values {
    Lines(Lines),
    Document(Document),
    Pieces(Pieces),
    Yaml(YamlCases),
}

/// How much is read of an input at a time where the caller does not say.
const BLOCK: usize = 1 << 20;

/// A document larger than this is read piece by piece where its format allows that.
const LARGE: usize = 8 << 20;

/// How much is read of a document at a time until it is known to be large.
const STEP: usize = 1 << 20;

/// How much of a large document tells its format.
const BEGINNING: usize = 1 << 18;

/// Items of each list of a document that are looked at to tell its format: a list of numbers need not be held as a tree.
const ITEMS: usize = 10_000;

impl Input {
    /// Opens a file, or standard input for `-`. Packed data (gzip, zstd) are unpacked, a byte order mark is skipped.
    ///
    /// The options say how traces are read, and of which format the input is if that is not to be recognised.
    ///
    /// # Errors
    /// The input is not there, is a directory, may not be read, or is damaged at its beginning.
    pub fn open(path: &Path, limits: Limits, options: &ReadOptions) -> Result<Self, OpenError> {
        let name = if path == Path::new("-") {
            "<stdin>".into()
        } else {
            path.to_string_lossy().into()
        };
        Ok(Self::of_source(
            name,
            Source::open(path, limits)?,
            limits,
            options,
        ))
    }

    /// Takes bytes in memory for an input, read as a file of this name would be.
    ///
    /// # Errors
    /// The data are packed, and damaged at their beginning.
    pub fn of_bytes(
        name: &str,
        bytes: Vec<u8>,
        limits: Limits,
        options: &ReadOptions,
    ) -> Result<Self, OpenError> {
        Ok(Self::of_source(
            name.into(),
            Source::of_bytes(name, bytes, limits)?,
            limits,
            options,
        ))
    }

    fn of_source(
        name: Arc<str>,
        (source, head): (Source, Vec<u8>),
        limits: Limits,
        options: &ReadOptions,
    ) -> Self {
        Self {
            source,
            limits,
            is_yaml: is_yaml(Path::new(&*name)),
            name,
            options: *options,
            format: options.format,
            state: State::Unread { head },
        }
    }

    /// The next records, of about this size together; `None` at the end. A longer record comes in a block of its own.
    ///
    /// # Errors
    /// The input cannot be read further. What is wrong with a single record is told by the record.
    pub fn next_block(&mut self, target_bytes: usize) -> Result<Option<Block>, ReadError> {
        Ok(self.next_unready(target_bytes)?.map(Block::ready))
    }

    /// [`Input::next_block`] with what can be done on another thread left to be done.
    fn next_unready(&mut self, target_bytes: usize) -> Result<Option<Block>, ReadError> {
        let result = self.next(target_bytes);
        if !matches!(result, Ok(Some(_))) {
            self.state = State::Ended;
        }
        result
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

    /// The format: as said, or as the first values tell; `None` where they tell nothing, as in an empty file.
    ///
    /// # Errors
    /// The input cannot be read, or it is in no format that can be recognised.
    pub fn format(&mut self) -> Result<Option<&'static Format>, ReadError> {
        self.prepare()?;
        Ok(self.format)
    }

    /// The next traces, each with its line and what is wrong where it cannot be read; `None` at the end. The run of a case is a
    /// trace too.
    ///
    /// # Errors
    /// The input cannot be read further.
    pub fn next_traces(&mut self) -> Result<Option<Vec<TraceRecord>>, ReadError> {
        self.prepare()?;
        if let State::Traces(traces) = &mut self.state {
            return traces.next(&mut self.source, &self.name, BLOCK);
        }
        let Some(block) = self.next_block(BLOCK)? else {
            return Ok(None);
        };
        let trace = |text: &str, line| {
            read_case(text, &self.options).map(|case| Trace::of_case(&case, line))
        };
        let traces = block
            .records()
            .map(|it| (it.line, it.text.and_then(|text| trace(text, it.line))))
            .collect();
        Ok(Some(traces))
    }

    /// True if records can be found again in the file by their offsets.
    fn is_the_file_itself(&self) -> bool {
        !self.is_yaml && self.source.is_the_file_itself() && !matches!(self.state, State::Traces(_))
    }

    /// Finds out how the input is to be read.
    fn prepare(&mut self) -> Result<(), ReadError> {
        if let State::Unread { head } = &mut self.state {
            let head = std::mem::take(head);
            self.state = State::Ended;
            self.state = self.begin(head)?;
        }
        Ok(())
    }

    fn next(&mut self, target: usize) -> Result<Option<Block>, ReadError> {
        self.prepare()?;
        let is_in_place = self.is_the_file_itself();
        let block = match &mut self.state {
            State::Cases(values) => values.next(&mut self.source, &self.name, target)?,
            State::Traces(traces) => traces.next_block(&mut self.source, &self.name, target)?,
            State::Unread { .. } | State::Ended => None,
        };
        Ok(block.map(|block| Block {
            is_in_place,
            format: self.format,
            ..block
        }))
    }

    fn begin(&mut self, mut head: Vec<u8>) -> Result<State, ReadError> {
        let layout = if self.is_yaml {
            Ok(Layout::Yaml)
        } else {
            layout::detect(
                &mut head,
                &mut self.source,
                self.limits.max_document.min(LARGE),
            )
        };
        let (mut layout, mut failure) = match layout {
            Ok(layout) => (layout, None),
            // The lines before a failure are still good.
            Err(failure) => (Layout::Lines, Some(failure)),
        };
        if failure.is_none()
            && let Some(state) = self.begin_large(layout, &mut head)
        {
            return Ok(state);
        }
        if failure.is_none() && answers::may_begin_with(&head) {
            self.put_answers_on_lines(&mut head, &mut layout)?;
        }
        let offset = self.source.skipped;
        if layout == Layout::Lines {
            layout = self.recognise_lines(&mut head, &mut failure)?;
        }
        if layout == Layout::Lines {
            let has_ended = failure.is_some();
            let max_line = self.limits.max_line;
            return Ok(self.read(Values::Lines(Lines {
                rest: head,
                line: 1,
                offset,
                has_ended,
                failure,
                max_line,
                spare: SpareBuffers::default(),
            })));
        }
        self.fill_document(&mut head)?;
        let text = String::from_utf8(head).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes();
            let line = memchr::memchr_iter(b'\n', &bytes[..good]).count() as u64 + 1;
            let error = CaseError {
                pointer: String::new(),
                expected: "UTF-8 text".into(),
                found: format!(
                    "the byte 0x{:02X} at byte {} of the file",
                    bytes[good],
                    offset + good as u64 + 1
                ),
                help: Some("save the file as UTF-8".into()),
            };
            error.at(&self.name, Some(line))
        })?;
        if layout == Layout::Yaml {
            let cases = YamlCases::new(&text);
            if self.format.is_none() {
                let mut nodes = cases
                    .texts()
                    .filter_map(|value| Node::parse_sample(value, MAX_DEPTH, ITEMS).ok());
                self.recognise(|look| _ = nodes.by_ref().take(SAMPLE).try_for_each(look))?;
            }
            return Ok(self.read(Values::Yaml(cases)));
        }
        let is_list = layout == Layout::List;
        if self.format.is_none() {
            self.recognise(|look| {
                // The first items of a list tell most formats; of a conversation all of them may have to.
                let first = if is_list {
                    Node::parse_first_items(&text, SAMPLE)
                } else {
                    None
                };
                if first.is_none_or(|node| look(node).is_continue()) {
                    let nodes = document::values(&text)
                        .filter_map(|value| Node::parse_sample(value, MAX_DEPTH, ITEMS).ok());
                    _ = nodes.take(SAMPLE).try_for_each(look);
                }
            })?;
        }
        // Of a conversation in a list the items are no values of their own.
        let reader = self
            .format
            .and_then(|format| format.reading.reader(self.scope()));
        let is_list = is_list && reader.is_none_or(|reader| reader.lists().is_some());
        Ok(self.read(Values::Document(Document::new(text, offset, is_list))))
    }

    /// Reads on to the end of a document.
    fn fill_document(&mut self, head: &mut Vec<u8>) -> Result<(), ReadError> {
        loop {
            // Of what is packed more is allowed the more of it has been read.
            let limit = self.source.at_most(self.limits.max_document);
            let missing = limit.saturating_add(1).saturating_sub(head.len());
            let read = self
                .source
                .fill_to_end(head, missing)
                .map_err(|error| unreadable(&self.name, &error, None))?;
            if read < missing {
                return Ok(());
            }
            if self.source.at_most(self.limits.max_document) > limit {
                continue;
            }
            let is_bomb = limit < self.limits.max_document;
            let help = if is_bomb {
                "what is packed so small is not unpacked in memory: if it is meant to be so large, unpack it first"
            } else {
                "write one case a line (JSON Lines), or raise --max-document"
            };
            let error = CaseError {
                pointer: String::new(),
                expected: format!("a document of at most {limit} bytes").into(),
                found: "a larger one".to_owned(),
                help: Some(help.into()),
            };
            return Err(error.at(&self.name, None));
        }
    }

    /// Recognises the format of lines by the first of them, and gives the layout: the first may hold several values.
    fn recognise_lines(
        &mut self,
        head: &mut Vec<u8>,
        failure: &mut Option<io::Error>,
    ) -> Result<Layout, ReadError> {
        if failure.is_none() {
            *failure = lines::fill_first(head, &mut self.source, self.limits.max_line).err();
        }
        let told = match self.format {
            None => self.recognise(|look| _ = lines::first(head).take(SAMPLE).try_for_each(look)),
            Some(_) => Ok(()),
        };
        // What stands before a failure may be too little to tell.
        if failure.is_some() {
            return Ok(Layout::Lines);
        }
        let is_told = self.format.is_some() && self.options.format.is_none();
        if !is_told && layout::begins_with_several(head) {
            return Ok(Layout::Values);
        }
        told.map(|()| Layout::Lines)
    }

    /// Puts answers that are the text of calls, and no JSON, into lines of JSON.
    fn put_answers_on_lines(
        &mut self,
        head: &mut Vec<u8>,
        layout: &mut Layout,
    ) -> Result<(), ReadError> {
        let limit = self.source.at_most(self.limits.max_document);
        let missing = limit.saturating_add(1).saturating_sub(head.len());
        self.source
            .fill_to_end(head, missing)
            .map_err(|error| unreadable(&self.name, &error, None))?;
        let text = std::str::from_utf8(head)
            .ok()
            .filter(|text| text.len() <= limit);
        if let Some(lines) = text.and_then(answers::on_lines) {
            *head = lines.into_bytes();
            *layout = Layout::Lines;
        }
        Ok(())
    }

    /// What is too large to be held in memory, in a format that can be read piece by piece.
    fn begin_large(&mut self, layout: Layout, head: &mut Vec<u8>) -> Option<State> {
        let start = head.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let may_be_large = match layout {
            Layout::Lines => head[start] == b'{' && memchr::memchr(b'\n', &head[start..]).is_none(),
            Layout::List | Layout::Values => true,
            Layout::Yaml => false,
        };
        if !may_be_large {
            return None;
        }
        while head.len() <= LARGE {
            let more = STEP;
            // An error comes up again where the bytes are wanted.
            if self.source.fill(head, more).ok()? < more {
                return None;
            }
            if layout == Layout::Lines
                && memchr::memchr(b'\n', &head[head.len() - more..]).is_some()
            {
                return None;
            }
        }
        let sample = match simdutf8::compat::from_utf8(&head[..BEGINNING]) {
            Ok(text) => text,
            Err(error) => {
                simdutf8::basic::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
            }
        };
        let sample = Node::parse_beginning(sample)?;
        let format = self
            .format
            .or_else(|| Detection::default().value(&sample))?;
        let scope = self.scope();
        let reader = format.reading.reader(scope)?;
        let lists = reader.lists()?;
        let is_list = head[start] == b'[';
        let lists = if is_list { &[] } else { lists };
        let has_any = lists.iter().any(|path| {
            path.first()
                .is_some_and(|keys| sample.any(keys).is_some_and(Node::is_list))
        });
        if !is_list && !has_any {
            return None;
        }
        self.format = Some(format);
        let pieces = Pieces::new(
            std::mem::take(head),
            lists,
            self.source.at_most(self.limits.max_document),
        );
        Some(State::Traces(Box::new(Traces::new(
            Values::Pieces(pieces),
            reader,
            scope,
        ))))
    }

    /// Looks at values until one tells the format.
    fn recognise(
        &mut self,
        values: impl FnOnce(&mut dyn FnMut(Node<'_>) -> ControlFlow<()>),
    ) -> Result<(), ReadError> {
        let mut detection = Detection::default();
        let mut format = None;
        values(&mut |value| {
            format = detection.value(&value);
            if format.is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        self.format = match (format, detection.end()) {
            (Some(format), _) | (None, Some(Ok(format))) => Some(format),
            (None, Some(Err(error))) => return Err(error.at(&self.name, None)),
            (None, None) => None,
        };
        Ok(())
    }

    fn scope(&self) -> Scope {
        Scope {
            choices: self.options.choices,
            max_depth: self.options.max_depth.min(MAX_DEPTH),
            join: self.options.join,
        }
    }

    fn read(&self, values: Values) -> State {
        let scope = self.scope();
        match self.format.and_then(|format| format.reading.reader(scope)) {
            Some(reader) => State::Traces(Box::new(Traces::new(values, reader, scope))),
            None => State::Cases(Box::new(values)),
        }
    }
}

impl Values {
    /// [`Values::next`] for a reader, which reads of a large document what it can where it stands.
    fn next_for(
        &mut self,
        reader: &mut dyn TraceReader,
        max_depth: usize,
        source: &mut Source,
        name: &Arc<str>,
        target: usize,
    ) -> Result<Option<Block>, ReadError> {
        match self {
            Self::Pieces(pieces) => {
                let in_place = reader.items().map(|items| InPlace { items, max_depth });
                pieces
                    .next(source, target, in_place)
                    .map_err(|(line, error)| error.at(name, Some(line)))
            }
            _ => self.next(source, name, target),
        }
    }

    /// The next values, of about this size together; `None` at the end.
    fn next(
        &mut self,
        source: &mut Source,
        name: &Arc<str>,
        target: usize,
    ) -> Result<Option<Block>, ReadError> {
        match self {
            Self::Lines(lines) => {
                let next = lines.next(source, target);
                next.map_err(|error| unreadable(name, &error, Some(lines.line)))
            }
            Self::Document(document) => document
                .next(target)
                .map_err(|(line, error)| error.at(name, Some(line))),
            Self::Pieces(pieces) => pieces
                .next(source, target, None)
                .map_err(|(line, error)| error.at(name, Some(line))),
            Self::Yaml(cases) => cases
                .next(target)
                .map_err(|(line, error)| error.at(name, Some(line))),
        }
    }
}

#[cold]
fn unreadable(name: &Arc<str>, error: &io::Error, line: Option<u64>) -> ReadError {
    let error = CaseError {
        pointer: String::new(),
        expected: "more data".into(),
        found: format!("an error: {error}"),
        help: Some("is the file complete?".into()),
    };
    error.at(name, line)
}
