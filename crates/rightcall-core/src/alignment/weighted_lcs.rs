//! Longest common subsequence weighted by credit.
//!
//! Rows are expected calls, columns are actual ones. This is the textbook's table of sums, with a
//! traceback that totals the differences it passes. The original reports that total, which can
//! differ from the table's last cell in the last bit. So the exact numbers in the table matter.
//!
//! If calls have symbols and no pair has partial credit, all sums are integers, and the traceback uses the bits of
//! [`longest_common_subsequence`](super::longest_common_subsequence). Otherwise the time is rows × columns. Memory: the whole table if it
//! is small; else the first row of every √rows and the current block of the traceback, with its grades computed again.

use super::lcs::longest_common_subsequence_by_skipping;
use super::{Alignment, Comparison, Pair};
use crate::outcome::EvaluationError;

/// Up to this number of cells, the whole table is kept: 1 MiB.
const MAX_CELLS: usize = 1 << 17;

/// The common subsequence with the greatest credit, in order. On a tie the traceback skips the expected call, then the actual one.
///
/// The alignment's credit is the traceback's total, summed from the end to the front.
///
/// # Errors
/// A comparison fails. Pairs with the same name are compared by expected call, then by actual call.
pub(crate) fn weighted_lcs<C: Comparison>(calls: &C) -> Result<Alignment, EvaluationError> {
    if calls.expected() == 0 || calls.actual() == 0 {
        return Ok(Alignment::default());
    }
    match calls.calls() {
        Some(symbols) if !calls.has_partial() => {
            Ok(longest_common_subsequence_by_skipping(symbols))
        }
        _ => {
            super::check_table(calls)?;
            align(calls, MAX_CELLS)
        }
    }
}

fn align<C: Comparison>(calls: &C, max_cells: usize) -> Result<Alignment, EvaluationError> {
    let rows = calls.expected();
    let width = calls.actual() + 1;
    let stride = if rows * width <= max_cells {
        rows
    } else {
        rows.isqrt() + 1
    };
    let mut checkpoints = Vec::new();
    // The first row of a block is the last row of the previous block.
    let mut block = vec![0.0; (stride + 1) * width];
    let mut start = 0;
    loop {
        checkpoints.extend_from_slice(&block[..width]);
        fill(calls, start, rows.min(start + stride), &mut block)?;
        if start + stride >= rows {
            break;
        }
        start += stride;
        block.copy_within(stride * width.., 0);
    }
    let (mut i, mut j) = (rows, calls.actual());
    let (mut total, mut pairs) = (0.0, Vec::new());
    while i > 0 && j > 0 {
        if i <= start {
            start -= stride;
            let checkpoint = start / stride * width;
            block[..width].copy_from_slice(&checkpoints[checkpoint..checkpoint + width]);
            fill(calls, start, start + stride, &mut block)?;
        }
        let here = (i - start) * width + j;
        let above = here - width;
        if block[here] == block[above] {
            i -= 1;
        } else if block[here] == block[here - 1] {
            j -= 1;
        } else {
            total += block[here] - block[above - 1];
            i -= 1;
            j -= 1;
            pairs.push(Pair {
                expected: i,
                actual: j,
                grade: calls.grade(i, j)?,
            });
        }
    }
    pairs.reverse();
    Ok(Alignment {
        pairs,
        credit: total,
        broken_off: false,
    })
}

