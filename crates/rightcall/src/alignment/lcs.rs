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
//! Time: rows × columns / 64 words. Memory: all rows of bits while they are few. Otherwise every √rows-th row is kept, with the carries of
//! each row at some columns; the walk computes again the tile of rows and columns that it has reached: about 0.4 MB for 16,000 calls a
//! side. Grades that must be asked for are kept: a bit a pair, or less where few match.

mod bits;
mod matches;
#[cfg(test)]
mod tests;

use self::bits::Bits;
use self::matches::Matches;
use super::{Alignment, Comparison, Pair, Symbols};
use crate::outcome::EvaluationError;

/// The longest common subsequence of the calls graded [`Grade::Full`], in order.
///
/// # Errors
/// Where a comparison fails; each pair of one name is compared once, by actual call, then by expected one.
pub(crate) fn longest_common_subsequence<C: Comparison>(
    calls: &C,
) -> Result<Alignment, EvaluationError> {
    let matches = if let Some(symbols) = calls.calls() {
        Matches::from_symbols(symbols)
    } else {
        super::check_table(calls)?;
        Matches::from_grades(calls)?
    };
    let step = |bits: &mut Bits<'_>, row: usize, column: usize| {
        if bits.matches.is_match(row, column) {
            WalkStep::Pair
        } else if bits.grows(row, column) {
            WalkStep::Up
        } else {
            WalkStep::Left
        }
    };
    Ok(walk(matches, calls.actual(), calls.expected(), step))
}

/// The longest common subsequence of calls that match where they have a symbol in common, with the pairs of another walk: it skips the
/// expected call where that costs nothing, then the actual one, and takes a match last.
///
/// `T[i][j-1]` is known without the table: at a match `T[i][j]` is `T[i-1][j-1] + 1`, and so is `T[i-1][j]` just where the bit of (i-1, j)
/// is 0.
pub(super) fn longest_common_subsequence_by_skipping(symbols: &Symbols) -> Alignment {
    let (rows, columns) = (symbols.actual.len(), symbols.expected.len());
    let step = |bits: &mut Bits<'_>, row: usize, column: usize| {
        if !bits.grows(row, column) {
            WalkStep::Left
        } else if bits.matches.is_match(row, column) && !(row > 0 && bits.grows(row - 1, column)) {
            WalkStep::Pair
        } else {
            WalkStep::Up
        }
    };
    walk(Matches::from_symbols(symbols), rows, columns, step)
}

/// A step of a walk.
enum WalkStep {
    Pair,
    Up,
    Left,
}

/// The pairs of a walk from the last row and column to the first.
fn walk(
    matches: Matches<'_>,
    rows: usize,
    columns: usize,
    step: impl Fn(&mut Bits<'_>, usize, usize) -> WalkStep,
) -> Alignment {
    let mut pairs = Vec::with_capacity(rows.min(columns));
    let mut bits = Bits::new(matches, rows, columns);
    let (mut i, mut j) = (rows, columns);
    while i > 0 && j > 0 {
        match step(&mut bits, i - 1, j - 1) {
            WalkStep::Pair => {
                (i, j) = (i - 1, j - 1);
                pairs.push(Pair::full(j, i));
            }
            WalkStep::Up => i -= 1,
            WalkStep::Left => j -= 1,
        }
    }
    pairs.reverse();
    Alignment::from_pairs(pairs)
}
