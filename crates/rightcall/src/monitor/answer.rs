//! What a monitor answers.

use serde::Serialize;

/// Whether a call may be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It was observed, under this number.
    Admitted(usize),
    /// It was not observed, for these reasons.
    Refused(Vec<Refusal>),
}

/// A constraint that forbids a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The name of the constraint: that of a rule, or its sentence.
    pub rule: String,
    /// The place of the constraint among all.
    pub check: usize,
    /// Why the rule exists, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The calls to blame; the refused call has the number that it would have got.
    pub calls: Vec<usize>,
    /// The constraint is violated already, and the call would break it once more.
    #[serde(rename = "violated")]
    pub is_violated: bool,
    /// What to tell the agent.
    pub sentence: String,
}

/// A constraint that does not hold yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenConstraint {
    /// The name of the constraint: that of a rule, or its sentence.
    pub rule: String,
    /// The place of the constraint among all.
    pub check: usize,
    /// Why the rule exists, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What to tell the agent.
    pub sentence: String,
}
