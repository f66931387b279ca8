//! A rule: its code and its page.

use std::fmt;

use crate::severity::Severity;

/// A rule of `rightcall lint`.
pub struct LintRule {
    /// What findings and suppressions call it.
    pub code: &'static str,
    /// How bad its findings are.
    pub severity: Severity,
    /// What it reports, in one line.
    pub summary: &'static str,
    /// Why that is wrong, and what to do, with an example; Markdown.
    pub page: &'static str,
}

impl LintRule {
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

impl fmt::Debug for LintRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}

impl PartialEq for LintRule {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}