/// Computes rows `start` to `end` from the first row of the block.
fn fill<C: Comparison>(
    calls: &C,
    start: usize,
    end: usize,
    block: &mut [f64],
) -> Result<(), EvaluationError> {
    let width = calls.actual() + 1;
    for expected in start..end {
        let (before, rest) = block[(expected - start) * width..].split_at_mut(width);
        rest[0] = 0.0;
        for actual in 0..calls.actual() {
            let mut best = before[actual + 1].max(rest[actual]);
            if calls.names().same(expected, actual) {
                let credit = calls.grade(expected, actual)?.credit();
                if credit > 0.0 {
                    best = best.max(before[actual] + credit);
                }
            }
            rest[actual + 1] = best;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::Grade;
    use crate::alignment::table::{Table, tables};

    /// The original's table and traceback.
    fn reference(calls: &Table) -> Result<(Vec<(usize, usize)>, f64), EvaluationError> {
        let (m, n) = (calls.expected(), calls.actual());
        let mut table = vec![vec![0.0_f64; n + 1]; m + 1];
        for i in 1..=m {
            for j in 1..=n {
                let (up, left) = (table[i - 1][j], table[i][j - 1]);
                table[i][j] = up.max(left);
                if calls.names().same(i - 1, j - 1) {
                    let s = calls.grade(i - 1, j - 1)?.credit();
                    table[i][j] = up.max(left).max(if s > 0.0 {
                        table[i - 1][j - 1] + s
                    } else {
                        0.0
                    });
                }
            }
        }
        let (mut i, mut j, mut total, mut pairs) = (m, n, 0.0, Vec::new());
        while i > 0 && j > 0 {
            if table[i][j] == table[i - 1][j] {
                i -= 1;
            } else if table[i][j] == table[i][j - 1] {
                j -= 1;
            } else {
                total += table[i][j] - table[i - 1][j - 1];
                pairs.insert(0, (i - 1, j - 1));
                i -= 1;
                j -= 1;
            }
        }
        Ok((pairs, total))
    }

    fn pairs_and_credit(alignment: &Alignment) -> (Vec<(usize, usize)>, f64) {
        (
            alignment
                .pairs
                .iter()
                .map(|pair| (pair.expected, pair.actual))
                .collect(),
            alignment.credit,
        )
    }

    #[test]
    fn the_heavier_pairs_win() {
        let (part, not) = (Grade::Partial, Grade::NameOnly);
        let calls = Table::from_grades(vec![vec![part(0.3), Grade::Full], vec![part(0.5), not]], 2);
        assert_eq!(
            pairs_and_credit(&weighted_lcs(&calls).unwrap()),
            (vec![(0, 1)], 1.0)
        );
        let calls = Table::from_grades(vec![vec![part(0.3), not], vec![not, part(0.5)]], 2);
        assert_eq!(
            pairs_and_credit(&weighted_lcs(&calls).unwrap()),
            (vec![(0, 0), (1, 1)], (0.3 + 0.5 - 0.3) + 0.3)
        );
    }

    #[test]
    fn empty_lists_have_no_pairs() {
        assert_eq!(
            weighted_lcs(&Table::from_calls(&[], &[(0, 0)], true)).unwrap(),
            Alignment::default()
        );
        assert_eq!(
            weighted_lcs(&Table::from_calls(&[(0, 0)], &[], true)).unwrap(),
            Alignment::default()
        );
    }

    proptest! {
        #[test]
        fn equals_the_traceback_of_the_table(calls in tables(9)) {
            let wanted = reference(&calls);
            prop_assert_eq!(weighted_lcs(&calls).map(|it| pairs_and_credit(&it)), wanted.clone());
            if calls.expected() > 0 && calls.actual() > 0 {
                prop_assert_eq!(align(&calls, 0).map(|it| pairs_and_credit(&it)), wanted);
            }
        }

        #[test]
        fn sums_of_shares_round_as_in_the_original(shares in prop::collection::vec(prop::collection::vec(0..12_u8, 14), 1..14)) {
            let grade = |share: u8| if share > 9 { Grade::Full } else { Grade::Partial(f64::from(share) * 0.1) };
            let calls = Table::from_grades(shares.iter().map(|row| row.iter().map(|&it| grade(it)).collect()).collect(), 14);
            prop_assert_eq!(weighted_lcs(&calls).map(|it| pairs_and_credit(&it)), reference(&calls));
            prop_assert_eq!(align(&calls, 0).map(|it| pairs_and_credit(&it)), reference(&calls));
        }
    }
}
