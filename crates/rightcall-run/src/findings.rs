//! What one case shows beside its scores: why it fell short, what was expected and called, and where editions differ.

use rightcall::call::Case;
use rightcall::value::Text;
use rightcall::{Ask, Evaluator, Outcome};
use rightcall_results::EvaluationResult;

use crate::{Configured, EvaluatorArgument};

/// What one case shows.
#[derive(Debug, Default)]
pub(crate) struct CaseFindings {
    pub(crate) fell_short: bool,
    /// Evaluators whose editions differ, with the outcome of either.
    pub(crate) differing: Vec<(usize, Outcome, Outcome)>,
    pub(crate) expected: Vec<String>,
    pub(crate) called: Vec<String>,
}

impl CaseFindings {
    /// What a case shows before it is judged.
    pub(crate) fn new(case: &Case<'_>) -> Self {
        let stated = &case.expected;
        let calls = stated.calls.iter().flatten().map(|call| &call.name);
        let outputs = stated.outputs.iter().flatten().map(|output| &output.name);
        let counts = stated.counts.iter().flatten();
        let counts = counts.filter(|count| !count.count.is_zero());
        let expected = calls
            .chain(stated.order.iter().flatten())
            .chain(outputs)
            .chain(counts.map(|count| &count.name));
        let runs = case.actual.iter().flat_map(|run| &run.calls);
        let texts =
            |names: &mut dyn Iterator<Item = &Text<'_>>| names.map(ToString::to_string).collect();
        Self {
            expected: texts(&mut { expected }),
            called: texts(&mut runs.map(|call| &call.name)),
            ..Self::default()
        }
    }
}

impl Configured {
    /// The same evaluator in the edition that it does not follow; `None` where it has but one.
    pub fn in_other_edition(&self) -> Option<Evaluator> {
        let own = self.evaluator.edition();
        let editions = self.evaluator.entry().editions.iter().copied();
        let other = editions.into_iter().find(|edition| *edition != own)?;
        let argument = EvaluatorArgument::parse(&self.argument).ok()?;
        let argument = argument.with_edition(other);
        Evaluator::new(&argument.id, &argument.settings, None).ok()
    }
}

/// True if two outcomes are the same to whoever reads scores: the words of errors and reasons do not count.
pub fn is_same_outcome(left: &Outcome, right: &Outcome) -> bool {
    left.name() == right.name() && left.score() == right.score()
}

/// How to look for findings.
#[derive(Debug)]
pub struct Investigation {
    /// The other edition of each evaluator.
    others: Vec<Option<Evaluator>>,
    /// How many cases are kept on which editions differ.
    pub(crate) listed: usize,
    /// Whether causes and editions are looked for, in addition to names.
    pub(crate) explains: bool,
}

impl Investigation {
    /// Looks for findings beside these evaluators; at most `listed` cases are kept on which the editions of one differ.
    pub fn new(evaluators: &[Configured], listed: usize) -> Self {
        let others = evaluators.iter().map(Configured::in_other_edition);
        Self {
            others: others.collect(),
            listed,
            explains: true,
        }
    }

    /// Looks for names alone that may be misspelt, which costs little.
    pub fn names() -> Self {
        Self {
            others: Vec::new(),
            listed: 0,
            explains: false,
        }
    }

    /// What one evaluator's result on a case shows, added to what others have shown.
    pub(crate) fn look(
        &self,
        findings: &mut CaseFindings,
        index: usize,
        case: &Case<'_>,
        result: &EvaluationResult,
    ) {
        findings.fell_short |= result.falls_short();
        if let Some(Some(other)) = self.others.get(index) {
            let outcome = other.evaluate(case, Ask::OUTCOME).outcome;
            if !is_same_outcome(&outcome, &result.outcome) {
                let differs = (index, result.outcome.clone(), outcome);
                findings.differing.push(differs);
            }
        }
    }
}
