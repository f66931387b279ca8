//! Similarity of two texts: Python's `difflib.SequenceMatcher`, exact to the last bit.
//!
//! The matcher takes the longest block common to both texts, then repeats this before and after it. The ratio is twice the length of all
//! blocks, divided by the length of both texts. If the second text has 200 code points or more, its frequent ones start no block. So the
//! ratio is neither symmetric nor a true longest-common measure, and only this algorithm reproduces it.
//!
//! A search takes one step per pair of equal code points in its window: quadratic in the worst case, cubic with the searches that follow,
//! and far less on ordinary text. Code points are numbered by first appearance in the second text, so their positions fit in one flat
//! array. Rows of run lengths are stamped and never cleared.
//!
//! Source: spec/semantics.md 11.5.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::text::Text;

/// `SequenceMatcher(None, a, b).ratio()` on code points.
pub fn ratio(a: &Text<'_>, b: &Text<'_>) -> f64 {
    // Equal texts are one block. The first longest run is on the diagonal, since every other run of that length starts later, and it
    // extends to both ends. So frequent code points don't matter here.
    if a == b {
        return 1.0;
    }
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let mut matcher = Matcher::new(a, b);
    let mut shared = 0;
    matcher.each_block(|block| shared += block.size);
    2.0 * shared as f64 / (matcher.a.len() + matcher.b.len()) as f64
}

/// `SequenceMatcher(None, a, b).get_matching_blocks()`: offset in `a`, offset in `b` and size of each block.
///
/// Blocks ascend, and blocks adjacent in both texts are merged. The last is `(|a|, |b|, 0)`.
pub fn matching_blocks(a: &Text<'_>, b: &Text<'_>) -> Vec<(usize, usize, usize)> {
    let mut matcher = Matcher::new(a, b);
    let mut found = Vec::new();
    matcher.each_block(|block| found.push((block.a, block.b, block.size)));
    found.sort_unstable();
    let mut merged: Vec<(usize, usize, usize)> = Vec::with_capacity(found.len() + 1);
    for block in found {
        match merged.last_mut() {
            Some(last) if last.0 + last.2 == block.0 && last.1 + last.2 == block.1 => {
                last.2 += block.2;
            }
            _ => merged.push(block),
        }
    }
    merged.push((matcher.a.len(), matcher.b.len(), 0));
    merged
}

/// The number of code points in `a` that `b` lacks.
const ABSENT: u32 = u32::MAX;
/// If `b` has at least this length, its frequent code points start no block.
const LONG: usize = 200;

struct Matcher {
    /// Numbers of the code points of `a`.
    a: Vec<u32>,
    /// Numbers of the code points of `b`.
    b: Vec<u32>,
    /// The start of each number's positions in `positions`; the last entry is the end.
    starts: Vec<u32>,
    /// Ascending positions in `b`, number by number; none for frequent ones.
    positions: Vec<u32>,
    rows: Rows,
}

#[derive(Clone, Copy)]
struct Block {
    a: usize,
    b: usize,
    size: usize,
}

/// A range of each text.
#[derive(Clone, Copy)]
struct Window {
    a: (usize, usize),
    b: (usize, usize),
}

/// Lengths of the runs that end at each position of `b`, for the previous code point of `a` and for the current one.
struct Rows {
    last: Vec<Run>,
    present: Vec<Run>,
    stamp: u32,
}

/// The length of a run, valid if the row has this stamp. The run that ends at `b[j]` is at j + 1.
#[derive(Clone, Copy, Default)]
struct Run {
    stamp: u32,
    length: u32,
}

impl Rows {
    fn new(width: usize) -> Self {
        Self {
            last: vec![Run::default(); width + 1],
            present: vec![Run::default(); width + 1],
            stamp: 0,
        }
    }

