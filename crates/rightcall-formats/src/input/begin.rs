//! How an input is to be read: told by its first bytes, by the layout of its values and by its format.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use rightcall::value::MAX_DEPTH;

use super::answers;
use super::block::BufferPool;
use super::document::{self, Document};
use super::ending::is_lines;
use super::layout::{self, Layout};
use super::lines::{self, Lines};
use super::pieces::Pieces;
use super::source::Source;
use super::traces::Traces;
use super::values::{Values, unreadable};
use super::yaml::YamlCases;
use crate::detect::{Detection, page_of};
use crate::error::{CaseError, ReadError};
use crate::format::{Format, SAMPLE, TraceReader};
use crate::node::Node;
use crate::options::{Limits, ReadOptions};
use crate::readers::{reader, reader_of_values};
use crate::side::read_messages;
use crate::trace::Scope;

/// A document larger than this is read piece by piece where its format allows that.
const LARGE: usize = 8 << 20;

/// How much is read of a document at a time until it is known to be large.
const STEP: usize = 1 << 20;

/// How much of a large document tells its format.
const BEGINNING: usize = 1 << 18;

/// Items of each list of a document that are looked at to tell its format: a list of numbers need not be held as a tree.
const ITEMS: usize = 10_000;

/// What an input gives.
#[derive(Debug)]
pub(super) enum InputRecords {
    /// Values that are cases.
    Cases(Box<Values>),
    /// Values in which a reader finds traces.
    Traces(Box<Traces>),
}

/// What is known of an input of which nothing but its first bytes has been read.
pub(super) struct Beginning<'i> {
    pub(super) head: Vec<u8>,
    pub(super) source: &'i mut Source,
    pub(super) name: &'i Arc<str>,
    pub(super) is_yaml: bool,
    pub(super) limits: Limits,
    pub(super) options: &'i ReadOptions,
    /// The format, where it was said.
    pub(super) format: Option<&'static Format>,
    /// True if the values stand in pages.
    pub(super) has_pages: bool,
}

impl Beginning<'_> {
    /// The format, where it can be told, and what gives the records.
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
            // The lines before a failure are still good.
            Err(failure) => {
                self.recognise_lines(false)?;
                return Ok(self.lines(Some(failure)));
            }
        };
        // For a map a line is a record, a list too.
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
        if answers::may_begin_with(&self.head) && self.put_answers_on_lines()? {
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

    /// The values of a document, or the items of the list that it is.
    fn elements(&mut self, text: String, is_list: bool) -> Result<InputRecords, ReadError> {
        if self.format.is_none() {
            self.recognise(|look| {
                // The first items of a list tell most formats; of a conversation all of them may have to.
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
            self.has_pages = first.is_some_and(|value| page_of(format, &value).is_some());
        }
        // Of a conversation in a list the items are no values of their own.
        let are_values = self.reader().is_none_or(|reader| reader.lists().is_some());
        let document = Document::new(text, self.source.skipped, is_list && are_values);
        Ok(self.read(Values::Document(document)))
    }

    /// The text of a document, which is read to its end.
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

    /// Reads on to the end, or to a limit; true if it was the end.
    fn fill_to(&mut self, limit: usize) -> Result<bool, ReadError> {
        let missing = limit.saturating_add(1).saturating_sub(self.head.len());
        self.source
            .fill_to_end(&mut self.head, missing)
            .map(|read| read < missing)
            .map_err(|error| unreadable(self.name, &error, None))
    }

    fn fill_document(&mut self) -> Result<(), ReadError> {
        let max_document = self.limits.max_document;
        // Of what is packed more is allowed the more of it has been read.
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

    /// Recognises the format of lines by the first of them, and gives the layout: the first may hold several values. What stands
    /// before a failure may be too little to tell.
    fn recognise_lines(&mut self, is_whole: bool) -> Result<Layout, ReadError> {
        let head = std::mem::take(&mut self.head);
        let told = match self.format {
            None => self.recognise(|look| _ = lines::first(&head).take(SAMPLE).try_for_each(look)),
            Some(format) => {
                let first = lines::first(&head).next();
                self.has_pages = first.is_some_and(|value| page_of(format, &value).is_some());
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

    /// Puts answers that are the text of calls, and no JSON, into lines of JSON; false if they are none.
    fn put_answers_on_lines(&mut self) -> Result<bool, ReadError> {
        let limit = self.source.at_most(self.limits.max_document);
        let is_whole = self.fill_to(limit)?;
        let text = std::str::from_utf8(&self.head).ok();
        let lines = text.filter(|_| is_whole).and_then(answers::on_lines);
        let has_any = lines.is_some();
        self.head = lines.map_or_else(|| std::mem::take(&mut self.head), String::into_bytes);
        Ok(has_any)
    }

    /// What is too large to be held in memory, in a format that can be read piece by piece.
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
        let mut detection = Detection::with_maps(self.options.maps);
        let format = self.format.or_else(|| detection.value(&sample))?;
        // What a page holds is taken out of the whole page.
        if detection.is_page {
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

    /// Looks at values until one tells the format.
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
        self.has_pages = detection.is_page;
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
            // Cases are written for rightcall: a tag in them is meant to say something.
            values.refuse_tags();
            InputRecords::Cases(Box::new(values))
        }
    }

    /// The reader of the format, where it is one of traces.
    fn reader(&self) -> Option<Box<dyn TraceReader>> {
        let mut reader = reader(self.format?, self.has_pages, self.scope())?;
        reader.begin_file(self.name);
        Some(reader)
    }
}

/// What the chat history of Aider begins with.
const AIDER: &[u8] = b"# aider chat started at";

/// A history that people read, and that holds no calls.
#[cold]
fn without_structure(name: &Arc<str>) -> ReadError {
    CaseError::new("recorded tool calls", "a chat history of Aider, which holds no structured calls")
        .help("Aider asks for edits as text, so there is nothing to score; record its requests to the model instead, as a HAR file or a cassette")
        .at(name, None)
}

/// A value, of long lists the first items.
fn sample(text: &str) -> Option<Node<'_>> {
    Node::parse_sample(text, MAX_DEPTH, ITEMS).ok()
}
