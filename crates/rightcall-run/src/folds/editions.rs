//! The other edition of each evaluator, and the cases on which it says something else.

use std::collections::BTreeMap;

use rightcall::call::Case;
use rightcall::{Ask, Evaluator, Outcome};
use rightcall_results::{EditionsDiffer, EvaluationResult};

use super::{CaseFindings, Fold};
use crate::judge::JudgedCase;
use crate::{Configured, EvaluatorArgument};

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
    listed: usize,
}

impl Investigation {
    /// Looks for findings beside these evaluators; at most `listed` cases are kept on which the editions of one differ.
    pub fn new(evaluators: &[Configured], listed: usize) -> Self {
        let others = evaluators.iter().map(Configured::in_other_edition);
        Self {
            others: others.collect(),
            listed,
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
        findings.add(case, result);
        if let Some(Some(other)) = self.others.get(index) {
            let outcome = other.evaluate(case, Ask::OUTCOME).outcome;
            if !is_same_outcome(&outcome, &result.outcome) {
                let differs = (index, result.outcome.clone(), outcome);
                findings.differing.push(differs);
            }
        }
    }
}

/// The cases on which editions differ.
pub(crate) struct Editions {
    listed: usize,
    differ: BTreeMap<usize, EditionsDiffer>,
}

impl Editions {
    pub(crate) fn new(investigation: &Investigation) -> Self {
        Self {
            listed: investigation.listed,
            differ: BTreeMap::new(),
        }
    }
}

impl Fold for Editions {
    type Total = Vec<EditionsDiffer>;

    fn add(&mut self, case: &JudgedCase) {
        let found = case.findings.iter().flat_map(|it| &it.differing);
        for (evaluator, own, other) in found {
            let none = || EditionsDiffer {
                evaluator: *evaluator,
                cases: 0,
                first: Vec::new(),
            };
            let differ = self.differ.entry(*evaluator).or_insert_with(none);
            differ.cases += 1;
            if differ.first.len() < self.listed {
                let name = case.result.name();
                differ.first.push((name, own.clone(), other.clone()));
            }
        }
    }

    fn finish(self) -> Vec<EditionsDiffer> {
        self.differ.into_values().collect()
    }
}
