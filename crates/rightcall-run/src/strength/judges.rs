//! The judges of broken runs: the suite, and evaluators that it could add.

use rightcall_core::{Ask, Edition, PreparedCase};
use rightcall_quality::strength::{CandidateName, JudgeName, StrengthJudges};
use rightcall_results::EvaluationResult;

use super::candidates::{Candidate, candidates};
use crate::{Plan, RunJudge, RunJudges};

/// The judges of a suite, and the candidates.
#[derive(Debug)]
pub(super) struct SuiteJudges<'p> {
    judges: RunJudges<'p>,
    candidates: Vec<Candidate>,
}

impl<'p> SuiteJudges<'p> {
    pub(super) fn new(plan: &'p Plan, edition: Option<Edition>) -> Self {
        Self {
            judges: RunJudges::new(plan),
            candidates: candidates(&plan.evaluators, plan.gates(), edition),
        }
    }

    /// True if no deciding judge can judge a single run.
    pub(super) fn is_empty(&self) -> bool {
        !self.judges.judges().iter().any(|it| it.decides)
    }

    pub(super) fn names(&self) -> Vec<JudgeName> {
        let judges = self.judges.judges().iter();
        let name = |it: &RunJudge| JudgeName {
            label: it.label.clone(),
            is_gate: it.is_gate(),
            decides: it.decides,
        };
        judges.map(name).collect()
    }

    /// Evaluators and gates that can't judge a single run.
    pub(super) fn unused(&self) -> Vec<(String, String)> {
        self.judges.unused().to_vec()
    }

    /// The candidates as entries of a suite.
    pub(super) fn entries(&self) -> Vec<CandidateName> {
        self.candidates.iter().map(|it| it.name.clone()).collect()
    }
}

impl StrengthJudges for SuiteJudges<'_> {
    fn judge(&self, case: &PreparedCase<'_>) -> Vec<Option<bool>> {
        self.judges.judge(case)
    }

    fn decides(&self, judge: usize) -> bool {
        self.judges.judges()[judge].decides
    }

    fn consider(
        &self,
        case: &PreparedCase<'_>,
        is_wanted: &dyn Fn(usize) -> bool,
    ) -> Vec<Option<bool>> {
        let verdict = |(index, it): (usize, &Candidate)| {
            if !is_wanted(index) {
                return None;
            }
            let evaluation = it.evaluator.evaluate_prepared(case, Ask::OUTCOME);
            EvaluationResult::from(evaluation).verdict()
        };
        self.candidates.iter().enumerate().map(verdict).collect()
    }
}
