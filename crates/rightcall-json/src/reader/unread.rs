//! Finds the end of a list without reading it: scans 64 bytes at a time for quotes, backslashes and list brackets.

use wide::u8x16;

use super::Reader;
use crate::syntax::Result;

const SIZE: usize = 64;

/// The scanner's state between the brackets that it counts.
#[derive(Default)]
struct Place {
    /// Open lists inside the one to leave.
    level: usize,
    in_string: bool,
    /// True after the backslash of an escape.
    is_escaped: bool,
}

impl Place {
    /// Consumes one byte; true if it is the closing bracket searched for.
    fn pass(&mut self, byte: u8) -> bool {
        match byte {
            _ if std::mem::take(&mut self.is_escaped) => {}
            b'"' => self.in_string = !self.in_string,
            _ if self.in_string => self.is_escaped = byte == b'\\',
            b'[' => self.level += 1,
            b']' if self.level == 0 => return true,
            b']' => self.level -= 1,
            _ => {}
        }
        false
    }

    /// Consumes a few bytes, up to the closing bracket searched for; returns its index.
    fn pass_all(&mut self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|&byte| self.pass(byte))
    }

    /// Like `pass_all`, for one block.
    fn pass_block(&mut self, block: &[u8; SIZE]) -> Option<usize> {
        let is = |byte| move |block: u8x16| block.simd_eq(u8x16::splat(byte));
        let backslashes = bits(block, is(b'\\'));
        let (escaped, ends_in_escape) = if backslashes == 0 && !self.is_escaped {
            (0, false)
        } else {
            escapes(backslashes, self.is_escaped)
        };
        let quotes = bits(block, is(b'"')) & !escaped;
        let strings = parity(quotes) ^ if self.in_string { u64::MAX } else { 0 };
        if backslashes & !strings != 0 {
            // Backslashes outside of strings escape nothing, but the masks above assumed they do.
            return self.pass_all(block);
        }
        let opening = bits(block, is(b'['));
        let mut brackets = (opening | bits(block, is(b']'))) & !strings;
        while brackets != 0 {
            if opening & brackets & brackets.wrapping_neg() != 0 {
                self.level += 1;
            } else if self.level == 0 {
                return Some(brackets.trailing_zeros() as usize);
            } else {
                self.level -= 1;
            }
            brackets &= brackets - 1;
        }
        self.in_string = strings >> (SIZE - 1) == 1;
        self.is_escaped = ends_in_escape;
        None
    }
}

impl Reader<'_> {
    /// Leaves the innermost list without reading the rest of it. Only its strings and list brackets are scanned, so use this only to peek
    /// at a text that is fully read elsewhere.
    ///
    /// # Errors
    /// The text ends before the list does.
    pub fn leave_list_unread(&mut self) -> Result<()> {
        let mut place = Place::default();
        for block in self.rest().as_bytes().chunks(SIZE) {
            let end = if let Some(block) = block.first_chunk() {
                place.pass_block(block)
            } else {
                place.pass_all(block)
            };
            if let Some(end) = end {
                self.at += end + 1;
                self.depth -= 1;
                return Ok(());
            }
            self.at += block.len();
        }
        Err(self.unexpected("the end of the list"))
    }
}

/// One bit per byte that satisfies `holds`, the first byte lowest.
#[inline]
fn bits(block: &[u8; SIZE], holds: impl Fn(u8x16) -> u8x16) -> u64 {
    let (blocks, _) = block.as_chunks();
    blocks.iter().rev().fold(0, |bits, block| {
        bits << 16 | u64::from(holds(u8x16::new(*block)).to_bitmask())
    })
}

/// A mask of the bytes after the backslash of an escape, and whether the byte after the block is one too.
fn escapes(mut backslashes: u64, is_escaped: bool) -> (u64, bool) {
    let mut escaped = u64::from(is_escaped);
    backslashes &= !escaped;
    let mut ends_in_escape = false;
    while backslashes != 0 {
        let first = backslashes & backslashes.wrapping_neg();
        escaped |= first << 1;
        ends_in_escape = first << 1 == 0;
        backslashes &= !(first | first << 1);
    }
    (escaped, ends_in_escape)
}

/// For each bit, whether the number of set bits up to and including it is odd.
#[inline]
fn parity(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}
