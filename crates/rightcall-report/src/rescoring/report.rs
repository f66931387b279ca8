//! The results of rescoring, for screens, pages and programs.

use rightcall_stats::{Prediction, RunScores, SettingPair, SettingSpread, TrialScores};

use super::options::RescoringOptions;
use super::parted::PartedRows;
use super::rows::{RescoredRows, ScoreGap};

/// The results of rescoring.
#[derive(Debug)]
pub struct RescoringReport<'r> {
    /// The name of the rollouts, for people.
    pub(super) name: &'r str,
    pub(super) rows: &'r RescoredRows,
    pub(super) options: &'r RescoringOptions,
    pub(super) groups: usize,
    pub(super) spreads: Vec<SettingSpread>,
    /// Each pair of settings, with their differences.
    pub(super) pairs: Vec<(SettingPair, Vec<PartedRows>)>,
    /// By setting; empty if scores are not compared with a number.
    pub(super) predictions: Vec<Prediction>,
}

impl<'r> RescoringReport<'r> {
    /// Compares the settings.
    pub fn new(name: &'r str, rows: &'r RescoredRows, options: &'r RescoringOptions) -> Self {
        let scores = &rows.scores;
        let pairs = scores.setting_pairs(options.confidence, options.mark);
        Self {
            name,
            rows,
            options,
            groups: scores.keys().len(),
            spreads: scores.spreads(options.confidence),
            pairs: pairs
                .into_iter()
                .map(|pair| {
                    let parted = PartedRows::of(rows, &pair);
                    (pair, parted)
                })
                .collect(),
            predictions: match &options.against {
                Some(_) => labelled(scores, options).measure_predictions(options.confidence),
                None => Vec::new(),
            },
        }
    }

    /// The name of a setting.
    pub(super) fn setting(&self, at: usize) -> &str {
        &self.rows.scores.measures[at]
    }

    /// The number of rows without a score under a setting: not applicable, and errors.
    pub(super) fn unscored(&self, at: usize) -> (usize, usize) {
        let of = |is_error: bool| {
            let gaps = self.rows.gaps[at]
                .iter()
                .filter(|it| it.is_error == is_error);
            gaps.map(|it| it.rows).sum()
        };
        (of(false), of(true))
    }

    /// Why rows have no score, by setting.
    pub(super) fn gaps(&self) -> impl Iterator<Item = (&str, &ScoreGap)> {
        let settings = self.rows.scores.measures.iter().zip(&self.rows.gaps);
        settings.flat_map(|(name, gaps)| gaps.iter().map(move |gap| (name.as_str(), gap)))
    }
}

/// The rows with the number that scores are compared with. If a minimum for yes is set, the number becomes a yes or no.
fn labelled(scores: &RunScores, options: &RescoringOptions) -> RunScores {
    let label = |field: f64| match options.positive {
        Some(from) => f64::from(u8::from(field >= from)),
        None => field,
    };
    let cases = scores.cases.iter().map(|row| TrialScores {
        field: row.field.map(label),
        ..row.clone()
    });
    RunScores {
        name: scores.name.clone(),
        measures: scores.measures.clone(),
        cases: cases.collect(),
    }
}
