//! Splits many inputs into pieces of work for several threads, in order.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use super::block::Block;
use super::open::Input;
use crate::error::{OpenError, ReadError};
use crate::options::{Limits, ReadOptions};

/// The pieces of all inputs, in order: blocks of large files, and small files whole.
#[derive(Debug)]
pub struct Inputs<'p> {
    limits: Limits,
    options: &'p ReadOptions,
    paths: std::slice::Iter<'p, PathBuf>,
    block: usize,
    /// Files up to this size are one piece.
    small: u64,
    number: usize,
    open: Option<Input>,
    /// Total size in bytes of the finished inputs.
    bytes_before: u64,
    /// Total number of records of the finished inputs, if counted.
    records_before: Option<u64>,
}

/// A piece of an input, cheap to send to another thread.
#[derive(Debug)]
pub struct Piece {
    /// The name of the input as the user gave it.
    pub file: Arc<str>,
    /// The index of the input.
    pub number: usize,
    /// Bytes of all inputs, up to the end of this piece.
    pub bytes_read: u64,
    /// Records of all inputs before this piece, if counted.
    pub records_before: u64,
    content: Content,
    block: usize,
}

#[derive(Debug)]
enum Content {
    Block(Block),
    File(Box<Input>),
    Broken(ReadError),
}

/// Larger files are never one piece, because the results of a piece are held in memory.
const LARGE: u64 = 16 << 20;

impl<'p> Inputs<'p> {
    /// The pieces for this number of threads. Blocks are about `block` bytes long.
    ///
    /// A small file is opened, read and processed by a single thread, and so is a file that must be parsed before it can be split.
    pub fn new(
        paths: &'p [PathBuf],
        limits: Limits,
        options: &'p ReadOptions,
        threads: usize,
        block: usize,
    ) -> Self {
        let sizes = paths
            .iter()
            .filter_map(|path| fs::metadata(path).ok().filter(fs::Metadata::is_file));
        let all: u64 = sizes.map(|metadata| metadata.len()).sum();
        // A file of at most one thread's share keeps every thread busy to the end.
        let share = all / threads.max(1) as u64;
        let small = if threads > 1 {
            share.min(LARGE).max(block as u64)
        } else {
            0
        };
        Self {
            limits,
            options,
            paths: paths.iter(),
            block,
            small,
            number: 0,
            open: None,
            bytes_before: 0,
            records_before: None,
        }
    }

    /// Puts an already opened input before all others.
    #[must_use]
    pub fn after(self, open: Input) -> Self {
        Self {
            open: Some(open),
            ..self
        }
    }

    /// Counts the records, on the thread that requests the pieces.
    #[must_use]
    pub fn counted(self) -> Self {
        Self {
            small: 0,
            records_before: Some(0),
            ..self
        }
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// An input cannot be opened. Later read errors are reported by the piece.
    pub fn next_piece(&mut self) -> Result<Option<Piece>, OpenError> {
        loop {
            let Some(input) = &mut self.open else {
                let Some(path) = self.paths.next() else {
                    return Ok(None);
                };
                let input = Input::open(path, self.limits, self.options)?;
                // Compressed data may be many times as large.
                let size = input.size_hint().map(|size| {
                    if input.is_packed() {
                        size.saturating_mul(16)
                    } else {
                        size
                    }
                });
                if size.is_some_and(|size| size <= self.small) {
                    self.bytes_before += input.size_hint().unwrap_or_default();
                    let file = Arc::clone(input.name());
                    return Ok(Some(self.piece(
                        file,
                        self.bytes_before,
                        Content::File(Box::new(input)),
                        true,
                    )));
                }
                self.open = Some(input);
                continue;
            };
            let next = input.next_unready(self.block);
            let file = Arc::clone(input.name());
            let bytes_read = self.bytes_before + input.bytes_read();
            let content = match next {
                Ok(Some(block)) => return Ok(Some(self.block(file, bytes_read, block))),
                Ok(None) => None,
                Err(error) => Some(Content::Broken(error)),
            };
            self.bytes_before = bytes_read;
            self.open = None;
            match content {
                Some(broken) => return Ok(Some(self.piece(file, bytes_read, broken, true))),
                None => self.number += 1,
            }
        }
    }

    fn piece(&mut self, file: Arc<str>, bytes_read: u64, content: Content, is_last: bool) -> Piece {
        let number = self.number;
        self.number += usize::from(is_last);
        let records_before = self.records_before.unwrap_or_default();
        Piece {
            file,
            number,
            bytes_read,
            records_before,
            content,
            block: self.block,
        }
    }

    fn block(&mut self, file: Arc<str>, bytes_read: u64, mut block: Block) -> Piece {
        let mut records = 0;
        if self.records_before.is_some() {
            block = block.ready();
            records = block.records().count() as u64;
        }
        let piece = self.piece(file, bytes_read, Content::Block(block), false);
        self.records_before = self.records_before.map(|before| before + records);
        piece
    }
}

impl Piece {
    /// Passes each block of the piece to `each`, ready to read; the error of an aborted input comes last.
    pub fn each_block(self, mut each: impl FnMut(Result<Block, ReadError>)) {
        match self.content {
            Content::Block(block) => each(Ok(block.ready())),
            Content::Broken(error) => each(Err(error)),
            Content::File(mut input) => {
                while let Some(next) = input.next_block(self.block).transpose() {
                    let is_last = next.is_err();
                    each(next);
                    if is_last {
                        return;
                    }
                }
            }
        }
    }
}
