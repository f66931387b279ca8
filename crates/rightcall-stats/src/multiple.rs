//! Corrects for multiple tests.

/// Corrects p-values so that the probability of any false alarm stays at the level of a single test. Keeps the order.
///
/// Source: Holm, *A Simple Sequentially Rejective Multiple Test Procedure* (1979).
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut corrected = vec![0.0; values.len()];
    let mut highest: f64 = 0.0;
    for (rank, position) in order.into_iter().enumerate() {
        // Keep the corrected values in the order of the uncorrected ones.
        highest = highest
            .max((values.len() - rank) as f64 * values[position])
            .min(1.0);
        corrected[position] = highest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_p_value_is_multiplied_by_the_number_of_remaining_ones() {
        assert_eq!(holm(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert_eq!(holm(&[]), [0.0; 0]);
    }

    proptest! {
        #[test]
        fn p_values_never_decrease_and_keep_their_order(values in prop::collection::vec(0.0..=1.0, 0..9)) {
            let corrected = holm(&values);
            for (one, before) in values.iter().enumerate() {
                prop_assert!(corrected[one] >= *before && corrected[one] <= 1.0);
                for (other, beside) in values.iter().enumerate() {
                    prop_assert!(before > beside || corrected[one] <= corrected[other]);
                }
            }
        }
    }
}
