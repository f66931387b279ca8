//! The two tool-call metrics of Ragas.
//!
//! Source: package `ragas` 0.4.3.

pub(crate) mod accuracy;
pub(crate) mod f1;

use crate::evaluation::{EvaluationError, Outcome};
use crate::matching::{Item, ItemArguments, ItemName, Items};
use crate::presets::Source;
use crate::presets::reading::{
    At, expected_calls, require_expected_arguments, require_recorded_arguments, run, side,
};
use crate::value::Value;

/// The calls of both sides. `null_is_empty`: a missing reference is an empty one, not an error.
fn read<'c>(source: &Source<'c>, null_is_empty: bool) -> Result<(Items<'c>, Items<'c>), Outcome> {
    match source {
        Source::Native {
            expected, actual, ..
        } => Ok((
            Items::Own(reference(expected, null_is_empty)?),
            Items::Own(predicted(actual)?),
        )),
        Source::Case(case) => {
            let (expected, run) = (expected_calls(case)?, run(case)?);
            require_expected_arguments(expected)?;
            require_recorded_arguments(&run.calls)?;
            Ok((case.expected_items(), case.actual_items()))
        }
    }
}

/// `{"reference_tool_calls": [...]}`, or the list alone.
fn reference(text: &str, null_is_empty: bool) -> Result<Vec<Item<'_>>, EvaluationError> {
    let root = At::root("expected");
    let value = side("expected", text)?;
    let (at, calls) = match &value {
        Value::Object(object) => (
            root.key("reference_tool_calls"),
            object
                .get_str("reference_tool_calls")
                .unwrap_or(&Value::Null),
        ),
        other => (root, other),
    };
    match calls {
        Value::Null if null_is_empty => Ok(Vec::new()),
        Value::Null => Err(at.error("a list of calls", None)),
        calls => at
            .list(calls)?
            .iter()
            .enumerate()
            .map(|(index, call)| item(at.index(index), call))
            .collect(),
    }
}

fn item<'s>(at: At<'_>, call: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    let call = at.object(call)?;
    let name = ItemName::Text(at.text(call, "name")?.clone());
    let arguments = call
        .get_str("args")
        .ok_or_else(|| at.key("args").error("an object", None))?;
    at.key("args").object(arguments)?;
    Ok(Item::new(name, ItemArguments::Tree(arguments.clone())))
}

/// The calls of the `ai` messages, in order.
fn predicted(text: &str) -> Result<Vec<Item<'_>>, EvaluationError> {
    let at = At::root("actual");
    let messages = side("actual", text)?;
    let mut items = Vec::new();
    // Whether a tool may answer here: after an `ai` message that calls one.
    let (mut seen_ai, mut may_answer) = (false, true);
    for (index, message) in at.list(&messages)?.iter().enumerate() {
        let at = at.index(index);
        let message = at.object(message)?;
        let kind = at.text(message, "type")?;
        match kind.as_str() {
            Some("human") => may_answer = false,
            Some("ai") => {
                seen_ai = true;
                let (key, calls) = (
                    at.key("tool_calls"),
                    message
                        .get_str("tool_calls")
                        .filter(|calls| !calls.is_null()),
                );
                let calls = calls
                    .map(|calls| key.list(calls))
                    .transpose()?
                    .unwrap_or_default();
                may_answer = !calls.is_empty();
                for (index, call) in calls.iter().enumerate() {
                    items.push(item(key.index(index), call)?);
                }
            }
            Some("tool") if !seen_ai => {
                return Err(EvaluationError::Raised(format!(
                    "message {index} is a tool's, and no `ai` message comes before it"
                )));
            }
            Some("tool") if !may_answer => {
                return Err(EvaluationError::Raised(format!(
                    "message {index} is a tool's, and the one before it calls no tool"
                )));
            }
            Some("tool") => {}
            _ => {
                return Err(at
                    .key("type")
                    .error("human, ai or tool", message.get_str("type")));
            }
        }
        at.text(message, "content")?;
    }
    Ok(items)
}
