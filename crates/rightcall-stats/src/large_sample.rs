//! Approximates the result of resampling for many cases, without random noise.
//!
//! Ten thousand resamples of fifty thousand cases take seconds, and fewer resamples are noisy. A sum of many terms, none of them dominant,
//! has a distribution that its first moments determine closely.
//!
//! Source: Hall, *The Bootstrap and Edgeworth Expansion* (1992), sections 2.5 and 3.5; Robinson, *An asymptotic expansion for permutation
//! tests with several samples* (1980), for signs alone.

use statrs::distribution::{Continuous, ContinuousCDF, Normal};

use crate::mean;

/// Above this number of cases, the approximation replaces drawing, if the effective number is large
/// too. If a few large values dominate many small ones, cases are still drawn.
pub(crate) const MANY: usize = 2_000;
const EFFECTIVE: f64 = 500.0;

/// The smallest p-value reported: the smallest that ten thousand assignments can show.
const LEAST_P: f64 = 1.0 / 10_001.0;

/// Sums of powers of the distances from a centre.
struct PowerSums {
    second: f64,
    third: f64,
    fourth: f64,
}

impl PowerSums {
    fn about(centre: f64, values: &[f64]) -> Self {
        let mut sums = Self {
            second: 0.0,
            third: 0.0,
            fourth: 0.0,
        };
        for value in values {
            let distance = value - centre;
            let square = distance * distance;
            sums.second += square;
            sums.third += square * distance;
            sums.fourth += square * square;
        }
        sums
    }

    /// The effective number of values: all of them if they are similar, few if a few dominate.
    fn effective(&self) -> f64 {
        self.second * self.second / self.fourth
    }
}

/// Percentiles of the mean of a resample of the same size, with replacement and `tail` cut off at
/// each end, by the Cornish-Fisher expansion. `None` if there are too few values or a few dominate:
/// these must be drawn.
pub(crate) fn resampled_mean(values: &[f64], tail: f64) -> Option<(f64, f64)> {
    let centre = mean(values).filter(|_| values.len() > MANY)?;
    let n = values.len() as f64;
    let sums = PowerSums::about(centre, values);
    let normal = Normal::new(0.0, 1.0).ok()?;
    if sums.effective().is_nan() || sums.effective() < EFFECTIVE {
        return None;
    }
    let spread = sums.second.sqrt() / n;
    let skewness = sums.third / sums.second.powf(1.5);
    let kurtosis = 1.0 / sums.effective() - 3.0 / n;
    let end = |z: f64| {
        let (square, cube) = (z * z, z * z * z);
        let adjusted = z + skewness * (square - 1.0) / 6.0 + kurtosis * (cube - 3.0 * z) / 24.0
            - skewness * skewness * (2.0 * cube - 5.0 * z) / 36.0;
        centre + spread * adjusted
    };
    let z = normal.inverse_cdf(tail);
    Some((end(z), end(-z)))
}

/// The share of sign assignments whose sum of these numbers is at least as far from 0 as `observed`, by Edgeworth's
/// expansion. `None` if there are too few numbers or a few dominate.
///
/// Flipping a sign changes the sum by at least twice the smallest number. Half of that is subtracted, so that the share is never too small.
pub(crate) fn sign_flip_share(moved: &[f64], observed: f64) -> Option<f64> {
    let normal = Normal::new(0.0, 1.0).ok()?;
    let sums = PowerSums::about(0.0, moved);
    if moved.len() <= MANY || sums.effective() < EFFECTIVE {
        return None;
    }
    let jump = moved.iter().map(|it| it.abs()).fold(f64::MAX, f64::min);
    let x = ((observed - jump) / sums.second.sqrt()).max(0.0);
    let kurtosis = -2.0 / sums.effective();
    let beyond = normal.sf(x) + normal.pdf(x) * kurtosis * (x.powi(3) - 3.0 * x) / 24.0;
    Some((2.0 * beyond).clamp(LEAST_P, 1.0))
}

