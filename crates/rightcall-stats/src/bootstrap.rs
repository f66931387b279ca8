//! Confidence intervals by resampling cases.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::large_sample::{FewOthers, MANY, resampled_mean};
use crate::mean;
use crate::random::Random;

/// An estimate with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Default number of resamples.
const RESAMPLES: usize = 10_000;

/// Limit on all draws together: more cases mean fewer resamples, but at least [`MIN_RESAMPLES`].
const MAX_DRAWS: usize = 20_000_000;

const MIN_RESAMPLES: usize = 1_000;

/// Number of resamples for this number of cases.
pub(crate) fn resamples(cases: usize) -> usize {
    (MAX_DRAWS / cases.max(1)).clamp(MIN_RESAMPLES, RESAMPLES)
}

/// The interval of the mean of one number per case; `None` for fewer than two cases.
///
/// Expanded percentile bootstrap. The plain percentile interval is too narrow by `sqrt((n - 1) / n)` and ignores Student's t. So its
/// percentiles are moved outward by the ratio of a t interval to a normal one. Above 2,000 cases the interval is computed without draws,
/// unless a few cases account for most of the variance.
///
/// Source: Hesterberg, *What Teachers Should Know About the Bootstrap* (2015), section 4.2.
pub fn mean_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let estimate = mean(values)?;
    let n = values.len();
    if n < 2 {
        return None;
    }
    let (low, high) = resampled_mean(values, expanded_tail(n, confidence)).unwrap_or_else(|| {
        let mut random = Random::new();
        let mut means = match FewOthers::among(values).filter(|_| n > MANY) {
            Some(few) => (0..resamples(n)).map(|_| few.mean(&mut random)).collect(),
            None => drawn_means(values, resamples(n), &mut random),
        };
        ends(&mut means, n, confidence)
    });
    Some(Interval {
        estimate,
        low,
        high,
    })
}

/// The means of `number` resamples.
pub(crate) fn drawn_means(values: &[f64], number: usize, random: &mut Random) -> Vec<f64> {
    let n = values.len();
    let draw = |_| (0..n).map(|_| values[random.below(n)]).sum::<f64>() / n as f64;
    (0..number).map(draw).collect()
}

/// The interval of any statistic; `statistic` receives the indices of the drawn cases. Draws without a value are skipped. `None` if more
/// than half of the draws have no value, or for fewer than two cases.
pub fn bootstrap(
    cases: usize,
    confidence: f64,
    statistic: impl Fn(&[usize]) -> Option<f64>,
) -> Option<Interval> {
    let all: Vec<_> = (0..cases).collect();
    let estimate = statistic(&all)?;
    if cases < 2 {
        return None;
    }
    let mut random = Random::new();
    let mut drawn = vec![0; cases];
    // Statistics that sort their cases cost more than sums, so draw fewer resamples.
    let number = resamples(cases * 5);
    let mut found = Vec::with_capacity(number);
    for _ in 0..number {
        drawn
            .iter_mut()
            .for_each(|position| *position = random.below(cases));
        found.extend(statistic(&drawn));
    }
    if found.len() * 2 < number {
        return None;
    }
    let (low, high) = ends(&mut found, cases, confidence);
    Some(Interval {
        estimate,
        low,
        high,
    })
}

/// The expanded percentiles of resampled values.
fn ends(values: &mut [f64], n: usize, confidence: f64) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let tail = expanded_tail(n, confidence);
    (quantile(values, tail), quantile(values, 1.0 - tail))
}

/// The share of resamples to cut off at each end.
pub(crate) fn expanded_tail(n: usize, confidence: f64) -> f64 {
    let tail = (1.0 - confidence) / 2.0;
    let freedom = (n - 1) as f64;
    let (Ok(student), Ok(normal)) = (StudentsT::new(0.0, 1.0, freedom), Normal::new(0.0, 1.0))
    else {
        return tail;
    };
    normal.cdf((n as f64 / freedom).sqrt() * student.inverse_cdf(tail))
}

/// The quantile of sorted values, with linear interpolation as in `NumPy`.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (below, above) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    (below * (1.0 - place.fract()) + above * place.fract()).clamp(below, above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_cases_have_wider_intervals_than_the_plain_percentiles() {
        // Hesterberg's table: for n = 10 and 95 % the tails are 0.0086 instead of 0.025.
        assert!(
            (expanded_tail(10, 0.95) - 0.008_6).abs() < 5e-5,
            "{}",
            expanded_tail(10, 0.95)
        );
        assert!((expanded_tail(1000, 0.95) - 0.025).abs() < 3e-4);
    }

    #[test]
    fn intervals_are_reproducible_and_contain_the_estimate() {
        let values: Vec<_> = (0..50).map(|it| f64::from(it % 7) / 7.0).collect();
        let interval = mean_interval(&values, 0.95).unwrap();
        assert_eq!(mean_interval(&values, 0.95), Some(interval));
        assert!(interval.low < interval.estimate && interval.estimate < interval.high);
        let narrow = mean_interval(&values, 0.8).unwrap();
        assert!(interval.low < narrow.low && narrow.high < interval.high);
        assert_eq!(mean_interval(&[1.0], 0.95), None);
    }

    /// Skewed, with many zeros, like differences of scores.
    fn sample(random: &mut Random, n: usize) -> Vec<f64> {
        (0..n)
            .map(|_| {
                if random.below(10) < 7 {
                    0.0
                } else {
                    random.below(1000) as f64 / 500.0 - 0.7
                }
            })
            .collect()
    }

    #[test]
    fn intervals_have_the_stated_coverage() {
        let truth = 0.3 * (499.5 / 500.0 - 0.7);
        let mut random = Random::new();
        for (n, least) in [(20, 0.9), (50, 0.925), (200, 0.935)] {
            let runs = 1000;
            let covers = (0..runs).filter(|_| {
                let interval = mean_interval(&sample(&mut random, n), 0.95).unwrap();
                interval.low <= truth && truth <= interval.high
            });
            let share = covers.count() as f64 / f64::from(runs);
            assert!((least..=0.985).contains(&share), "{n} cases: {share}");
        }
    }
}
