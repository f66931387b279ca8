//! A rule: its code, its page, and what it looks at.

use std::fmt;

use crate::Severity;
use crate::found::Found;
use crate::subject::Subject;
use crate::suite::SuiteFacts;
use crate::tools::ToolSchema;

/// A rule of `rightcall lint`.
pub struct Rule {
    /// What findings and suppressions call it.
    pub code: &'static str,
    /// How bad its findings are.
    pub severity: Severity,
    /// What it reports, in one line.
    pub summary: &'static str,
    /// Why that is wrong, and what to do, with an example; Markdown.
    pub page: &'static str,
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

impl Rule {
    /// The page of the rule: its heading, its severity and its text.
    pub fn page(&self) -> String {
        format!(
            "## {}\n\n*{}* · {}\n\n{}\n",
            self.code,
            self.severity,
            self.summary,
            self.page.trim()
        )
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}
