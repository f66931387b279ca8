//! The answers of a monitor.

use serde::Serialize;

use crate::definitions::ArgumentViolation;

/// Whether a call may be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The call was recorded under this number.
    Admitted(usize),
    /// The call was not recorded, for these reasons.
    Refused(Vec<Refusal>),
}

/// A constraint that forbids a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The constraint's name: that of a rule, or its sentence.
    pub rule: String,
    /// The constraint's index.
    pub check: usize,
    /// The reason for the rule, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The calls that break the constraint; the refused call has the number that it would have received.
    pub calls: Vec<usize>,
    /// The arguments that the schema of the tool forbids, if the constraint checks that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<ArgumentViolation>,
    /// True if the constraint is already violated, and the call would break it once more.
    #[serde(rename = "violated")]
    pub is_violated: bool,
    /// The message to the agent.
    pub sentence: String,
}

/// A constraint that does not hold yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenConstraint {
    /// The constraint's name: that of a rule, or its sentence.
    pub rule: String,
    /// The constraint's index.
    pub check: usize,
    /// The reason for the rule, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The message to the agent.
    pub sentence: String,
}
