//! Calls with a name and arguments: canonical cases with their blocks and matchers, tau-bench, and most other packages.

use rightcall_core::expectation::BLOCKS;
use rightcall_core::value::pointer::{child, item};
use serde_json::{Map, Value};

use super::{Accepted, Content, Expected, ExpectedArgument, ExpectedCall, kind};

const NAMES: [&str; 5] = ["name", "tool", "tool_name", "toolName", "function"];

const ARGUMENTS: [&str; 9] = [
    "args",
    "arguments",
    "kwargs",
    "parameters",
    "params",
    "input",
    "input_parameters",
    "tool_input",
    "tool_args",
];

/// The name of the tool if the object is a call.
pub(super) fn name_of(object: &Map<String, Value>) -> Option<&str> {
    NAMES.iter().find_map(|key| match object.get(*key)? {
        Value::String(name) => Some(name.as_str()),
        Value::Object(function) => function.get("name")?.as_str(),
        _ => None,
    })
}

/// True for an object that groups calls.
pub(super) fn is_block(object: &Map<String, Value>) -> bool {
    BLOCKS.iter().any(|key| object.contains_key(*key))
        || ["calls", "order", "counts", "outputs", "constraints"]
            .iter()
            .any(|key| object.contains_key(*key))
}

pub(super) fn read(expected: &mut Expected, value: &Value, pointer: &str) {
    match value {
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                read(expected, value, &item(pointer, index));
            }
        }
        Value::String(name) if !name.is_empty() => push(expected, name, pointer, None, false),
        Value::Object(object) => match name_of(object) {
            Some(name) => read_call(expected, name, object, pointer),
            None => {
                for key in BLOCKS.iter().chain(&["calls"]) {
                    if let Some(inner) = object.get(*key) {
                        read(expected, inner, &child(pointer, key));
                    }
                }
            }
        },
        _ => {}
    }
}

fn read_call(expected: &mut Expected, name: &str, object: &Map<String, Value>, pointer: &str) {
    // In tau2-bench, the simulated user has its own tools; its calls are not the agent's.
    if object.get("requestor").is_some_and(|it| it == "user") {
        return;
    }
    let function = object.get("function").and_then(Value::as_object);
    let (holder, pointer_of_holder) = match function {
        Some(function) if function.contains_key("name") => (function, child(pointer, "function")),
        _ => (object, pointer.to_owned()),
    };
    let found = ARGUMENTS
        .iter()
        .find_map(|key| Some((key, holder.get(*key)?)));
    let Some((key, arguments)) = found.filter(|(_, value)| !value.is_null()) else {
        return push(expected, name, pointer, None, true);
    };
    let at = child(&pointer_of_holder, key);
    let parsed;
    let arguments = match arguments {
        Value::String(text) => {
            parsed = serde_json::from_str(text).unwrap_or(Value::Null);
            &parsed
        }
        other => other,
    };
    match arguments {
        Value::Object(members) => {
            let is_open = members.contains_key("$rest");
            // A matcher for all arguments at once does not constrain a single one.
            let is_matcher = !members.is_empty() && members.keys().all(|key| key.starts_with('$'));
            let read = members
                .iter()
                .filter(|(name, _)| !name.starts_with('$'))
                .map(|(name, value)| argument(name, value, child(&at, name)));
            let read = (!is_matcher).then(|| read.collect());
            push(expected, name, pointer, read, is_open);
        }
        other => {
            expected.malformed(&at, "an object with the arguments", kind(other));
            push(expected, name, pointer, None, true);
        }
    }
}

fn push(
    expected: &mut Expected,
    name: &str,
    pointer: &str,
    arguments: Option<Vec<ExpectedArgument>>,
    is_open: bool,
) {
    expected.calls.push(ExpectedCall {
        tool: name.to_owned(),
        unnumbered: None,
        pointer: pointer.to_owned(),
        arguments,
        positional: Vec::new(),
        turn: 0,
        is_open,
    });
}

fn argument(name: &str, value: &Value, pointer: String) -> ExpectedArgument {
    let mut read = ExpectedArgument {
        name: name.to_owned(),
        pointer: pointer.clone(),
        accepted: Vec::new(),
        left_out: Vec::new(),
    };
    accept(&mut read, value, pointer);
    read
}

/// Adds the values that a value or a matcher accepts.
fn accept(read: &mut ExpectedArgument, value: &Value, pointer: String) {
    let only = value
        .as_object()
        .filter(|object| object.len() == 1)
        .and_then(|object| object.iter().next());
    let content = match only.map(|(key, inner)| (key.as_str(), inner)) {
        Some(("$eq" | "$literal", inner)) => Content::Plain(inner.clone()),
        Some(("$optional", inner)) => {
            read.left_out.push(pointer.clone());
            return accept(read, inner, child(&pointer, "$optional"));
        }
        Some(("$one_of", Value::Array(items))) => {
            let at = child(&pointer, "$one_of");
            for (index, value) in items.iter().enumerate() {
                accept(read, value, item(&at, index));
            }
            return;
        }
        _ if has_matcher(value) => Content::Matcher(value.clone()),
        _ => Content::Plain(value.clone()),
    };
    read.accepted.push(Accepted { pointer, content });
}

/// True for a value with a matcher at any depth.
pub(crate) fn has_matcher(value: &Value) -> bool {
    match value {
        Value::Object(object) => object
            .iter()
            .any(|(key, value)| key.starts_with('$') || has_matcher(value)),
        Value::Array(items) => items.iter().any(has_matcher),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ExpectationForm;
    use super::*;

    fn read_all(expected: &Value) -> Expected {
        Expected::of_record(&json!({"expected": expected}))
    }

    #[test]
    fn calls_in_blocks_and_matchers_are_parsed() {
        let read = read_all(&json!([
            {"any_order": ["look", {"name": "find", "args": {"id": 7, "$rest": "any"}}]},
            {"one_of": [{"tool": "refund", "arguments": "{\"a\": 1}"}, []]},
            {"name": "send", "args": {"n": {"$optional": {"$one_of": [1, {"$eq": 2}, {"$gt": 5}]}}}},
            {"name": "any", "args": {"$any": true}},
            {"name": "user_tool", "requestor": "user", "args": {}},
        ]));
        assert_eq!(read.shape, ExpectationForm::Calls);
        let names: Vec<_> = read.calls.iter().map(|it| it.tool.as_str()).collect();
        assert_eq!(names, ["look", "find", "refund", "send", "any"]);
        assert!(read.calls[0].arguments.is_none() && read.calls[4].arguments.is_none());
        assert!(read.calls[1].is_open && !read.calls[2].is_open);
        assert_eq!(
            read.calls[1].arguments.as_ref().unwrap()[0].pointer,
            "/expected/0/any_order/1/args/id"
        );
        let n = &read.calls[3].arguments.as_ref().unwrap()[0];
        assert_eq!((n.accepted.len(), n.left_out.len()), (3, 1));
        assert_eq!(n.accepted[1].sample(), Some(json!(2)));
        assert!(n.accepted[2].sample().is_none());
    }

    #[test]
    fn calls_of_other_packages_are_parsed() {
        let read = Expected::of_record(
            &json!({"evaluation_criteria": {"actions": [{"name": "f", "kwargs": {"a": 1}}]}}),
        );
        assert_eq!(
            read.calls[0].arguments.as_ref().unwrap()[0].pointer,
            "/evaluation_criteria/actions/0/kwargs/a"
        );
        assert_eq!(
            read_all(&json!({"calls": [{"name": "f", "args": 1}]})).malformed[0].pointer,
            "/expected/calls/0/args"
        );
    }
}
