//! The matching columns of each row, from symbols or grades. Each grade is computed once.

use std::borrow::Cow;
use std::ops::Range;

use super::super::free::FreeCalls;
use super::super::{Comparison, Grade, Symbols};
use crate::outcome::EvaluationError;

pub(super) const WORD: usize = u64::BITS as usize;

/// The matching columns of each row. Rows of a class share their columns, stored as a list or as
/// bits, whichever is smaller. So all masks together take no more memory than the lists of their
/// columns.
pub(super) struct Matches<'s> {
    /// The class of each row.
    classes: Cow<'s, [u32]>,
    by_class: Vec<ClassColumns>,
    /// The columns of all sparse classes.
    columns: Vec<u32>,
    /// The masks of all dense classes.
    dense: Vec<u64>,
    /// Number of words in a mask.
    words: usize,
    /// The mask of the latest sparse class.
    scratch: Vec<u64>,
    /// The range in `columns` of the bits set in `scratch`.
    scratch_columns: Range<usize>,
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
            by_class: Vec::with_capacity(count),
            columns: Vec::with_capacity(columns),
            dense: Vec::new(),
            words,
            scratch: vec![0; words],
            scratch_columns: 0..0,
        }
    }

    /// Matches of calls with a common symbol.
    pub(super) fn from_symbols(symbols: &'s Symbols<'s>) -> Self {
        let mut matches = Self::new(
            Cow::Borrowed(&symbols.actual),
            symbols.count,
            symbols.expected.len(),
        );
        let mut expected_by_symbol = FreeCalls::expected(symbols);
        for symbol in 0..symbols.count as u32 {
            let from = matches.columns.len();
            let mut walk = expected_by_symbol.walk([symbol; 2]);
            while let Some(expected) = expected_by_symbol.step(&mut walk) {
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
        let mut expected_by_name = FreeCalls::expected(names);
        for actual in 0..calls.actual() {
            let from = matches.columns.len();
            let mut walk = expected_by_name.walk([names.actual[actual]; 2]);
            while let Some(expected) = expected_by_name.step(&mut walk) {
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
            self.by_class.push(ClassColumns::Sparse(columns));
            return;
        }
        let start = self.dense.len();
        self.dense.resize(start + self.words, 0);
        for column in self.columns.drain(from..) {
            self.dense[start + column as usize / WORD] |= 1 << (column as usize % WORD);
        }
        self.by_class.push(ClassColumns::Dense(start));
    }

    /// The mask of the columns that match a row; `None` if there are none.
    pub(super) fn mask(&mut self, row: usize) -> Option<&[u64]> {
        let columns = match self.by_class.get(self.classes[row] as usize)? {
            ClassColumns::Dense(start) => return Some(&self.dense[*start..][..self.words]),
            ClassColumns::Sparse(columns) if columns.is_empty() => return None,
            ClassColumns::Sparse(columns) => columns.clone(),
        };
        for &column in &self.columns[std::mem::replace(&mut self.scratch_columns, columns.clone())]
        {
            self.scratch[column as usize / WORD] = 0;
        }
        for &column in &self.columns[columns] {
            self.scratch[column as usize / WORD] |= 1 << (column as usize % WORD);
        }
        Some(&self.scratch)
    }

    /// True if row and column match.
    pub(super) fn is_match(&self, row: usize, column: usize) -> bool {
        match self.by_class.get(self.classes[row] as usize) {
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
