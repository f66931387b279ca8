//! Significance tests for paired cases.

use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal};

use crate::bootstrap::resamples;
use crate::large_sample::sign_flip_share;
use crate::random::Random;
use crate::{deviation, mean};

/// Up to this number of differing cases, every assignment of signs is tried.
const MAX_EXACT: usize = 13;

/// The exact `McNemar` test: are the verdicts that changed equally likely to go either way? Returns the two-sided p-value.
///
/// `better` cases failed before and pass now, `worse` cases passed before and fail now. Returns 1 if both are 0.
///
/// Source: McNemar, *Note on the sampling error of the difference between correlated proportions* (1947), in its exact,
/// binomial form.
pub fn mcnemar(better: u64, worse: u64) -> f64 {
    let Ok(coin) = Binomial::new(0.5, better + worse) else {
        return 1.0;
    };
    if better + worse == 0 {
        1.0
    } else {
        (2.0 * coin.cdf(better.min(worse))).min(1.0)
    }
}

/// The paired permutation test of the mean: if before and after of each case were exchangeable, how often would the mean change be
/// at least as large? Returns the two-sided p-value.
///
/// Tries all assignments of signs for at most 13 differing cases; otherwise a sample of assignments, with one added to both counts so
/// that no p-value is 0. Above 2,000 differing cases the share is computed, unless a few cases account for most of the variance.
///
/// Source: Fisher, *The Design of Experiments* (1935), section 21; Phipson and Smyth, *Permutation p-values should never be zero*
/// (2010).
pub fn sign_flip(differences: &[f64]) -> f64 {
    // A case without a difference contributes 0 to every sum.
    let nonzero: Vec<f64> = differences
        .iter()
        .copied()
        .filter(|difference| *difference != 0.0)
        .collect();
    let observed = nonzero.iter().sum::<f64>().abs();
    // Sums of the same numbers in another order may differ in their last digits.
    let least = observed - 1e-9 * nonzero.iter().map(|it| it.abs()).sum::<f64>();
    let flipped = |signs: &mut dyn FnMut() -> bool| -> bool {
        nonzero
            .iter()
            .map(|difference| if signs() { *difference } else { -difference })
            .sum::<f64>()
            .abs()
            >= least
    };
    if nonzero.len() <= MAX_EXACT {
        let all = 1_u32 << nonzero.len();
        let extreme = (0..all).filter(|assignment| {
            let mut bits = *assignment;
            flipped(&mut || {
                let sign = bits & 1 == 1;
                bits >>= 1;
                sign
            })
        });
        return extreme.count() as f64 / f64::from(all);
    }
    if let Some(share) = sign_flip_share(&nonzero, observed) {
        return share;
    }
    let mut random = Random::new();
    let number = resamples(nonzero.len());
    let extreme = (0..number).filter(|_| {
        let (mut bits, mut left) = (0, 0);
        flipped(&mut || {
            if left == 0 {
                (bits, left) = (random.next(), 64);
            }
            let sign = bits & 1 == 1;
            (bits, left) = (bits >> 1, left - 1);
            sign
        })
    });
    (extreme.count() + 1) as f64 / (number + 1) as f64
}

/// The mean change divided by its standard deviation over the cases: Cohen's d for paired differences, `d_z`. `None` if the differences
/// are constant.
///
/// Source: Cohen, *Statistical Power Analysis for the Behavioral Sciences* (1988), section 2.3.5.
pub fn standardised(differences: &[f64]) -> Option<f64> {
    Some(mean(differences)? / deviation(differences).filter(|deviation| *deviation > 0.0)?)
}

/// The approximate number of cases needed to detect a change of this size with probability `power` in a test at `level`.
///
/// `((z(1 - level / 2) + z(power)) * deviation / change)^2`, rounded up.
///
/// Source: Cohen, *Statistical Power Analysis for the Behavioral Sciences* (1988), section 2.4, by the normal approximation.
#[expect(clippy::cast_sign_loss, reason = "a square is never negative")]
pub fn cases_needed(deviation: f64, change: f64, level: f64, power: f64) -> Option<u64> {
    let normal = Normal::new(0.0, 1.0).ok()?;
    let number =
        (normal.inverse_cdf(1.0 - level / 2.0) + normal.inverse_cdf(power)) * deviation / change;
    number.is_finite().then(|| number.powi(2).ceil() as u64)
}

/// The minimum number of cases for a significant change: if all move the same way, the p-value is `2 / 2^cases`.
pub fn fewest_cases(level: f64) -> u64 {
    let shows = |cases: &u32| 0.5_f64.powf(f64::from(cases - 1)) < level;
    (1..64).find(shows).unwrap_or(64).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mcnemar_is_a_binomial_test_of_changed_verdicts() {
        assert_eq!(mcnemar(0, 0), 1.0);
        assert_eq!(mcnemar(3, 3), 1.0);
        assert!((mcnemar(0, 6) - 0.03125).abs() < 1e-12);
        assert!((mcnemar(6, 0) - mcnemar(0, 6)).abs() < 1e-15);
        assert!((mcnemar(5, 15) - 0.041_389_465_332_031_25).abs() < 1e-12);
    }

    #[test]
    fn few_differences_are_tested_exactly() {
        assert_eq!(sign_flip(&[]), 1.0);
        assert_eq!(sign_flip(&[0.0; 9]), 1.0);
        assert_eq!(sign_flip(&[0.1, 0.2, 0.3, 0.0]), 0.25);
        assert_eq!(sign_flip(&[0.1, -0.1]), 1.0);
        let many: Vec<_> = (0..40)
            .map(|it| if it % 5 == 0 { -0.3 } else { 0.2 })
            .collect();
        assert!(sign_flip(&many) < 0.01);
        assert_eq!(sign_flip(&many), sign_flip(&many));
    }

    #[test]
    fn tests_keep_their_level_without_a_change() {
        let mut random = Random::new();
        for n in [10, 40] {
            let runs = 600;
            let mut rejected = [0_u32; 2];
            for _ in 0..runs {
                let pairs: Vec<_> = (0..n)
                    .map(|_| (random.below(3) as f64 / 2.0, random.below(3) as f64 / 2.0))
                    .collect();
                let differences: Vec<_> =
                    pairs.iter().map(|(before, after)| after - before).collect();
                let count =
                    |of: fn(f64) -> bool| differences.iter().filter(|it| of(**it)).count() as u64;
                rejected[0] += u32::from(sign_flip(&differences) < 0.05);
                rejected[1] +=
                    u32::from(mcnemar(count(|it| it > 0.0), count(|it| it < 0.0)) < 0.05);
            }
            for number in rejected {
                assert!(
                    f64::from(number) / f64::from(runs) < 0.075,
                    "{n} cases: {number} of {runs}"
                );
            }
        }
    }

    #[test]
    fn a_smaller_change_needs_more_cases() {
        assert_eq!(cases_needed(0.5, 0.5, 0.05, 0.8), Some(8));
        assert_eq!(cases_needed(0.5, 0.05, 0.05, 0.8), Some(785));
        assert_eq!(cases_needed(0.5, 0.0, 0.05, 0.8), None);
    }
}
