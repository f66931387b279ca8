//! Messages that the fast reader doesn't know, read like the same messages in `actual` of a case.

use rightcall_core::call::{ArgumentSource, Arguments, Call, argument_text};
use rightcall_core::value::{JsonText, JsonWriter, Object, Text, Value};

use super::{MadeCall, REASONING, ROLES, ScoredTurns, is_of_model};
use crate::side::complete_run;

/// Keys of messages that the fast reader knows.
const KEYS: [&str; 6] = [
    "role",
    "content",
    "tool_calls",
    "name",
    "id",
    "tool_call_id",
];

/// Roles of messages that are not from the model.
const OTHER_ROLES: [&str; 5] = ["system", "developer", "user", "tool", "function"];

/// Types of content parts that the fast reader knows.
const PARTS: [&str; 5] = [
    "text",
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
];

/// True if the fast reader knows every part of these messages, and one is from the model.
pub(super) fn are_plain(messages: &[Value<'_>]) -> bool {
    let of_model = |it: &Value<'_>| it.as_object().is_some_and(is_of_model);
    messages
        .iter()
        .all(|it| it.as_object().is_some_and(is_plain))
        && (messages.is_empty() || messages.iter().any(of_model))
}

fn is_plain(message: &Object<'_>) -> bool {
    let is_known = |(key, value): &(Text<'_>, Value<'_>)| {
        KEYS.iter().chain(&REASONING).any(|it| *key == **it) || is_empty(value)
    };
    let role = message.get_str("role").and_then(Value::as_text);
    let has_known_role =
        role.is_none_or(|role| ROLES.iter().chain(&OTHER_ROLES).any(|it| *role == **it));
    let calls = message.get_str("tool_calls").filter(|it| !it.is_null());
    let has_calls = matches!(calls, Some(Value::List(calls)) if !calls.is_empty());
    has_known_role
        && message.iter().all(is_known)
        && matches!(calls, None | Some(Value::List(_)))
        && (!is_of_model(message) || has_plain_content(message, has_calls))
}

fn has_plain_content(message: &Object<'_>, has_calls: bool) -> bool {
    match message.get_str("content") {
        None | Some(Value::Null) => has_calls,
        Some(Value::String(_)) => true,
        Some(Value::List(parts)) => {
            let is_plain = |part: &Value<'_>| part.as_object().is_some_and(is_plain_part);
            parts.iter().all(is_plain) && (has_calls || !parts.is_empty())
        }
        Some(_) => false,
    }
}

fn is_plain_part(part: &Object<'_>) -> bool {
    match part.get_str("type").map(Value::as_text) {
        Some(kind) => kind.is_some_and(|kind| PARTS.iter().any(|it| *kind == **it)),
        None => part.len() == 1 && part.get_str("text").is_some(),
    }
}

/// True for the value of a member that is left empty.
fn is_empty(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::List(items) => items.is_empty(),
        Value::Object(object) => object.is_empty(),
        _ => false,
    }
}

/// The calls of messages in any format; `None` if a part of them could not be parsed, or none is from the model.
pub(super) fn calls(messages: &[Value<'_>], turns: ScoredTurns) -> Option<Vec<MadeCall<'static>>> {
    let read = |messages: &[Value<'_>]| {
        let mut writer = JsonWriter::new();
        writer.begin_list();
        messages.iter().for_each(|it| _ = writer.python_value(it));
        writer.end_list();
        complete_run(writer.finish().as_str())
    };
    let calls = match turns {
        ScoredTurns::All => read(messages),
        // The last turn is the shortest suffix of the messages that contains a message of the model.
        ScoredTurns::Last => (0..messages.len())
            .rev()
            .find_map(|from| read(&messages[from..])),
    };
    calls?.into_iter().map(made).collect()
}

/// The call with its arguments as an object; `None` if they are no object.
fn made(call: Call<'static>) -> Option<MadeCall<'static>> {
    let json = match call.arguments.source() {
        ArgumentSource::Json(json) if json.starts_with('{') => json.to_owned(),
        ArgumentSource::Text { text, .. } => match argument_text(&text).0 {
            object @ Value::Object(_) => JsonText::from_python_value(&object).into_string(),
            _ => return None,
        },
        ArgumentSource::Json(_) | ArgumentSource::Absent => return None,
    };
    Some(MadeCall {
        call: Call {
            name: call.name,
            arguments: Arguments::owned_json(json),
            metadata: None,
        },
        repeats_key: false,
    })
}
