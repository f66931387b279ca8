//! The longest common subsequence as textbooks have it: the whole table, then the walk back.

/// The pairs of a longest common subsequence, from first to last.
///
/// Time and memory: the product of both lengths.
pub fn longest_common_subsequence<T: PartialEq>(
    expected: &[T],
    actual: &[T],
) -> Vec<(usize, usize)> {
    let width = expected.len() + 1;
    let mut table = vec![0_u32; width * (actual.len() + 1)];
    for (row, actual) in actual.iter().enumerate() {
        for (column, expected) in expected.iter().enumerate() {
            let here = row * width + column;
            table[here + width + 1] = if expected == actual {
                table[here] + 1
            } else {
                table[here + 1].max(table[here + width])
            };
        }
    }
    let (mut row, mut column, mut pairs) = (actual.len(), expected.len(), Vec::new());
    while row > 0 && column > 0 {
        if expected[column - 1] == actual[row - 1] {
            (row, column) = (row - 1, column - 1);
            pairs.push((column, row));
        } else if table[(row - 1) * width + column] > table[row * width + column - 1] {
            row -= 1;
        } else {
            column -= 1;
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use rightcall::{Ask, Evaluator};
    use rightcall_formats::{ReadOptions, read_case};

    use super::*;
    use crate::{Workload, each_case_of};

    #[test]
    fn the_pairs_are_those_of_the_textbook() {
        assert_eq!(
            longest_common_subsequence(b"abcbdab", b"bdcaba"),
            [(1, 0), (2, 2), (3, 4), (5, 5)]
        );
        assert!(longest_common_subsequence(b"ab", b"").is_empty());
    }

    /// What is timed beside rightcall must do the same work.
    #[test]
    fn rightcall_finds_as_many_pairs() {
        let mut line = Vec::new();
        Workload {
            calls: 300,
            ..Workload::named("w3").unwrap()
        }
        .write(&mut line)
        .unwrap();
        let mut share = None;
        each_case_of(&line[..], |case| {
            let names = |calls: &[crate::ParsedCall<'_>]| {
                calls
                    .iter()
                    .map(|call| call.name.to_string())
                    .collect::<Vec<_>>()
            };
            let (expected, actual) = (names(&case.expected), names(&case.actual));
            share = Some(
                longest_common_subsequence(&expected, &actual).len() as f64 / expected.len() as f64,
            );
        })
        .unwrap();
        let case = read_case(str::from_utf8(&line).unwrap(), &ReadOptions::default()).unwrap();
        let evaluator =
            Evaluator::new("uipath/tool-call-order", r#"{"edition":"package"}"#, None).unwrap();
        assert_eq!(evaluator.evaluate(&case, Ask::OUTCOME).score(), share);
    }
}
