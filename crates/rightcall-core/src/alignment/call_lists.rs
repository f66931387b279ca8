//! Aligns lists of calls for callers with their own definition of equal calls.

use std::collections::BTreeMap;

use super::{Arrange, Comparison, Grade, Symbols, arrange, longest_common_subsequence};
use crate::call::{Call, groups};
use crate::outcome::EvaluationError;

/// Maximum number of comparisons for a longest common subsequence.
const MOST_COMPARISONS: u64 = 1_000_000;

/// An alignment of actual calls with expected ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallAlignment {
    /// Indices of the actual calls in the order that matches the expected ones best. Only calls of one group, requested in parallel, are
    /// reordered.
    pub order: Vec<usize>,
    /// For each position in `order`, the expected call that it matches in a longest common subsequence. All `None` if the lists are too
    /// long for one.
    pub answers: Vec<Option<usize>>,
    /// True if the call at each position matches the expected call there, and none is left over.
    pub is_same: bool,
}

impl CallAlignment {
    /// Aligns two lists of calls; `is_same` compares an expected call with an actual one.
    pub fn new<'c>(
        expected: &[Call<'c>],
        actual: &[Call<'c>],
        is_same: impl Fn(&Call<'c>, &Call<'c>) -> bool,
    ) -> Self {
        let lists = CallLists::new(expected.iter().collect(), actual.iter().collect(), &is_same);
        // Comparisons of such lists never fail.
        let order = arrange(&lists, &groups(actual), Arrange::Position).unwrap_or_default();
        let arranged = order.iter().map(|&index| &actual[index]);
        if expected.len() == actual.len()
            && expected
                .iter()
                .zip(arranged.clone())
                .all(|(one, other)| is_same(one, other))
        {
            return Self {
                answers: (0..order.len()).map(Some).collect(),
                order,
                is_same: true,
            };
        }
        // The subsequence is traced from the end. Reversed lists give the one that starts earliest.
        let backwards = CallLists::new(
            expected.iter().rev().collect(),
            arranged.rev().collect(),
            &is_same,
        );
        let pairs = longest_common_subsequence(&backwards)
            .unwrap_or_default()
            .pairs;
        let mut answers = vec![None; order.len()];
        for pair in pairs {
            answers[order.len() - 1 - pair.actual] = Some(expected.len() - 1 - pair.expected);
        }
        Self {
            order,
            answers,
            is_same: false,
        }
    }
}

/// Two lists of calls, compared by the caller's rule.
struct CallLists<'l, 'c, F> {
    expected: Vec<&'l Call<'c>>,
    actual: Vec<&'l Call<'c>>,
    names: Symbols<'static>,
    is_same: &'l F,
}

impl<'l, 'c, F> CallLists<'l, 'c, F> {
    fn new(expected: Vec<&'l Call<'c>>, actual: Vec<&'l Call<'c>>, is_same: &'l F) -> Self {
        let mut known = BTreeMap::new();
        let mut symbol = |call: &Call<'c>| {
            let next = known.len() as u32;
            *known.entry(call.name.as_bytes().to_owned()).or_insert(next)
        };
        let expected_names: Vec<_> = expected.iter().map(|call| [symbol(call); 2]).collect();
        let actual_names: Vec<_> = actual.iter().map(|call| symbol(call)).collect();
        Self {
            expected,
            actual,
            names: Symbols::new(expected_names, actual_names, known.len()),
            is_same,
        }
    }
}

impl<'c, F: Fn(&Call<'c>, &Call<'c>) -> bool> Comparison for CallLists<'_, 'c, F> {
    fn expected(&self) -> usize {
        self.expected.len()
    }

    fn actual(&self) -> usize {
        self.actual.len()
    }

    fn names(&self) -> &Symbols<'_> {
        &self.names
    }

    fn calls(&self) -> Option<&Symbols<'_>> {
        None
    }

    fn has_partial(&self) -> bool {
        false
    }

    fn most_comparisons(&self) -> u64 {
        MOST_COMPARISONS
    }

    fn grade(&self, expected: usize, actual: usize) -> Result<Grade, EvaluationError> {
        let is_same = (self.is_same)(self.expected[expected], self.actual[actual]);
        Ok(if is_same {
            Grade::Full
        } else {
            Grade::NameOnly
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Text;

    fn calls(names: &str) -> Vec<Call<'_>> {
        let call = |name| Call {
            name: Text::from(name),
            ..Call::default()
        };
        names.split_whitespace().map(call).collect()
    }

    #[test]
    fn parallel_calls_are_reordered_as_expected() {
        let expected = calls("find look send");
        let mut actual = calls("look find send");
        let aligned = |actual: &[Call<'_>]| {
            CallAlignment::new(&expected, actual, |one, other| one.name == other.name)
        };
        let apart = aligned(&actual);
        assert_eq!(apart.order, [0, 1, 2]);
        assert_eq!(apart.answers.iter().flatten().count(), 2);
        assert!(!apart.is_same);
        for call in &mut actual[..2] {
            call.metadata_mut().group = Some(Text::from("g"));
        }
        let together = aligned(&actual);
        assert_eq!(together.order, [1, 0, 2]);
        assert!(together.is_same);
    }
}
