//! Findings on one case in addition to its scores: why it failed, which tools were expected and called, and where editions differ.

use rightcall_core::call::Case;
use rightcall_core::value::Text;
use rightcall_core::{Ask, Evaluator, Outcome, PreparedCase};
use rightcall_results::EvaluationResult;

use crate::{Configured, EvaluatorArgument};

/// Findings on one case.
#[derive(Debug, Default)]
pub(crate) struct CaseFindings {
    pub(crate) fell_short: bool,
    /// Evaluators whose editions differ, with both outcomes.
    pub(crate) differing: Vec<(usize, Outcome, Outcome)>,
    /// Rules that could not be judged, each with the reason.
    pub(crate) unjudged: Vec<(String, String)>,
    pub(crate) expected: Vec<String>,
    pub(crate) called: Vec<String>,
}

impl CaseFindings {
    /// Findings that need no score.
    pub(crate) fn new(case: &Case<'_>) -> Self {
        Self {
            expected: expected_names(case).map(ToString::to_string).collect(),
            called: called_names(case).map(ToString::to_string).collect(),
            ..Self::default()
        }
    }
}

/// The tool names that a case expects.
pub(crate) fn expected_names<'c>(case: &'c Case<'_>) -> impl Iterator<Item = &'c Text<'c>> {
    let expectation = &case.expected;
    let calls = expectation.calls.iter().flatten().map(|call| &call.name);
    let outputs = expectation
        .outputs
        .iter()
        .flatten()
        .map(|output| &output.name);
    let counts = expectation.counts.iter().flatten();
    let counts = counts.filter(|count| !count.count.is_zero());
    calls
        .chain(expectation.order.iter().flatten())
        .chain(outputs)
        .chain(counts.map(|count| &count.name))
}

/// The tool names that a run calls.
pub(crate) fn called_names<'c>(case: &'c Case<'_>) -> impl Iterator<Item = &'c Text<'c>> {
    let runs = case.actual.iter().flat_map(|run| &run.calls);
    runs.map(|call| &call.name)
}

impl Configured {
    /// The same evaluator in its other edition; `None` if it has only one.
    pub fn in_other_edition(&self) -> Option<Evaluator> {
        let own_edition = self.evaluator.edition();
        let editions = self.evaluator.entry().editions.iter().copied();
        let other = editions
            .into_iter()
            .find(|edition| *edition != own_edition)?;
        let argument = EvaluatorArgument::parse(&self.argument).ok()?;
        let argument = argument.with_edition(other);
        Evaluator::new(&argument.id, &argument.settings, None).ok()
    }
}

/// True if two outcomes have the same kind and score. The text of errors and reasons is not compared.
pub fn is_same_outcome(left: &Outcome, right: &Outcome) -> bool {
    left.name() == right.name() && left.score() == right.score()
}

/// Which findings to collect.
#[derive(Debug)]
pub struct Investigation {
    /// The other edition of each evaluator.
    others: Vec<Option<Evaluator>>,
    /// The maximum number of cases with differing editions to keep for each evaluator.
    pub(crate) listed: usize,
    /// True to look for causes and differing editions, in addition to names.
    pub(crate) explains: bool,
}

impl Investigation {
    /// Looks for all findings of these evaluators. Keeps at most `listed` cases with differing editions for each evaluator.
    pub fn new(evaluators: &[Configured], listed: usize) -> Self {
        let others = evaluators.iter().map(Configured::in_other_edition);
        Self {
            others: others.collect(),
            listed,
            explains: true,
        }
    }

    /// Looks only for names that may be misspelled, which is cheap.
    pub fn names() -> Self {
        Self {
            others: Vec::new(),
            listed: 0,
            explains: false,
        }
    }

    /// Adds the findings from the result of one evaluator on a case.
    pub(crate) fn look(
        &self,
        findings: &mut CaseFindings,
        index: usize,
        case: &PreparedCase<'_>,
        result: &EvaluationResult,
    ) {
        findings.fell_short |= result.falls_short();
        let checks = result.explanation.iter().flat_map(|it| &it.checks);
        let unjudged = checks.filter(|check| check.held.is_none());
        let unjudged = unjudged.map(|check| (check.label.clone(), check.found.clone()));
        findings.unjudged.extend(unjudged);
        if let Some(Some(other)) = self.others.get(index) {
            let outcome = other.evaluate_prepared(case, Ask::OUTCOME).outcome;
            if !is_same_outcome(&outcome, &result.outcome) {
                let differs = (index, result.outcome.clone(), outcome);
                findings.differing.push(differs);
            }
        }
    }
}
