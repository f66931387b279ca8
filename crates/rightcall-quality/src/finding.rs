//! A lint finding: the rule, the place, and the advice.

use crate::place::Place;
use crate::rule::LintRule;
use crate::severity::Severity;

/// A wrong or doubtful part of an expectation, a case, a suite or a schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static LintRule,
    /// The rule's severity, or a lower one if the input makes the finding less certain.
    pub severity: Severity,
    /// The place of the part that is wrong.
    pub place: Place,
    /// The id of the case; `None` for a schema or a suite.
    pub case: Option<String>,
    /// What is wrong, with the expected and the found value.
    pub message: String,
    /// What to do.
    pub advice: String,
    /// The number of places with this finding: the same schema may be repeated in every record.
    pub times: usize,
    /// The line on which the record begins.
    pub record_line: u64,
    /// A change to the record that removes the finding and changes no score.
    pub fix: Option<Fix>,
}

/// A change of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Remove the item of a list at this pointer.
    RemoveItem(String),
}
