//! Call objects without a marker.

use super::calls::{TextArguments, TextCall};
use super::names::is_placeholder;
use super::object::{FUNCTION, IDS, PLAIN, broken_object, id_of, is_beside, name_of, repeats_key};
use super::places::{skip_letters, skip_space};
use super::value::{WrittenValue, member};
use crate::catalogue::ToolCatalogue;
use rightcall_core::value::Text;

type Members<'t> = [(Text<'t>, WrittenValue<'t>)];

/// Keys that other formats use for arguments.
const OTHER_ARGUMENTS: [&str; 4] = ["params", "args", "kwargs", "input"];

/// The kind of a value without a marker.
#[derive(Debug)]
pub(super) enum BareItem {
    Call(TextCall),
    /// Looks like a call, but isn't one.
    CallLike,
    Answer,
}

/// Classifies a value without a marker. A call has exactly a name and an argument object, plus at most `type` and an id.
pub(super) fn bare_item(value: &WrittenValue<'_>, tools: &ToolCatalogue) -> BareItem {
    let members = value.members();
    let function = member(&members, &[FUNCTION]).filter(|it| it.is_object());
    if let Some(function) = function.filter(|_| has_only(&members, &[FUNCTION])) {
        return match plain_item(&function.members(), tools) {
            BareItem::Call(call) => BareItem::Call(TextCall {
                id: id_of(&members).or(call.id),
                ..call
            }),
            other => other,
        };
    }
    plain_item(&members, tools)
}

fn plain_item(members: &Members<'_>, tools: &ToolCatalogue) -> BareItem {
    let Some(name) = name_of(members, &PLAIN) else {
        return other_pair(members, tools);
    };
    let Some(value) = member(members, PLAIN.arguments) else {
        let other = member(members, &OTHER_ARGUMENTS).filter(|it| it.is_object());
        let is_known = |(key, _): &(Text<'_>, _)| {
            *key == *"name" || OTHER_ARGUMENTS.iter().any(|it| *key == **it) || is_beside(key)
        };
        return if other.is_some() && is_word(&name) && members.iter().all(is_known) {
            BareItem::CallLike
        } else {
            BareItem::Answer
        };
    };
    let Some(object) = argument_object(value) else {
        return BareItem::Answer;
    };
    let is_definition = member(members, &["parameters"]).is_some_and(is_schema);
    if is_definition || !is_word(&name) || is_placeholder(&name.to_display(), tools) {
        return BareItem::Answer;
    }
    let is_call =
        has_only(members, &["name", "arguments"]) || has_only(members, &["name", "parameters"]);
    if !is_call {
        return BareItem::CallLike;
    }
    BareItem::Call(TextCall {
        name,
        arguments: TextArguments::Json(object),
        id: id_of(members),
        repeats_key: repeats_key(members),
    })
}

/// An object with the keys of a call as agent frameworks write them in prompts. What is not read is not an answer either.
fn other_pair(members: &Members<'_>, tools: &ToolCatalogue) -> BareItem {
    const PAIRS: [(&str, &[&str]); 7] = [
        ("command", &["args", "arguments", "parameters"]),
        ("function", &["args", "arguments", "parameters"]),
        (
            "function_name",
            &["args", "arguments", "parameters", "function_args"],
        ),
        ("recipient_name", &["parameters"]),
        ("action", &["action_input"]),
        (
            "tool",
            &["input", "tool_input", "args", "arguments", "parameters"],
        ),
        (
            "tool_name",
            &["tool_args", "tool_input", "arguments", "parameters"],
        ),
    ];
    let others = members.iter().filter(|(key, _)| !is_beside(key)).count();
    let is_pair = |(name, arguments): &(&str, &[&str])| {
        let named = member(members, &[name]).and_then(WrittenValue::text);
        let object = member(members, arguments).filter(|it| it.is_object() && !is_schema(it));
        others == 2 && named.is_some_and(|it| is_word(&it)) && object.is_some()
    };
    // A tool of the record as the only key.
    let is_under_name = || {
        let mut named = members.iter().filter(|(key, _)| !is_beside(key));
        others == 1 && named.all(|(key, value)| tools.has(&key.to_display()) && value.is_object())
    };
    if PAIRS.iter().any(is_pair) || is_under_name() || holds_call(members) {
        BareItem::CallLike
    } else {
        BareItem::Answer
    }
}

/// True for a text without blanks, as names of tools are.
fn is_word(text: &Text<'_>) -> bool {
    !text.is_empty() && !text.as_bytes().iter().any(u8::is_ascii_whitespace)
}

/// True for an object with thoughts, and with a call under a key or a list of calls: `AutoGPT` writes `command`.
fn holds_call(members: &Members<'_>) -> bool {
    const KEYS: [&str; 9] = [
        "command",
        "commands",
        "action",
        "actions",
        "next_action",
        "tool_call",
        "function_call",
        "tool_use",
        "tool_uses",
    ];
    let value = member(members, &KEYS);
    let items = value.filter(|it| it.is_list()).map(WrittenValue::items);
    items.iter().flatten().chain(value).any(is_call_like)
}

