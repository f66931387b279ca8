//! Tracks the schemas of tools during a run.

use crate::constraint::SchemaVerdict;
use crate::rule::RuleVerdict;

/// Numbers of calls under the schemas of their tools.
#[derive(Debug, Default)]
pub(super) struct SchemaCounts {
    allowed: usize,
    broken: usize,
    without_arguments: usize,
    without_schema: usize,
}

impl SchemaCounts {
    /// Counts a call.
    pub(super) fn observe(&mut self, verdict: &SchemaVerdict) {
        *match verdict {
            SchemaVerdict::NoSchema => &mut self.without_schema,
            SchemaVerdict::NotRecorded => &mut self.without_arguments,
            SchemaVerdict::Checked(violations) if violations.is_empty() => &mut self.allowed,
            SchemaVerdict::Checked(_) => &mut self.broken,
        } += 1;
    }

    /// As the evaluator judges the run so far.
    pub(super) fn verdict(&self) -> Option<RuleVerdict> {
        let is_unjudged = self.allowed == 0 && self.without_schema > 0;
        match self.broken {
            0 if self.without_arguments > 0 || is_unjudged => None,
            0 => Some(RuleVerdict::SatisfiedSoFar),
            _ => Some(RuleVerdict::Violated),
        }
    }
}
