//! The rows of rollouts with their scores under each setting.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use rightcall_core::Outcome;
use rightcall_results::{CaseResult, case_name};
use rightcall_run::{Observer, Output, Plan, ResultsOptions, RunError, Wants};
use rightcall_stats::{Measurement, MissingKeys, RunScores, TrialScores};

/// The rows of rollouts with their scores under each setting. Each setting is a measure of the
/// scores.
#[derive(Debug, Default)]
pub struct RescoredRows {
    pub(super) scores: RunScores,
    /// The reasons for low or missing scores, by row, then by setting.
    pub(super) reasons: Vec<Vec<RowReason>>,
    /// The missing scores, by setting.
    pub(super) gaps: Vec<Vec<ScoreGap>>,
    /// The index of each row.
    pub(super) places: HashMap<RowPlace, usize>,
}

/// Why a row has a low score under a setting.
#[derive(Clone, Debug, Default)]
pub(super) struct RowReason {
    /// A sentence; empty if nothing is known.
    pub(super) why: String,
    /// A cause that several rows may share; `None` if nothing is known.
    pub(super) cause: Option<String>,
}

impl RowReason {
    /// The reason for a row that a setting does not select.
    fn left_out() -> Self {
        Self {
            why: "the setting leaves the row out".to_owned(),
            cause: None,
        }
    }
}

/// Rows without a score, for one reason.
#[derive(Clone, Debug)]
pub(super) struct ScoreGap {
    pub(super) is_error: bool,
    pub(super) reason: String,
    pub(super) rows: usize,
    /// The position of the first of them.
    pub(super) example: usize,
}

/// Identifies a row under all settings.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RowPlace {
    file: Arc<str>,
    line: u64,
    label: String,
    trial: Option<String>,
    /// The number of earlier rows with equal values in the other fields.
    before: usize,
}

impl RescoredRows {
    /// Scores the rows under one more setting.
    ///
    /// # Errors
    /// An input cannot be opened. Records that cannot be parsed are reported to the observer.
    pub fn add(
        &mut self,
        setting: String,
        plan: &Plan,
        options: &ResultsOptions,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let mut judged = Vec::new();
        let output = RowCollector {
            options,
            rows: &mut judged,
        };
        rightcall_run::run(plan, &mut [Box::new(output)], observer)?;
        self.scores.measures.push(setting);
        self.gaps.push(Vec::new());
        let mut seen = HashMap::new();
        for row in judged {
            let before: &mut usize = seen.entry(row.place.clone()).or_default();
            let place = RowPlace {
                before: *before,
                ..row.place.clone()
            };
            *before += 1;
            self.add_row(place, row);
        }
        self.fill();
        Ok(())
    }

    /// Adds the result of the last setting for a row.
    fn add_row(&mut self, place: RowPlace, judged: JudgedRow) {
        let setting = self.scores.measures.len() - 1;
        let cases = &mut self.scores.cases;
        let at = *self.places.entry(place).or_insert(cases.len());
        let JudgedRow {
            scores, outcome, ..
        } = judged;
        let measured = scores.overall;
        if at == cases.len() {
            cases.push(TrialScores {
                values: Vec::new(),
                ..scores
            });
            self.reasons.push(Vec::new());
        }
        cases[at].values.resize(setting, Measurement::default());
        cases[at].values.push(measured);
        self.reasons[at].resize_with(setting, RowReason::left_out);
        let reason = match outcome {
            RowOutcome::Scored(reason) => reason,
            RowOutcome::Unscored { is_error, reason } => {
                self.add_gap(at, is_error, reason.clone());
                RowReason {
                    why: reason,
                    cause: None,
                }
            }
        };
        self.reasons[at].push(reason);
    }

    fn add_gap(&mut self, example: usize, is_error: bool, reason: String) {
        let Some(gaps) = self.gaps.last_mut() else {
            return;
        };
        match gaps
            .iter_mut()
            .find(|it| it.reason == reason && it.is_error == is_error)
        {
            Some(gap) => gap.rows += 1,
            None => gaps.push(ScoreGap {
                is_error,
                reason,
                rows: 1,
                example,
            }),
        }
    }

