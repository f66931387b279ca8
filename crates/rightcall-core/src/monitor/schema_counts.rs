//! Tracks the schemas of tools during a run.

use crate::constraint::SchemaVerdict;
use crate::rule::RuleVerdict;

/// Numbers of calls under the schemas of their tools.
#[derive(Debug, Default)]
pub(super) struct SchemaCounts {
    allowed: usize,
    /// The calls that their schemas forbid.
    broken: Vec<usize>,
    without_arguments: usize,
    without_schema: usize,
}

impl SchemaCounts {
    /// Counts a call.
    pub(super) fn observe(&mut self, call: usize, verdict: &SchemaVerdict) {
        match verdict {
            SchemaVerdict::NoSchema => self.without_schema += 1,
            SchemaVerdict::NotRecorded => self.without_arguments += 1,
            SchemaVerdict::Checked(violations) if violations.is_empty() => self.allowed += 1,
            SchemaVerdict::Checked(_) => self.broken.push(call),
        }
    }

    /// The forbidden calls, with a further one.
    pub(super) fn broken_with(&self, call: usize) -> Vec<usize> {
        self.broken.iter().copied().chain([call]).collect()
    }

    /// As the evaluator judges the run so far.
    pub(super) fn verdict(&self) -> Option<RuleVerdict> {
        let is_unjudged = self.allowed == 0 && self.without_schema > 0;
        if !self.broken.is_empty() {
            return Some(RuleVerdict::Violated);
        }
        let is_judged = self.without_arguments == 0 && !is_unjudged;
        is_judged.then_some(RuleVerdict::SatisfiedSoFar)
    }
}
