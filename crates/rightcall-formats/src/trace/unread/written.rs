//! Actions that a model wrote as JSON of its own: agents without tool calls act by such texts.

use memchr::memmem;
use rightcall_core::value::{MAX_DEPTH, Text};

use super::suspect::in_text_of_model;
use crate::case::letters;
use crate::node::Node;

/// The leftover kind of an action in a text of the model: a JSON object at its end, alone or after other text, with a key of actions.
pub(crate) fn action_in_json(text: &str) -> Option<String> {
    let object = object_at_end(text)?;
    let members = object.entries().iter();
    let mut keys = members.filter(|(key, value)| is_action(key, value, &object));
    let (key, _) = keys.next()?;
    Some(in_text_of_model(&format!(
        "JSON with `{}`",
        key.to_display()
    )))
}

/// The object that ends a text, possibly in a code fence.
fn object_at_end(text: &str) -> Option<Node<'_>> {
    const WORDS: [&str; 3] = ["\"action", "\"command", "\"tool"];
    let text = text.trim();
    let text = text.strip_suffix("```").map_or(text, str::trim_end);
    let says = |word: &&str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    if !text.ends_with('}') || !WORDS.iter().any(says) {
        return None;
    }
    let start = if text.starts_with('{') {
        0
    } else {
        text.find("\n{")? + 1
    };
    Node::parse(&text[start..], MAX_DEPTH).ok()
}

/// True for a member that holds actions, or that names one beside its input.
fn is_action(key: &Text<'_>, value: &Node<'_>, object: &Node<'_>) -> bool {
    const KEYS: [&str; 8] = [
        "action",
        "actions",
        "command",
        "commands",
        "nextaction",
        "tool",
        "toolcall",
        "toolcalls",
    ];
    // Objects of other kinds have an `input` or `parameters` too.
    const INPUTS: [&str; 5] = ["action_input", "args", "arguments", "params", "tool_input"];
    let is_filled = |it: &Node<'_>| !it.entries().is_empty();
    if !KEYS.contains(&letters(&key.to_display()).as_str()) {
        return false;
    }
    match value.str() {
        Some(name) => !name.is_empty() && letters(name) != "finalanswer" && object.has_any(&INPUTS),
        None => is_filled(value) || value.items().iter().any(is_filled),
    }
}

#[cfg(test)]
mod tests {
    use super::action_in_json;

    #[test]
    fn actions_are_told_and_answers_are_not() {
        for (text, key) in [
            (r#"{"state":{},"action":[{"click":{"index":1}}]}"#, "action"),
            (r#"{"action":{"type":"click","id":"B1"}}"#, "action"),
            (
                r#"{"plan":"p","commands":[{"keystrokes":"ls\n"}]}"#,
                "commands",
            ),
            (
                "```json\n{\"action\":\"find\",\"action_input\":\"7\"}\n```",
                "action",
            ),
            ("I look.\n\n{\"tool\":\"find\",\"args\":{\"id\":7}}", "tool"),
            (r#"{"text":"x","toolCalls":[{"name":"find"}]}"#, "toolCalls"),
        ] {
            let found = action_in_json(text);
            let kind = format!("a call in the text of the model (JSON with `{key}`)");
            assert_eq!(found.as_deref(), Some(kind.as_str()), "{text}");
        }
        for text in [
            r#"{"action":"approve","reason":"x"}"#,
            r#"{"actions":[],"commands":[]}"#,
            r#"{"action":"Final Answer","action_input":"x"}"#,
            r#"{"actions":["Call the customer"]}"#,
            r#"{"tool":"hammer","input":{"kg":1},"price":3}"#,
            r#"The key "action" is {not JSON}"#,
        ] {
            assert_eq!(action_in_json(text), None, "{text}");
        }
    }
}
