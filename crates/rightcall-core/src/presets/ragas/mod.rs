//! The two tool-call metrics of Ragas.
//!
//! Source: package `ragas` 0.4.3.

pub(crate) mod accuracy;
pub(crate) mod f1;

use crate::presets::prelude::*;

/// Messages compared with `{"reference_tool_calls": [...]}`.
#[derive(Debug)]
struct Messages {
    /// True if a missing reference is empty, not an error.
    null_is_empty: bool,
}

impl Original for Messages {
    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        let expected = reference(expected, self.null_is_empty)?;
        let actual = predicted(actual)?;
        Ok(Sides::new(Items::Own(expected), Items::Own(actual)))
    }
}

/// Reads `{"reference_tool_calls": [...]}`, or the list alone.
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
        calls => at.each(calls, item),
    }
}

fn item<'s>(at: At<'_>, call: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    let call = at.object(call)?;
    let name = ItemName::Text(at.text(call, "name")?.clone());
    let arguments = at.object_under(call, "args")?;
    Ok(Item::new(name, ItemArguments::Tree(arguments.clone())))
}

/// The calls of the `ai` messages, in order.
fn predicted(text: &str) -> Result<Vec<Item<'_>>, EvaluationError> {
    let at = At::root("actual");
    let messages = side("actual", text)?;
    let mut items = Vec::new();
    // True if a tool message is allowed here: after an `ai` message with a tool call.
    let (mut seen_ai, mut may_answer) = (false, true);
    for (index, message) in at.list(&messages)?.iter().enumerate() {
        let at = at.index(index);
        let message = at.object(message)?;
        let kind = at.text(message, "type")?;
        match kind.as_str() {
            Some("human") => may_answer = false,
            Some("ai") => {
                seen_ai = true;
                let calls = at.each_under(message, "tool_calls", item)?;
                may_answer = !calls.is_empty();
                items.extend(calls);
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