/// True for an object with a name and an object of arguments.
fn is_call_like(value: &WrittenValue<'_>) -> bool {
    const NAMES: [&str; 4] = ["name", "tool", "tool_name", "recipient_name"];
    const ARGUMENTS: [&str; 6] = [
        "arguments",
        "parameters",
        "args",
        "input",
        "tool_input",
        "tool_args",
    ];
    let inner = value.members();
    member(&inner, &NAMES)
        .and_then(WrittenValue::text)
        .is_some()
        && member(&inner, &ARGUMENTS).is_some_and(WrittenValue::is_object)
}

/// The JSON of an object, or of the object in a text.
fn argument_object(value: &WrittenValue<'_>) -> Option<String> {
    if value.is_object() {
        return Some(value.to_json());
    }
    let text = value.text()?;
    WrittenValue::whole_object(&text.to_display()).map(|object| object.to_json())
}

/// True if an object has only these keys, `type` and an id.
fn has_only(members: &Members<'_>, keys: &[&str]) -> bool {
    let is_among = |key: &Text<'_>, keys: &[&str]| keys.iter().any(|known| *key == **known);
    let is_known = |key: &Text<'_>| is_among(key, keys) || *key == *"type" || is_among(key, &IDS);
    let ids = IDS.iter().filter(|id| member(members, &[id]).is_some());
    members.iter().all(|(key, _)| is_known(key)) && ids.count() < 2
}

/// True for a parameter schema.
pub(super) fn is_schema(value: &WrittenValue<'_>) -> bool {
    let members = value.members();
    ["type", "properties"]
        .iter()
        .all(|key| member(&members, &[key]).is_some())
}

/// True if the object at this offset is a parameter schema, possibly cut off.
pub(super) fn begins_schema(text: &str, at: usize) -> bool {
    let object = broken_object(text, at, |_, _| false);
    let has = |key: &str| {
        let is_broken = object
            .broken
            .as_ref()
            .is_some_and(|(broken, _)| *broken == *key);
        is_broken || member(&object.members, &[key]).is_some()
    };
    has("type") && has("properties")
}

/// Classifies an object that is cut off by the end of the text; `None` if it isn't cut off.
pub(super) fn cut_item(text: &str, at: usize, tools: &ToolCatalogue) -> Option<BareItem> {
    let object = broken_object(text, at, |_, _| false);
    if object.stop < text.trim_end().len() {
        return None;
    }
    let members = &object.members;
    let keys = ["name", "arguments", "parameters"];
    let name = name_of(members, &PLAIN).filter(|name| !is_placeholder(&name.to_display(), tools));
    let Some(name) = name.filter(|_| has_only(members, &keys)) else {
        return Some(BareItem::Answer);
    };
    let call = |arguments| {
        let id = id_of(members);
        BareItem::Call(TextCall {
            name,
            arguments,
            id,
            repeats_key: repeats_key(members),
        })
    };
    if let Some(value) = member(members, PLAIN.arguments) {
        return Some(match argument_object(value) {
            Some(object) if !is_schema(value) => call(TextArguments::Json(object)),
            _ => BareItem::Answer,
        });
    }
    let Some(value) = object.broken_value(PLAIN.arguments) else {
        let may_follow = arguments_may_follow(text, object.read_to);
        return Some(if may_follow {
            BareItem::CallLike
        } else {
            BareItem::Answer
        });
    };
    let written = text[value..].trim();
    let inside = written.strip_prefix(['"', '\'']).unwrap_or(written);
    Some(match inside {
        "" => BareItem::CallLike,
        _ if !inside.starts_with('{') || begins_schema(text, value) => BareItem::Answer,
        _ => call(TextArguments::invalid(written)),
    })
}

/// True if an object is cut off after a member and arguments could follow.
fn arguments_may_follow(text: &str, after_member: usize) -> bool {
    let at = skip_letters(text, after_member, &[',']);
    let key = text[at..].trim_end();
    let Some(key) = key.strip_prefix(['"', '\'']) else {
        return key.is_empty();
    };
    let keys = ["type"].iter().chain(PLAIN.arguments).chain(&IDS);
    let mut known = keys.into_iter();
    match key.split_once(['"', '\'']) {
        Some((key, _)) => known.any(|known| *known == key),
        None => known.any(|known| known.starts_with(key)),
    }
}

/// True if a complete call object begins at this offset.
pub(super) fn is_call_object(text: &str, at: usize, tools: &ToolCatalogue) -> bool {
    /// Calls in prose have no deeper nesting.
    const MAX_DEPTH: usize = 32;
    let inside = &text[skip_space(text, at + 1)..];
    let Some(key) = inside.strip_prefix(['"', '\'']) else {
        return false;
    };
    let keys = ["name", "type", FUNCTION]
        .iter()
        .chain(PLAIN.arguments)
        .chain(&IDS);
    let may_be = |known: &str| {
        let rest = key.strip_prefix(known);
        rest.is_some_and(|rest| rest.starts_with(['"', '\'']))
    };
    let mut keys = keys.into_iter();
    keys.any(|known| may_be(known))
        && WrittenValue::nested_at(text, at, MAX_DEPTH)
            .is_ok_and(|(value, _)| matches!(bare_item(&value, tools), BareItem::Call(_)))
}
