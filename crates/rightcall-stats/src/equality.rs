//! Which scores are equal.

/// Scores that differ by less are equal: sums in another order differ in their last digits.
pub const EQUAL_WITHIN: f64 = 1e-9;

/// Whether two scores are equal.
pub fn is_same_score(one: f64, other: f64) -> bool {
    (one - other).abs() < EQUAL_WITHIN || one.total_cmp(&other).is_eq()
}

/// The values, where each run of equal ones, in order, has the value of its lowest. So equal scores are ties for statistics of ranks.
pub(crate) fn with_ties(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut tied = values.to_vec();
    // Equal to no value.
    let mut lowest = f64::NAN;
    for position in order {
        if !is_same_score(lowest, values[position]) {
            lowest = values[position];
        }
        tied[position] = lowest;
    }
    tied
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{auc, kendall, spearman};

    /// Equal scores, summed in another order.
    const ONE: f64 = 0.1 + 0.2;
    const OTHER: f64 = 0.3;

    #[test]
    fn scores_that_differ_in_their_last_digits_are_ties() {
        assert!(ONE != OTHER && is_same_score(ONE, OTHER));
        assert!(!is_same_score(0.3, 0.3 + 2.0 * EQUAL_WITHIN));
        assert_eq!(with_ties(&[ONE, 0.5, OTHER]), [OTHER, 0.5, OTHER]);
        let (rounded, exact) = ([ONE, OTHER, 0.5, 0.1], [OTHER, OTHER, 0.5, 0.1]);
        let other = [1.0, 0.0, 1.0, 0.0];
        assert_eq!(kendall(&rounded, &other), kendall(&exact, &other));
        assert_eq!(kendall(&other, &rounded), kendall(&other, &exact));
        assert_eq!(spearman(&rounded, &other), spearman(&exact, &other));
        let positive = [true, false, true, false];
        assert_eq!(auc(&rounded, &positive), auc(&exact, &positive));
        assert_eq!(auc(&[ONE, OTHER], &[true, false]), Some(0.5));
    }
}
