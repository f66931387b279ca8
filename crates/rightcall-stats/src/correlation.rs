//! Measures how well one number of a case predicts another.

use crate::equality::with_ties;

/// The area under the ROC curve: the probability that a positive case has a higher score than a negative one; ties count
/// half. `None` if either class is missing.
///
/// Source: Mann and Whitney, *On a Test of Whether one of Two Random Variables is Stochastically Larger than the Other* (1947); Hanley and
/// `McNeil` (1982) for the area.
pub fn auc(scores: &[f64], positive: &[bool]) -> Option<f64> {
    let ranks = ranks(scores);
    let number = positive.iter().filter(|it| **it).count() as f64;
    let others = positive.len() as f64 - number;
    let sum: f64 = ranks
        .iter()
        .zip(positive)
        .filter(|(_, positive)| **positive)
        .map(|(rank, _)| rank)
        .sum();
    (number > 0.0 && others > 0.0)
        .then(|| (sum - number * (number + 1.0) / 2.0) / (number * others))
}

/// Pearson's product-moment correlation; if one list is binary (1 or 0), it is the point-biserial correlation. `None` if either list is
/// constant.
pub fn pearson(one: &[f64], other: &[f64]) -> Option<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_one, mean_other) = (mean(one), mean(other));
    let (mut both, mut of_one, mut of_other) = (0.0, 0.0, 0.0);
    for (a, b) in one.iter().zip(other) {
        let (a, b) = (a - mean_one, b - mean_other);
        both += a * b;
        of_one += a * a;
        of_other += b * b;
    }
    let product: f64 = (of_one * of_other).sqrt();
    (product > 0.0).then(|| (both / product).clamp(-1.0, 1.0))
}

/// The rank correlation; ties get their mean rank. `None` if either list is constant.
///
/// Source: Spearman, *The Proof and Measurement of Association between Two Things* (1904).
pub fn spearman(one: &[f64], other: &[f64]) -> Option<f64> {
    pearson(&ranks(one), &ranks(other))
}

/// Ranks from 1; equal values share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let values = with_ties(values);
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for ties in order.chunk_by(|one, other| values[*one] == values[*other]) {
        let rank = before as f64 + (ties.len() + 1) as f64 / 2.0;
        ties.iter().for_each(|position| ranks[*position] = rank);
        before += ties.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perfect_and_useless_predictors_have_known_correlations() {
        let positive = [false, false, true, true];
        assert_eq!(auc(&[0.1, 0.2, 0.8, 0.9], &positive), Some(1.0));
        assert_eq!(auc(&[0.9, 0.8, 0.2, 0.1], &positive), Some(0.0));
        assert_eq!(auc(&[0.5; 4], &positive), Some(0.5));
        assert_eq!(auc(&[0.5; 4], &[true; 4]), None);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[1.0, 10.0, 100.0]), Some(1.0));
        assert_eq!(
            (pearson(&[1.0, 1.0], &[0.0, 1.0]), pearson(&[], &[])),
            (None, None)
        );
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    }
}
