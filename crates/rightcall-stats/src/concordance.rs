//! The agreement of two settings on the same rows: on the order of rows, and on passing rows.

use crate::equality::with_ties;

/// Kendall's tau-b: the agreement of two lists on the order of the same rows, from -1 to 1,
/// corrected for ties. `None` if either does not vary.
///
/// With P pairs in the same order, Q in the opposite one, and Tx and Ty pairs tied in one list alone, it is
/// (P - Q) / sqrt((P + Q + Tx) (P + Q + Ty)). Inversions are counted by merging, in n log n steps.
///
/// Source: Kendall, *The Treatment of Ties in Ranking Problems* (1945); Knight, *A Computer Method for Calculating Kendall's Tau with
/// Ungrouped Data* (1966).
pub fn kendall(one: &[f64], other: &[f64]) -> Option<f64> {
    // Adding 0 makes -0 and 0 equal.
    let [one, other] = [one, other].map(with_ties);
    let pairs = one.iter().zip(other).map(|(x, y)| (x + 0.0, y + 0.0));
    let mut pairs: Vec<(f64, f64)> = pairs.collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let all = pairs_among(pairs.len());
    let tied_one = equal_pairs(&pairs, |a, b| a.0 == b.0);
    let tied_both = equal_pairs(&pairs, |a, b| a == b);
    let mut values: Vec<f64> = pairs.iter().map(|(_, y)| *y).collect();
    let discordant = sort_counting(&mut values);
    let tied_other = equal_pairs(&values, |a, b| a == b);
    let concordant = all + tied_both - tied_one - tied_other - discordant;
    let product = (all - tied_one) as f64 * (all - tied_other) as f64;
    let difference = concordant as f64 - discordant as f64;
    (product > 0.0).then(|| (difference / product.sqrt()).clamp(-1.0, 1.0))
}

/// The number of pairs among `n` items.
fn pairs_among(n: usize) -> u64 {
    let n = n as u64;
    n * n.saturating_sub(1) / 2
}

/// The number of equal pairs among sorted items.
fn equal_pairs<T>(sorted: &[T], is_equal: impl Fn(&T, &T) -> bool) -> u64 {
    let ties = sorted.chunk_by(is_equal);
    ties.map(|ties| pairs_among(ties.len())).sum()
}

/// Sorts values, and counts the pairs that were in descending order.
fn sort_counting(values: &mut [f64]) -> u64 {
    let half = values.len() / 2;
    if half == 0 {
        return 0;
    }
    let (left, right) = values.split_at_mut(half);
    let mut inversions = sort_counting(left) + sort_counting(right);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut low, mut high) = (&*left, &*right);
    while let ([one, ..], [other, ..]) = (low, high) {
        if other < one {
            inversions += low.len() as u64;
            merged.push(*other);
            high = &high[1..];
        } else {
            merged.push(*one);
            low = &low[1..];
        }
    }
    merged.extend_from_slice(low);
    merged.extend_from_slice(high);
    values.copy_from_slice(&merged);
    inversions
}

/// Cohen's kappa of two verdicts on the same rows: agreement beyond chance, at most 1; 0 is chance. `None` without rows, or if both give
/// every row the same verdict.
///
/// With the share of rows po on which both agree, and the share pe expected by chance, it is (po - pe) / (1 - pe).
///
/// Source: Cohen, *A Coefficient of Agreement for Nominal Scales* (1960).
pub fn kappa(one: &[bool], other: &[bool]) -> Option<f64> {
    let n = one.len().min(other.len()) as f64;
    let share = |number: usize| number as f64 / n;
    let positive = |verdicts: &[bool]| share(verdicts.iter().filter(|it| **it).count());
    let equal = one.iter().zip(other).filter(|(a, b)| a == b).count();
    let (first, second) = (positive(one), positive(other));
    let chance = first * second + (1.0 - first) * (1.0 - second);
    (n > 0.0 && chance < 1.0).then(|| (share(equal) - chance) / (1.0 - chance))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Compares every pair.
    fn slow_kendall(one: &[f64], other: &[f64]) -> Option<f64> {
        let (mut sum, mut vary_one, mut vary_other) = (0.0, 0.0, 0.0);
        let sign = |difference: f64| {
            if difference == 0.0 {
                0.0
            } else {
                difference.signum()
            }
        };
        for i in 0..one.len() {
            for j in 0..i {
                let (a, b) = (sign(one[i] - one[j]), sign(other[i] - other[j]));
                sum += a * b;
                vary_one += a * a;
                vary_other += b * b;
            }
        }
        let product: f64 = vary_one * vary_other;
        (product > 0.0).then(|| sum / product.sqrt())
    }

    #[test]
    fn known_values() {
        let tau = kendall(&[12.0, 2.0, 1.0, 12.0, 2.0], &[1.0, 4.0, 7.0, 1.0, 0.0]);
        // The example of SciPy's documentation.
        assert!((tau.unwrap() - -0.471_404_520_791_031_7).abs() < 1e-12);
        assert_eq!(kendall(&[1.0, 2.0, 3.0], &[2.0, 4.0, 9.0]), Some(1.0));
        assert_eq!(kendall(&[1.0, 1.0], &[0.0, 1.0]), None);
        assert_eq!(kendall(&[], &[]), None);
        // Two raters and 50 proposals, of the article on Cohen's kappa in Wikipedia: po 0.7, pe 0.5.
        let verdicts = |counts: [usize; 4]| {
            let kinds = [(true, true), (true, false), (false, true), (false, false)];
            let rows = kinds.iter().zip(counts);
            rows.flat_map(|(kind, count)| vec![*kind; count])
                .unzip::<_, _, Vec<_>, Vec<_>>()
        };
        let (one, other) = verdicts([20, 5, 10, 15]);
        assert!((kappa(&one, &other).unwrap() - 0.4).abs() < 1e-12);
        assert_eq!(kappa(&[true, false], &[false, true]), Some(-1.0));
        assert_eq!((kappa(&[true], &[true]), kappa(&[], &[])), (None, None));
    }

    proptest! {
        #[test]
        fn counting_by_merging_equals_comparing_every_pair(
            rows in prop::collection::vec((0_u8..6, 0_u8..6), 0..40)
        ) {
            let (one, other): (Vec<f64>, Vec<f64>) =
                rows.iter().map(|(a, b)| (f64::from(*a) / 5.0, -f64::from(*b))).unzip();
            let (fast, slow) = (kendall(&one, &other), slow_kendall(&one, &other));
            prop_assert_eq!(fast.is_some(), slow.is_some());
            prop_assert!((fast.unwrap_or(0.0) - slow.unwrap_or(0.0)).abs() < 1e-12);
        }
    }
}
