//! Which columns match a row: by symbols, or by grades that were asked for once.

use std::ops::Range;

use smallvec::SmallVec;

use super::super::free::FreeCalls;
use super::super::{Comparison, Grade, Symbols};
use crate::outcome::EvaluationError;

pub(super) const WORD: usize = u64::BITS as usize;

/// Words of bits; those of a usual case need no memory of their own.
pub(super) type Words = SmallVec<[u64; 32]>;

/// Which columns match a row.
pub(super) trait Matches {
    /// The bits of the columns that match a row; `None` if there are none.
    fn mask(&mut self, row: usize) -> Option<&[u64]>;

    /// True if row and column match.
    fn is_match(&self, row: usize, column: usize) -> bool;
}

/// A row of bits, made anew of a few columns at a time.
#[derive(Default)]
struct Scratch {
    bits: Vec<u64>,
    /// The columns whose bits are set, as a range of the list that they stand in.
    set: Range<usize>,
}

impl Scratch {
    fn new(words: usize) -> Self {
        Self {
            bits: vec![0; words],
            set: 0..0,
        }
    }

    /// The bits of some of the columns.
    fn show(&mut self, columns: &[u32], range: Range<usize>) -> &[u64] {
        for &column in &columns[std::mem::replace(&mut self.set, range.clone())] {
            self.bits[column as usize / WORD] = 0;
        }
        for &column in &columns[range] {
            self.bits[column as usize / WORD] |= 1 << (column as usize % WORD);
        }
        &self.bits
    }
}

/// Matches by symbols: a row of bits for each symbol that is frequent, a list of columns for the others, so that the masks of all
/// rows take no more time and no more memory than the rows themselves.
pub(super) struct Keyed<'s> {
    symbols: &'s Symbols<'s>,
    words: usize,
    /// For each symbol the place of its bits in `dense`, or none.
    place: Vec<u32>,
    /// Not its own, since to move it costs more than to fill it.
    dense: &'s mut Words,
    /// For each symbol where its columns begin in `columns`, and where the last one's end.
    starts: Vec<u32>,
    columns: Vec<u32>,
    /// The bits of the latest symbol without bits of its own.
    scratch: Scratch,
}

impl<'s> Keyed<'s> {
    const SPARSE: u32 = u32::MAX;

    /// Up to this many words all symbols have bits of their own: 32 KiB.
    const DENSE: usize = 1 << 12;

    /// Only columns before this one are asked for. There is nothing in `dense`.
    pub(super) fn new(symbols: &'s Symbols, columns: usize, dense: &'s mut Words) -> Self {
        let words = columns.div_ceil(WORD);
        let mut keyed = Self {
            symbols,
            words,
            place: Vec::new(),
            dense,
            starts: Vec::new(),
            columns: Vec::new(),
            scratch: Scratch::default(),
        };
        let expected = &symbols.expected[..columns];
        if symbols.count * words <= Self::DENSE {
            keyed.dense.resize(symbols.count * words, 0);
            for (column, &[one, other]) in expected.iter().enumerate() {
                for symbol in [one, other] {
                    if symbol != Symbols::NONE {
                        keyed.dense[symbol as usize * words + column / WORD] |=
                            1 << (column % WORD);
                    }
                }
            }
            return keyed;
        }
        keyed.list_columns(expected);
        keyed.place = vec![Self::SPARSE; symbols.count];
        for symbol in 0..symbols.count {
            let of_symbol = keyed.starts[symbol] as usize..keyed.starts[symbol + 1] as usize;
            if of_symbol.len() > words {
                keyed.place[symbol] = keyed.dense.len() as u32;
                keyed.dense.resize(keyed.dense.len() + words, 0);
                let bits = keyed.dense.len() - words;
                for &column in &keyed.columns[of_symbol] {
                    keyed.dense[bits + column as usize / WORD] |= 1 << (column as usize % WORD);
                }
            }
        }
        keyed.scratch = Scratch::new(words);
        keyed
    }

