//! Longest common subsequence, with the pairs of the textbook's own walk.
//!
//! Rows are actual calls, columns are expected ones. The table `T` of lengths is never built: a row is kept as one bit a
//! column, 0 where the length grows, and the next row comes from it by a handful of word operations: H. Hyyrö, "Bit-parallel
//! LCS-length computation revisited" (2004), after Crochemore et al. (2001). That holds for any relation between rows and
//! columns, not just equality.
//!
//! The walk goes back from the last row and column. A match is always taken. Else it goes up where `T[i-1][j] > T[i][j-1]`, and
//! left on a tie. Since without a match `T[i][j]` is the greater of the two, the first is the case just where `T[i][j]` is
//! greater than `T[i][j-1]`: the bit of (i, j) is 0. So the bits are all that the walk needs.
//!
//! Time: rows × columns / 64 words. Memory: all rows of bits while they are few, else the first row of every √rows, of every row its
//! carries at some columns, and the tile between such rows and columns in which the walk is, which is computed again: for 16,000 calls a
//! side about 0.4 MB. Grades that must be asked for are kept: a bit a pair, or less where
//! few match. Calls at the end that match by symbol are taken before any
//! row is computed, as the walk would take them; calls at the beginning can't be, since the walk may pair them otherwise.

use std::array;
use std::ops::Range;

use smallvec::SmallVec;

use super::free::FreeCalls;
use super::{Alignment, Comparison, Grade, Pair, Symbols};
use crate::outcome::EvaluationError;

const WORD: usize = u64::BITS as usize;

/// Words of bits; those of a usual case need no memory of their own.
type Words = SmallVec<[u64; 32]>;

/// Words of bits that are kept whole: 256 KiB.
const KEPT: usize = 1 << 15;

/// So many words at a time are added that the carry stays in the processor's own between them.
const STEP: usize = 4;

/// So many steps, the carry into which is kept, can be computed again without the words before them.
const SEGMENT: usize = 4 * STEP;

/// The longest common subsequence of the calls graded [`Grade::Full`], in order.
///
/// # Errors
/// Where a comparison fails; each pair of one name is compared once, by actual call, then by expected one.
pub(crate) fn longest_common_subsequence<C: Comparison>(
    calls: &C,
) -> Result<Alignment, EvaluationError> {
    let Some(symbols) = calls.calls() else {
        super::check_table(calls)?;
        return Ok(align(
            &mut Graded::new(calls)?,
            calls.actual(),
            calls.expected(),
        ));
    };
    Ok(longest_common_subsequence_of(symbols))
}

/// The longest common subsequence of calls that match where they have a symbol in common, with the pairs of another walk: it skips the
/// expected call where that costs nothing, then the actual one, and takes a match last.
///
/// `T[i][j-1]` is known without the table: at a match `T[i][j]` is `T[i-1][j-1] + 1`, and so is `T[i-1][j]` just where the bit of (i-1, j)
/// is 0.
pub(super) fn longest_common_subsequence_by_skipping(symbols: &Symbols) -> Alignment {
    let (rows, columns) = (symbols.actual.len(), symbols.expected.len());
    let mut pairs = Vec::new();
    if rows > 0 && columns > 0 {
        let mut dense = Words::new();
        let mut memory = [Words::new(), Words::new()];
        let mut matches = Keyed::new(symbols, columns, &mut dense);
        let mut bits = Bits::new(&mut matches, rows, columns.div_ceil(WORD), &mut memory);
        let (mut i, mut j) = (rows, columns);
        while i > 0 && j > 0 {
            let (row, column) = (i - 1, j - 1);
            if !bits.grows(row, column) {
                j -= 1;
            } else if bits.matches.is_match(row, column)
                && !(row > 0 && bits.grows(row - 1, column))
            {
                pairs.push(Pair {
                    expected: column,
                    actual: row,
                    grade: Grade::Full,
                });
                i -= 1;
                j -= 1;
            } else {
                i -= 1;
            }
        }
        pairs.reverse();
    }
    Alignment::of_pairs(pairs)
}

/// The longest common subsequence of calls that match where they have a symbol in common.
pub(crate) fn longest_common_subsequence_of(symbols: &Symbols) -> Alignment {
    let (mut rows, mut columns) = (symbols.actual.len(), symbols.expected.len());
    while rows > 0 && columns > 0 && symbols.same(columns - 1, rows - 1) {
        rows -= 1;
        columns -= 1;
    }
    let mut alignment = Alignment::default();
    if rows > 0 && columns > 0 {
        let mut dense = Words::new();
        alignment = align(&mut Keyed::new(symbols, columns, &mut dense), rows, columns);
    }
    let at_the_end = (columns..symbols.expected.len()).zip(rows..symbols.actual.len());
    alignment
        .pairs
        .extend(at_the_end.map(|(expected, actual)| Pair {
            expected,
            actual,
            grade: Grade::Full,
        }));
    Alignment::of_pairs(alignment.pairs)
}

