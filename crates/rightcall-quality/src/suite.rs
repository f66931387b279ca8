//! The parts of a suite that lint checks.

use std::sync::Arc;

use crate::Place;

/// The parts of a suite that lint checks.
#[derive(Clone, Debug)]
pub struct SuiteFacts {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// True if a gate, a threshold or an evaluator with verdicts can fail a run of the suite or of
    /// one of its profiles.
    pub can_fail: bool,
    /// The tools in its settings.
    pub tools: Vec<ToolInSuite>,
    /// The rules in its settings.
    pub rules: Vec<RuleInSuite>,
    /// The settings of each `constraints` evaluator, as a JSON object.
    pub constraints: Vec<String>,
    /// The errors that keep it, or one of its profiles, from running.
    pub errors: Vec<SuiteDefect>,
}

/// A tool in a setting of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolInSuite {
    /// Its name, or a pattern with `*` and `?`.
    pub name: String,
    /// True if a correct run must call it.
    pub is_demanded: bool,
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u64,
    /// The RFC 6901 pointer.
    pub pointer: String,
}

/// A rule in a setting of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleInSuite {
    /// The rule as JSON text.
    pub json: String,
    /// The line, from 1.
    pub line: u64,
    /// The RFC 6901 pointer.
    pub pointer: String,
}

impl ToolInSuite {
    pub(crate) fn place(&self) -> Place {
        Place {
            file: Arc::clone(&self.file),
            line: self.line,
            pointer: self.pointer.clone(),
        }
    }
}

/// A part of a suite that can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteDefect {
    /// The line, from 1.
    pub line: u64,
    /// The RFC 6901 pointer.
    pub pointer: String,
    /// The message.
    pub message: String,
    /// What to do.
    pub advice: String,
}

impl SuiteFacts {
    /// The place of a finding on the suite as a whole.
    pub(crate) fn place(&self) -> Place {
        self.place_of(1, "")
    }

    /// The place of a part of the suite.
    pub(crate) fn place_of(&self, line: u64, pointer: &str) -> Place {
        Place {
            file: Arc::clone(&self.file),
            line,
            pointer: pointer.to_owned(),
        }
    }
}
