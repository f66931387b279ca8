//! Selects the calls that are steps of type `tool`: all except calls that run a command and calls without a name.

use crate::matching::ArgumentsRef;
use crate::presets::prelude::*;
use crate::value::javascript;

/// Tools that run commands. If a command is among the arguments, the step's type is `command`.
const COMMAND_TOOLS: [&str; 3] = ["exec_command", "local_shell", "shell"];

/// The sides without actual calls that are not steps of type `tool`.
pub(super) fn without_commands(sides: Sides<'_>) -> Sides<'_> {
    sides.skipping(|item| is_nameless(item) || is_command(item))
}

fn is_nameless(item: &Item<'_>) -> bool {
    is_blank(&item.name().to_text())
}

fn is_command(item: &Item<'_>) -> bool {
    let name = item.name().to_text();
    let name = name.trimmed(javascript::is_space);
    let name = name.to_display().to_lowercase();
    if !COMMAND_TOOLS.contains(&&*name) || matches!(item.arguments(), ArgumentsRef::Absent) {
        return false;
    }
    let arguments = item.arguments().to_tree();
    let object = arguments.as_deref().and_then(Value::as_object);
    let command = object.and_then(|object| {
        let keys = ["cmd", "command", "commands"];
        keys.iter().find_map(|key| object.get_str(key))
    });
    match command {
        Some(Value::String(text)) => !is_blank(text),
        Some(Value::List(parts)) => parts.iter().any(|part| part.is_null() || !is_nothing(part)),
        _ => false,
    }
}

/// True for a text with only white space.
pub(super) fn is_blank(text: &Text<'_>) -> bool {
    text.trimmed(javascript::is_space).is_empty()
}

/// True if JavaScript's `String` of the value is blank: blank texts, and lists that are empty or hold one such value.
fn is_nothing(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => is_blank(text),
        Value::List(items) => items.len() < 2 && items.iter().all(is_nothing),
        _ => false,
    }
}