/// Which columns match a row.
trait Matches {
    /// The bits of the columns that match a row; `None` if there are none.
    fn mask(&mut self, row: usize) -> Option<&[u64]>;

    /// True if row and column match.
    fn is_match(&self, row: usize, column: usize) -> bool;
}

fn align<M: Matches>(matches: &mut M, rows: usize, columns: usize) -> Alignment {
    let mut pairs = Vec::with_capacity(rows.min(columns));
    if rows > 0 && columns > 0 {
        walk(matches, rows, columns, &mut pairs);
        pairs.reverse();
    }
    Alignment::of_pairs(pairs)
}

/// The pairs, from the last to the first.
fn walk<M: Matches>(matches: &mut M, rows: usize, columns: usize, pairs: &mut Vec<Pair>) {
    let mut memory = [Words::new(), Words::new()];
    let mut bits = Bits::new(matches, rows, columns.div_ceil(WORD), &mut memory);
    let (mut i, mut j) = (rows, columns);
    while i > 0 && j > 0 {
        let (row, column) = (i - 1, j - 1);
        if bits.matches.is_match(row, column) {
            pairs.push(Pair {
                expected: column,
                actual: row,
                grade: Grade::Full,
            });
            i -= 1;
            j -= 1;
        } else if bits.grows(row, column) {
            i -= 1;
        } else {
            j -= 1;
        }
    }
}

/// The bits of all rows, of which those are at hand that the walk needs next: a tile of some rows and words.
struct Bits<'m, M> {
    matches: &'m mut M,
    words: usize,
    /// The rows and words of a tile: all while they are few.
    stride: usize,
    segment: usize,
    /// The row before the first one of each stride.
    checkpoints: &'m mut Words,
    /// For each row, where a tile has not all words, the carries into its segments: a bit each, in so many words.
    carries: Vec<u64>,
    carry_words: usize,
    tile: &'m mut Words,
    /// The first row and word of the tile.
    start: usize,
    from: usize,
}

impl<'m, M: Matches> Bits<'m, M> {
    /// The memory is not its own, since to move it costs more than to fill it.
    fn new(
        matches: &'m mut M,
        rows: usize,
        words: usize,
        [checkpoints, tile]: &'m mut [Words; 2],
    ) -> Self {
        let fits = rows * words <= KEPT;
        let (stride, segment) = if fits {
            (rows, words)
        } else {
            (rows.isqrt() + 1, SEGMENT)
        };
        checkpoints.resize(words, u64::MAX);
        tile.resize(stride * segment, 0);
        let carry_words = words.div_ceil(SEGMENT * WORD);
        // The tile begins behind all rows: it has none yet.
        let (carries, start, from) = (Vec::new(), rows, 0);
        let mut bits = Self {
            matches,
            words,
            stride,
            segment,
            checkpoints,
            carries,
            carry_words,
            tile,
            start,
            from,
        };
        if !fits {
            bits.look_ahead(rows);
        }
        bits
    }