    /// Sorts the columns by symbol, by counting.
    fn list_columns(&mut self, expected: &[[u32; 2]]) {
        let entries = || {
            expected
                .iter()
                .enumerate()
                .flat_map(|(column, &[one, other])| {
                    let twice = if other == one { Symbols::NONE } else { other };
                    [one, twice]
                        .into_iter()
                        .filter(|&symbol| symbol != Symbols::NONE)
                        .map(move |symbol| (symbol as usize, column as u32))
                })
        };
        self.starts = vec![0; self.symbols.count + 1];
        for (symbol, _) in entries() {
            self.starts[symbol + 1] += 1;
        }
        for symbol in 0..self.symbols.count {
            self.starts[symbol + 1] += self.starts[symbol];
        }
        let mut next = self.starts.clone();
        self.columns = vec![0; self.starts[self.symbols.count] as usize];
        for (symbol, column) in entries() {
            self.columns[next[symbol] as usize] = column;
            next[symbol] += 1;
        }
    }
}

impl Matches for Keyed<'_> {
    fn mask(&mut self, row: usize) -> Option<&[u64]> {
        let symbol = self.symbols.actual[row];
        if symbol == Symbols::NONE {
            return None;
        }
        let symbol = symbol as usize;
        if self.place.is_empty() {
            return Some(&self.dense[symbol * self.words..][..self.words]);
        }
        if self.place[symbol] != Self::SPARSE {
            return Some(&self.dense[self.place[symbol] as usize..][..self.words]);
        }
        let columns = self.starts[symbol] as usize..self.starts[symbol + 1] as usize;
        if columns.is_empty() {
            return None;
        }
        Some(self.scratch.show(&self.columns, columns))
    }

    fn is_match(&self, row: usize, column: usize) -> bool {
        self.symbols.same(column, row)
    }
}

/// Matches by grades, asked for once: of each row its columns, or its bits where those take less memory.
pub(super) struct Graded {
    rows: Vec<GradedRow>,
    columns: Vec<u32>,
    dense: Vec<u64>,
    words: usize,
    /// The bits of the latest row without bits of its own.
    scratch: Scratch,
}

/// Where the matches of a row are kept.
#[derive(Clone)]
enum GradedRow {
    /// As a range of the columns.
    Sparse(Range<usize>),
    /// From this word on.
    Dense(usize),
}

impl Graded {
    pub(super) fn new<C: Comparison>(calls: &C) -> Result<Self, EvaluationError> {
        let names = calls.names();
        let words = calls.expected().div_ceil(WORD);
        let mut graded = Self {
            rows: Vec::with_capacity(calls.actual()),
            columns: Vec::new(),
            dense: Vec::new(),
            words,
            scratch: Scratch::new(words),
        };
        let mut of_name = FreeCalls::expected(names);
        for actual in 0..calls.actual() {
            let from = graded.columns.len();
            let mut walk = of_name.walk([names.actual[actual]; 2]);
            while let Some(expected) = of_name.step(&mut walk) {
                if calls.grade(expected, actual)? == Grade::Full {
                    graded.columns.push(expected as u32);
                }
            }
            graded.close_row(from);
        }
        Ok(graded)
    }

    /// Ends a row whose columns begin here.
    fn close_row(&mut self, from: usize) {
        // A word is as large as two columns.
        if self.columns.len() - from <= 2 * self.words {
            self.rows.push(GradedRow::Sparse(from..self.columns.len()));
            return;
        }
        let start = self.dense.len();
        self.dense.resize(start + self.words, 0);
        for column in self.columns.drain(from..) {
            self.dense[start + column as usize / WORD] |= 1 << (column as usize % WORD);
        }
        self.rows.push(GradedRow::Dense(start));
    }
}

impl Matches for Graded {
    fn mask(&mut self, row: usize) -> Option<&[u64]> {
        let columns = match self.rows[row].clone() {
            GradedRow::Dense(start) => return Some(&self.dense[start..][..self.words]),
            GradedRow::Sparse(columns) if columns.is_empty() => return None,
            GradedRow::Sparse(columns) => columns,
        };
        Some(self.scratch.show(&self.columns, columns))
    }

    fn is_match(&self, row: usize, column: usize) -> bool {
        match &self.rows[row] {
            GradedRow::Dense(start) => {
                self.dense[start + column / WORD] >> (column % WORD) & 1 == 1
            }
            GradedRow::Sparse(columns) => self.columns[columns.clone()]
                .binary_search(&(column as u32))
                .is_ok(),
        }
    }
}
