//! Measures how well evaluators predict a field of the cases.

use serde::Serialize;

use crate::run_scores::ScoreColumn;
use crate::{Interval, RunScores, TrialScores, auc, bootstrap, pearson, spearman};

/// How well an evaluator predicts a field of the cases.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// The evaluator.
    #[serde(rename = "evaluator")]
    pub label: String,
    /// Cases with both a score and the field.
    pub cases: usize,
    /// Trials with both.
    pub trials: usize,
    /// True if the field is binary (1 or 0).
    #[serde(skip)]
    pub is_binary: bool,
    /// For a binary field, the area under the ROC curve.
    pub auc: Option<Interval>,
    /// The rank correlation.
    pub spearman: Option<Interval>,
    /// Pearson's correlation; for a binary field, the point-biserial correlation.
    pub pearson: Option<Interval>,
}

/// A statistic of two lists of equal length.
type PairedStatistic<'s> = dyn Fn(&[f64], &[f64]) -> Option<f64> + 's;

impl RunScores {
    /// How well each evaluator, and all combined, predict the field. Intervals resample cases with all their trials.
    pub fn predictions(&self, confidence: f64) -> Vec<Prediction> {
        let overall = (self.measures.len() > 1)
            .then(|| self.prediction("each case".to_owned(), ScoreColumn::Overall, confidence));
        let mut predictions = self.measure_predictions(confidence);
        predictions.extend(overall);
        predictions
    }

    /// Like [`predictions`](Self::predictions), without the combined result.
    pub fn measure_predictions(&self, confidence: f64) -> Vec<Prediction> {
        let measures = self.measures.iter().enumerate();
        measures
            .map(|(at, name)| self.prediction(name.clone(), ScoreColumn::Measure(at), confidence))
            .collect()
    }

    fn prediction(&self, label: String, subject: ScoreColumn, confidence: f64) -> Prediction {
        let of = |case: &&TrialScores| Some((subject.of(case).score?, case.field?));
        let cases: Vec<Vec<(f64, f64)>> = self
            .grouped()
            .values()
            .map(|trials| trials.iter().filter_map(of).collect())
            .collect();
        let cases: Vec<_> = cases
            .into_iter()
            .filter(|trials| !trials.is_empty())
            .collect();
        let is_binary = cases
            .iter()
            .flatten()
            .all(|(_, field)| *field == 0.0 || *field == 1.0);
        let interval = |statistic: &PairedStatistic<'_>| {
            bootstrap(cases.len(), confidence, |drawn| {
                let (scores, fields): (Vec<f64>, Vec<f64>) =
                    drawn.iter().flat_map(|at| &cases[*at]).copied().unzip();
                statistic(&scores, &fields)
            })
        };
        let area = |scores: &[f64], fields: &[f64]| {
            auc(
                scores,
                &fields.iter().map(|field| *field == 1.0).collect::<Vec<_>>(),
            )
        };
        Prediction {
            label,
            cases: cases.len(),
            trials: cases.iter().map(Vec::len).sum(),
            is_binary,
            auc: if is_binary { interval(&area) } else { None },
            spearman: interval(&|scores, fields| spearman(scores, fields)),
            pearson: interval(&|scores, fields| pearson(scores, fields)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Measurement;

    #[test]
    fn a_score_equal_to_the_reward_predicts_it() {
        let case = |number: u32| {
            let judged = |score| Measurement {
                score: Some(score),
                passed: None,
            };
            TrialScores {
                key: (number / 2).to_string(),
                values: vec![
                    judged(f64::from(number) / 40.0),
                    judged(f64::from(number % 3)),
                ],
                field: Some(f64::from(u32::from(number >= 20))),
                ..TrialScores::default()
            }
        };
        let results = RunScores {
            measures: vec!["good".into(), "idle".into()],
            cases: (0..40).map(case).collect(),
            ..RunScores::default()
        };
        let [good, idle, all] = &results.predictions(0.95)[..] else {
            panic!("two evaluators, and all together")
        };
        assert!(good.is_binary && good.cases == 20 && good.trials == 40);
        assert_eq!(good.auc.unwrap().estimate, 1.0);
        let area = idle.auc.unwrap();
        assert!(area.low < 0.5 && area.high > 0.5, "{area:?}");
        assert_eq!((all.cases, all.auc), (0, None));
    }
}
