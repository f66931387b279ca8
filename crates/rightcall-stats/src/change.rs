//! A change of a mean, how it is tested, and what can be said of it.

use serde::Serialize;

use crate::Interval;

/// How a comparison is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparisonSettings {
    /// The confidence of intervals; a change is shown where its p-value is below one less this.
    pub confidence: f64,
    /// A change of less than this does not matter.
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

/// What changed for one evaluator.
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

/// A change of a mean over cases.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeanChange {
    /// Cases that have a value on both sides.
    pub cases: usize,
    /// The mean before.
    pub before: f64,
    /// The mean after.
    pub after: f64,
    /// The change with its interval; its ends are infinite below two cases.
    pub change: Interval,
    /// How it was tested.
    pub test: SignificanceTest,
    /// The p-value.
    pub p: f64,
    /// The p-value, corrected for the number of evaluators.
    #[serde(rename = "p_corrected")]
    pub corrected: f64,
    /// The change in units of its standard deviation.
    pub effect: Option<f64>,
    /// Cases that got better.
    pub better: usize,
    /// Cases that got worse.
    pub worse: usize,
    /// About how many cases would show a change of the margin.
    #[serde(skip)]
    pub needed: Option<u64>,
    /// What can be said.
    pub verdict: ChangeVerdict,
}

/// How a change was tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SignificanceTest {
    /// `McNemar`'s, exact: one verdict a case on each side.
    McNemar,
    /// Paired permutation.
    Permutation,
}

/// What can be said of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeVerdict {
    /// It went up by more than chance.
    Better,
    /// It went down by more than chance.
    Worse,
    /// No case has another value.
    Same,
    /// No difference is shown, and one beyond the margin is ruled out.
    NoDifference,
    /// No difference is shown, and one beyond the margin is not ruled out.
    #[serde(rename = "not_enough_cases")]
    NotEnough,
}

impl MeanChange {
    /// What can be said of it under these rules.
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
