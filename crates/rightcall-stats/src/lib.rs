//! Statistics of paired and repeated cases: pure functions over numbers.
//!
//! The unit is the case. Trials of one case are not independent, so each case counts once, with the mean over its trials, and
//! resampling draws whole cases. Random numbers come from a generator with a fixed seed: equal inputs produce equal results
//! on every machine. `docs/statistics.md` explains when to use each function.

mod alike;
mod bootstrap;
mod change;
mod comparison;
mod concordance;
mod correlation;
mod equality;
mod large_sample;
mod moved_case;
mod multiple;
mod prediction;
mod random;
mod rescoring;
mod run_scores;
mod tests_of_pairs;
mod trial_statistics;
mod trials;

pub use alike::{AlikeTrials, CommonEvaluators, trials_of_both};
pub use bootstrap::{Interval, bootstrap, mean_interval};
pub use change::{
    ChangeVerdict, ComparisonSettings, EvaluatorChange, MeanChange, SignificanceTest,
};
pub use comparison::PairedComparison;
pub use concordance::{kappa, kendall};
pub use correlation::{auc, pearson, spearman};
pub use equality::{EQUAL_WITHIN, is_same_score};
pub use moved_case::MovedCase;
pub use multiple::holm;
pub use prediction::Prediction;
pub use random::Random;
pub use rescoring::{Parting, PartingKind, SettingPair, SettingSpread};
pub use run_scores::{Measurement, MissingKeys, RunScores, ScoreColumn, TrialIndex, TrialScores};
pub use tests_of_pairs::{cases_needed, fewest_cases, mcnemar, sign_flip, standardised};
pub use trial_statistics::{PassAtK, PassMark, TrialStatistics};
pub use trials::{TrialCounts, agreement, pass_at, pass_hat};

/// The arithmetic mean; `None` for an empty list.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The sample standard deviation, with `n - 1`; `None` for fewer than two values.
pub fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}
