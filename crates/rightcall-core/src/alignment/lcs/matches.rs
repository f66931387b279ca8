//! The columns that match each row, from symbols or from grades that are computed once.

use std::borrow::Cow;
use std::ops::Range;

use super::super::free::FreeCalls;
use super::super::{Comparison, Grade, Symbols};
use crate::outcome::EvaluationError;

pub(super) const WORD: usize = u64::BITS as usize;

/// The columns that match each row. Rows of the same class match the same columns, stored as a list or as bits, whichever is smaller. So
/// the masks of all rows take no more time and memory than the rows themselves.
pub(super) struct Matches<'s> {
    /// The class of each row.
    classes: Cow<'s, [u32]>,
    of_class: Vec<ClassColumns>,
    columns: Vec<u32>,
    dense: Vec<u64>,
    words: usize,
    /// The bits of the latest class stored as a list, and the range of its columns, which are the set bits.
    scratch: Vec<u64>,
    set: Range<usize>,
}

/// How the columns of a class are stored.
enum ClassColumns {
    /// A range of `columns`.
    Sparse(Range<usize>),
    /// Bits, starting at this word.
    Dense(usize),
}

impl<'s> Matches<'s> {
    fn new(classes: Cow<'s, [u32]>, count: usize, columns: usize) -> Self {
        let words = columns.div_ceil(WORD);
        Self {
            classes,
            of_class: Vec::with_capacity(count),
            columns: Vec::with_capacity(columns),
            dense: Vec::new(),
            words,
            scratch: vec![0; words],
            set: 0..0,
        }
    }

    /// Matches of calls with a common symbol.
    pub(super) fn from_symbols(symbols: &'s Symbols<'s>) -> Self {
        let mut matches = Self::new(
            Cow::Borrowed(&symbols.actual),
            symbols.count,
            symbols.expected.len(),
        );
        let mut of_symbol = FreeCalls::expected(symbols);
        for symbol in 0..symbols.count as u32 {
            let from = matches.columns.len();
            let mut walk = of_symbol.walk([symbol; 2]);
            while let Some(expected) = of_symbol.step(&mut walk) {
                matches.columns.push(expected as u32);
            }
            matches.close_class(from);
        }
        matches
    }

    /// Matches of calls graded as equal; each row is its own class.
    pub(super) fn from_grades<C: Comparison>(calls: &C) -> Result<Self, EvaluationError> {
        let names = calls.names();
        let rows = (0..calls.actual() as u32).collect();
        let mut matches = Self::new(Cow::Owned(rows), calls.actual(), calls.expected());
        let mut of_name = FreeCalls::expected(names);
        for actual in 0..calls.actual() {
            let from = matches.columns.len();
            let mut walk = of_name.walk([names.actual[actual]; 2]);
            while let Some(expected) = of_name.step(&mut walk) {
                if calls.grade(expected, actual)? == Grade::Full {
                    matches.columns.push(expected as u32);
                }
            }
            matches.close_class(from);
        }
        Ok(matches)
    }

    /// Closes a class; its columns start at `from`.
    fn close_class(&mut self, from: usize) {
        // A word takes as much memory as two columns.
        if self.columns.len() - from <= 2 * self.words {
            let columns = from..self.columns.len();
            self.of_class.push(ClassColumns::Sparse(columns));
            return;
        }
        let start = self.dense.len();
        self.dense.resize(start + self.words, 0);
        for column in self.columns.drain(from..) {
            self.dense[start + column as usize / WORD] |= 1 << (column as usize % WORD);
        }
        self.of_class.push(ClassColumns::Dense(start));
    }

    /// The mask of the columns that match a row; `None` if there are none.
    pub(super) fn mask(&mut self, row: usize) -> Option<&[u64]> {
        let columns = match self.of_class.get(self.classes[row] as usize)? {
            ClassColumns::Dense(start) => return Some(&self.dense[*start..][..self.words]),
            ClassColumns::Sparse(columns) if columns.is_empty() => return None,
            ClassColumns::Sparse(columns) => columns.clone(),
        };
        for &column in &self.columns[std::mem::replace(&mut self.set, columns.clone())] {
            self.scratch[column as usize / WORD] = 0;
        }
        for &column in &self.columns[columns] {
            self.scratch[column as usize / WORD] |= 1 << (column as usize % WORD);
        }
        Some(&self.scratch)
    }

    /// True if row and column match.
    pub(super) fn is_match(&self, row: usize, column: usize) -> bool {
        match self.of_class.get(self.classes[row] as usize) {
            None => false,
            Some(ClassColumns::Dense(start)) => {
                self.dense[start + column / WORD] >> (column % WORD) & 1 == 1
            }
            Some(ClassColumns::Sparse(columns)) => self.columns[columns.clone()]
                .binary_search(&(column as u32))
                .is_ok(),
        }
    }
}
