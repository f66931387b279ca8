//! Which calls are steps of the type `tool`: all but those that run a command, and those without a name.

use crate::matching::ArgumentsRef;
use crate::presets::prelude::*;
use crate::recipe::MoreOfSides;

/// Tools that run commands: with one among their arguments, such a call is a step of the type `command`.
const COMMAND_TOOLS: [&str; 3] = ["exec_command", "local_shell", "shell"];

/// The sides without actual calls that are no steps of the type `tool`.
pub(super) fn without_commands(sides: Sides<'_>) -> Sides<'_> {
    let is_tool = |item: &Item<'_>| !is_nameless(item) && !is_command(item);
    if sides.actual.as_slice().iter().all(is_tool) {
        return sides;
    }
    let (places, kept) = sides
        .actual
        .as_slice()
        .iter()
        .enumerate()
        .filter(|(_, item)| is_tool(item))
        .map(|(place, item)| (place, item.clone()))
        .unzip();
    let all = (0..sides.expected.len()).collect();
    let items = sides.actual.as_slice().iter().enumerate();
    let skipped = items.filter(|(_, item)| !is_tool(item));
    let skipped = skipped.map(|(place, _)| place).collect();
    Sides {
        actual: Items::Own(kept),
        ..sides
    }
    .with(MoreOfSides {
        places: Some([all, places]),
        skipped,
        ..MoreOfSides::default()
    })
}

fn is_nameless(item: &Item<'_>) -> bool {
    let name = item.name().to_text();
    name.as_str().is_some_and(|name| name.trim().is_empty())
}

fn is_command(item: &Item<'_>) -> bool {
    let name = item.name().to_text().to_display().trim().to_lowercase();
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

fn is_blank(text: &Text<'_>) -> bool {
    text.as_str().is_some_and(|text| text.trim().is_empty())
}

/// True for what JavaScript's `String` makes blank: blank texts, and lists of nothing or of one such value.
fn is_nothing(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => is_blank(text),
        Value::List(items) => items.len() < 2 && items.iter().all(is_nothing),
        _ => false,
    }
}
