//! The calls of one run, without a case.

use rightcall_core::value::{JsonText, from_json};
use rightcall_formats::{ReadOptions, run_of_text};
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// An agent's run.
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
    /// The arguments; `None` if they were not recorded. A text that holds an object is that object, unless the object holds what
    /// [`serde_json::Value`] can't, such as `NaN`: then it is the text, which means the same.
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
    /// A description of them.
    pub looks: String,
    /// How many there are.
    pub count: u64,
    /// The place of the first; empty if unknown.
    #[serde(default)]
    pub first: String,
}

/// The calls in an SDK's result or a trace: messages, spans or calls, in any known format.
///
/// # Errors
/// The value can't be JSON, holds several runs, or holds none that was recorded.
pub fn run(source: &impl Serialize) -> Result<AgentRun, Error> {
    let text = serde_json::to_string(source)?;
    let read = run_of_text(&text, None, &ReadOptions::default())?;
    let written: WrittenRun =
        from_json(&read).map_err(<serde_json::Error as serde::de::Error>::custom)?;
    Ok(AgentRun {
        calls: written.calls.into_iter().map(RunCall::from).collect(),
        incomplete: written.incomplete,
        malformed: written.malformed,
    })
}

/// A run as the readers write it, with values that `serde_json` may refuse.
#[derive(Deserialize)]
struct WrittenRun {
    calls: Vec<WrittenCall>,
    incomplete: Option<String>,
    malformed: Vec<UnreadPart>,
}

#[derive(Deserialize)]
struct WrittenCall {
    name: String,
    args: Option<JsonText>,
    id: Option<String>,
    output: Option<JsonText>,
    error: Option<JsonText>,
}

impl From<WrittenCall> for RunCall {
    fn from(written: WrittenCall) -> Self {
        let value = |json: JsonText| {
            serde_json::from_str(json.as_str())
                .unwrap_or_else(|_| serde_json::Value::String(json.into()))
        };
        Self {
            name: written.name,
            args: written.args.map(value),
            id: written.id,
            output: written.output.map(value),
            error: written.error.map(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::run;

    #[test]
    fn arguments_that_a_value_cannot_hold_stay_a_text() {
        for text in [r#"{"degrees": NaN}"#, r#"{"text":"\ud800"}"#] {
            let function = json!({"name": "heat", "arguments": text});
            let calls = json!([{"id": "a", "type": "function", "function": function}]);
            let messages = json!([{"role": "assistant", "tool_calls": calls}]);
            let read = run(&messages).unwrap();
            let arguments = read.calls[0].args.as_ref().and_then(Value::as_str);
            assert_eq!(arguments, Some(text));
            // As in the messages themselves, `NaN` equals nothing.
            let score = |expected: Value| {
                let case = json!({"expected": expected, "actual": messages});
                crate::evaluate("trajectory", &case).unwrap().score()
            };
            assert_eq!(score(json!(read.calls)), score(messages.clone()));
        }
    }
}
