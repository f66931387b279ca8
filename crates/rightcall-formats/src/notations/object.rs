//! Call objects: `{"name", "arguments"}`, complete or broken.

use rightcall_core::value::Text;

use super::calls::{TextArguments, TextCall};
use super::literal::quoted_at;
use super::names::is_placeholder;
use super::places::{skip_letters, skip_space};
use super::value::{WrittenValue, member};
use crate::catalogue::ToolCatalogue;

/// Keys of ids; the first that exists counts.
pub(super) const IDS: [&str; 3] = ["id", "tool_call_id", "call_id"];

/// The key in `OpenAI`'s calls of the object with name and arguments.
pub(super) const FUNCTION: &str = "function";

/// The keys of a call object; the first that exists counts.
#[derive(Debug)]
pub(super) struct ObjectKeys {
    pub(super) names: &'static [&'static str],
    pub(super) arguments: &'static [&'static str],
}

/// The keys of most notations.
pub(super) const PLAIN: ObjectKeys = ObjectKeys {
    names: &["name"],
    arguments: &["arguments", "parameters"],
};

/// The keys of Command R.
pub(super) const TOOL_NAME: ObjectKeys = ObjectKeys {
    names: &["tool_name", "name"],
    arguments: &["arguments", "parameters"],
};

/// The keys after `Action:`, for Command R and `LangChain`.
pub(super) const ACTION: ObjectKeys = ObjectKeys {
    names: &["tool_name", "action", "name"],
    arguments: &["arguments", "parameters", "action_input"],
};

/// The kind of a value in a block of calls.
#[derive(Debug)]
pub(super) enum BlockItem {
    Call(TextCall),
    /// A call with a placeholder as its name.
    Template,
    /// Anything without a name.
    Nameless,
}

/// Classifies a value in a block.
pub(super) fn block_item(
    value: &WrittenValue<'_>,
    keys: &ObjectKeys,
    tools: &ToolCatalogue,
) -> BlockItem {
    let members = value.members();
    named_item(value, &members, keys, tools).unwrap_or_else(|| function_item(&members, tools))
}

/// The call of an object with a name. Arguments under an unknown key are invalid, not absent.
fn named_item(
    object: &WrittenValue<'_>,
    members: &[(Text<'_>, WrittenValue<'_>)],
    keys: &ObjectKeys,
    tools: &ToolCatalogue,
) -> Option<BlockItem> {
    let arguments = || match member(members, keys.arguments) {
        None if members.iter().any(|it| may_be_argument(it, keys)) => {
            TextArguments::invalid(object.written())
        }
        found => arguments_of(found),
    };
    let found = name_of(members, keys).map(|name| item(name, arguments, id_of(members), tools));
    match found {
        Some(BlockItem::Call(call)) => Some(BlockItem::Call(TextCall {
            repeats_key: repeats_key(members),
            ..call
        })),
        other => other,
    }
}

/// True for a member that is no part of a call, unless the model says why in it.
fn may_be_argument((key, value): &(Text<'_>, WrittenValue<'_>), keys: &ObjectKeys) -> bool {
    let is_name = keys.names.iter().any(|name| *key == **name);
    !is_name && !value.is_null() && !is_beside(key)
}

/// True for an additional key of a call: its type, its id, or the model's reason for it.
pub(super) fn is_beside(key: &Text<'_>) -> bool {
    const WHY: [&str; 7] = [
        "thought",
        "think",
        "reason",
        "rationale",
        "plan",
        "expla",
        "analys",
    ];
    const OTHERS: [&str; 2] = ["type", "index"];
    let key = key.to_display().to_lowercase();
    OTHERS.contains(&&*key) || IDS.contains(&&*key) || WHY.iter().any(|word| key.contains(word))
}

/// True if a key is repeated.
pub(super) fn repeats_key(members: &[(Text<'_>, WrittenValue<'_>)]) -> bool {
    let mut rest = members;
    while let [(key, _), others @ ..] = rest {
        if others.iter().any(|(other, _)| other == key) {
            return true;
        }
        rest = others;
    }
    false
}

