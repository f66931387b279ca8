//! Signs of actions that no dialect reads: in a message of the agent, in records between messages, and next to messages.

use rightcall_core::value::Text;

use super::parts::{holds_object, is_about, names_action};
use super::speaker::is_of_model;
use crate::case::letters;
use crate::node::Node;
use crate::trace::role::{is_known_role, is_of_answer};
use crate::trace::unread::{calls_in_words, is_of_calls, line_of_tool};
use crate::trace::words::{has_word, says_any, words_of};
use crate::trace::{Conversation, Trace, is_demand};

/// Counts a message of the agent that names an action without a call: by its type if it has no content, or in another member.
pub(super) fn note_action(message: &Node<'_>, conversation: &mut Conversation) {
    const READ: [&str; 5] = ["content", "parts", "contents", "blocks", "tool_calls"];
    if !is_of_model(message) {
        return;
    }
    let kind = message.str_at("type").filter(|kind| names_action(kind));
    if let Some(kind) = kind.filter(|_| !message.has_any(&READ)) {
        conversation.left_over(format!("a message of the type `{kind}`"));
    }
    let inner = message.entries().iter().map(|(_, member)| member);
    let inner = inner.filter(|member| member.is_object());
    let mut holders = std::iter::once(message).chain(inner);
    if let Some(key) =
        holders.find_map(|holder| key_of_action(holder, std::ptr::eq(holder, message)))
    {
        conversation.left_over(format!("a message with `{key}`"));
    }
}

/// Counts a message of an unknown role, such as a tool, a tool's result or another agent.
pub(super) fn note_role(message: &Node<'_>, conversation: &mut Conversation) {
    let is_usual = |role: &&str| matches!(*role, "assistant" | "user" | "system");
    let role = message.str_at("role").filter(|role| !is_usual(role));
    if let Some(role) = role.filter(|it| !is_known_role(it) && line_of_tool(message).is_none()) {
        conversation.left_over(format!("a message of the role `{role}`"));
    }
}

/// The key of an action in a message, or in an object such as its metadata.
fn key_of_action(holder: &Node<'_>, is_message: bool) -> Option<String> {
    let is_action = |(key, value): &&(Text<'_>, Node<'_>)| {
        if let Some(text) = value.str() {
            return match key.as_str().unwrap_or_default() {
                "tool" | "toolName" | "tool_name" | "functionName" | "function_name" => {
                    is_message && !text.is_empty()
                }
                "action" => is_written_call(text),
                _ => false,
            };
        }
        let is_input = || INPUTS.contains(&letters(&key.to_display()).as_str());
        is_object(value) && is_input() || holds_objects(value) && says_action(key) && !is_about(key)
    };
    let found = holder.entries().iter().find(is_action)?;
    Some(found.0.to_display().into_owned())
}

/// Keys of arguments, which belong to a call even without a name.
const INPUTS: [&str; 6] = [
    "toolinput",
    "toolargs",
    "toolarguments",
    "toolparameters",
    "functionargs",
    "functionarguments",
];

/// True for an object with values. Libraries in Go write empty values for members that are not there.
fn is_object(value: &Node<'_>) -> bool {
    let is_empty = |member: &Node<'_>| member.text().is_some_and(Text::is_empty);
    value.entries().iter().any(|(_, member)| !is_empty(member))
}

fn holds_objects(value: &Node<'_>) -> bool {
    is_object(value) || value.items().iter().any(is_object)
}

/// True for a text such as `find_order(id=7)`.
fn is_written_call(text: &str) -> bool {
    let name = text
        .trim()
        .strip_suffix(')')
        .and_then(|it| it.split_once('('));
    name.is_some_and(|(name, _)| {
        let is_letter =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
        !name.is_empty() && name.chars().all(is_letter)
    })
}

