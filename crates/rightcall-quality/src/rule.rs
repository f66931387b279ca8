//! A lint rule: its code and its page.

use std::fmt;

use crate::severity::Severity;

/// A rule of `rightcall lint`.
pub struct LintRule {
    /// Its identifier in findings and suppressions.
    pub code: &'static str,
    /// The default severity of its findings.
    pub severity: Severity,
    /// One-line description.
    pub summary: &'static str,
    /// The reason, the remedy and an example, in Markdown.
    pub page: &'static str,
}

impl LintRule {
    /// The rule's page: heading, severity and text.
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