/// The call of an object in `OpenAI`'s form.
fn function_item(members: &[(Text<'_>, WrittenValue<'_>)], tools: &ToolCatalogue) -> BlockItem {
    let function = member(members, &[FUNCTION]);
    let found = function.and_then(|inner| named_item(inner, &inner.members(), &PLAIN, tools));
    with_id(found.unwrap_or(BlockItem::Nameless), id_of(members))
}

fn item(
    name: Text<'static>,
    arguments: impl FnOnce() -> TextArguments,
    id: Option<Text<'static>>,
    tools: &ToolCatalogue,
) -> BlockItem {
    if is_placeholder(&name.to_display(), tools) {
        return BlockItem::Template;
    }
    BlockItem::Call(TextCall {
        name,
        arguments: arguments(),
        id,
        repeats_key: false,
    })
}

fn with_id(item: BlockItem, id: Option<Text<'static>>) -> BlockItem {
    match item {
        BlockItem::Call(call) => BlockItem::Call(TextCall {
            id: id.or(call.id),
            ..call
        }),
        other => other,
    }
}

/// The name under the first of the keys that exists.
pub(super) fn name_of(
    members: &[(Text<'_>, WrittenValue<'_>)],
    keys: &ObjectKeys,
) -> Option<Text<'static>> {
    let name = member(members, keys.names)?.text()?;
    let has_letters = !name.to_display().trim().is_empty();
    has_letters.then(|| name.into_owned())
}

pub(super) fn id_of(members: &[(Text<'_>, WrittenValue<'_>)]) -> Option<Text<'static>> {
    let mut ids = IDS.iter().filter_map(|key| member(members, &[key]));
    ids.find_map(|id| match id.text() {
        Some(text) => Some(text.into_owned()),
        None if id.written().starts_with(|it: char| it.is_ascii_digit()) => {
            Some(Text::from(id.written().to_owned()))
        }
        None => None,
    })
}

/// The arguments. Missing, null or empty means an empty object; an object in a text is parsed.
pub(super) fn arguments_of(value: Option<&WrittenValue<'_>>) -> TextArguments {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return TextArguments::none();
    };
    if value.is_object() {
        return TextArguments::Json(value.to_json());
    }
    let Some(text) = value.text() else {
        return TextArguments::Invalid(value.written().to_owned());
    };
    let text = text.to_display();
    if text.is_empty() {
        return TextArguments::none();
    }
    match WrittenValue::whole_object(&text) {
        Some(object) => TextArguments::Json(object.to_json()),
        None => TextArguments::Invalid(text.into_owned()),
    }
}

/// A broken object, read member by member.
#[derive(Debug, Default)]
pub(super) struct BrokenObject<'t> {
    pub(super) members: Vec<(Text<'t>, WrittenValue<'t>)>,
    /// The key with a broken value, and the start of the value.
    pub(super) broken: Option<(Text<'t>, usize)>,
    /// The offset where it is broken; the length of the text if the text ends inside the object.
    pub(super) stop: usize,
    /// The end of the members that were read.
    pub(super) read_to: usize,
}

