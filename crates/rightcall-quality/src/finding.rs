//! What a lint says: a rule, a place, and what to do.

use std::fmt;
use std::sync::Arc;

use crate::Rule;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth a look; often intended.
    Note,
    /// Probably wrong, or fragile.
    Warning,
    /// Wrong: no right run can pass, or a wrong one can.
    Error,
}

impl Severity {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where a finding is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u64,
    /// The place in the record that begins on that line or around it, an RFC 6901 pointer; empty for the whole record.
    pub pointer: String,
}

/// Something about an expectation, a case, a suite or a schema that is wrong or doubtful.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
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