/// True for a key with a word for actions.
fn says_action(key: &Text<'_>) -> bool {
    const ACTIONS: [&str; 19] = [
        "action",
        "actions",
        "call",
        "calls",
        "command",
        "commands",
        "delegation",
        "delegations",
        "execution",
        "executions",
        "intent",
        "invocation",
        "invocations",
        "plugin",
        "plugins",
        "skill",
        "skills",
        "step",
        "steps",
    ];
    has_word(&key.to_display(), &ACTIONS)
}

/// Counts a record between messages on lines; false if nothing in it may be an action.
pub(crate) fn note_record(record: &Node<'_>, conversation: &mut Conversation) -> bool {
    let may_be_action = holds_object(record);
    if may_be_action && line_of_tool(record).is_none() {
        let keys = record.entries().iter().take(2);
        let keys: Vec<_> = keys
            .map(|(key, _)| format!("`{}`", key.to_display()))
            .collect();
        conversation.left_over(format!(
            "a record with {} between messages",
            keys.join(" and ")
        ));
    }
    may_be_action
}

/// The leftover kind of a record between messages, if the last word of its type names an action. Other words say how an action ended.
pub(crate) fn action_record(record: &Node<'_>) -> Option<String> {
    const ACTIONS: [&str; 6] = ["action", "call", "command", "exec", "invocation", "tool"];
    let kind = record.str_at("type")?;
    let last = kind.rsplit(['_', '-', '.']).next();
    last.is_some_and(|last| ACTIONS.contains(&last))
        .then(|| of_type(kind))
}

/// The leftover kind of a record of this type.
fn of_type(kind: &str) -> String {
    format!("a record of the type `{kind}`")
}

/// Counts a record of an unknown type that may be an action.
pub(super) fn note_typed_record(record: &Node<'_>, conversation: &mut Conversation) {
    let may_act = may_act(record) && line_of_tool(record).is_none();
    if let Some(kind) = record.str_at("type").filter(|_| may_act) {
        conversation.left_over(of_type(kind));
    }
}

/// Counts an object among messages that names an action or what acted, without a speaker; false for other objects.
pub(super) fn note_untyped_record(record: &Node<'_>, conversation: &mut Conversation) -> bool {
    const SIGNS: [&str; 10] = [
        "action",
        "cmd",
        "command",
        "event",
        "fn",
        "function",
        "name",
        "tool",
        "tool_call_id",
        "tool_name",
    ];
    let key = SIGNS.into_iter().find(|key| record.has(key));
    if line_of_tool(record).is_none()
        && let Some(key) = key
    {
        conversation.left_over(format!("an object with `{key}` among messages"));
    }
    key.is_some()
}

/// True if a record of an unknown type may be an action.
pub(super) fn may_act(record: &Node<'_>) -> bool {
    const RESULTS: [&str; 4] = ["observation", "output", "result", "shell"];
    let is_of_action = record
        .str_at("type")
        .is_some_and(|kind| names_action(kind) || says_any(kind, &RESULTS));
    holds_object(record) || is_of_action || record.has("command")
}

/// Counts calls in answers, and lists of actions, next to messages without calls.
pub(super) fn note_beside(record: &Node<'_>, read: &[&str], trace: &mut Trace) {
    if !trace.calls.is_empty() {
        return;
    }
    for (key, value) in record.entries() {
        let said = value.str().filter(|_| is_of_answer(key));
        if let Some((calls, unread)) = said.map(calls_in_words) {
            let looks = calls.into_iter().map(|it| it.looks).chain(unread).next();
            looks
                .into_iter()
                .for_each(|kind| trace.report.left_over(kind, "in the record"));
        }
        let is_something =
            |item: &Node<'_>| is_object(item) || item.str().is_some_and(|it| !it.is_empty());
        let holds_any = value.items().iter().any(is_something)
            || is_object(value) && !is_demand(value)
            || value.str().is_some_and(is_written_call);
        let is_read = read.iter().any(|read| *key == **read);
        let is_usage = value.is_list() && *key == "tool_usage";
        let is_of_actions = is_usage || is_key_of_actions(key) && !is_about(key);
        if is_of_actions && !is_read && holds_any {
            let kind = format!("`{}` next to the messages", key.to_display());
            trace.report.left_over(kind, "in the record");
        }
    }
}

