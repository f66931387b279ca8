//! A rule with the check that implements it.

use crate::found::Found;
use crate::rule::LintRule;
use crate::subject::Subject;
use crate::suite::SuiteFacts;
use crate::tools::{ToolSchema, Toolbox};

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
    /// Each suite alone.
    Suite(fn(&SuiteFacts, &mut Found)),
    /// All records, suites and tools.
    All(fn(&LintInput<'_>, &mut Found)),
}

/// All input of lint.
pub(crate) struct LintInput<'l> {
    pub(crate) subjects: &'l [Subject],
    pub(crate) suites: &'l [GroupedSuite],
    /// The names of all tools in expectations, runs and definitions.
    pub(crate) names: &'l [String],
    /// The tools that the user named or that traces define.
    pub(crate) given: &'l Toolbox,
    /// All tools with a definition.
    pub(crate) tools: Vec<&'l ToolSchema>,
}

/// A suite, with the number of the group of its records.
pub(crate) type GroupedSuite = (usize, SuiteFacts);
