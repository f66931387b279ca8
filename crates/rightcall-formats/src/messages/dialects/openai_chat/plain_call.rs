//! Calls without a message around them, in any usual spelling, as in a library's list of calls.

use rightcall_core::value::Text;

use crate::case::{CallField, is_type_of_call};
use crate::messages::parts::LISTS;
use crate::node::Node;
use crate::trace::{TraceCall, is_schema};

/// Keys of calls besides name and arguments.
const OTHERS: [&str; 11] = [
    "id",
    "call_id",
    "callId",
    "tool_call_id",
    "toolCallId",
    "part_kind",
    "type",
    "index",
    "extra",
    "output",
    "error",
];

/// Keys of names and arguments that other things have too.
const AMBIGUOUS: [&str; 4] = ["name", "input", "parameters", "params"];

/// True for an object with the name of a tool, arguments, and no key that calls don't have.
pub(super) fn is_plain_call(node: &Node<'_>) -> bool {
    if node.has("role") {
        return false;
    }
    // Two of a field are an error. Other things have a name and an input too.
    let (mut names, mut arguments, mut is_telling) = (0, 0, false);
    for (key, value) in node.entries() {
        let field = CallField::of(&key.to_display());
        is_telling |= field.is_some() && !AMBIGUOUS.iter().any(|it| key == it);
        match field {
            Some(CallField::Name) if value.is_object() => {
                names += usize::from(value.str_at("name").is_some());
                let inner = value.get("arguments");
                arguments += usize::from(inner.is_some_and(may_be_arguments));
            }
            Some(CallField::Name) if value.str().is_some_and(|name| !name.is_empty()) => names += 1,
            Some(CallField::Arguments) if may_be_arguments(value) => arguments += 1,
            None if key == "type" && !is_type_of_call(value.raw()) => return false,
            None if OTHERS.iter().any(|other| key == other) => {}
            _ => return false,
        }
    }
    (names, arguments, is_telling) == (1, 1, true)
}

fn may_be_arguments(value: &Node<'_>) -> bool {
    let is_text = || {
        value
            .str()
            .is_some_and(|text| text.trim_start().starts_with('{'))
    };
    value.is_object() && !is_schema(value) || is_text()
}

/// True for a list of such calls.
pub(crate) fn are_plain_calls(list: &Node<'_>) -> bool {
    !list.items().is_empty() && list.items().iter().all(is_plain_call)
}

const LISTED: [&str; 4] = ["tool_calls", "toolCalls", "calls", "trajectory"];

/// True for an object whose list of calls has an item that is not read as one.
pub(crate) fn lists_other_calls(value: &Node<'_>) -> bool {
    let calls = value
        .any(&LISTED)
        .filter(|calls| calls.items().iter().any(Node::is_object));
    calls.is_some() && listed(value).is_none()
}

/// The calls in an object with calls instead of messages.
pub(crate) fn listed<'n, 'a>(value: &'n Node<'a>) -> Option<&'n [Node<'a>]> {
    let calls = value.any(&LISTED)?;
    let is_message = value.has_any(&["role", "type", "messageType", "message"]);
    let is_argument = |(key, value): &(Text<'_>, Node<'_>)| {
        let field = CallField::of(&key.to_display());
        let is_telling = !AMBIGUOUS.iter().any(|it| *key == **it);
        field == Some(CallField::Arguments) && is_telling && value.is_object()
    };
    // A call that contains calls is not a list of calls.
    let is_call = value.entries().iter().any(is_argument);
    let is_alone = !is_message && !is_call && !value.has_any(&LISTS);
    (is_alone && are_plain_calls(calls)).then(|| calls.items())
}

/// Reads such a call.
pub(super) fn read(node: &Node<'_>) -> TraceCall {
    TraceCall {
        id: node.label_at(&OTHERS[..5]),
        output: node.raw_at("output"),
        error: node.raw_at("error"),
        ..super::call(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn definitions_people_and_calls_with_two_names_are_no_calls() {
        for text in [
            r#"{"name":"find","parameters":{"type":"object","properties":{}}}"#,
            r#"{"name":"Ann","args":"x"}"#,
            r#"{"name":"lamp","parameters":{"color":"red"}}"#,
            r#"{"name":"find","tool":"look","args":{}}"#,
            r#"{"name":"find","args":{},"arguments":{"id":7}}"#,
            r#"{"name":"find","args":{},"city":"Oslo"}"#,
        ] {
            let node = Node::parse(text, 512).expect("valid");
            assert!(!is_plain_call(&node), "{text}");
        }
    }

    #[test]
    fn a_list_of_calls_is_a_run() {
        for call in [
            r#"{"name":"find","args":{"id":7},"id":"a"}"#,
            r#"{"tool_name":"find","arguments":{"id":7},"id":"a","extra":null}"#,
            r#"{"id":"a","type":"function","function":{"name":"find","arguments":{"id":7}}}"#,
            r#"{"name":"find","args":{"id":7},"id":"a","type":"tool_call"}"#,
            r#"{"id":"a","tool":{"name":"find","arguments":{"id":7}}}"#,
        ] {
            let found = [r#"find({"id":7}) a @0"#, r#"find({"id":7}) a @1"#];
            check("openai-chat", &format!("[{call},{call}]"), &found);
        }
    }
}
