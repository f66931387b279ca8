//! Longest common subsequence, with the same pairs as the textbook's traceback.
//!
//! Rows are actual calls, columns are expected ones. The table `T` of lengths is never built. A row is stored as one bit per column, 0
//! where the length grows, and the next row is computed from it in a few word operations: H. Hyyrö, "Bit-parallel LCS-length computation
//! revisited" (2004), after Crochemore et al. (2001). That works for any relation between rows and columns, not just equality.
//!
//! The traceback starts at the last row and column. It always takes a match. Otherwise it goes up if `T[i-1][j] > T[i][j-1]`, and left on a
//! tie. Without a match `T[i][j]` is the greater of the two, so it goes up exactly if `T[i][j]` is greater than `T[i][j-1]`, that is if the
//! bit of (i, j) is 0. So the traceback needs only the bits.
//!
//! Time: rows × columns / 64 words. Memory: all rows of bits if they are few. Otherwise every √rows-th row is kept, with the carries of
//! each row at some columns, and the traceback recomputes the tile of rows and columns that it has reached: about 0.4 MB for 16,000 calls a
//! side. Grades that come from comparisons are stored: one bit per pair, or less if few pairs match.

mod bits;
mod matches;
#[cfg(test)]
mod tests;

use self::bits::Bits;
use self::matches::Matches;
use super::{Alignment, Comparison, Pair, Symbols};
use crate::outcome::EvaluationError;

/// The longest common subsequence of calls graded [`Grade::Full`], in order.
///
/// # Errors
/// A comparison fails. Each pair with the same name is compared once, by actual call, then by expected call.
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

/// The longest common subsequence of calls with a common symbol, with the pairs of another traceback: it skips the expected call if that
/// keeps the length, else the actual call if that does, and takes a match last.
///
/// `T[i][j-1]` is known without the table: at a match `T[i][j]` is `T[i-1][j-1] + 1`, and `T[i-1][j]` has the same value exactly if the bit
/// of (i-1, j) is 0.
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

/// A step of the traceback.
enum WalkStep {
    Pair,
    Up,
    Left,
}

/// The pairs of a traceback from the last row and column to the first.
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
