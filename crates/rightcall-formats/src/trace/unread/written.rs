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
    const WORDS: [&str; 5] = ["\"action", "\"command", "\"tool", "\"function", "\"input"];
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
    let letters = letters(&key.to_display());
    match value.str() {
        Some(name) => !name.is_empty() && names_action(&letters, name, object),
        None => value
            .items_or_self()
            .iter()
            .any(|it| holds_action(&letters, it)),
    }
}

/// True for a value under a key of actions: an object, or a command or a call as text. A plan holds objects that name a tool.
fn holds_action(key: &str, value: &Node<'_>) -> bool {
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
    if let Some(text) = value.str() {
        let is_call = text.ends_with(')') && text.contains('(') && !text.starts_with('(');
        let is_word = text.split('(').next().is_some_and(|it| !it.contains(' '));
        return key == "commands" && !text.is_empty() || key == "actions" && is_call && is_word;
    }
    let mut members = value.entries().iter();
    match key {
        "plan" | "steps" => members.any(|(key, name)| {
            let named = name.str().filter(|name| !name.is_empty());
            named.is_some_and(|name| names_action(&letters(&key.to_display()), name, value))
        }),
        _ => KEYS.contains(&key) && !value.entries().is_empty(),
    }
}

/// True for the name of an action beside its input, or the name or command beside a thought.
fn names_action(key: &str, name: &str, object: &Node<'_>) -> bool {
    // Objects of other kinds have an `input` or `parameters` too.
    const INPUTS: [&str; 10] = [
        "action_input",
        "args",
        "arguments",
        "params",
        "tool_input",
        "coordinate",
        "coordinates",
        "element",
        "selector",
        "start_box",
    ];
    const THOUGHTS: [&str; 4] = ["thought", "thoughts", "reasoning", "analysis"];
    let is_alone = || object.has_only(&[key, "input"]) && object.has("input");
    match key {
        "action" | "nextaction" => letters(name) != "finalanswer" && object.has_any(&INPUTS),
        "tool" | "toolname" | "function" => object.has_any(&INPUTS) || is_alone(),
        "name" => is_alone() && object.get("input").is_some_and(Node::is_object),
        "command" => object.has_any(&INPUTS) || object.has_any(&THOUGHTS),
        _ => false,
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
            (r#"{"commands":["rm -rf /"],"done":false}"#, "commands"),
            (r#"{"actions":["click(1)"]}"#, "actions"),
            (r#"{"thought":"t","command":"rm"}"#, "command"),
            (r#"{"action":"click","coordinate":[1,2]}"#, "action"),
            (r#"{"tool":"bash","input":"rm"}"#, "tool"),
            ("Now:\n{\"name\":\"bash\",\"input\":{\"c\":1}}", "name"),
            (r#"{"tool_name":"bash","tool_input":{}}"#, "tool_name"),
            (r#"{"function":"bash","arguments":{}}"#, "function"),
            (r#"{"plan":[{"tool":"refund","args":{}}]}"#, "plan"),
        ] {
            let found = action_in_json(text);
            let kind = format!("a call in the text of the model (JSON with `{key}`)");
            assert_eq!(found.as_deref(), Some(kind.as_str()), "{text}");
        }
        for text in [
            r#"{"action":"approve","reason":"x"}"#,
            r#"{"actions":[],"commands":[]}"#,
            r#"{"action":"Final Answer","action_input":"x"}"#,
            r#"{"actions":["Call the customer", "Wait (a day)"]}"#,
            r#"{"plan":["Find the order","Refund it"]}"#,
            r#"{"command":"refund","reason":"x"}"#,
            r#"{"name":"Ann","input":"x"}"#,
            r#"{"tool":"hammer","input":{"kg":1},"price":3}"#,
            r#"The key "action" is {not JSON}"#,
        ] {
            assert_eq!(action_in_json(text), None, "{text}");
        }
    }
}
