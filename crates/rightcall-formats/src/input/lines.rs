//! JSON Lines, split into blocks at line ends.

use std::{io, iter};

use rightcall_core::value::MAX_DEPTH;

use super::block::{Block, Buffer, BufferPool, Content};
use super::source::Source;
use crate::event_line::payload;
use crate::node::Node;

/// Reads until the first line is complete; a line over the limit is left incomplete.
pub(super) fn fill_first(
    head: &mut Vec<u8>,
    source: &mut Source,
    max_line: usize,
) -> io::Result<()> {
    let mut searched = 0;
    while memchr::memchr(b'\n', &head[searched..]).is_none() && head.len() <= max_line {
        searched = head.len();
        if source.fill(head, searched.max(1 << 16))? == 0 {
            break;
        }
    }
    Ok(())
}

/// The number of list items used to detect the format of a line: a long list need not become a tree.
const ITEMS: usize = 100;

/// The readable values among the first lines, with long lists cut short.
pub(super) fn first(head: &[u8]) -> impl Iterator<Item = Node<'_>> {
    let mut rest = Some(head);
    let lines = iter::from_fn(move || {
        let text = rest?;
        let (line, behind) = match memchr::memchr(b'\n', text) {
            Some(end) => (&text[..end], Some(&text[end + 1..])),
            None => (text, None),
        };
        rest = behind;
        Some(line)
    });
    lines.filter_map(|line| {
        Node::parse_sample(
            payload(std::str::from_utf8(line).ok()?)?.0,
            MAX_DEPTH,
            ITEMS,
        )
        .ok()
    })
}

/// The state between two blocks.
#[derive(Debug)]
pub(super) struct Lines {
    /// The beginning of the next block, read already.
    pub(super) rest: Vec<u8>,
    /// The number of its first line.
    pub(super) line: u64,
    /// Its offset in the input.
    pub(super) offset: u64,
    pub(super) has_ended: bool,
    pub(super) failure: Option<io::Error>,
    pub(super) max_line: usize,
    pub(super) pool: BufferPool,
}

impl Lines {
    /// The next block; `None` at the end.
    pub(super) fn next(&mut self, source: &mut Source, target: usize) -> io::Result<Option<Block>> {
        let mut bytes = self.pool.take();
        bytes.clear();
        if self.rest.len() > target {
            std::mem::swap(&mut bytes, &mut self.rest);
        } else {
            bytes.reserve(target);
            bytes.append(&mut self.rest);
        }
        self.rest.clear();
        let mut goal = target.max(1);
        let mut searched = 0;
        loop {
            if bytes.len() < goal {
                self.fill(source, &mut bytes, goal);
            }
            let end =
                memchr::memrchr(b'\n', &bytes[searched..]).map(|length| searched + length + 1);
            searched = bytes.len();
            match end {
                Some(end) => {
                    self.rest.extend_from_slice(&bytes[end..]);
                    bytes.truncate(end);
                    return Ok(Some(self.block(bytes)));
                }
                None if bytes.len() > self.max_line => {
                    return self.skip_line(source, bytes).map(Some);
                }
                None if self.has_ended => break,
                // The block has no line end yet: it grows with the line.
                None => {
                    goal = bytes
                        .len()
                        .saturating_mul(2)
                        .min(self.max_line.saturating_add(1))
                        .max(bytes.len() + 1);
                }
            }
        }
        if let Some(failure) = self.failure.take() {
            // The text after the last line end is only a part of a line.
            return Err(failure);
        }
        Ok((!bytes.is_empty()).then(|| self.block(bytes)))
    }

    fn fill(&mut self, source: &mut Source, bytes: &mut Vec<u8>, goal: usize) {
        if self.has_ended {
            return;
        }
        let missing = goal - bytes.len();
        match source.fill(bytes, missing) {
            Ok(read) => self.has_ended = read < missing,
            Err(error) => {
                self.failure = Some(error);
                self.has_ended = true;
            }
        }
    }

    fn block(&mut self, bytes: Vec<u8>) -> Block {
        let (line, offset) = (self.line, self.offset);
        self.line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        self.offset += bytes.len() as u64;
        let bytes = Buffer {
            bytes,
            pool: self.pool.clone(),
        };
        Block::new(Content::Lines {
            bytes,
            line,
            offset,
            max_line: self.max_line,
        })
    }

    /// Skips to the end of a line that is too long, without storing it.
    fn skip_line(&mut self, source: &mut Source, mut bytes: Vec<u8>) -> io::Result<Block> {
        let mut length = bytes.len() as u64;
        let mut ending = 0;
        while !self.has_ended {
            bytes.clear();
            self.fill(source, &mut bytes, 1 << 16);
            if let Some(end) = memchr::memchr(b'\n', &bytes) {
                length += end as u64;
                ending = 1;
                self.rest.extend_from_slice(&bytes[end + 1..]);
                break;
            }
            length += bytes.len() as u64;
        }
        if ending == 0
            && let Some(failure) = self.failure.take()
        {
            // Only a part of a line, of any length.
            return Err(failure);
        }
        let block = Block::new(Content::LongLine {
            line: self.line,
            offset: self.offset,
            length,
            max_line: self.max_line,
        });
        self.line += 1;
        self.offset += length + ending;
        Ok(block)
    }
}
