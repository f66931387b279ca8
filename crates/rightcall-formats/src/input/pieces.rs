//! Splits large documents into pieces while reading: the items of their lists become separate values.
//!
//! A list of values is split into its items. An object is split into the items of some of its lists. Each item keeps the objects and
//! lists around it, so that the reader of the whole document can read the pieces too. All other members are checked and skipped. Memory
//! holds a block, or the largest item.

mod batch;

use std::io;
use std::sync::Arc;

use rightcall_core::value::{MAX_DEPTH, Reader, Syntax, SyntaxError};

use super::block::{Block, Content};
use super::source::{Source, incomplete};
use crate::error::CaseError;
use crate::format::{ItemReader, Lists, says_more};
use crate::json;
use crate::node::Node;
use crate::place::LinePlace;
use batch::Batch;

/// A document, and the state of splitting it.
#[derive(Debug)]
pub(super) struct Pieces {
    /// Text that was read and is still needed.
    text: String,
    /// The position in the text.
    at: usize,
    /// The line of that position.
    line: u64,
    /// The place of the previous item.
    place: LinePlace,
    /// The first bytes of an incomplete character.
    tail: Vec<u8>,
    has_ended: bool,
    failure: Option<io::Error>,
    lists: Lists,
    open: Vec<Open>,
    max_value: usize,
    /// The minimum number of bytes to read at a time.
    chunk: usize,
    /// An error to report after the pieces before it, with its line.
    error: Option<(u64, CaseError)>,
    is_done: bool,
    /// True if the document says that other pages follow.
    goes_on: Option<bool>,
}

/// An object or list that the reader is inside of.
#[derive(Debug)]
struct Open {
    is_list: bool,
    is_first: bool,
    /// For a list, the index of its path in [`Pieces::lists`] and its key there.
    path: Option<(usize, &'static str)>,
    /// The number of path keys that lead here.
    depth: usize,
}

/// An error that ends the document early, with its distance from the current position.
type Broken = (usize, CaseError);

const AFTER: &str =
    "the file is read as one JSON document, and nothing after this place can be read";

/// Longer members are not checked for information about other pages, in bytes.
const ABOUT_PAGES: usize = 4096;

/// The number of bytes read at a time.
const CHUNK: usize = 1 << 18;

/// An error this close to the end of the buffer may only mean that more text is needed.
const CUT: usize = 16;

impl Pieces {
    /// A document with this beginning. Its objects are split into the items of these lists.
    pub(super) fn new(head: Vec<u8>, lists: Lists, max_value: usize) -> Self {
        Self {
            text: String::new(),
            at: 0,
            line: 1,
            place: LinePlace::default(),
            tail: head,
            has_ended: false,
            failure: None,
            lists,
            open: Vec::new(),
            max_value,
            chunk: CHUNK,
            error: None,
            is_done: false,
            goes_on: None,
        }
    }

    /// The next pieces, about `target` bytes in total; `None` at the end. Errors come with their line.
    ///
    /// Objects read by `in_place` are left out, so a block before the end may be empty.
    pub(super) fn next(
        &mut self,
        source: &mut Source,
        target: usize,
        mut in_place: Option<InPlace<'_>>,
    ) -> Result<Option<Block>, (u64, CaseError)> {
        self.text.drain(..self.at);
        self.at = 0;
        let mut batch = Batch::default();
        while !self.is_done
            && batch.text.len() < target.max(1)
            && (in_place.is_none() || self.at < target)
        {
            match self.step(source, &mut batch, in_place.as_mut()) {
                Ok(true) => {}
                Ok(false) => self.is_done = true,
                Err((passed, error)) => {
                    self.is_done = true;
                    let passed = self.text.as_bytes()[self.at..].iter().take(passed);
                    let lines = passed.filter(|byte| **byte == b'\n').count() as u64;
                    self.error = Some((self.line + lines, error));
                }
            }
        }
        batch.close();
        if batch.parts.is_empty() && self.is_done {
            return self.error.take().map_or(Ok(None), Err);
        }
        Ok(Some(Block::new(Content::Elements {
            document: Arc::new(batch.text),
            offset: 0,
            parts: batch.parts,
        })))
    }

