//! Evaluates whole runs and single pairs of calls for the search.

use rightcall_core::call::{Call, Case, Expectation, Trajectory};
use rightcall_core::{Ask, Evaluator, ExpectedList};

/// Judges changed runs of one case.
pub(super) struct Judge<'j> {
    evaluator: &'j Evaluator,
    case: Case<'j>,
    target: f64,
    /// Runs judged so far.
    pub(super) evaluations: u64,
}

impl<'j> Judge<'j> {
    pub(super) fn new(evaluator: &'j Evaluator, case: &'j Case<'_>, target: f64) -> Self {
        Self {
            evaluator,
            case: editable(case),
            target,
            evaluations: 0,
        }
    }

    /// The score of a run; `None` if it has none.
    pub(super) fn score(&mut self, calls: Vec<Call<'j>>) -> Option<f64> {
        self.evaluations += 1;
        self.case.actual = Some(Trajectory {
            calls,
            ..Trajectory::default()
        });
        self.evaluator.evaluate(&self.case, Ask::OUTCOME).score()
    }

    /// The score of a run, if it reaches the target.
    pub(super) fn score_if_reached(&mut self, calls: Vec<Call<'j>>) -> Option<f64> {
        let target = self.target;
        self.score(calls).filter(|score| *score >= target)
    }
}

/// A copy of the case with editable calls: without original text, without spans, and with an
/// unresolved expectation.
pub(super) fn editable<'j>(case: &'j Case<'_>) -> Case<'j> {
    let mut editable: Case<'j> = Case {
        expected: case.expected.clone(),
        actual: case.actual.as_ref().map(|run| Trajectory {
            calls: run.calls.clone(),
            ..Trajectory::default()
        }),
        hash_key: case.hash_key,
        max_comparisons: case.max_comparisons,
        meta: case.meta.clone(),
        input: case.input,
        output: case.output,
        ..Case::default()
    };
    if editable.expected.tree.is_some() {
        editable.expected.calls = None;
        editable.expected.resolution = None;
    }
    editable
}

/// Judges pairs of an expected and an actual call.
pub(super) struct PairJudge<'j> {
    evaluator: &'j Evaluator,
    case: Case<'j>,
    /// Each expected call as a separate expectation.
    expected: Vec<Expectation<'j>>,
}

impl<'j> PairJudge<'j> {
    /// A judge for the expected calls or the order, whichever the evaluator uses; `None` if it uses another list.
    pub(super) fn new(
        evaluator: &'j Evaluator,
        case: &'j Case<'_>,
        list: ExpectedList,
    ) -> Option<Self> {
        let case = editable(case);
        let expectation = &case.expected;
        let no_expectation = Expectation::default;
        let expected = match list {
            _ if expectation.tree.is_some() => return None,
            ExpectedList::Calls => expectation.calls.iter().flatten().map(|call| Expectation {
                calls: Some(vec![call.clone()]),
                ..no_expectation()
            }),
            ExpectedList::Order => {
                let names = expectation.order.iter().flatten().map(|name| Expectation {
                    order: Some(vec![name.clone()]),
                    ..no_expectation()
                });
                let expected = names.collect();
                return Some(Self {
                    evaluator,
                    case,
                    expected,
                });
            }
            ExpectedList::Outputs | ExpectedList::Settings => return None,
        };
        let expected = expected.collect();
        Some(Self {
            evaluator,
            case,
            expected,
        })
    }

    /// The number of expected calls.
    pub(super) fn expected(&self) -> usize {
        self.expected.len()
    }

    /// Keeps only these expected calls.
    pub(super) fn keep(&mut self, kept: &[usize]) {
        let all = std::mem::take(&mut self.expected);
        let numbered = all.into_iter().enumerate();
        let kept = numbered.filter(|(index, _)| kept.contains(index));
        self.expected = kept.map(|(_, expected)| expected).collect();
    }

    /// True if a case with only these two calls scores 1.
    pub(super) fn is_same(&mut self, expected: usize, call: &Call<'j>) -> bool {
        self.case.expected.clone_from(&self.expected[expected]);
        self.case.actual = Some(Trajectory {
            calls: vec![call.clone()],
            ..Trajectory::default()
        });
        let evaluation = self.evaluator.evaluate(&self.case, Ask::OUTCOME);
        // A pair that can't be judged alone doesn't rule anything out.
        evaluation.score().is_none_or(|score| score >= 1.0)
    }
}
