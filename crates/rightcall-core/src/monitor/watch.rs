//! The state of a run under one constraint.

use smallvec::SmallVec;

use super::budget::Budget;
use crate::call::Call;
use crate::constraint::{Constraint, SchemaVerdict};
use crate::definitions::ArgumentViolation;
use crate::rule::{CallFacts, CallPlaceInRun, RuleCall, RuleTracker, RuleVerdict};
use crate::value::HashKey;

/// A possible next call.
#[derive(Debug)]
pub(super) struct WatchedCall {
    pub(super) call: Call<'static>,
    pub(super) place: CallPlaceInRun,
    /// The facts that each constraint needs about this call.
    pub(super) facts: SmallVec<[NextFacts; 8]>,
}

/// The facts that a constraint needs about a possible next call. A call is checked against its
/// schema once.
#[derive(Debug)]
pub(super) enum NextFacts {
    Rule(CallFacts),
    Schema(SchemaVerdict),
    /// The call itself is enough.
    Nothing,
}

impl NextFacts {
    pub(super) fn new(
        constraint: &Constraint,
        (call, read): (&Call<'_>, &RuleCall<'_>),
        key: HashKey,
    ) -> Self {
        match constraint {
            Constraint::Rule(rule) => Self::Rule(rule.facts(read, key)),
            Constraint::Schema(schema) => Self::Schema(schema.check(call)),
            _ => Self::Nothing,
        }
    }

    /// The parts of the arguments that the schema of the tool forbids.
    pub(super) fn violations(&self) -> &[ArgumentViolation] {
        match self {
            Self::Schema(verdict) => verdict.violations(),
            Self::Rule(_) | Self::Nothing => &[],
        }
    }
}

/// The state of a run under one constraint.
#[derive(Debug)]
pub(super) enum Watch {
    Rule(Box<RuleTracker>),
    Budget(Budget),
}

impl Watch {
    pub(super) fn new(constraint: &Constraint) -> Self {
        match constraint {
            Constraint::Rule(rule) => Self::Rule(Box::new(RuleTracker::new(rule))),
            _ => Self::Budget(Budget::new(constraint)),
        }
    }

    pub(super) fn verdict(
        &self,
        constraint: &Constraint,
        calls: &[Call<'_>],
        key: HashKey,
    ) -> Option<RuleVerdict> {
        match self {
            Self::Rule(tracker) => tracker.verdict(),
            Self::Budget(budget) => budget.verdict(constraint, calls, key),
        }
    }

    pub(super) fn is_violated(
        &self,
        constraint: &Constraint,
        calls: &[Call<'_>],
        key: HashKey,
    ) -> bool {
        self.verdict(constraint, calls, key) == Some(RuleVerdict::Violated)
    }

    /// The calls to blame if this call, as the next one, breaks the constraint.
    pub(super) fn blamed(
        &self,
        constraint: &Constraint,
        next: &WatchedCall,
        calls: &[Call<'static>],
        key: HashKey,
    ) -> Vec<usize> {
        if let Self::Budget(Budget::Schema(counts)) = self {
            return counts.broken_with(calls.len());
        }
        let mut calls = calls.to_vec();
        calls.push(next.call.clone());
        let judged = constraint.judge(&calls, key);
        judged.map_or(Vec::new(), |judged| judged.calls)
    }

    /// True if this call, as the next one, would violate the constraint. If it is already violated:
    /// true if the call itself would break it again.
    pub(super) fn is_broken_by(
        &self,
        constraint: &Constraint,
        check: usize,
        next: &WatchedCall,
        calls: &[Call<'_>],
        key: HashKey,
    ) -> bool {
        match (self, &next.facts[check]) {
            (Self::Rule(tracker), NextFacts::Rule(facts)) => {
                tracker.is_broken_by(facts, next.place)
            }
            (Self::Rule(_), _) => false,
            (Self::Budget(_), facts @ NextFacts::Schema(_)) => !facts.violations().is_empty(),
            (Self::Budget(budget), _) => budget.is_broken_by(constraint, &next.call, calls, key),
        }
    }

    pub(super) fn observe(
        &mut self,
        constraint: &Constraint,
        number: usize,
        check: usize,
        next: &WatchedCall,
        key: HashKey,
    ) {
        match (self, &next.facts[check]) {
            (Self::Rule(tracker), NextFacts::Rule(facts)) => {
                tracker.observe(number as u32, *facts, next.place);
            }
            (Self::Rule(_), _) => {}
            (Self::Budget(Budget::Schema(counts)), NextFacts::Schema(verdict)) => {
                counts.observe(number, verdict);
            }
            (Self::Budget(budget), _) => budget.observe(constraint, number, &next.call, key),
        }
    }

    /// True if the result of a call may change the verdict.
    pub(super) fn awaits(&self, call: usize) -> bool {
        match self {
            Self::Rule(tracker) => tracker.awaits(call as u32),
            Self::Budget(budget) => budget.awaits_results(),
        }
    }

    pub(super) fn revise(
        &mut self,
        constraint: &Constraint,
        number: usize,
        (call, read): (&Call<'_>, &RuleCall<'_>),
        key: HashKey,
    ) {
        match (self, constraint) {
            (Self::Rule(tracker), Constraint::Rule(rule)) => {
                tracker.revise(number as u32, rule.facts(read, key));
            }
            (Self::Budget(budget), _) => budget.revise(number, call, key),
            (Self::Rule(_), _) => {}
        }
    }
}
