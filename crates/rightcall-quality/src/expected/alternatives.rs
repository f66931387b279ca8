//! BFCL's possible answers: each argument has a list of accepted values.
//!
//! The newer form is a list of `{tool: {argument: [values]}}`. The older form is an object, in
//! which names of repeated tools end in a number. `""` among the values marks the argument as
//! optional. One level of nested objects has lists of values again; deeper levels are plain values.

use rightcall_core::value::pointer::{child, item};
use serde_json::{Map, Value};

use super::{Accepted, Content, Expected, ExpectedArgument, ExpectedCall, calls, kind};

const LIST: &str = "a list of accepted values";

/// True for a list of one-key objects, if none of them is a call or a block of another shape.
pub(super) fn are_calls(items: &[Value]) -> bool {
    let is_call = |it: &Value| {
        it.as_object().is_some_and(|object| {
            object.len() == 1
                && calls::name_of(object).is_none()
                && !calls::is_block(object)
                && object.values().all(|it| it.is_object() || it.is_array())
        })
    };
    !items.is_empty() && items.iter().all(is_call)
}

/// True for an object that maps tools to arguments. A list among the arguments is reported as a separate error.
pub(super) fn is_numbered(object: &Map<String, Value>) -> bool {
    let is_arguments = |value: &Value| value.is_object() || value.is_array();
    object.values().any(Value::is_object) && object.values().all(is_arguments)
}

pub(super) fn read(expected: &mut Expected, value: &Value, pointer: &str) {
    match value {
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                let at = item(pointer, index);
                for (tool, arguments) in value.as_object().into_iter().flatten() {
                    read_call(expected, tool, None, arguments, &child(&at, tool));
                }
            }
        }
        Value::Object(object) => {
            for (tool, arguments) in object {
                let name = unnumbered(tool);
                read_call(expected, tool, name, arguments, &child(pointer, tool));
            }
        }
        _ => {}
    }
}

/// A name without the number at its end: `f_1`, `f 1`.
fn unnumbered(tool: &str) -> Option<String> {
    let name = tool.trim_end_matches(|it: char| it.is_ascii_digit());
    let name = name
        .strip_suffix(['_', ' '])
        .filter(|_| name.len() < tool.len())?;
    Some(name.to_owned())
}

fn read_call(
    expected: &mut Expected,
    tool: &str,
    unnumbered: Option<String>,
    arguments: &Value,
    pointer: &str,
) {
    let read = match arguments {
        Value::Object(members) => {
            let read = members
                .iter()
                .map(|(name, values)| argument(expected, name, values, child(pointer, name), true));
            Some(read.collect())
        }
        other => {
            expected.malformed(
                pointer,
                "an object with the accepted values of each argument",
                kind(other),
            );
            None
        }
    };
    expected.calls.push(ExpectedCall {
        tool: tool.to_owned(),
        unnumbered,
        pointer: pointer.to_owned(),
        arguments: read,
        positional: Vec::new(),
        turn: 0,
        is_open: false,
    });
}

fn argument(
    expected: &mut Expected,
    name: &str,
    values: &Value,
    pointer: String,
    is_outer: bool,
) -> ExpectedArgument {
    let (mut accepted, mut left_out) = (Vec::new(), Vec::new());
    match values {
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                let at = item(&pointer, index);
                if value.as_str() == Some("") {
                    left_out.push(at);
                    continue;
                }
                let content = match value {
                    Value::Object(members) if is_outer => {
                        Content::Object(inner(expected, members, &at))
                    }
                    Value::Array(items) if is_outer && holds_lists(items) => {
                        let objects = items.iter().enumerate().filter_map(|(index, it)| {
                            Some(inner(expected, it.as_object()?, &item(&at, index)))
                        });
                        Content::Objects(objects.collect())
                    }
                    value => Content::Plain(value.clone()),
                };
                accepted.push(Accepted {
                    pointer: at,
                    content,
                });
            }
            if values.is_empty() {
                expected.malformed(&pointer, LIST, "an empty list, which accepts nothing");
            }
        }
        other => expected.malformed(&pointer, LIST, kind(other)),
    }
    ExpectedArgument {
        name: name.to_owned(),
        pointer,
        accepted,
        left_out,
    }
}

fn inner(
    expected: &mut Expected,
    members: &Map<String, Value>,
    pointer: &str,
) -> Vec<ExpectedArgument> {
    let read = members
        .iter()
        .map(|(name, values)| argument(expected, name, values, child(pointer, name), false));
    read.collect()
}

/// True for a list of objects with only lists as values.
fn holds_lists(items: &[Value]) -> bool {
    let is_inner = |it: &Value| {
        it.as_object()
            .is_some_and(|object| object.values().all(Value::is_array))
    };
    !items.is_empty() && items.iter().all(is_inner)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ExpectationForm;
    use super::*;

    #[test]
    fn values_are_parsed_with_their_pointers() {
        let record = json!({"ground_truth": [{"book": {
            "city": ["Oslo", ""],
            "options": [{"wifi": [true, ""]}],
            "guests": [[{"name": ["Ann"]}]],
            "note": "x"
        }}]});
        let read = Expected::of_record(&record);
        assert_eq!(read.shape, ExpectationForm::Alternatives);
        let call = &read.calls[0];
        assert_eq!(call.pointer, "/ground_truth/0/book");
        let arguments = call.arguments.as_ref().unwrap();
        let of = |name: &str| arguments.iter().find(|it| it.name == name).unwrap();
        assert_eq!(of("city").left_out, ["/ground_truth/0/book/city/1"]);
        assert!(
            matches!(&of("options").accepted[0].content, Content::Object(members) if members[0].name == "wifi")
        );
        assert_eq!(
            of("guests").accepted[0].sample(),
            Some(json!([{"name": "Ann"}]))
        );
        assert_eq!(read.malformed[0].pointer, "/ground_truth/0/book/note");
    }

    #[test]
    fn numbered_tool_names_of_older_files_are_recognized() {
        let read = Expected::of_record(
            &json!({"ground_truth": {"f_1": {"a": [1]}, "f 2": {"a": [2]}, "g": {}}}),
        );
        let names: Vec<_> = read
            .calls
            .iter()
            .map(|it| it.unnumbered.as_deref())
            .collect();
        assert_eq!(names, [Some("f"), Some("f"), None]);
    }
}
