//! Messages as JSON text, as tables, data sets and logs write them.

use rightcall_core::value::MAX_DEPTH;

use super::parts::LISTS;
use crate::node::Node;

/// Keys that every message has one of. The last is of Pydantic AI.
const KINDS: [&str; 5] = ["role", "type", "from", "_role", "parts"];

/// The value with its messages as JSON, if they are the JSON text of a list, or a list of JSON texts. A value with a list of messages
/// stays: then texts beside it are the user's.
pub(crate) fn unpacked(value: &Node<'_>) -> Option<String> {
    let members = || LISTS.iter().filter_map(|key| value.get(key));
    if members().any(|member| member.items().iter().any(Node::is_object)) {
        return None;
    }
    let (member, messages) = members().find_map(|member| Some((member, list_in(member)?)))?;
    Some(replaced(value, member, &messages))
}

/// The JSON of a value with other JSON in place of a member.
fn replaced(value: &Node<'_>, member: &Node<'_>, json: &str) -> String {
    let whole = value.raw();
    let start = member.raw().as_ptr().addr() - whole.as_ptr().addr();
    let (before, behind) = (&whole[..start], &whole[start + member.raw().len()..]);
    // Lines of the text aren't lines of the file.
    format!("{before}{}{behind}", json.replace(['\n', '\r'], " "))
}

/// Keys of the body of a request or queue message, of the message of a log record, and of a trajectory.
const BODIES: [&str; 5] = ["body", "Body", "message", "Message", "trajectory"];

/// The value with its body as JSON, if that is the text of an object or list. Items of a list are treated the same way.
pub(crate) fn opened(value: &Node<'_>) -> Option<String> {
    if value.is_list() {
        let opened: Option<Vec<_>> = value.items().iter().map(opened).collect();
        let items = opened.filter(|items| !items.is_empty())?;
        return Some(format!("[{}]", items.join(",")));
    }
    if value.any(&KINDS).is_some() {
        return None;
    }
    let body = value.any(&BODIES)?;
    let text = body.str()?.trim();
    let is_structure = text.starts_with(['{', '[']) && Node::parse(text, MAX_DEPTH).is_ok();
    is_structure.then(|| replaced(value, body, text))
}

/// The JSON of the messages in a text, or in a list of texts.
fn list_in(member: &Node<'_>) -> Option<String> {
    let holds_messages = |json: &str| {
        let is_message = |item: &Node<'_>| item.any(&KINDS).is_some();
        Node::parse(json, MAX_DEPTH)
            .is_ok_and(|list| !list.items().is_empty() && list.items().iter().all(is_message))
    };
    let json = if let Some(text) = member.str() {
        // The text of a text: the messages were encoded twice.
        let inner = Node::parse(text.trim(), MAX_DEPTH).ok();
        let text = inner.as_ref().and_then(Node::str).unwrap_or(text);
        text.trim().starts_with('[').then(|| text.to_owned())?
    } else {
        let texts: Option<Vec<_>> = member.items().iter().map(Node::str).collect();
        let texts = texts.filter(|texts| !texts.is_empty())?;
        let are_objects = texts.iter().all(|text| text.trim().starts_with('{'));
        are_objects.then(|| format!("[{}]", texts.join(",")))?
    };
    holds_messages(&json).then_some(json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn messages_in_texts_are_read_as_messages() {
        let call = r#"{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{}"}}]}"#;
        let result = r#"{"role":"tool","tool_call_id":"c","content":"x"}"#;
        let text = |json: &str| serde_json::Value::from(json).to_string();
        let list = text(&format!("[\n{call},\n{result}]"));
        let calls = [r#"find("{}") c @0 -> "x""#];
        for value in [
            format!(r#"{{"id":"a","messages":{list},"tools":"[]"}}"#),
            format!(r#"{{"conversation":{list}}}"#),
            format!(r#"{{"messages":[{},{}]}}"#, text(call), text(result)),
        ] {
            check("openai-chat", &value, &calls);
            let both = [&calls[..], &["---"], &calls].concat();
            check("openai-chat", &format!("{value}\n{value}\n"), &both);
        }
    }

    #[test]
    fn other_texts_stay() {
        for value in [
            r#"{"messages":"hello"}"#,
            r#"{"messages":"[1]"}"#,
            r#"{"messages":["a"]}"#,
            r#"{"messages":[]}"#,
            r#"{"output":"[]"}"#,
            r#"{"input":"[{"}"#,
            r#"{"input":"[{\"order\":7}]"}"#,
            r#"{"input":"[{\"role\":\"user\"}]","messages":[{"role":"assistant"}]}"#,
        ] {
            let node = Node::parse(value, MAX_DEPTH).expect("valid");
            assert_eq!(unpacked(&node), None, "{value}");
        }
    }
}
