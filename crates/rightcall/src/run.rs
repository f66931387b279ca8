//! The calls of one run, without a case.

use rightcall_formats::{ReadOptions, run_of_text, run_text};
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// What an agent did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentRun {
    /// The calls, in order.
    pub calls: Vec<RunCall>,
    /// Why calls may be missing; `None` if none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
    /// Unread parts that may be calls.
    pub malformed: Vec<UnreadPart>,
}

/// One call of a run. As a member of `expected` or `actual`, it is a call again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunCall {
    /// The tool.
    pub name: String,
    /// The arguments; `None` if they were not recorded. A text that holds an object is that object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<serde_json::Value>,
    /// The call's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's output; `None` if it was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<serde_json::Value>,
    /// The error: `true` or a message; `false` if the call is known to have succeeded; `None` if not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<serde_json::Value>,
}

/// Unread parts of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadPart {
    /// What they look like.
    pub looks: String,
    /// How many there are.
    pub count: u64,
    /// The place of the first; empty if unknown.
    #[serde(default)]
    pub first: String,
}

/// The calls in what an SDK returned or a trace holds: messages, spans or calls, in any known format.
///
/// # Errors
/// The value can't be JSON, holds several runs, or holds none that was recorded.
pub fn run(source: &impl Serialize) -> Result<AgentRun, Error> {
    let text = serde_json::to_string(source)?;
    let read = run_of_text(&text, None, &ReadOptions::default())?;
    Ok(serde_json::from_str(&run_text(&read))?)
}
