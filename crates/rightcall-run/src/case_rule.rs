//! What a case comes to: of all that its evaluators found, one weighted score and one verdict.

use crate::Configured;
use crate::scores::{Mark, Marked};

/// What is made of the evaluations of a case.
#[derive(Clone, Debug)]
pub struct CaseRule {
    labels: Vec<String>,
    weights: Vec<f64>,
    /// Whose verdicts count: a default threshold marks a result and decides nothing.
    decisive: Vec<bool>,
    /// What becomes of a case without a run.
    pub unmatched: Unmatched,
}

/// What becomes of a case that expects something and has no run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unmatched {
    /// It counts as failed.
    #[default]
    Fail,
    /// It is left out.
    Ignore,
}

/// Why a case without a run has no score.
pub(crate) const NO_RUN: &str = "no run found";

impl CaseRule {
    /// The rule for cases that these evaluators judge.
    pub fn new(evaluators: &[Configured], unmatched: Unmatched) -> Self {
        Self {
            labels: evaluators.iter().map(|it| it.label().to_owned()).collect(),
            weights: evaluators.iter().map(|it| it.weight).collect(),
            decisive: evaluators.iter().map(Configured::is_decisive).collect(),
            unmatched,
        }
    }

    /// Whether the verdicts of this evaluator count.
    pub(crate) fn is_decisive(&self, evaluator: usize) -> bool {
        self.decisive[evaluator]
    }

    /// The score is the mean of the scores by weight; an evaluator that does not apply is left out with its weight, and one
    /// that ended in an error leaves no score. The verdict is *passed* if every decisive one is; an error is not passed.
    pub(crate) fn mark(&self, marks: &[Mark], has_run: bool) -> Mark {
        if !has_run {
            return Mark {
                outcome: Marked::NotApplicable(NO_RUN.to_owned()),
                passed: Some(false),
            };
        }
        let (mut sum, mut weights, mut passed, mut error) = (0.0, 0.0, None, None);
        for (number, mark) in marks.iter().enumerate() {
            let weight = self.weights[number];
            match &mark.outcome {
                Marked::Score(score) if weight > 0.0 => {
                    sum += weight * score;
                    weights += weight;
                }
                Marked::Error(reason) => {
                    error = error.or_else(|| Some(format!("{}: {reason}", self.labels[number])))
                }
                _ => {}
            }
            let is_error = matches!(mark.outcome, Marked::Error(_));
            if let Some(verdict) = mark.verdict().filter(|_| is_error || self.decisive[number]) {
                passed = Some(passed.unwrap_or(true) && verdict);
            }
        }
        let outcome = match error {
            Some(reason) => Marked::Error(reason),
            None if weights > 0.0 => Marked::Score(sum / weights),
            None => Marked::NotApplicable("no evaluator applies".to_owned()),
        };
        Mark { outcome, passed }
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

    fn score(score: f64, passed: Option<bool>) -> Mark {
        Mark {
            outcome: Marked::Score(score),
            passed,
        }
    }

    fn not_applicable() -> Mark {
        Mark {
            outcome: Marked::NotApplicable("x".into()),
            passed: None,
        }
    }

    fn error() -> Mark {
        Mark {
            outcome: Marked::Error("broken".into()),
            passed: None,
        }
    }

    #[test]
    fn what_does_not_apply_is_left_out_with_its_weight() {
        let rule = rule(&[3.0, 1.0, 0.0]);
        let of = |marks: &[Mark]| rule.mark(marks, true).outcome;
        assert_eq!(
            of(&[score(1.0, None), score(0.0, None), score(0.0, None)]),
            Marked::Score(0.75)
        );
        assert_eq!(
            of(&[not_applicable(), score(0.5, None), score(0.0, None)]),
            Marked::Score(0.5)
        );
        let none = Marked::NotApplicable("no evaluator applies".into());
        assert_eq!(
            of(&[not_applicable(), not_applicable(), score(1.0, None)]),
            none
        );
        assert_eq!(
            of(&[score(1.0, None), error(), score(0.0, None)]),
            Marked::Error("weight 1: broken".into())
        );
    }

    #[test]
    fn a_case_passes_if_every_decisive_verdict_is_passed() {
        let mut rule = rule(&[1.0, 1.0]);
        let of = |rule: &CaseRule, marks: &[Mark]| rule.mark(marks, true).passed;
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
    fn a_case_without_a_run_has_failed() {
        let mark = rule(&[1.0]).mark(&[not_applicable()], false);
        assert_eq!(
            mark,
            Mark {
                outcome: Marked::NotApplicable("no run found".into()),
                passed: Some(false)
            }
        );
    }
}
