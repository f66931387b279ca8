//! Gates: conditions on a run that decide whether it is good enough.

use rightcall_core::call::Case;
use rightcall_results::{Bound, GateResult, GateSubject, Statistic};

use crate::{Filter, Grouping};

/// At most this many groups in one gate or table, so that memory stays bounded.
pub(crate) const MAX_GROUPS: usize = 1000;

/// The label of the groups beyond the limit.
pub(crate) fn more_groups() -> String {
    format!("more than {MAX_GROUPS} groups")
}

/// A condition on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The subject that the gate measures.
    pub subject: GateSubject,
    /// Only these cases count.
    pub only: Filter,
    /// The condition must hold in each of these groups.
    pub by: Option<Grouping>,
    /// The statistic of the subject.
    pub statistic: Statistic,
    /// The condition on that number.
    pub wanted: Bound,
    /// Added to every gate on scores unless the suite sets this limit: a few good cases must not pass for many that the evaluator did
    /// not apply to. Shown only if it fails.
    pub implied: bool,
}

impl Gate {
    /// Whether the case counts.
    pub(crate) fn looks_at(&self, case: &Case<'_>) -> bool {
        self.only.admits(case) && self.by.as_ref().is_none_or(|by| by.knows(case))
    }

    /// The groups that a case counts in; the group name is empty if the gate has no groups.
    pub(crate) fn groups<'g>(&self, of_case: &'g [String]) -> impl Iterator<Item = &'g str> {
        let all = self.by.is_none().then_some("");
        of_case.iter().map(String::as_str).chain(all)
    }

    /// The result of the gate for this number.
    pub(crate) fn result(&self, group: Option<String>, found: Option<f64>) -> GateResult {
        GateResult {
            subject: self.subject.clone(),
            statistic: self.statistic,
            only: self.only.to_string(),
            by: self.by.as_ref().map(ToString::to_string),
            group,
            wanted: self.wanted,
            found,
            held: found.is_some_and(|found| self.wanted.holds(found)),
            unjudged: false,
        }
    }
}
