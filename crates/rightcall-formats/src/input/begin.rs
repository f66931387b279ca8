//! Decides how to read an input, from its first bytes, the layout of its values and its format.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use rightcall_core::value::MAX_DEPTH;

use super::answers;
use super::block::BufferPool;
use super::data_stream;
use super::document::{self, Document};
use super::ending::is_lines;
use super::layout::{self, Layout};
use super::lines::{self, Lines};
use super::pieces::Pieces;
use super::source::Source;
use super::traces::Traces;
use super::values::{Values, unreadable};
use super::yaml::YamlCases;
use crate::detect::{Detection, is_wrapped};
use crate::error::{CaseError, ReadError};
use crate::format::{Format, SAMPLE, TraceReader};
use crate::node::Node;
use crate::options::{Limits, ReadOptions};
use crate::readers::{reader, reader_of_values};
use crate::side::read_messages;
use crate::trace::Scope;

/// Larger documents are read in pieces, if the format allows it.
const LARGE: usize = 8 << 20;

/// The number of bytes read at a time before a document counts as large.
const STEP: usize = 1 << 20;

/// The number of bytes used to detect the format of a large document.
const BEGINNING: usize = 1 << 18;

/// The maximum number of items per list used to detect a document's format: a long list of numbers need not become a tree.
const ITEMS: usize = 10_000;

/// The source of an input's records.
#[derive(Debug)]
pub(super) enum InputRecords {
    /// Values that are cases.
    Cases(Box<Values>),
    /// Values with traces, for a trace reader.
    Traces(Box<Traces>),
}

/// An input with only its first bytes read.
pub(super) struct Beginning<'i> {
    pub(super) head: Vec<u8>,
    pub(super) source: &'i mut Source,
    pub(super) name: &'i Arc<str>,
    pub(super) is_yaml: bool,
    pub(super) limits: Limits,
    pub(super) options: &'i ReadOptions,
    /// The format, if specified.
    pub(super) format: Option<&'static Format>,
    /// True if the values are in pages.
    pub(super) are_wrapped: bool,
}