    /// Adds missing scores for the rows that the last setting does not select.
    fn fill(&mut self) {
        let settings = self.scores.measures.len();
        for (row, reasons) in self.scores.cases.iter_mut().zip(&mut self.reasons) {
            row.values.resize(settings, Measurement::default());
            reasons.resize_with(settings, RowReason::left_out);
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.scores.cases.len()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.scores.cases.is_empty()
    }

    /// For each row, its missing keys, if any.
    pub fn missing_keys(&self) -> Vec<Option<&MissingKeys>> {
        let rows = self.scores.cases.iter();
        rows.map(|row| row.missing.as_deref()).collect()
    }

    /// The number of rows without the number that scores are compared with.
    pub fn without_field(&self) -> usize {
        self.scores.without_field()
    }

    /// True if any setting scored a row.
    pub fn has_scores(&self) -> bool {
        let values = self.scores.cases.iter().flat_map(|row| &row.values);
        values.into_iter().any(|it| it.score.is_some())
    }

    /// True if a setting ended in an error on a row.
    pub fn has_errors(&self) -> bool {
        self.gaps.iter().flatten().any(|it| it.is_error)
    }

    /// The name of a row: `refund-7 (trial 2)`.
    pub(super) fn name(&self, at: usize) -> String {
        let row = &self.scores.cases[at];
        case_name(&row.label, row.trial.as_deref())
    }

    /// The score of a row under a setting.
    pub(super) fn score(&self, at: usize, setting: usize) -> Option<f64> {
        self.scores.cases[at].values[setting].score
    }

    /// Why a row has a low score or no score under a setting.
    pub(super) fn reason(&self, at: usize, setting: usize) -> &RowReason {
        &self.reasons[at][setting]
    }
}

/// The result of a setting for a row.
struct JudgedRow {
    place: RowPlace,
    scores: TrialScores,
    outcome: RowOutcome,
}

enum RowOutcome {
    Scored(RowReason),
    Unscored { is_error: bool, reason: String },
}

/// Keeps the scores of all cases, and why they are low.
struct RowCollector<'r> {
    options: &'r ResultsOptions,
    rows: &'r mut Vec<JudgedRow>,
}

impl Output for RowCollector<'_> {
    fn wants(&self) -> Wants {
        Wants {
            shortfall: true,
            case: true,
            ..Wants::default()
        }
    }

    fn case(&mut self, case: &Arc<CaseResult>, _: &[u8]) -> io::Result<()> {
        if let Some(scores) = self.options.scores(case) {
            self.rows.push(JudgedRow {
                place: RowPlace {
                    file: Arc::clone(&case.file),
                    line: case.line,
                    label: case.label.clone(),
                    trial: case.trial.clone(),
                    before: 0,
                },
                scores,
                outcome: outcome_of(case),
            });
        }
        Ok(())
    }
}

/// Why the score of a case is low, or why it has none.
fn outcome_of(case: &CaseResult) -> RowOutcome {
    let is_error = match &case.whole.outcome {
        Outcome::Scored(_) => {
            let counted = case.counted_causes().next();
            let cause = counted.or(case.causes.first().map(|it| &it.cause));
            return RowOutcome::Scored(RowReason {
                why: case.lowest_why(),
                cause: cause.map(ToString::to_string),
            });
        }
        Outcome::Failed(_) => true,
        Outcome::NotApplicable(_) => false,
    };
    // The reason of a single evaluator is more specific than the combined one.
    let of_evaluators = case.evaluations.iter().filter(|it| it.score().is_none());
    let mut reasons = of_evaluators.filter_map(|it| it.outcome.reason());
    let whole = || case.whole.outcome.reason();
    let reason = if is_error {
        whole()
    } else {
        reasons.next().or_else(whole)
    };
    RowOutcome::Unscored {
        is_error,
        reason: reason.unwrap_or_default(),
    }
}
