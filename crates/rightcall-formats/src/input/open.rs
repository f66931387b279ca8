//! An opened input.

use std::path::Path;
use std::sync::Arc;

use super::begin::{Beginning, InputRecords};
use super::block::Block;
use super::ending::is_yaml;
use super::source::Source;
use super::table_maps::TableMaps;
use crate::error::{OpenError, ReadError};
use crate::format::Format;
use crate::options::{Limits, ReadOptions};
use crate::trace::CaseScope;

/// An opened input, which returns its records block by block.
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
    Unread { head: Vec<u8> },
    Begun(InputRecords),
    Ended,
}

impl Input {
    /// The usual number of bytes to read at a time.
    pub const BLOCK: usize = 1 << 20;

    /// Opens a file, or standard input for `-`. Compressed data (gzip, zstd) is decompressed, and a byte order mark is skipped.
    ///
    /// The options say how to read traces, and the format of the input if it isn't to be detected.
    ///
    /// # Errors
    /// The input doesn't exist, is a directory, is not readable, or is damaged at its beginning.
    pub fn open(path: &Path, limits: Limits, options: &ReadOptions) -> Result<Self, OpenError> {
        let name = if path == Path::new("-") {
            "<stdin>".into()
        } else {
            path.to_string_lossy().into()
        };
        Ok(Self::from_source(
            name,
            Source::open(path, limits, TableMaps::of(options))?,
            limits,
            options,
        ))
    }

    /// Opens bytes in memory as an input, like a file with this name.
    ///
    /// # Errors
    /// The data is compressed, and damaged at its beginning.
    pub fn from_bytes(
        name: &str,
        bytes: Vec<u8>,
        limits: Limits,
        options: &ReadOptions,
    ) -> Result<Self, OpenError> {
        Ok(Self::from_source(
            name.into(),
            Source::from_bytes(name, bytes, limits, TableMaps::of(options))?,
            limits,
            options,
        ))
    }

    fn from_source(
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

    /// The next records, about `target_bytes` in total; `None` at the end. A longer record is a block by itself.
    ///
    /// # Errors
    /// The input cannot be read further. Errors in a single record are returned by that record.
    pub fn next_block(&mut self, target_bytes: usize) -> Result<Option<Block>, ReadError> {
        Ok(self.next_unready(target_bytes)?.map(Block::ready))
    }

    /// Like [`Input::next_block`], but leaves work that another thread can do.
    pub(super) fn next_unready(&mut self, target_bytes: usize) -> Result<Option<Block>, ReadError> {
        let result = self.next(target_bytes);
        if !matches!(result, Ok(Some(_))) {
            self.state = State::Ended;
        }
        result
    }

    /// The options for reading it.
    pub(crate) fn options(&self) -> ReadOptions {
        self.options
    }

    /// The name as the user gave it, `<stdin>` for standard input.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The size of the file, before decompression; `None` for a stream.
    pub fn size_hint(&self) -> Option<u64> {
        self.source.size
    }

    /// The part of [`Input::size_hint`] that has been read.
    pub fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    /// The format, as specified or detected from the first values; `None` if these aren't enough, as in an empty file.
    ///
    /// # Errors
    /// The input cannot be read, or its format is not recognized.
    pub fn format(&mut self) -> Result<Option<&'static Format>, ReadError> {
        self.prepare()?;
        Ok(self.format)
    }

    /// The next traces, each with its line, or with an error if it cannot be read; `None` at the end.
    #[cfg(test)]
    pub(crate) fn next_traces(
        &mut self,
    ) -> Result<Option<Vec<crate::trace::TraceRecord>>, ReadError> {
        self.prepare()?;
        match &mut self.state {
            State::Begun(InputRecords::Traces(traces)) => {
                traces.next(&mut self.source, &self.name, 1 << 20)
            }
            _ => panic!("no traces: {:?}", self.name),
        }
    }

    /// True if the offsets of records are offsets in the file.
    fn is_the_file_itself(&self) -> bool {
        !self.is_yaml
            && self.source.is_the_file_itself()
            && self.options.choices.scope == CaseScope::Run
            && !matches!(self.state, State::Begun(InputRecords::Traces(_)))
    }

    /// True if the file is compressed.
    pub(super) fn is_packed(&self) -> bool {
        self.source.is_packed()
    }

    /// Determines how to read the input.
    fn prepare(&mut self) -> Result<(), ReadError> {
        if let State::Unread { head } = &mut self.state {
            let head = std::mem::take(head);
            self.state = State::Ended;
            let beginning = Beginning {
                head,
                source: &mut self.source,
                name: &self.name,
                is_yaml: self.is_yaml,
                limits: self.limits,
                options: &self.options,
                format: self.format,
                are_wrapped: false,
            };
            let records;
            (self.format, records) = beginning.records()?;
            self.state = State::Begun(records);
        }
        Ok(())
    }

    fn next(&mut self, target: usize) -> Result<Option<Block>, ReadError> {
        self.prepare()?;
        let is_in_place = self.is_the_file_itself();
        let block = match &mut self.state {
            State::Begun(InputRecords::Cases(values)) => {
                let block = values.next(None, &mut self.source, &self.name, target)?;
                let options = self.options;
                match options.choices.scope {
                    CaseScope::Run => block,
                    _ => block.map(|block| Block::later(move || block.ready().divided(&options))),
                }
            }
            State::Begun(InputRecords::Traces(traces)) => {
                traces.next_block(&mut self.source, &self.name, target)?
            }
            State::Unread { .. } | State::Ended => None,
        };
        Ok(block.map(|block| Block {
            is_in_place,
            format: self.format,
            ..block
        }))
    }
}