impl Beginning<'_> {
    /// The format, if it is known, and the source of the records.
    pub(super) fn records(mut self) -> Result<(Option<&'static Format>, InputRecords), ReadError> {
        let records = self.begin()?;
        Ok((self.format, records))
    }

    fn begin(&mut self) -> Result<InputRecords, ReadError> {
        let largest = self.limits.max_document.min(LARGE);
        let layout = if self.is_yaml {
            Ok(Layout::Yaml)
        } else {
            layout::detect(&mut self.head, self.source, largest)
        };
        let mut layout = match layout {
            Ok(layout) => layout,
            // The lines before the error are still good.
            Err(failure) => {
                self.recognise_lines(false)?;
                return Ok(self.lines(Some(failure)));
            }
        };
        // For a map a line is one record, even if it is a list.
        let is_mapped = self.format.is_some_and(|format| format.map().is_some());
        if is_mapped && layout == Layout::List && is_lines(Path::new(&**self.name)) {
            layout = Layout::Lines;
        }
        if let Some(records) = self.begin_large(layout) {
            return Ok(records);
        }
        if self.head.trim_ascii_start().starts_with(AIDER) {
            return Err(without_structure(self.name));
        }
        let is_text = answers::may_begin_with(&self.head)
            && self.put_on_lines(answers::on_lines)?
            || data_stream::may_begin_with(&self.head)
                && self.put_on_lines(data_stream::on_lines)?;
        if is_text {
            layout = Layout::Lines;
        }
        if layout == Layout::Lines {
            let failure =
                lines::fill_first(&mut self.head, self.source, self.limits.max_line).err();
            layout = self.recognise_lines(failure.is_none())?;
            if layout == Layout::Lines {
                return Ok(self.lines(failure));
            }
        }
        let text = self.document()?;
        if layout == Layout::Yaml {
            self.yaml(&text)
        } else {
            self.elements(text, layout == Layout::List)
        }
    }

    fn lines(&mut self, failure: Option<io::Error>) -> InputRecords {
        let lines = Lines {
            rest: std::mem::take(&mut self.head),
            line: 1,
            offset: self.source.skipped,
            has_ended: failure.is_some(),
            failure,
            max_line: self.limits.max_line,
            pool: BufferPool::default(),
        };
        self.read(Values::Lines(lines))
    }

    fn yaml(&mut self, text: &str) -> Result<InputRecords, ReadError> {
        let cases = YamlCases::new(text);
        if self.format.is_none() {
            let mut nodes = cases.texts().filter_map(sample);
            self.recognise(|look| _ = nodes.by_ref().take(SAMPLE).try_for_each(look))?;
        }
        Ok(self.read(Values::Yaml(cases)))
    }

    /// The values of a document, or the items of a document that is a list.
    fn elements(&mut self, text: String, is_list: bool) -> Result<InputRecords, ReadError> {
        if self.format.is_none() {
            self.recognise(|look| {
                // The first items of a list usually decide; a conversation may need all of them.
                let first = if is_list {
                    Node::parse_first_items(&text, SAMPLE)
                } else {
                    None
                };
                if first.is_none_or(|node| look(node).is_continue()) {
                    let nodes = document::values(&text).filter_map(sample);
                    _ = nodes.take(SAMPLE).try_for_each(look);
                }
            })?;
        } else if let Some(format) = self.format {
            let first = document::values(&text).find_map(sample);
            self.are_wrapped = first.is_some_and(|value| is_wrapped(format, &value));
        }
        // The items of a list that is a conversation are not separate values.
        let are_values = self.reader().is_none_or(|reader| reader.lists().is_some());
        let document = Document::new(text, self.source.skipped, is_list && are_values);
        Ok(self.read(Values::Document(document)))
    }

    /// Reads the document to its end.
    fn document(&mut self) -> Result<String, ReadError> {
        self.fill_document()?;
        String::from_utf8(std::mem::take(&mut self.head)).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes();
            let line = memchr::memchr_iter(b'\n', &bytes[..good]).count() as u64 + 1;
            let found = format!(
                "the byte 0x{:02X} at byte {} of the file",
                bytes[good],
                self.source.skipped + good as u64 + 1
            );
            CaseError::new("UTF-8 text", found)
                .help("save the file as UTF-8")
                .at(self.name, Some(line))
        })
    }

    /// Reads up to the end or a limit; true at the end.
    fn fill_to(&mut self, limit: usize) -> Result<bool, ReadError> {
        let missing = limit.saturating_add(1).saturating_sub(self.head.len());
        self.source
            .fill_to_end(&mut self.head, missing)
            .map(|read| read < missing)
            .map_err(|error| unreadable(self.name, &error, None))
    }

    fn fill_document(&mut self) -> Result<(), ReadError> {
        let max_document = self.limits.max_document;
        // For compressed input, the limit grows with the amount read.
        let mut limit = self.source.at_most(max_document);
        while !self.fill_to(limit)? {
            let more = self.source.at_most(max_document);
            if more > limit {
                limit = more;
                continue;
            }
            let help = if limit < max_document {
                "what is packed so small is not unpacked in memory: if it is meant to be so large, unpack it first"
            } else {
                "write one case a line (JSON Lines), or raise --max-document"
            };
            let expected = format!("a document of at most {limit} bytes");
            return Err(CaseError::new(expected, "a larger one")
                .help(help)
                .at(self.name, None));
        }
        Ok(())
    }

    /// Detects the format from the first lines and returns the layout, since the first line may hold several values. The text before an
    /// error may be too short to decide.
    fn recognise_lines(&mut self, is_whole: bool) -> Result<Layout, ReadError> {
        let head = std::mem::take(&mut self.head);
        let told = match self.format {
            None => self.recognise(|look| _ = lines::first(&head).take(SAMPLE).try_for_each(look)),
            Some(format) => {
                let first = lines::first(&head).next();
                self.are_wrapped = first.is_some_and(|value| is_wrapped(format, &value));
                Ok(())
            }
        };
        self.head = head;
        if !is_whole {
            return Ok(Layout::Lines);
        }
        let is_told = self.format.is_some() && self.options.format.is_none();
        if !is_told && layout::begins_with_several(&self.head) {
            return Ok(Layout::Values);
        }
        told.map(|()| Layout::Lines)
    }

    /// Converts a text to lines of JSON; false if it is of another kind.
    fn put_on_lines(&mut self, on_lines: fn(&str) -> Option<String>) -> Result<bool, ReadError> {
        let limit = self.source.at_most(self.limits.max_document);
        let is_whole = self.fill_to(limit)?;
        let text = std::str::from_utf8(&self.head).ok();
        let lines = text.filter(|_| is_whole).and_then(on_lines);
        let has_any = lines.is_some();
        self.head = lines.map_or_else(|| std::mem::take(&mut self.head), String::into_bytes);
        Ok(has_any)
    }

    /// Starts a document that doesn't fit in memory, if its format can be read in pieces.
    fn begin_large(&mut self, layout: Layout) -> Option<InputRecords> {
        let scope = self.scope();
        let head = &mut self.head;
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
            // An error recurs when the bytes are requested again.
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
        let mut detection = Detection::with_maps(self.options.maps);
        let format = self.format.or_else(|| detection.value(&sample))?;
        // The values of a page are taken from the complete page.
        if detection.is_wrapped {
            return None;
        }
        let is_list = head[start] == b'[';
        let reader = reader_of_values(format, scope)?;
        let lists = reader.lists()?;
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
            std::mem::take(&mut self.head),
            lists,
            self.source.at_most(self.limits.max_document),
        );
        let traces = Traces::new(Values::Pieces(pieces), reader, format, scope);
        Some(InputRecords::Traces(Box::new(traces)))
    }

    /// Checks values until one decides the format.
    fn recognise(
        &mut self,
        values: impl FnOnce(&mut dyn FnMut(Node<'_>) -> ControlFlow<()>),
    ) -> Result<(), ReadError> {
        let mut detection = Detection::with_maps(self.options.maps);
        let mut format = None;
        values(&mut |value| {
            format = detection.value(&value);
            if format.is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        self.are_wrapped = detection.is_wrapped;
        self.format = match (format, detection.end()) {
            (Some(format), _) | (None, Some(Ok(format))) => Some(format),
            (None, Some(Err(error))) => return Err(error.at(self.name, None)),
            (None, None) => None,
        };
        Ok(())
    }

    fn scope(&self) -> Scope {
        Scope {
            choices: self.options.choices,
            max_depth: self.options.max_depth.min(MAX_DEPTH),
            join: self.options.join,
            questions: self.options.questions,
            is_growing: self.options.is_growing,
            is_part_of_run: false,
            messages: Some(read_messages),
        }
    }

    fn read(&self, mut values: Values) -> InputRecords {
        let reader = self
            .format
            .and_then(|format| Some((format, self.reader()?)));
        if let Some((format, reader)) = reader {
            let traces = Traces::new(values, reader, format, self.scope());
            InputRecords::Traces(Box::new(traces))
        } else {
            // Cases are written for rightcall, so a YAML tag in them would be meant to have an effect.
            values.refuse_tags();
            InputRecords::Cases(Box::new(values))
        }
    }

    /// The reader of the format, if it is a trace format.
    fn reader(&self) -> Option<Box<dyn TraceReader>> {
        let mut reader = reader(self.format?, self.are_wrapped, self.scope())?;
        reader.begin_file(self.name);
        Some(reader)
    }
}

/// The beginning of an Aider chat history.
const AIDER: &[u8] = b"# aider chat started at";

/// The error for a history in prose, without calls.
#[cold]
fn without_structure(name: &Arc<str>) -> ReadError {
    CaseError::new("recorded tool calls", "a chat history of Aider, which holds no structured calls")
        .help("Aider asks for edits as text, so there is nothing to score; record its requests to the model instead, as a HAR file or a cassette")
        .at(name, None)
}

/// Parses a value, keeping only the first items of long lists.
fn sample(text: &str) -> Option<Node<'_>> {
    Node::parse_sample(text, MAX_DEPTH, ITEMS).ok()
}
