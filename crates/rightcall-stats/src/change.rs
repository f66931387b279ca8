//! The change of a mean: its test and its verdict.

use serde::Serialize;

use crate::Interval;

/// Settings of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparisonSettings {
    /// The confidence of intervals. A change is significant if its p-value is below 1 minus this.
    pub confidence: f64,
    /// The smallest change that matters.
    pub margin: f64,
}

impl Default for ComparisonSettings {
    fn default() -> Self {
        Self {
            confidence: 0.95,
            margin: 0.05,
        }
    }
}

/// The change for one evaluator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EvaluatorChange {
    /// Its name.
    #[serde(rename = "evaluator")]
    pub label: String,
    /// The change of the mean score.
    pub score: Option<MeanChange>,
    /// The change of the share of trials that passed.
    pub passed: Option<MeanChange>,
}

/// The change of a mean over cases.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeanChange {
    /// Cases with a value on both sides.
    pub cases: usize,
    /// The mean before.
    pub before: f64,
    /// The mean after.
    pub after: f64,
    /// The change with its interval; the ends are infinite for fewer than two cases.
    pub change: Interval,
    /// The test that was used.
    pub test: SignificanceTest,
    /// The p-value.
    pub p: f64,
    /// The p-value after correction for the number of evaluators.
    #[serde(rename = "p_corrected")]
    pub corrected: f64,
    /// The change in standard deviations.
    pub effect: Option<f64>,
    /// Cases that got better.
    pub better: usize,
    /// Cases that got worse.
    pub worse: usize,
    /// Cases that had a value before, and now have more trials without one. The mean skips these
    /// trials.
    pub no_longer_judged: usize,
    /// Approximate number of cases needed to detect a change as large as the margin; never fewer than any change needs.
    #[serde(skip)]
    pub needed: u64,
    /// The conclusion.
    pub verdict: ChangeVerdict,
}

/// A test for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SignificanceTest {
    /// The exact `McNemar` test: one verdict per case on each side.
    McNemar,
    /// The paired permutation test.
    Permutation,
}

/// The conclusion about a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeVerdict {
    /// A significant increase.
    Better,
    /// A significant decrease.
    Worse,
    /// No case has a different value.
    Same,
    /// No significant change, and a change beyond the margin is ruled out.
    NoDifference,
    /// No significant change, but a change beyond the margin is not ruled out.
    #[serde(rename = "not_enough_cases")]
    NotEnough,
}

impl MeanChange {
    /// The conclusion under these settings.
    pub(crate) fn judge(&self, rules: ComparisonSettings) -> ChangeVerdict {
        let Interval {
            estimate,
            low,
            high,
        } = self.change;
        if self.better + self.worse == 0 {
            ChangeVerdict::Same
        } else if self.corrected < 1.0 - rules.confidence {
            if estimate > 0.0 {
                ChangeVerdict::Better
            } else {
                ChangeVerdict::Worse
            }
        } else if low >= -rules.margin && high <= rules.margin {
            ChangeVerdict::NoDifference
        } else {
            ChangeVerdict::NotEnough
        }
    }
}
