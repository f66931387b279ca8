//! The rows of bits. All are kept if they fit into memory; otherwise some are recomputed.

use std::array;

use super::matches::{Matches, WORD};

/// Up to this number of words, all rows are kept: 256 KiB.
const MAX_WORDS: usize = 1 << 15;

/// Words added together, so that the carry between them stays in the processor's carry flag.
const STEP: usize = 4;

/// Words per segment. The carry into each segment is kept, so a segment can be recomputed without the words before it.
const SEGMENT: usize = 4 * STEP;

/// The bits of all rows. Only a tile is in memory: the rows and words that the traceback needs
/// next.
pub(super) struct Bits<'s> {
    pub(super) matches: Matches<'s>,
    words: usize,
    /// The rows and words of a tile: all of them if they fit.
    stride: usize,
    segment: usize,
    /// The row before the first row of each stride.
    checkpoints: Vec<u64>,
    /// The carries into the segments of each row, one bit each, in `carry_words` words per row. Empty if a tile has all words.
    carries: Vec<u64>,
    carry_words: usize,
    tile: Vec<u64>,
    /// The first row and word of the tile.
    start: usize,
    from: usize,
}

impl<'s> Bits<'s> {
    /// The bits of this number of rows and columns.
    pub(super) fn new(matches: Matches<'s>, rows: usize, columns: usize) -> Self {
        let words = columns.div_ceil(WORD);
        let fits = rows * words <= MAX_WORDS;
        let (stride, segment) = if fits {
            (rows, words)
        } else {
            (rows.isqrt() + 1, SEGMENT)
        };
        let carry_words = words.div_ceil(SEGMENT * WORD);
        // An empty tile: it starts after the last row.
        let (carries, start, from) = (Vec::new(), rows, 0);
        let mut bits = Self {
            matches,
            words,
            stride,
            segment,
            checkpoints: vec![u64::MAX; words],
            carries,
            carry_words,
            tile: vec![0; stride * segment],
            start,
            from,
        };
        if !fits {
            bits.store_checkpoints(rows);
        }
        bits
    }

    /// Computes all rows once, to store the checkpoints and carries.
    fn store_checkpoints(&mut self, rows: usize) {
        let mut current = std::mem::take(&mut self.checkpoints);
        self.carries = vec![0; rows * self.carry_words];
        for (row, carries) in self.carries.chunks_exact_mut(self.carry_words).enumerate() {
            if row % self.stride == 0 {
                self.checkpoints.extend_from_slice(&current);
            }
            if let Some(mask) = self.matches.mask(row) {
                advance(&mut current, mask, false, |segment, carry| {
                    carries[segment / WORD] |= u64::from(carry) << (segment % WORD);
                });
            }
        }
    }

    /// True if the length grows at this cell. Later queries must not have a larger row or column.
    pub(super) fn grows(&mut self, row: usize, column: usize) -> bool {
        let word = column / WORD;
        if row < self.start || word < self.from {
            self.fill_tile(row, word);
        }
        self.tile[(row - self.start) * self.segment + word - self.from] >> (column % WORD) & 1 == 0
    }

    /// Computes the tile that contains a word and ends at row `last`.
    fn fill_tile(&mut self, last: usize, word: usize) {
        let segment = word / self.segment;
        self.start = last / self.stride * self.stride;
        self.from = segment * self.segment;
        let width = self.segment.min(self.words - self.from);
        let checkpoint = self.start / self.stride * self.words + self.from;
        // No later row needs this checkpoint, so it can be overwritten.
        let current = &mut self.checkpoints[checkpoint..][..width];
        for (row, kept) in (self.start..=last).zip(self.tile.chunks_exact_mut(self.segment)) {
            if let Some(mask) = self.matches.mask(row) {
                let carries = self.carries.get(row * self.carry_words + segment / WORD);
                let carry = carries.is_some_and(|carries| carries >> (segment % WORD) & 1 == 1);
                advance(current, &mask[self.from..], carry, |_, _| {});
            }
            kept[..width].copy_from_slice(current);
        }
    }
}

/// `V := (V + (V & M)) | (V & !M)` over all words as one long number, with a carry in. The mask may have more words. `keep` receives the
/// carry into each segment.
fn advance(row: &mut [u64], mask: &[u64], mut carry: bool, mut keep: impl FnMut(usize, bool)) {
    let mask = &mask[..row.len()];
    let (segments, rest) = row.as_chunks_mut::<SEGMENT>();
    let (mask_segments, mask_rest) = mask.as_chunks::<SEGMENT>();
    let full = segments.len();
    for (segment, (words, masks)) in segments.iter_mut().zip(mask_segments).enumerate() {
        keep(segment, carry);
        carry = advance_segment(words, masks, carry);
    }
    if !rest.is_empty() {
        keep(full, carry);
        advance_segment(rest, mask_rest, carry);
    }
}

/// One segment of [`advance`], or the words after the last whole segment.
#[inline]
fn advance_segment(words: &mut [u64], masks: &[u64], mut carry: bool) -> bool {
    let (steps, rest) = words.as_chunks_mut::<STEP>();
    let (mask_steps, mask_rest) = masks.as_chunks::<STEP>();
    for (words, masks) in steps.iter_mut().zip(mask_steps) {
        carry = advance_words(words, masks, carry);
    }
    for (word, mask) in rest.iter_mut().zip(mask_rest) {
        carry = advance_words(array::from_mut(word), array::from_ref(mask), carry);
    }
    carry
}

/// Some words of [`advance`], with the carry in; returns the carry out.
fn advance_words<const N: usize>(words: &mut [u64; N], masks: &[u64; N], mut carry: bool) -> bool {
    let matched: [u64; N] = array::from_fn(|at| words[at] & masks[at]);
    let sums: [u64; N] = array::from_fn(|at| {
        let (sum, over) = words[at].overflowing_add(matched[at]);
        let (sum, over_again) = sum.overflowing_add(u64::from(carry));
        carry = over | over_again;
        sum
    });
    for at in 0..N {
        words[at] = sums[at] | (words[at] - matched[at]);
    }
    carry
}