    /// Advances by a bracket, a member or an item; false at the end.
    fn step(
        &mut self,
        source: &mut Source,
        batch: &mut Batch,
        in_place: Option<&mut InPlace<'_>>,
    ) -> Result<bool, Broken> {
        let byte = self.byte(source)?;
        let Some(open) = self.open.last_mut() else {
            if byte.is_none() {
                return Ok(false);
            }
            self.value(source, (0, None), batch, None)?;
            return Ok(true);
        };
        let (is_list, depth, path) = (open.is_list, open.depth, open.path);
        let (end, expected) = if is_list {
            (b']', "`,` or `]`")
        } else {
            (b'}', "`,` or `}`")
        };
        let is_first = std::mem::take(&mut open.is_first);
        if byte == Some(end) {
            self.at += 1;
            self.open.pop();
            return Ok(true);
        }
        if !is_first {
            if byte != Some(b',') {
                return Err(self.unexpected(expected));
            }
            self.at += 1;
            if self.byte(source)? == Some(end) {
                return Err(self.unexpected("a value after `,`"));
            }
        }
        if is_list {
            self.value(source, (depth, path), batch, in_place)?;
        } else {
            self.member(source, depth, path, batch)?;
        }
        Ok(true)
    }

    /// A member of an object: enters a list on a path, skips all else.
    fn member(
        &mut self,
        source: &mut Source,
        depth: usize,
        path: Option<(usize, &'static str)>,
        batch: &mut Batch,
    ) -> Result<(), Broken> {
        let (length, key) =
            self.whole(source, |reader| reader.string().map(|key| key.to_string()))?;
        self.pass(length);
        if self.byte(source)? != Some(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.at += 1;
        let is_list = self.byte(source)? == Some(b'[');
        let mut ways = self
            .lists
            .iter()
            .enumerate()
            .filter(|(index, _)| path.is_none_or(|(own, _)| own == *index));
        let way = ways.find_map(|(index, keys)| {
            Some((index, *keys.get(depth)?.iter().find(|it| **it == key)?))
        });
        if let (Some(way), true) = (way, is_list) {
            self.at += 1;
            batch.close();
            self.open.push(Open {
                is_list: true,
                is_first: true,
                path: Some(way),
                depth: depth + 1,
            });
        } else {
            let (length, ()) = self.whole(source, |reader| reader.raw().map(drop))?;
            if depth == 0 && length < ABOUT_PAGES {
                self.note_pages(&key, length);
            }
            self.pass(length);
        }
        Ok(())
    }

    /// Notes whether a member of the document announces other pages.
    fn note_pages(&mut self, key: &str, length: usize) {
        let value = &self.text[self.at..self.at + length];
        let member = json::object(|writer| _ = writer.key(key).raw(value));
        let said = Node::parse(&member, MAX_DEPTH)
            .ok()
            .and_then(|it| says_more(&it));
        self.goes_on = said.or(self.goes_on);
    }

    /// True if the document says that other pages follow, as far as it was read; `None` if it says nothing.
    pub(super) fn goes_on(&self) -> Option<bool> {
        self.goes_on
    }

    /// Reads an item or a separate value: enters it if it is split further, else adds it to the batch.
    fn value(
        &mut self,
        source: &mut Source,
        (depth, path): (usize, Option<(usize, &'static str)>),
        batch: &mut Batch,
        in_place: Option<&mut InPlace<'_>>,
    ) -> Result<(), Broken> {
        let byte = self.byte(source)?;
        let enters = |is_list| Open {
            is_list,
            is_first: true,
            path,
            depth,
        };
        if self.open.is_empty() && byte == Some(b'[') {
            self.at += 1;
            self.open.push(enters(true));
            return Ok(());
        }
        // The items of a document that is a list are not split further.
        let goes_on = match path {
            Some((path, _)) => depth < self.lists[path].len(),
            None => self.open.is_empty() && !self.lists.is_empty(),
        };
        if goes_on && byte == Some(b'{') {
            self.at += 1;
            self.open.push(enters(false));
            return Ok(());
        }
        // Only if no item is waiting in the batch: it has to be read first.
        if let (Some(in_place), Some((list, _)), Some(b'{'), true) =
            (in_place, path, byte, batch.is_empty())
            && let Some(length) = self.read_in_place(source, in_place, list)?
        {
            self.pass(length);
            return Ok(());
        }
        let (length, ()) = self.whole(source, |reader| reader.raw().map(drop))?;
        // A value that should be split but is not an object has no lists, so it is skipped.
        if !goes_on {
            let around = self
                .open
                .iter()
                .filter(|open| open.is_list)
                .filter_map(|open| Some(open.path?.1));
            let place = self.place.move_to(self.line);
            batch.add(around, &self.text[self.at..self.at + length], place);
        }
        self.pass(length);
        Ok(())
    }

    /// Reads the next object in place and returns its length; `None` if it is invalid.
    fn read_in_place(
        &mut self,
        source: &mut Source,
        in_place: &mut InPlace<'_>,
        list: usize,
    ) -> Result<Option<usize>, Broken> {
        let max_depth = in_place.max_depth.saturating_sub(self.open.len());
        loop {
            let mut reader = Reader::new(
                &self.text[self.at..],
                Syntax {
                    max_depth,
                    ..Syntax::PYTHON
                },
            );
            let result = in_place.items.item(list, &mut reader, self.line);
            let (passed, length) = (reader.offset(), self.text.len() - self.at);
            match result {
                Ok(()) => return Ok(Some(passed)),
                Err(error)
                    if error.offset + CUT >= length
                        && length <= self.max_value
                        && self.fill(source)? => {}
                Err(_) => return Ok(None),
            }
        }
    }

    /// Passes the next value to `read` once it is complete; also returns its length.
    fn whole<T>(
        &mut self,
        source: &mut Source,
        read: impl Fn(&mut Reader<'_>) -> Result<T, SyntaxError>,
    ) -> Result<(usize, T), Broken> {
        loop {
            let mut reader = Reader::new(&self.text[self.at..], Syntax::PYTHON);
            let result = read(&mut reader);
            let (passed, length) = (reader.offset(), self.text.len() - self.at);
            let is_cut = match &result {
                // A number may continue.
                Ok(_) => passed == length,
                Err(error) => error.offset + CUT >= length,
            };
            if is_cut && length <= self.max_value && self.fill(source)? {
                continue;
            }
            return match result {
                Ok(value) => Ok((passed, value)),
                Err(_) if length > self.max_value => {
                    let expected = format!("items of at most {} bytes", self.max_value);
                    let error = CaseError::new(expected, "a larger one");
                    Err((0, error.help("--max-document allows larger ones")))
                }
                Err(error) => {
                    let found = if error.offset >= length {
                        "the end of the file".to_owned()
                    } else {
                        error.found.clone()
                    };
                    Err((
                        error.offset,
                        CaseError::new(error.expected, found).help(AFTER),
                    ))
                }
            };
        }
    }

    /// The next byte that isn't white space.
    fn byte(&mut self, source: &mut Source) -> Result<Option<u8>, Broken> {
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let white = rest
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'))
                .count();
            let next = rest.get(white).copied();
            self.pass(white);
            if next.is_some() || !self.fill(source)? {
                return Ok(next);
            }
        }
    }

    fn pass(&mut self, length: usize) {
        let passed = &self.text.as_bytes()[self.at..self.at + length];
        self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.at += length;
    }

    /// Reads more, in growing steps if the current value is long; false at the end.
    fn fill(&mut self, source: &mut Source) -> Result<bool, Broken> {
        let mut bytes = std::mem::take(&mut self.tail);
        if !self.has_ended {
            let more = self.chunk.max(self.text.len() - self.at);
            match source.fill(&mut bytes, more) {
                Ok(read) => self.has_ended = read < more,
                Err(error) => {
                    self.has_ended = true;
                    self.failure = Some(error);
                }
            }
        }
        let before = self.text.len();
        match simdutf8::compat::from_utf8(&bytes) {
            Ok(text) => self.text.push_str(text),
            Err(error) => {
                let (good, rest) = bytes.split_at(error.valid_up_to());
                self.text
                    .push_str(simdutf8::basic::from_utf8(good).unwrap_or_default());
                let is_cut = error.error_len().is_none() && !self.has_ended;
                if !is_cut && good.is_empty() {
                    let error = CaseError::new("UTF-8 text", format!("the byte 0x{:02X}", rest[0]));
                    return Err((
                        self.text.len() - self.at,
                        error.help("save the file as UTF-8"),
                    ));
                }
                self.tail = rest.to_vec();
            }
        }
        if self.text.len() > before {
            return Ok(true);
        }
        match self.failure.take() {
            Some(failure) => Err((self.text.len() - self.at, incomplete(&failure))),
            None if self.has_ended => Ok(false),
            // Only a part of a character so far.
            None => self.fill(source),
        }
    }

    /// The error for unexpected text at this position.
    #[cold]
    fn unexpected(&self, expected: &'static str) -> Broken {
        let found = match self.text[self.at..].chars().next() {
            None => "the end of the file".to_owned(),
            Some(character) => format!("`{}`", character.escape_default()),
        };
        (0, CaseError::new(expected, found).help(AFTER))
    }
}

/// The reader for items in place.
pub(super) struct InPlace<'r> {
    pub(super) items: &'r mut dyn ItemReader,
    /// The nesting limit for the whole document.
    pub(super) max_depth: usize,
}

#[cfg(test)]
mod tests;
