//! Collects findings from rules.

use crate::finding::{Finding, Fix};
use crate::place::Place;
use crate::rule::LintRule;
use crate::severity::Severity;
use crate::subject::Subject;

/// Collects the findings of one rule.
#[derive(Debug)]
pub(crate) struct Found {
    rule: &'static LintRule,
    pub(crate) findings: Vec<Finding>,
}

impl Found {
    pub(crate) fn new(rule: &'static LintRule) -> Self {
        Self {
            rule,
            findings: Vec::new(),
        }
    }

    /// Adds a finding about a part of a record, unless the record ignores the rule.
    pub(crate) fn in_record(
        &mut self,
        subject: &Subject,
        pointer: &str,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Option<&mut Finding> {
        if subject.ignored.iter().any(|it| it == self.rule.code) {
            return None;
        }
        let finding = self.at(subject.place(pointer), message, advice);
        finding.case.clone_from(&subject.id);
        finding.record_line = subject.line;
        Some(finding)
    }

    /// Adds a finding about a schema, a suite or a file.
    pub(crate) fn at(
        &mut self,
        place: Place,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> &mut Finding {
        self.findings.push(Finding {
            rule: self.rule,
            record_line: place.line,
            severity: self.rule.severity,
            place,
            case: None,
            message: message.into(),
            advice: advice.into(),
            times: 1,
            fix: None,
        });
        self.findings.last_mut().expect("one was just added")
    }
}

impl Finding {
    /// Overrides the severity.
    pub(crate) fn is(&mut self, severity: Severity) -> &mut Self {
        self.severity = severity;
        self
    }

    /// Adds a fix.
    pub(crate) fn fixed_by(&mut self, fix: Fix) -> &mut Self {
        self.fix = Some(fix);
        self
    }
}
