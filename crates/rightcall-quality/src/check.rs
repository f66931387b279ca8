//! A rule with what it looks at.

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

/// What a rule looks at.
pub(crate) enum Check {
    /// Each record alone.
    Record(fn(&Subject, &mut Found)),
    /// All records together.
    Records(fn(&[Subject], &mut Found)),
    /// The schema of each tool.
    Tool(fn(&ToolSchema, &mut Found)),
    /// Each suite, with the names of all tools that are known.
    Suite(fn(&SuiteFacts, &[String], &mut Found)),
}