/// Reads the object at this offset as far as possible. If `breaks_at` is true for a key, its value is left to the caller.
pub(super) fn broken_object<'t>(
    text: &'t str,
    at: usize,
    breaks_at: impl Fn(&Text<'t>, usize) -> bool,
) -> BrokenObject<'t> {
    let mut object = BrokenObject {
        stop: at,
        read_to: at,
        ..BrokenObject::default()
    };
    if !text[at..].starts_with('{') {
        return object;
    }
    let mut place = at + 1;
    loop {
        object.read_to = place;
        let key_at = skip_letters(text, place, &[',']);
        if key_at == text.len() || text[key_at..].starts_with('}') {
            object.stop = key_at;
            return object;
        }
        let (key, after) = match quoted_at(text, key_at) {
            Ok(found) => found,
            Err(stop) => {
                object.stop = stop;
                return object;
            }
        };
        let colon = skip_space(text, after);
        if !text[colon..].starts_with(':') {
            object.stop = colon;
            return object;
        }
        let value_at = skip_space(text, colon + 1);
        let value = if breaks_at(&key, value_at) {
            Err(value_at)
        } else {
            WrittenValue::at(text, value_at)
        };
        match value {
            Ok((value, end)) => {
                object.members.push((key, value));
                place = end;
            }
            Err(stop) => {
                object.broken = Some((key, value_at));
                object.stop = stop;
                return object;
            }
        }
    }
}

impl BrokenObject<'_> {
    /// The start of the broken value, if it is under one of these keys.
    pub(super) fn broken_value(&self, keys: &[&str]) -> Option<usize> {
        let broken = self.broken.as_ref();
        let found = broken.filter(|(key, _)| keys.iter().any(|known| *key == **known));
        found.map(|(_, value)| *value)
    }
}

/// Classifies a broken object from `at` to `end`; true if a part of it is left over.
pub(super) fn broken_item(
    text: &str,
    at: usize,
    end: usize,
    keys: &ObjectKeys,
    tools: &ToolCatalogue,
) -> (BlockItem, bool) {
    let object = broken_object(text, at, |_, _| false);
    if let Some(found) = named_broken_item(&object, text, at, end, keys, tools) {
        return found;
    }
    let part = |from: usize| text.get(from..end.max(from)).unwrap_or_default();
    if has_template_name(part(at)) {
        return (BlockItem::Template, false);
    }
    let id = id_of(&object.members);
    let inner_at = object.broken_value(&[FUNCTION]);
    if let Some(inner_at) = inner_at.filter(|at| part(*at).starts_with('{')) {
        let inner = broken_object(text, inner_at, |_, _| false);
        let found = named_broken_item(&inner, text, inner_at, end, &PLAIN, tools);
        let (item, is_left) = found.unwrap_or((BlockItem::Nameless, false));
        return (with_id(item, id), is_left);
    }
    let item = function_item(&object.members, tools);
    (item, has_more(part(object.read_to)))
}

/// Like [`broken_item`], for an object with a name.
pub(super) fn named_broken_item(
    object: &BrokenObject<'_>,
    text: &str,
    at: usize,
    end: usize,
    keys: &ObjectKeys,
    tools: &ToolCatalogue,
) -> Option<(BlockItem, bool)> {
    let part = |from: usize| text.get(from..end.max(from)).unwrap_or_default();
    let name = name_of(&object.members, keys)?;
    let begun = object.broken_value(keys.arguments);
    let begun = begun.filter(|value| !part(*value).trim().is_empty());
    let whole = member(&object.members, keys.arguments);
    let (arguments, is_left) = match (begun, whole) {
        (Some(value), _) => (TextArguments::invalid(part(value)), false),
        (None, Some(value)) => (arguments_of(Some(value)), has_more(part(object.read_to))),
        (None, None) => (TextArguments::invalid(part(at)), false),
    };
    let id = id_of(&object.members);
    Some((item(name, || arguments, id, tools), is_left))
}

/// True for the JSON of a template: `"name": <…`.
fn has_template_name(json: &str) -> bool {
    const KEY: &str = "name";
    json.match_indices(KEY).any(|(at, _)| {
        let after = json[at + KEY.len()..].strip_prefix(['"', '\'']);
        let value = after.and_then(|after| after.trim_start().strip_prefix(':'));
        let is_key = json[..at].ends_with(['"', '\'']);
        is_key && value.is_some_and(|value| value.trim_start().starts_with('<'))
    })
}

/// True if the text has more than closing brackets, commas and white space.
fn has_more(text: &str) -> bool {
    skip_letters(text, 0, &['}', ']', ',']) < text.len()
}