    /// Computes all rows, for the checkpoints and the carries.
    fn look_ahead(&mut self, rows: usize) {
        let mut current = std::mem::take(self.checkpoints);
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

    /// True if the length grows at a row and column. No later ones may be asked for afterwards.
    fn grows(&mut self, row: usize, column: usize) -> bool {
        let word = column / WORD;
        if row < self.start || word < self.from {
            self.fill_tile(row, word);
        }
        self.tile[(row - self.start) * self.segment + word - self.from] >> (column % WORD) & 1 == 0
    }

    /// Computes the tile of a word and of the rows up to this one.
    fn fill_tile(&mut self, last: usize, word: usize) {
        let segment = word / self.segment;
        self.start = last / self.stride * self.stride;
        self.from = segment * self.segment;
        let width = self.segment.min(self.words - self.from);
        let checkpoint = self.start / self.stride * self.words + self.from;
        // No later row needs it.
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

/// `V := (V + (V & M)) | (V & !M)`, over all words as one long number, with a carry into it; the mask may have more words. `keep` gets
/// the carry into each segment.
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

/// A segment of [`advance`], or what is left behind the last one.
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

/// Some words of [`advance`], with the carry from the words before them and to those after.
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

/// Matches by symbols: a row of bits for each symbol that is frequent, a list of columns for the others, so that the masks of all
/// rows take no more time and no more memory than the rows themselves.
struct Keyed<'s> {
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
    scratch: Vec<u64>,
    /// The columns in `scratch`, as a range of `columns`.
    lit: Range<usize>,
}

impl<'s> Keyed<'s> {
    const SPARSE: u32 = u32::MAX;

    /// Up to this many words all symbols have bits of their own: 32 KiB.
    const DENSE: usize = 1 << 12;

    /// Only columns before this one are asked for. There is nothing in `dense`.
    fn new(symbols: &'s Symbols, columns: usize, dense: &'s mut Words) -> Self {
        let words = columns.div_ceil(WORD);
        let mut keyed = Self {
            symbols,
            words,
            place: Vec::new(),
            dense,
            starts: Vec::new(),
            columns: Vec::new(),
            scratch: Vec::new(),
            lit: 0..0,
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
        keyed.scratch = vec![0; words];
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
        for &column in &self.columns[std::mem::replace(&mut self.lit, columns.clone())] {
            self.scratch[column as usize / WORD] = 0;
        }
        for &column in &self.columns[columns] {
            self.scratch[column as usize / WORD] |= 1 << (column as usize % WORD);
        }
        Some(&self.scratch)
    }

    fn is_match(&self, row: usize, column: usize) -> bool {
        self.symbols.same(column, row)
    }
}

/// Matches by grades, asked for once: of each row its columns, or its bits where those take less memory.
struct Graded {
    rows: Vec<GradedRow>,
    columns: Vec<u32>,
    dense: Vec<u64>,
    words: usize,
    /// The bits of the latest row without bits of its own.
    scratch: Vec<u64>,
    lit: Range<usize>,
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
    fn new<C: Comparison>(calls: &C) -> Result<Self, EvaluationError> {
        let names = calls.names();
        let words = calls.expected().div_ceil(WORD);
        let (rows, scratch) = (Vec::with_capacity(calls.actual()), vec![0; words]);
        let mut graded = Self {
            rows,
            columns: Vec::new(),
            dense: Vec::new(),
            words,
            scratch,
            lit: 0..0,
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
        for &column in &self.columns[std::mem::replace(&mut self.lit, columns.clone())] {
            self.scratch[column as usize / WORD] = 0;
        }
        for &column in &self.columns[columns] {
            self.scratch[column as usize / WORD] |= 1 << (column as usize % WORD);
        }
        Some(&self.scratch)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::table::{Table, symbols, tables};

    /// The textbook's table and walk.
    fn reference(
        rows: usize,
        columns: usize,
        is_match: impl Fn(usize, usize) -> bool,
    ) -> Vec<(usize, usize)> {
        let mut table = vec![vec![0; columns + 1]; rows + 1];
        for i in 1..=rows {
            for j in 1..=columns {
                table[i][j] = if is_match(i - 1, j - 1) {
                    table[i - 1][j - 1] + 1
                } else {
                    table[i - 1][j].max(table[i][j - 1])
                };
            }
        }
        let (mut i, mut j, mut pairs) = (rows, columns, Vec::new());
        while i > 0 && j > 0 {
            if is_match(i - 1, j - 1) {
                pairs.push((j - 1, i - 1));
                i -= 1;
                j -= 1;
            } else if table[i - 1][j] > table[i][j - 1] {
                i -= 1;
            } else {
                j -= 1;
            }
        }
        pairs.reverse();
        pairs
    }

    fn ends(alignment: &Alignment) -> Vec<(usize, usize)> {
        alignment
            .pairs
            .iter()
            .map(|pair| (pair.expected, pair.actual))
            .collect()
    }

    fn of(expected: &[u32], actual: &[u32]) -> Vec<(usize, usize)> {
        let symbols = Symbols::new(
            expected.iter().map(|&it| [it; 2]).collect::<Vec<_>>(),
            actual,
            9,
        );
        ends(&longest_common_subsequence_of(&symbols))
    }

    #[test]
    fn ties_skip_the_expected_call() {
        assert_eq!(of(&[0, 1], &[1, 0]), [(0, 1)]);
        assert_eq!(of(&[0, 1, 2, 3], &[3, 2, 1, 0]), [(0, 3)]);
    }

    #[test]
    fn a_match_is_taken_before_the_table_is_looked_at() {
        assert_eq!(of(&[0, 0], &[0]), [(1, 0)]);
        assert_eq!(of(&[0], &[0, 0]), [(0, 1)]);
    }

    #[test]
    fn equal_and_empty_lists_need_no_table() {
        assert_eq!(of(&[0, 1, 0], &[0, 1, 0]), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(of(&[], &[0]), []);
        assert_eq!(of(&[0], &[]), []);
    }

    /// A list of numbers without a visible pattern.
    fn scattered(length: usize, of: u32, seed: u64) -> Vec<u32> {
        let mut state = seed;
        let next = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32 % of
        };
        (0..length).map(next).collect()
    }

    #[test]
    fn long_lists_are_walked_from_checkpoints() {
        for (columns, rows, of) in [
            (1500, 2500, 3),
            (1500, 2500, 40),
            (2100, 2000, 1900),
            (3000, 900, 7),
            (66_000, 40, 9),
        ] {
            let symbols = Symbols {
                expected: scattered(columns, of, 1)
                    .into_iter()
                    .zip(scattered(columns, of, 2))
                    .map(|(a, b)| [a, b])
                    .collect(),
                actual: scattered(rows, of, 3).into(),
                count: of as usize,
            };
            let pairs = ends(&longest_common_subsequence_of(&symbols));
            assert_eq!(
                pairs,
                reference(rows, columns, |row, column| symbols.same(column, row))
            );
        }
    }

    #[test]
    fn two_calls_are_found_at_the_beginning_of_a_million() {
        let mut expected = vec![2; 1_100_000];
        expected[..2].copy_from_slice(&[0, 1]);
        expected[1_099_990] = 0;
        assert_eq!(of(&expected, &[0, 1]), [(0, 0), (1, 1)]);
    }

    #[test]
    fn each_pair_of_one_name_is_asked_for_once() {
        let calls = Table::of_calls(&[(0, 0), (1, 0), (0, 1)], &[(0, 1), (1, 1), (0, 0)], false);
        assert_eq!(ends(&longest_common_subsequence(&calls).unwrap()), [(0, 2)]);
        assert_eq!(calls.asked(), [(0, 0), (2, 0), (1, 1), (0, 2), (2, 2)]);
    }

    proptest! {
        #[test]
        fn the_pairs_are_those_of_the_walk(calls in symbols(150, 4)) {
            let wanted = reference(calls.actual.len(), calls.expected.len(), |row, column| calls.same(column, row));
            prop_assert_eq!(ends(&longest_common_subsequence_of(&calls)), wanted);
        }

        #[test]
        fn the_walk_by_skipping_is_that_of_the_table_of_credits(calls in symbols(150, 4)) {
            let (m, n) = (calls.expected.len(), calls.actual.len());
            let mut table = vec![vec![0; n + 1]; m + 1];
            for (i, j) in (1..=m).flat_map(|i| (1..=n).map(move |j| (i, j))) {
                let matched = if calls.same(i - 1, j - 1) { table[i - 1][j - 1] + 1 } else { 0 };
                table[i][j] = table[i - 1][j].max(table[i][j - 1]).max(matched);
            }
            let (mut i, mut j, mut wanted) = (m, n, Vec::new());
            while i > 0 && j > 0 {
                if table[i][j] == table[i - 1][j] {
                    i -= 1;
                } else if table[i][j] == table[i][j - 1] {
                    j -= 1;
                } else {
                    wanted.insert(0, (i - 1, j - 1));
                    i -= 1;
                    j -= 1;
                }
            }
            prop_assert_eq!(ends(&longest_common_subsequence_by_skipping(&calls)), wanted);
        }

        #[test]
        fn many_symbols_make_no_difference(mut calls in symbols(90, 5)) {
            calls.count = 1 << 13;
            let wanted = reference(calls.actual.len(), calls.expected.len(), |row, column| calls.same(column, row));
            prop_assert_eq!(ends(&longest_common_subsequence_of(&calls)), wanted);
        }

        #[test]
        fn grades_give_the_same_pairs_as_symbols(calls in tables(9)) {
            let compared = longest_common_subsequence(&calls.clone().without_symbols());
            match &compared {
                Ok(alignment) => {
                    let full = |row, column| calls.names().same(column, row) && calls.grade(column, row) == Ok(Grade::Full);
                    prop_assert_eq!(ends(alignment), reference(calls.actual(), calls.expected(), full));
                }
                Err(error) => {
                    let mut pairs = (0..calls.actual()).flat_map(|a| (0..calls.expected()).map(move |e| (e, a)));
                    let first = pairs.find_map(|(e, a)| calls.names().same(e, a).then(|| calls.grade(e, a).err()).flatten());
                    prop_assert_eq!(Some(error), first.as_ref());
                }
            }
            prop_assert_eq!(longest_common_subsequence(&calls), compared);
        }
    }
}
