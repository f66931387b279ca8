//! Calls under a key of a message: in a list, single, in a map by id, or as the JSON text of any of these.

use rightcall_core::value::{MAX_DEPTH, Text};

use crate::node::Node;
use crate::trace::Conversation;

/// Reads a call, with its key if it is in a map.
type Reads<'r> = &'r mut dyn FnMut(&Node<'_>, Option<Text<'static>>, &mut Conversation);

/// The maximum nesting of JSON texts.
const MAX_TEXTS: usize = 2;

/// Passes the calls under a key of a message to `read`; a value without calls is left over.
pub(crate) fn each_call(
    message: &Node<'_>,
    key: &str,
    conversation: &mut Conversation,
    read: Reads<'_>,
) {
    if let Some(value) = message.get(key)
        && !each_call_in(value, conversation, read)
    {
        conversation.left_over(format!("what is under `{key}`"));
    }
}

/// Passes the calls in a value to `read`; false for a non-empty value without calls.
pub(crate) fn each_call_in(
    value: &Node<'_>,
    conversation: &mut Conversation,
    read: Reads<'_>,
) -> bool {
    calls_in(value, MAX_TEXTS, conversation, read)
}

/// True if the value under a key is or contains a call, according to this test.
pub(crate) fn holds_call(message: &Node<'_>, key: &str, is_call: fn(&Node<'_>) -> bool) -> bool {
    let Some(value) = message.get(key) else {
        return false;
    };
    if value.is_list() && value.items().iter().all(Node::is_object) {
        return value.items().iter().any(is_call);
    }
    // This conversation is discarded.
    let mut conversation = Conversation::new(crate::trace::Scope::default());
    let mut is_any = false;
    each_call_in(value, &mut conversation, &mut |call, _, _| {
        is_any |= is_call(call);
    });
    is_any
}

/// False for a non-empty value without calls.
fn calls_in(
    value: &Node<'_>,
    texts: usize,
    conversation: &mut Conversation,
    read: Reads<'_>,
) -> bool {
    if let Some(text) = value.text() {
        let text = text.to_display();
        let parsed = Node::parse(text.trim(), MAX_DEPTH)
            .ok()
            .filter(|_| texts > 0);
        return match parsed {
            Some(inner) => calls_in(&inner, texts - 1, conversation, read),
            None => text.trim().is_empty(),
        };
    }
    if value.is_list() {
        let mut are_calls = true;
        for item in value.items() {
            // An object in a list counts as a call, even if parts are missing.
            if item.is_object() {
                read(item, None, conversation);
            } else if item.is_null() {
                are_calls = false;
            } else {
                are_calls &= calls_in(item, texts, conversation, read);
            }
        }
        return are_calls;
    }
    let entries = value.entries();
    if is_call(value) {
        read(value, None, conversation);
    } else if entries.iter().all(|(_, inner)| is_call(inner)) {
        for (key, inner) in entries {
            read(inner, Some(key.clone().into_owned()), conversation);
        }
    } else {
        return false;
    }
    value.is_object() || value.is_null()
}

/// True for an object with a tool name under any usual key.
fn is_call(value: &Node<'_>) -> bool {
    const NAMES: [&str; 6] = [
        "function",
        "custom",
        "name",
        "toolName",
        "tool_name",
        "function_name",
    ];
    value.any(&NAMES).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Scope;

    /// The names of the calls under `calls`, each with its key in a map, and true if something is left over.
    fn found(message: &str) -> (Vec<String>, bool) {
        let node = Node::parse(message, MAX_DEPTH).unwrap();
        let mut conversation = Conversation::new(Scope::default());
        let mut names = Vec::new();
        each_call(&node, "calls", &mut conversation, &mut |call, key, _| {
            let key = key.map(|key| format!("{key}: ")).unwrap_or_default();
            names.push(format!("{key}{}", call.text_at(&["name"])));
        });
        let report = conversation.finish().report;
        (names, report != crate::trace::Report::default())
    }

    #[test]
    fn calls_are_in_lists_alone_in_maps_and_in_texts() {
        let call = |name: &str| format!(r#"{{"name":"{name}","args":{{}}}}"#);
        let list = format!("[{},{}]", call("f"), call("g"));
        let text = |json: &str| serde_json::Value::from(json).to_string();
        for (calls, names) in [
            (list.clone(), vec!["f", "g"]),
            (call("f"), vec!["f"]),
            (
                format!(r#"{{"a":{},"b":{}}}"#, call("f"), call("g")),
                vec!["a: f", "b: g"],
            ),
            (text(&list), vec!["f", "g"]),
            (text(&call("f")), vec!["f"]),
            (text(&text(&list)), vec!["f", "g"]),
            (
                format!("[{},{}]", text(&call("f")), text(&call("g"))),
                vec!["f", "g"],
            ),
            ("[]".to_owned(), vec![]),
            ("{}".to_owned(), vec![]),
            ("null".to_owned(), vec![]),
            ("\"\"".to_owned(), vec![]),
            ("\"[]\"".to_owned(), vec![]),
        ] {
            let (found, is_left_over) = found(&format!(r#"{{"calls":{calls}}}"#));
            assert_eq!(found, names, "{calls}");
            assert!(!is_left_over, "{calls}");
        }
    }

    #[test]
    fn a_value_that_holds_no_call_is_left_over() {
        for calls in [r#"{"f":{"id":7}}"#, r#""f(id=7)""#, "7", r#"["f"]"#, "true"] {
            let found = found(&format!(r#"{{"calls":{calls}}}"#));
            assert_eq!(found, (vec![], true), "{calls}");
        }
    }
}