/// Means of resamples of the same size, with replacement, if most values are equal: only the other values are drawn.
pub(crate) struct FewOthers {
    usual: f64,
    /// The differences of the other values from the usual one.
    others: Vec<f64>,
    number: usize,
    /// For each count of other values in a resample, from `fewest` on: the share of resamples with at most that many.
    shares: Vec<f64>,
    fewest: usize,
}

impl FewOthers {
    /// `None` unless at least half of the values are equal and some differ.
    pub(crate) fn among(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        let middle = values.len() / 2;
        let (_, usual, _) = sorted.select_nth_unstable_by(middle, f64::total_cmp);
        let usual = *usual;
        let others = values.iter().filter(|value| **value != usual);
        let others: Vec<f64> = others.map(|value| value - usual).collect();
        if others.is_empty() || others.len() * 2 > values.len() {
            return None;
        }
        let (fewest, shares) = binomial_shares(values.len(), others.len());
        Some(Self {
            usual,
            others,
            number: values.len(),
            shares,
            fewest,
        })
    }

    /// The mean of one resample.
    pub(crate) fn mean(&self, random: &mut crate::random::Random) -> f64 {
        let share = random.unit();
        let drawn = self.fewest + self.shares.partition_point(|it| *it < share);
        let more: f64 = (0..drawn)
            .map(|_| self.others[random.below(self.others.len())])
            .sum();
        self.usual + more / self.number as f64
    }
}

