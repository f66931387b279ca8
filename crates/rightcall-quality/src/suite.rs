//! The facts about a suite that lint needs.

use std::sync::Arc;

use crate::Place;

/// The facts about a suite that lint checks.
#[derive(Clone, Debug)]
pub struct SuiteFacts {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// True if a gate, a threshold or an evaluator with verdicts can fail a run.
    pub can_fail: bool,
    /// The tools that its rules mention.
    pub tools_in_rules: Vec<String>,
    /// Why it can't be run, or can't be run with one of its profiles.
    pub errors: Vec<SuiteDefect>,
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
        Place {
            file: Arc::clone(&self.file),
            line: 1,
            pointer: String::new(),
        }
    }
}
