//! Combines the results of all evaluators into one weighted score and one verdict for the case.

use rightcall_core::{EvaluationError, Outcome, Score};
use rightcall_results::EvaluationResult;

use crate::Configured;

/// How to combine the evaluations of a case.
#[derive(Clone, Debug, Default)]
pub struct CaseRule {
    labels: Vec<String>,
    weights: Vec<f64>,
    /// For each evaluator, true if its verdicts count. A default threshold marks a result, but
    /// decides no verdict.
    decisive: Vec<bool>,
    /// How to treat a case without a run.
    pub unmatched: Unmatched,
}

/// How to treat a case with an expectation and without a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unmatched {
    /// The case fails.
    #[default]
    Fail,
    /// The case is left out.
    Ignore,
}

/// Why a case without a run has no score.
pub(crate) const NO_RUN: &str = "no run found";

impl CaseRule {
    /// The rule for cases that these evaluators score.
    pub fn new(evaluators: &[Configured], unmatched: Unmatched) -> Self {
        Self {
            labels: evaluators.iter().map(|it| it.label().to_owned()).collect(),
            weights: evaluators.iter().map(|it| it.weight).collect(),
            decisive: evaluators.iter().map(Configured::is_decisive).collect(),
            unmatched,
        }
    }

    /// True if the verdicts of this evaluator count.
    pub(crate) fn is_decisive(&self, evaluator: usize) -> bool {
        self.decisive[evaluator]
    }

    /// Combines the evaluations of a case. The score is the weighted mean. An evaluator that does
    /// not apply is left out with its weight; an error leaves the case without a score. The case
    /// passes if every deciding verdict is *passed*; an error counts as *failed*.
    pub(crate) fn whole(
        &self,
        evaluations: &[EvaluationResult],
        has_run: bool,
    ) -> EvaluationResult {
        if !has_run {
            let passed = Some(false);
            return EvaluationResult {
                passed,
                ..EvaluationResult::not_applicable(NO_RUN)
            };
        }
        let (mut sum, mut weights, mut passed, mut error) = (0.0, 0.0, None, None);
        for (number, evaluation) in evaluations.iter().enumerate() {
            let weight = self.weights[number];
            let is_error = match &evaluation.outcome {
                Outcome::Scored(score) if weight > 0.0 => {
                    sum += weight * score.get();
                    weights += weight;
                    false
                }
                Outcome::Failed(reason) => {
                    error = error.or_else(|| Some(format!("{}: {reason}", self.labels[number])));
                    true
                }
                _ => false,
            };
            // An error fails the case even if the evaluator's verdicts don't count.
            let counts = is_error || self.decisive[number];
            if let Some(verdict) = evaluation.verdict().filter(|_| counts) {
                passed = Some(passed.unwrap_or(true) && verdict);
            }
        }
        match error {
            Some(reason) => {
                EvaluationResult::new(Outcome::Failed(EvaluationError::Raised(reason)), passed)
            }
            None => mean(sum, weights, passed),
        }
    }
}

/// Without a case rule: the mean of the scores, and *passed* if every verdict is *passed*.
pub(crate) fn mean_of(evaluations: &[EvaluationResult]) -> EvaluationResult {
    let scores = evaluations.iter().filter_map(EvaluationResult::score);
    let (sum, count) = scores.fold((0.0, 0.0), |(sum, count), it| (sum + it, count + 1.0));
    let verdicts = evaluations.iter().filter_map(EvaluationResult::verdict);
    mean(sum, count, verdicts.reduce(|all, passed| all && passed))
}

/// The weighted mean from a sum and its weights; not applicable if the weights are 0.
fn mean(sum: f64, weights: f64, passed: Option<bool>) -> EvaluationResult {
    let score = Score::new(sum / weights).filter(|_| weights > 0.0);
    match score {
        Some(score) => EvaluationResult::new(Outcome::Scored(score), passed),
        None => EvaluationResult {
            passed,
            ..EvaluationResult::not_applicable("no evaluator applies")
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(weights: &[f64]) -> CaseRule {
        CaseRule {
            labels: weights
                .iter()
                .map(|weight| format!("weight {weight}"))
                .collect(),
            weights: weights.to_vec(),
            decisive: vec![true; weights.len()],
            unmatched: Unmatched::Fail,
        }
    }

    fn score(score: f64, passed: Option<bool>) -> EvaluationResult {
        EvaluationResult::new(Outcome::Scored(Score::new(score).unwrap()), passed)
    }

    fn not_applicable() -> EvaluationResult {
        EvaluationResult::not_applicable("x")
    }

    fn error() -> EvaluationResult {
        let error = EvaluationError::Raised("broken".into());
        EvaluationResult::new(Outcome::Failed(error), None)
    }

    #[test]
    fn evaluators_that_do_not_apply_have_no_weight() {
        let rule = rule(&[3.0, 1.0, 0.0]);
        let of = |marks: &[EvaluationResult]| rule.whole(marks, true).outcome;
        assert_eq!(
            of(&[score(1.0, None), score(0.0, None), score(0.0, None)]),
            score(0.75, None).outcome
        );
        assert_eq!(
            of(&[not_applicable(), score(0.5, None), score(0.0, None)]),
            score(0.5, None).outcome
        );
        let none = EvaluationResult::not_applicable("no evaluator applies").outcome;
        assert_eq!(
            of(&[not_applicable(), not_applicable(), score(1.0, None)]),
            none
        );
        assert_eq!(
            of(&[score(1.0, None), error(), score(0.0, None)]),
            Outcome::Failed(EvaluationError::Raised("weight 1: broken".into()))
        );
    }

    #[test]
    fn case_passes_if_every_deciding_verdict_passes() {
        let mut rule = rule(&[1.0, 1.0]);
        let of = |rule: &CaseRule, marks: &[EvaluationResult]| rule.whole(marks, true).passed;
        assert_eq!(
            of(&rule, &[score(1.0, Some(true)), score(1.0, Some(true))]),
            Some(true)
        );
        assert_eq!(
            of(&rule, &[score(1.0, Some(true)), score(0.0, Some(false))]),
            Some(false)
        );
        assert_eq!(
            of(&rule, &[score(0.0, None), score(1.0, Some(true))]),
            Some(true)
        );
        assert_eq!(of(&rule, &[score(0.0, None), not_applicable()]), None);
        assert_eq!(of(&rule, &[score(1.0, Some(true)), error()]), Some(false));
        rule.decisive[1] = false;
        assert_eq!(
            of(&rule, &[score(1.0, Some(true)), score(0.0, Some(false))]),
            Some(true)
        );
        assert_eq!(
            of(&rule, &[not_applicable(), score(0.0, Some(false))]),
            None
        );
    }

    #[test]
    fn case_without_a_run_fails() {
        let whole = rule(&[1.0]).whole(&[not_applicable()], false);
        assert_eq!(whole.outcome.reason().as_deref(), Some("no run found"));
        assert_eq!(whole.passed, Some(false));
    }
}
