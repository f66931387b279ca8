//! Once: of equal calls the first of either side pair, and their repeats answer nothing.
//!
//! As sets pair, but for repeats, which stay missed and extra. Linear time and memory, by look-up alone.

use super::{Alignment, Symbols, distinct};

/// Pairs the first call of each class that both sides have, in the order of expected.
pub(crate) fn once(calls: &Symbols) -> Alignment {
    distinct(calls).alignment
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::table::symbols;

    fn given(calls: &Symbols) -> Vec<(usize, usize)> {
        let alignment = once(calls);
        let pairs = alignment.pairs.iter();
        pairs.map(|pair| (pair.expected, pair.actual)).collect()
    }

    #[test]
    fn repeats_answer_nothing() {
        let calls = Symbols::new(vec![[1; 2], [0; 2], [1; 2], [2; 2]], vec![1, 1, 0, 3], 4);
        assert_eq!(given(&calls), [(0, 0), (1, 2)]);
        assert_eq!(once(&calls).left_over(4, 4), (vec![2, 3], vec![1, 3]));
    }

    proptest! {
        #[test]
        fn it_pairs_the_first_of_each_class(mut calls in symbols(9, 4)) {
            for symbols in calls.expected.to_mut() {
                symbols[1] = symbols[0];
            }
            let mut wanted = Vec::new();
            for (index, &[symbol, _]) in calls.expected.iter().enumerate() {
                let is_first = calls.expected[..index].iter().all(|it| it[0] != symbol);
                if is_first && symbol != Symbols::NONE {
                    wanted.extend(calls.actual.iter().position(|it| *it == symbol).map(|actual| (index, actual)));
                }
            }
            prop_assert_eq!(given(&calls), wanted);
        }
    }
}
