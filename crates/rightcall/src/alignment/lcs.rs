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

mod bits;
mod matches;
#[cfg(test)]
mod tests;

use self::bits::Bits;
use self::matches::{Graded, Keyed, Matches, WORD, Words};
use super::{Alignment, Comparison, Grade, Pair, Symbols};
use crate::outcome::EvaluationError;

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
    Alignment::from_pairs(pairs)
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
    Alignment::from_pairs(alignment.pairs)
}

fn align<M: Matches>(matches: &mut M, rows: usize, columns: usize) -> Alignment {
    let mut pairs = Vec::with_capacity(rows.min(columns));
    if rows > 0 && columns > 0 {
        walk(matches, rows, columns, &mut pairs);
        pairs.reverse();
    }
    Alignment::from_pairs(pairs)
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
