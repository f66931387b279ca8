//! A rule with the check that implements it.

use crate::found::Found;
use crate::rule::LintRule;
use crate::subject::Subject;
use crate::suite::SuiteFacts;
use crate::tools::ToolSchema;

/// A rule and its check.
pub(crate) struct CheckedRule {
    pub(crate) rule: LintRule,
    pub(crate) check: Check,
}

/// The input of a rule's check.
pub(crate) enum Check {
    /// Each record alone.
    Record(fn(&Subject, &mut Found)),
    /// All records together, to compare them with each other.
    Records(fn(&[Subject], &mut Found)),
    /// The schema of each tool.
    Tool(fn(&ToolSchema, &mut Found)),
    /// Each suite, with the names of all known tools.
    Suite(fn(&SuiteFacts, &[String], &mut Found)),
    /// All records, and the suites with the numbers of their groups.
    RecordsAndSuites(fn(&[Subject], &[GroupedSuite], &mut Found)),
}

/// A suite, with the number of the group of its records.
pub(crate) type GroupedSuite = (usize, SuiteFacts);