/// True for a key of actions, such as `actions`, `tool_call` or `planned_steps`.
fn is_key_of_actions(key: &Text<'_>) -> bool {
    const LAST_WORDS: [&str; 8] = [
        "actions",
        "calls",
        "commands",
        "executions",
        "invocations",
        "requests",
        "steps",
        "trajectory",
    ];
    let words = words_of(&key.to_display());
    let last = words.last().map(String::as_str).unwrap_or_default();
    *key == "action" || LAST_WORDS.contains(&last) || is_of_calls(key)
}

#[cfg(test)]
mod tests {
    use crate::tests::evidence;

    /// The leftovers of a run of messages.
    fn left_over(message: &str, beside: &str) -> Vec<String> {
        let run = format!(
            r#"{{"messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":"a"{message}}}]{beside}}}"#
        );
        evidence("openai-chat", &run)[1..].to_vec()
    }

    #[test]
    fn members_that_name_an_action_are_left_over() {
        for (member, key) in [
            (r#""tool":"find""#, "tool"),
            (r#""toolName":null,"toolArgs":{"id":7}"#, "toolArgs"),
            (r#""commands":[{"command":"find"}]"#, "commands"),
            (r#""nextAction":{"id":7}"#, "nextAction"),
            (r#""action":"find(id=7)""#, "action"),
            (r#""metadata":{"calls":[{"fn":"find"}]}"#, "calls"),
        ] {
            let found = left_over(&format!(",{member}"), "");
            assert_eq!(found, [format!("1 a message with `{key}`")], "{member}");
        }
        for member in [
            r#""tool":null"#,
            r#""commands":[]"#,
            r#""interactions":[{"id":7}]"#,
            r#""action":"respond""#,
            r#""metadata":{"model":"m"}"#,
        ] {
            assert_eq!(left_over(&format!(",{member}"), ""), [""; 0], "{member}");
        }
    }

    #[test]
    fn lists_of_actions_next_to_messages_are_left_over() {
        let found = left_over("", r#","agent_steps":[{"do":"find"}]"#);
        assert_eq!(found, ["1 `agent_steps` next to the messages"]);
        assert_eq!(
            left_over("", r#","actions":["find"]"#),
            ["1 `actions` next to the messages"]
        );
        for (beside, key) in [
            (r#","tool_call":{"find":{"id":7}}"#, "tool_call"),
            (r#","toolCall":"find(id=7)""#, "toolCall"),
            (r#","action":{"find":{"id":7}}"#, "action"),
            (r#","tool_usage":["find"]"#, "tool_usage"),
        ] {
            let found = left_over("", beside);
            assert_eq!(found, [format!("1 `{key}` next to the messages")]);
        }
        for beside in [
            r#","actions":[]"#,
            r#","steps":3"#,
            r#","reactions":["x"]"#,
            r#","tool_call":"none""#,
            r#","tool_usage":{"find":0}"#,
        ] {
            assert_eq!(left_over("", beside), [""; 0], "{beside}");
        }
    }

    #[test]
    fn records_between_messages_are_left_over_if_they_may_be_actions() {
        let lines = |between: &str| {
            evidence(
                "openai-chat",
                &format!(
                    "{{\"role\":\"user\",\"content\":\"q\"}}\n{between}\n{{\"role\":\"assistant\",\"content\":\"a\"}}\n"
                ),
            )
        };
        assert_eq!(
            lines(r#"{"fn":"find","in":{"id":7}}"#)[1..],
            ["1 a record with `fn` and `in` between messages"]
        );
        assert_eq!(
            lines(r#"{"type":"custom","data":{"id":7}}"#)[1..],
            ["1 a record of the type `custom`"]
        );
    }
}