    /// Reserves stamps for this many rows, so that none of them sees entries of earlier rows.
    fn begin(&mut self, rows: usize) {
        let needed = u32::try_from(rows).unwrap_or(u32::MAX).saturating_add(2);
        if self.stamp.checked_add(needed).is_none() {
            self.last.fill(Run::default());
            self.present.fill(Run::default());
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    fn next(&mut self) {
        std::mem::swap(&mut self.last, &mut self.present);
        self.stamp += 1;
    }
}

/// Numbers code points by first appearance.
struct Numbers {
    ascii: [u32; 128],
    other: HashMap<u32, u32, FixedState>,
    count: u32,
}

impl Numbers {
    fn new() -> Self {
        Self {
            ascii: [ABSENT; 128],
            other: HashMap::with_hasher(FixedState::default()),
            count: 0,
        }
    }

    fn get(&self, point: u32) -> u32 {
        match self.ascii.get(point as usize) {
            Some(&number) => number,
            None => self.other.get(&point).copied().unwrap_or(ABSENT),
        }
    }

    fn get_or_add(&mut self, point: u32) -> u32 {
        let number = match self.ascii.get_mut(point as usize) {
            Some(number) => number,
            None => self.other.entry(point).or_insert(ABSENT),
        };
        if *number == ABSENT {
            *number = self.count;
            self.count += 1;
        }
        *number
    }
}

impl Matcher {
    fn new(a: &Text<'_>, b: &Text<'_>) -> Self {
        let mut numbers = Numbers::new();
        let b: Vec<u32> = b
            .code_points()
            .map(|point| numbers.get_or_add(point))
            .collect();
        let a: Vec<u32> = a.code_points().map(|point| numbers.get(point)).collect();

        let mut counts = vec![0_u32; numbers.count as usize];
        for &number in &b {
            counts[number as usize] += 1;
        }
        if b.len() >= LONG {
            let frequent = b.len() / 100 + 1;
            counts
                .iter_mut()
                .filter(|count| **count as usize > frequent)
                .for_each(|count| *count = 0);
        }
        let mut starts = Vec::with_capacity(counts.len() + 1);
        let mut total = 0;
        starts.push(0);
        for &count in &counts {
            total += count;
            starts.push(total);
        }
        // From here on, `counts` holds the number of positions not yet placed.
        let mut positions = vec![0; total as usize];
        for (position, &number) in b.iter().enumerate() {
            let left = &mut counts[number as usize];
            if *left > 0 {
                positions[(starts[number as usize + 1] - *left) as usize] = position as u32;
                *left -= 1;
            }
        }
        let rows = Rows::new(b.len());
        Self {
            a,
            b,
            starts,
            positions,
            rows,
        }
    }

    /// Calls `found` for each block, in no particular order.
    fn each_block(&mut self, mut found: impl FnMut(Block)) {
        let mut open = vec![Window {
            a: (0, self.a.len()),
            b: (0, self.b.len()),
        }];
        while let Some(window) = open.pop() {
            let block = self.longest(window);
            if block.size == 0 {
                continue;
            }
            found(block);
            let before = Window {
                a: (window.a.0, block.a),
                b: (window.b.0, block.b),
            };
            let after = Window {
                a: (block.a + block.size, window.a.1),
                b: (block.b + block.size, window.b.1),
            };
            open.extend(
                [before, after]
                    .into_iter()
                    .filter(|part| part.a.0 < part.a.1 && part.b.0 < part.b.1),
            );
        }
    }

    /// The longest block of a window. Ties go to the first in `a`, then the first in `b`.
    fn longest(&mut self, window: Window) -> Block {
        let ((a_start, a_end), (b_start, b_end)) = (window.a, window.b);
        let (first, end) = (b_start as u32, b_end as u32);
        let mut size = 0;
        // The end of the best run in each text.
        let mut ends = (a_start, b_start);
        self.rows.begin(a_end - a_start);
        for (place, &number) in self.a[a_start..a_end].iter().enumerate() {
            self.rows.next();
            if number == ABSENT {
                continue;
            }
            let (from, to) = (
                self.starts[number as usize] as usize,
                self.starts[number as usize + 1] as usize,
            );
            let mut positions = &self.positions[from..to];
            if positions.first().is_some_and(|&position| position < first) {
                positions = &positions[positions.partition_point(|&position| position < first)..];
            }
            let Rows {
                last,
                present,
                stamp,
            } = &mut self.rows;
            for &position in positions.iter().take_while(|&&position| position < end) {
                let at = position as usize;
                let before = last[at];
                // Only a run that ended one position earlier in the previous row can be extended.
                let length = if before.stamp + 1 == *stamp {
                    before.length + 1
                } else {
                    1
                };
                present[at + 1] = Run {
                    stamp: *stamp,
                    length,
                };
                if length > size {
                    size = length;
                    ends = (a_start + place + 1, at + 1);
                }
            }
        }
        let mut block = Block {
            a: ends.0 - size as usize,
            b: ends.1 - size as usize,
            size: size as usize,
        };
        // Frequent code points start no block, but extend adjacent blocks.
        let left = self.a[a_start..block.a]
            .iter()
            .rev()
            .zip(self.b[b_start..block.b].iter().rev());
        let grown = left.take_while(|(a, b)| a == b).count();
        block = Block {
            a: block.a - grown,
            b: block.b - grown,
            size: block.size + grown,
        };
        let right = self.a[block.a + block.size..a_end]
            .iter()
            .zip(&self.b[block.b + block.size..b_end]);
        block.size += right.take_while(|(a, b)| a == b).count();
        block
    }
}

#[cfg(test)]
#[allow(clippy::unreadable_literal)] // as Python prints them
mod tests;
