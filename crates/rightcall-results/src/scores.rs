//! Statistics of the scores of many cases.

use rightcall_core::Outcome;
use serde::{Deserialize, Serialize};

use crate::EvaluationResult;

/// Number of steps of the histogram.
pub const STEPS: usize = 10;

/// Statistics of the scores of many cases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// The arithmetic mean of the scored cases.
    pub mean: Option<f64>,
    /// The lowest score.
    pub min: Option<f64>,
    /// The highest score.
    pub max: Option<f64>,
    /// The share of passed cases among those with a verdict; an error counts as failed. `None` if no scored case has a verdict and none
    /// failed because it has no run.
    pub pass_rate: Option<f64>,
    /// Cases with a score.
    pub scored: u64,
    /// Cases that passed.
    pub passed: u64,
    /// Cases to which the evaluator does not apply.
    pub not_applicable: u64,
    /// Cases that ended in an error.
    pub errors: u64,
    /// Number of scores in each tenth of 0..=1; scores outside count in the nearest step.
    pub histogram: [u64; STEPS],
    /// Scored cases with a verdict, passed or not.
    #[serde(skip)]
    pub judged: u64,
    /// Cases without a run that count as failed.
    #[serde(skip)]
    pub no_run: u64,
    /// Cases with a score of 0 or less.
    #[serde(skip)]
    pub zeros: u64,
}

impl Totals {
    /// Failed cases, including errors and cases without a run.
    pub fn not_passed(&self) -> u64 {
        self.judged - self.passed + self.errors + self.no_run
    }
}

/// The scores of one evaluator, or of the cases that a gate checks, added in input order.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    /// Counts, minimum and maximum; [`totals`](Self::totals) adds the numbers computed from these.
    pub counts: Totals,
    sum: f64,
    /// All scores, kept only if quantiles are needed.
    values: Option<Vec<f64>>,
}

impl Scores {
    /// Scores with quantiles, for 8 bytes per case.
    pub fn with_quantiles() -> Self {
        Self {
            values: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// Adds a result.
    pub fn add(&mut self, result: &EvaluationResult) {
        match result.outcome {
            Outcome::Scored(score) => self.add_score(score.get(), result.passed),
            Outcome::NotApplicable(_) => {
                self.counts.not_applicable += 1;
                self.counts.no_run += u64::from(result.passed == Some(false));
            }
            Outcome::Failed(_) => self.counts.errors += 1,
        }
    }

    /// The counts with the numbers computed from them.
    pub fn totals(&self) -> Totals {
        Totals {
            mean: self.mean(),
            pass_rate: self.pass_rate(),
            ..self.counts.clone()
        }
    }

    /// Adds a score with its verdict.
    pub fn add_score(&mut self, score: f64, passed: Option<bool>) {
        let counts = &mut self.counts;
        counts.scored += 1;
        counts.min = Some(counts.min.map_or(score, |min| min.min(score)));
        counts.max = Some(counts.max.map_or(score, |max| max.max(score)));
        counts.histogram[step_of(score)] += 1;
        counts.zeros += u64::from(score <= 0.0);
        counts.judged += u64::from(passed.is_some());
        counts.passed += u64::from(passed == Some(true));
        self.sum += score;
        if let Some(values) = &mut self.values {
            values.push(score);
        }
    }

    /// The arithmetic mean of the scored cases.
    pub fn mean(&self) -> Option<f64> {
        let scored = self.counts.scored;
        (scored > 0).then(|| self.sum / scored as f64)
    }

    /// The share of passed cases among those with a verdict; an error counts as failed. `None` if no scored case has a verdict and none
    /// failed because it has no run.
    pub fn pass_rate(&self) -> Option<f64> {
        let judged = self.counts.judged + self.counts.no_run;
        (judged > 0).then(|| self.counts.passed as f64 / (judged + self.counts.errors) as f64)
    }

    /// The share of the cases to which the evaluator applies. `None` without cases.
    pub fn applicable(&self) -> Option<f64> {
        let applicable = self.counts.scored + self.counts.errors;
        let all = applicable + self.counts.not_applicable;
        (all > 0).then(|| applicable as f64 / all as f64)
    }

    /// The quantile at `share`, with linear interpolation between two scores.
    ///
    /// Source: Hyndman and Fan, *Sample Quantiles in Statistical Packages* (1996), type 7, the default of `NumPy` and R.
    #[expect(clippy::cast_sign_loss, reason = "a place in a list is never negative")]
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let mut values = self.values.clone().filter(|values| !values.is_empty())?;
        values.sort_by(f64::total_cmp);
        let place = share * (values.len() - 1) as f64;
        let (below, above) = (
            values[place.floor() as usize],
            values[place.ceil() as usize],
        );
        // This form is monotonic: a higher score never lowers the quantile, not even in the last digit.
        Some((below * (1.0 - place.fract()) + above * place.fract()).clamp(below, above))
    }
}

#[expect(
    clippy::cast_sign_loss,
    reason = "the score is clamped to 0..=1 before"
)]
fn step_of(score: f64) -> usize {
    ((score.clamp(0.0, 1.0) * STEPS as f64) as usize).min(STEPS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed() -> EvaluationResult {
        let error = rightcall_core::EvaluationError::Raised("x".into());
        EvaluationResult::new(Outcome::Failed(error), None)
    }

    fn scores(values: &[f64]) -> Scores {
        let mut scores = Scores::with_quantiles();
        for &value in values {
            scores.add_score(value, Some(value >= 0.5));
        }
        scores
    }

    #[test]
    fn without_scores_there_are_no_statistics() {
        let mut none = Scores::with_quantiles();
        none.add(&EvaluationResult::not_applicable("x"));
        none.add(&failed());
        assert_eq!(
            (
                none.mean(),
                none.counts.min,
                none.counts.max,
                none.pass_rate(),
                none.quantile(0.5)
            ),
            (None, None, None, None, None)
        );
        assert_eq!((none.counts.not_applicable, none.counts.errors), (1, 1));
    }

    #[test]
    fn quantiles_interpolate_as_in_numpy() {
        let four = scores(&[0.4, 0.1, 0.3, 0.2]);
        assert_eq!(four.quantile(0.0), Some(0.1));
        assert_eq!(four.quantile(1.0), Some(0.4));
        assert_eq!(four.quantile(0.5), Some(0.25));
        assert!((four.quantile(0.05).unwrap() - 0.115).abs() < 1e-12);
        assert_eq!(scores(&[0.7]).quantile(0.95), Some(0.7));
    }

    #[test]
    fn an_error_counts_as_not_passed() {
        let mut scores = scores(&[1.0, 0.0, 1.0]);
        scores.add(&failed());
        assert_eq!(scores.pass_rate(), Some(0.5));
    }

    #[test]
    fn the_histogram_has_ten_steps_and_includes_scores_out_of_range() {
        let spread = scores(&[-1.0, 0.0, 0.05, 0.1, 0.95, 1.0, 7.0]);
        assert_eq!(spread.counts.histogram, [3, 1, 0, 0, 0, 0, 0, 0, 0, 3]);
        assert_eq!(
            (spread.counts.min, spread.counts.max, spread.counts.zeros),
            (Some(-1.0), Some(7.0), 2)
        );
    }
}
