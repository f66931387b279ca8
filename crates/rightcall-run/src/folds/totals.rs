//! The totals of each evaluator over all cases.

use std::sync::Arc;

use rightcall_core::Outcome;
use rightcall_results::{
    CaseResult, EvaluationResult, EvaluatorSummary, Failure, IdlePaths, Scores, Worst, worth,
};

use super::Fold;
use crate::judged::JudgedCase;
use crate::{Plan, labels};

/// The totals of one evaluator, and its lists of worst cases, errors and reasons.
pub(crate) struct EvaluatorTotals {
    index: usize,
    /// True if the cases with the lowest scores are kept.
    keeps_lowest: bool,
    /// Maximum length of each list.
    listed: usize,
    scores: Scores,
    summary: EvaluatorSummary,
}

impl EvaluatorTotals {
    /// Empty totals for each evaluator of a plan.
    pub(crate) fn all(plan: &Plan, keeps_lowest: bool) -> Vec<Self> {
        let totals = |(index, label)| Self {
            index,
            keeps_lowest,
            listed: plan.listed,
            scores: Scores::default(),
            summary: EvaluatorSummary {
                lowest: Worst::new(plan.listed),
                ..plan.evaluators[index].unscored(label)
            },
        };
        labels(&plan.evaluators)
            .into_iter()
            .enumerate()
            .map(totals)
            .collect()
    }

    /// A summary of the evaluator without scores.
    pub(crate) fn unscored(&self) -> EvaluatorSummary {
        self.summary.clone()
    }
}

impl Fold for EvaluatorTotals {
    type Total = EvaluatorSummary;

    fn add(&mut self, case: &JudgedCase) {
        let result = &case.result.evaluations[self.index];
        self.scores.add(result);
        let summary = &mut self.summary;
        match &result.outcome {
            Outcome::Scored(_) if self.keeps_lowest => {
                offer_if_low(&mut summary.lowest, result, &case.result);
            }
            Outcome::NotApplicable(reason) => {
                IdlePaths::count(&mut summary.idle_paths, reason);
                let detail = reason.detail().map(str::to_owned);
                let reason = reason.kind();
                let known = summary
                    .reasons
                    .iter_mut()
                    .find(|(known, _)| *known == reason);
                if let Some((_, count)) = known {
                    *count += 1;
                } else if summary.reasons.len() < self.listed {
                    summary.reasons.push((reason, 1));
                    summary.reason_details.push(detail);
                }
            }
            Outcome::Failed(reason) if summary.failures.len() < self.listed => {
                summary
                    .failures
                    .push(failure(&case.result, reason.to_string()));
            }
            Outcome::Scored(_) | Outcome::Failed(_) => {}
        }
    }

    fn finish(self) -> EvaluatorSummary {
        EvaluatorSummary {
            totals: self.scores.totals(),
            ..self.summary
        }
    }
}

/// The cases with the lowest scores, over all evaluators.
pub(crate) struct Lowest(Worst<CaseResult>);

impl Lowest {
    /// An empty list that keeps at most `listed` cases.
    pub(crate) fn new(listed: usize) -> Self {
        Self(Worst::new(listed))
    }
}

impl Fold for Lowest {
    type Total = Worst<CaseResult>;

    fn add(&mut self, case: &JudgedCase) {
        offer_if_low(&mut self.0, &case.result.whole, &case.result);
    }

    fn finish(self) -> Worst<CaseResult> {
        self.0
    }
}

/// Offers a case with a score below 1 to the list, reduced to the parts that screens show.
fn offer_if_low(lowest: &mut Worst<CaseResult>, result: &EvaluationResult, case: &Arc<CaseResult>) {
    if result.score().is_some_and(|score| score < 1.0) {
        lowest.offer(worth(result), || {
            let without_details = |it: &EvaluationResult| EvaluationResult {
                why: it.why.clone(),
                ..EvaluationResult::new(it.outcome.clone(), it.passed)
            };
            CaseResult {
                label: case.label.clone(),
                trial: case.trial.clone(),
                variant: case.variant.clone(),
                file: Arc::clone(&case.file),
                line: case.line,
                tags: Vec::new(),
                evaluations: case.evaluations.iter().map(without_details).collect(),
                whole: without_details(&case.whole),
                causes: case.causes.clone(),
                case: None,
            }
        });
    }
}

/// The list entry of a case that ended in an error.
pub(crate) fn failure(case: &CaseResult, reason: String) -> Failure {
    Failure {
        case: case.label.clone(),
        place: case.place(),
        reason,
    }
}
