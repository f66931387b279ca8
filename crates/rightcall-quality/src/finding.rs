//! What a lint says: a rule, a place, and what to do.

use crate::place::Place;
use crate::rule::LintRule;
use crate::severity::Severity;

/// Something about an expectation, a case, a suite or a schema that is wrong or doubtful.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static LintRule,
    /// That of the rule, unless the input makes it less certain.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// The id of the case; `None` for a schema or a suite.
    pub case: Option<String>,
    /// What is wrong, with what was expected and what was found.
    pub message: String,
    /// What to do.
    pub advice: String,
    /// How many places have this finding: a schema may be repeated in each record.
    pub times: usize,
    /// The line on which the record begins.
    pub record_line: u64,
    /// A change of the record that removes the finding and changes no score.
    pub fix: Option<Fix>,
}

/// A change of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Remove the item of a list at this pointer.
    RemoveItem(String),
}
