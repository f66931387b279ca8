//! The common arguments of a leaf's calls.

use crate::expectation::ActualCall;
use crate::value::Value;

use super::LearnedArguments;
use super::demand::{LeafDemand, Occurrence};
use super::flow::Flow;
use super::pattern::{Pattern, pattern};
use super::survey::Survey;

/// The facts about the calls of all leaves. Runs are added one by one, and not kept.
pub(super) struct SurveyedLeaves {
    /// For each leaf, the facts about its arguments; `None` if a call has no object.
    arguments: Vec<Option<Survey>>,
    flow: Option<Flow>,
    learns: LearnedArguments,
}

impl SurveyedLeaves {
    pub(super) fn new(leaves: usize, learns: LearnedArguments) -> Self {
        Self {
            arguments: (0..leaves).map(|_| Some(Survey::default())).collect(),
            flow: (learns == LearnedArguments::Values).then(|| Flow::new(leaves)),
            learns,
        }
    }

    /// Adds the calls of a run that leaves accept, in order.
    pub(super) fn add(&mut self, run: usize, calls: &[ActualCall<'_>], found: &[Occurrence]) {
        for it in found {
            let arguments = &mut self.arguments[it.leaf];
            match (arguments.as_mut(), calls[it.place].arguments()) {
                (Some(survey), Some(value @ Value::Object(_))) => survey.add(run, value),
                // A value that is missing in one run can't be demanded.
                _ => *arguments = None,
            }
        }
        if let Some(flow) = &mut self.flow {
            flow.add(calls, found);
        }
    }

    /// The demands of all leaves, in order.
    pub(super) fn demands(self) -> Vec<LeafDemand> {
        let demand = |survey: &Option<Survey>| {
            let survey = survey.as_ref().filter(|survey| survey.count > 0)?;
            let arguments = pattern(survey, self.learns);
            matches!(arguments, Pattern::Object(_) | Pattern::Constant(_)).then_some(arguments)
        };
        let demands = self.arguments.iter().map(|survey| LeafDemand {
            arguments: demand(survey),
            output: None,
        });
        let mut demands: Vec<_> = demands.collect();
        if let Some(flow) = &self.flow {
            flow.apply(&self.arguments, &mut demands);
        }
        for demand in &mut demands {
            demand.arguments = demand.arguments.take().map(Pattern::without_lists);
        }
        demands
    }
}