/// The cumulative binomial distribution of hits in `number` draws, each with probability `hits /
/// number`. Also returns the fewest hits that can practically occur, for which the list starts.
fn binomial_shares(number: usize, hits: usize) -> (usize, Vec<f64>) {
    /// Counts that are less likely than the most likely one by this factor are dropped.
    const NEVER: f64 = 1e-18;
    let odds = hits as f64 / (number - hits) as f64;
    // The most likely count is `hits`. The weights of its neighbours follow from its weight by recurrence.
    let mut below = vec![1.0];
    for at in (1..=hits).rev() {
        let weight = below[below.len() - 1] * at as f64 / ((number - at + 1) as f64 * odds);
        if weight < NEVER {
            break;
        }
        below.push(weight);
    }
    let fewest = hits + 1 - below.len();
    let mut weights: Vec<f64> = below.into_iter().rev().collect();
    for at in hits..number {
        let weight = weights[weights.len() - 1] * (number - at) as f64 * odds / (at + 1) as f64;
        if weight < NEVER {
            break;
        }
        weights.push(weight);
    }
    let all: f64 = weights.iter().sum();
    let mut sum = 0.0;
    for weight in &mut weights {
        sum += *weight / all;
        *weight = sum;
    }
    // The last share is 1 up to rounding. Without it, any draw above the others maps to the last count.
    weights.pop();
    (fewest, weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::{drawn_means, expanded_tail, quantile};
    use crate::random::Random;
    use crate::{mean_interval, sign_flip};

    /// Differences of scores with few distinct values, many zeros and a long lower tail.
    fn differences(random: &mut Random, number: usize, moved: usize) -> Vec<f64> {
        let value = |random: &mut Random| match random.below(10) {
            0 => -1.0,
            1..6 => -0.25,
            _ => 1.0 / 3.0,
        };
        let one = |random: &mut Random| {
            if random.below(number) < moved {
                value(random)
            } else {
                0.0
            }
        };
        (0..number).map(|_| one(random)).collect()
    }

    /// Percentiles of 4,000 resamples, each with a tolerance of about four standard errors.
    fn drawn(values: &[f64], tail: f64) -> [(f64, f64); 2] {
        let resamples = 4_000;
        let mut means = drawn_means(values, resamples, &mut Random::new());
        means.sort_by(f64::total_cmp);
        let noise = 4.0 * (tail * (1.0 - tail) / resamples as f64).sqrt();
        [tail, 1.0 - tail].map(|share| {
            let span = quantile(&means, share + noise) - quantile(&means, share - noise);
            (quantile(&means, share), span)
        })
    }

    #[test]
    fn percentiles_of_many_cases_match_resampling() {
        let mut random = Random::new();
        for (number, moved) in [(2_500, 2_500), (6_000, 2_500), (9_000, 3_000)] {
            let values = differences(&mut random, number, moved);
            let tail = expanded_tail(number, 0.95);
            let (low, high) = resampled_mean(&values, tail).unwrap();
            for ((found, noise), end) in drawn(&values, tail).into_iter().zip([low, high]) {
                assert!((found - end).abs() < noise, "{number}: {found} and {end}");
            }
        }
    }

    #[test]
    fn drawing_only_unequal_cases_matches_drawing_all() {
        let mut random = Random::new();
        for moved in [1, 7, 300] {
            let values = differences(&mut random, 5_000, moved);
            let tail = expanded_tail(values.len(), 0.95);
            assert_eq!(resampled_mean(&values, tail), None);
            let interval = mean_interval(&values, 0.95).unwrap();
            let step = 1.0 / values.len() as f64;
            for ((found, noise), end) in drawn(&values, tail)
                .into_iter()
                .zip([interval.low, interval.high])
            {
                assert!(
                    (found - end).abs() <= noise + step,
                    "{moved}: {found} and {end}"
                );
            }
        }
    }

    #[test]
    fn shares_of_hits_follow_the_binomial_distribution() {
        use statrs::distribution::{Binomial, DiscreteCDF};
        for (number, hits) in [(10, 3), (5_000, 1), (50_000, 20_000)] {
            let chance = hits as f64 / number as f64;
            let binomial = Binomial::new(chance, number as u64).unwrap();
            let (fewest, shares) = binomial_shares(number, hits);
            for (more, share) in shares.iter().enumerate() {
                let wanted = binomial.cdf((fewest + more) as u64);
                assert!(
                    (share - wanted).abs() < 1e-9,
                    "{number}, {hits}: {share} and {wanted}"
                );
            }
            assert!(
                shares
                    .last()
                    .is_some_and(|last| *last < 1.0 && *last > 0.99)
            );
        }
    }

    #[test]
    fn sign_flip_shares_match_random_flips() {
        let sizes: [fn(usize) -> f64; 3] = [
            |_| 0.5,
            |at| (at % 7 + 1) as f64 / 7.0,
            |at| if at % 4 == 0 { 1.0 } else { 0.1 },
        ];
        let mut random = Random::new();
        for size in sizes {
            for more in [0, 40, 90, 140] {
                let number = 2_400;
                let sign = |at: usize| {
                    if at < number / 2 + more / 2 {
                        1.0
                    } else {
                        -1.0
                    }
                };
                let moved: Vec<f64> = (0..number).map(|at| sign(at) * size(at)).collect();
                let observed = moved.iter().sum::<f64>().abs();
                let found = sign_flip_share(&moved, observed).unwrap();
                assert_eq!(found, sign_flip(&moved));
                let draws = 4_000;
                let is_beyond = |random: &mut Random| {
                    let sum = moved
                        .iter()
                        .map(|it| if random.below(2) == 0 { *it } else { -it });
                    sum.sum::<f64>().abs() >= observed - 1e-9
                };
                let beyond = (0..draws).filter(|_| is_beyond(&mut random)).count();
                let share = f64::from(beyond as u32) / f64::from(draws);
                let noise = 4.0 * (share * (1.0 - share) / f64::from(draws)).sqrt() + 0.003;
                assert!(
                    (share - found).abs() < noise,
                    "{more} more: {share} and {found}"
                );
            }
        }
    }

    #[test]
    fn a_p_value_is_never_zero() {
        assert_eq!(sign_flip(&[0.25; 2_001]), LEAST_P);
    }

    #[test]
    fn equal_cases_have_an_interval_of_one_point() {
        let interval = mean_interval(&[0.5; 2_001], 0.95).unwrap();
        assert_eq!((interval.low, interval.high), (0.5, 0.5));
    }
}
