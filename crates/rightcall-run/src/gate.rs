//! Gates: conditions on a run that decide whether it is good enough.

use rightcall::call::Case;
use rightcall_results::{Bound, GateResult, GateSubject, Statistic};

use crate::{Filter, Grouping};

/// Groups that one gate or table takes: memory must not grow with the number of cases.
pub(crate) const MAX_GROUPS: usize = 1000;

/// The name of the groups beyond those that are kept.
pub(crate) fn more_groups() -> String {
    format!("more than {MAX_GROUPS} groups")
}

/// A condition on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// What is looked at.
    pub subject: GateSubject,
    /// Only these cases count.
    pub only: Filter,
    /// The condition must hold in each of these groups.
    pub by: Option<Grouping>,
    /// Which number of it.
    pub statistic: Statistic,
    /// What that number is to be.
    pub wanted: Bound,
    /// Nobody wrote it: it stands beside every gate on scores, so that a few good cases cannot speak for many that the
    /// evaluator did not apply to. It is shown only where it is missed.
    pub implied: bool,
}

impl Gate {
    /// Whether the case counts.
    pub(crate) fn looks_at(&self, case: &Case<'_>) -> bool {
        self.only.admits(case) && self.by.as_ref().is_none_or(|by| by.knows(case))
    }

    /// The groups that a case counts in: under the empty name where the gate does not look at groups.
    pub(crate) fn groups<'g>(&self, of_case: &'g [String]) -> impl Iterator<Item = &'g str> {
        let all = self.by.is_none().then_some("");
        of_case.iter().map(String::as_str).chain(all)
    }

    /// What came out, where this number was found of these cases.
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
