//! Finds the messages in a value, and separates its conversations.

use rightcall_core::value::{Kind, Reader, Syntax, SyntaxError, Text};

use super::dialects::dialects;
use super::dialects::openai_chat::{has_calls, message_and_calls};
use super::parts::{CONTENTS, LISTS, is_plain_part};
use super::speaker::is_of_model;
use crate::case::may_hold_expectation;
use crate::format::{MessageDialect, Recognition};
use crate::node::Node;

/// `Certain` for values with a message that only this dialect has.
pub(crate) fn recognise(value: &Node<'_>, dialect: &MessageDialect) -> Recognition {
    if (dialect.is_event)(value)
        || (dialect.owns)(value)
        || !saved_events(value, dialect).is_empty()
    {
        return Recognition::Certain;
    }
    let conversations = conversations(value);
    let mut messages = conversations
        .iter()
        .flat_map(|found| &found.messages)
        .copied()
        .peekable();
    if messages.peek().is_none() {
        return Recognition::No;
    }
    if messages.any(dialect.decides) {
        // Events of another format aren't a conversation. Only certainty needs this check, because that format is certain too.
        let has_events = |other: &MessageDialect| {
            (other.is_event)(value) || !saved_events(value, other).is_empty()
        };
        return if dialects().any(has_events) {
            Recognition::No
        } else {
            Recognition::Certain
        };
    }
    // Messages without calls are read the same way in every message format.
    if dialect.takes_plain_text && is_plain_text(value) {
        return Recognition::Possible;
    }
    let first = value.first_record();
    let has = ["messages", "role"]
        .into_iter()
        .find(|key| value.has(key) || first.has(key));
    match has {
        Some(has) => Recognition::Near {
            has: vec![has],
            lacks: vec![dialect.mark],
        },
        None => Recognition::No,
    }
}

/// True for messages with text, media and thoughts only, in any format.
pub(super) fn is_plain_text(value: &Node<'_>) -> bool {
    let conversations = conversations(value);
    let mut messages = conversations.iter().flat_map(|found| &found.messages);
    messages.all(|message| {
        let is_plain = |content: &Node<'_>| {
            content.text().is_some()
                || content.is_list() && content.items().iter().all(is_plain_part)
        };
        // In the Responses API, the model's thoughts are a separate item.
        if message.says("type", "reasoning") && message.has("summary") {
            return true;
        }
        let has_speaker = message.any(&["role", "Role"]).and_then(role_of).is_some();
        let content = CONTENTS.iter().find_map(|key| message.get(key));
        has_speaker && content.map_or(message.has("content"), is_plain)
    })
}

/// The name of a role, which may be an object with a label.
fn role_of<'n>(role: &'n Node<'_>) -> Option<&'n str> {
    role.str().or_else(|| role.any(&["value", "Label"])?.str())
}

/// A conversation in a value.
pub(crate) struct FoundConversation<'n, 'a> {
    /// Its name, if the value has one.
    pub(crate) name: Option<Text<'static>>,
    /// The object or list that contains the messages.
    pub(crate) record: &'n Node<'a>,
    pub(crate) messages: Vec<&'n Node<'a>>,
}

/// The conversations in a value: usually one, but a list or a map may hold many.
pub(crate) fn conversations<'n, 'a>(value: &'n Node<'a>) -> Vec<FoundConversation<'n, 'a>> {
    if let Some(messages) = messages_of(value) {
        return vec![FoundConversation {
            name: value.label_at(&["id", "conversation_id", "thread_id", "session_id"]),
            record: value,
            messages,
        }];
    }
    let found = |name: Option<Text<'static>>, record: &'n Node<'a>| {
        let messages = (!is_message(record)).then(|| messages_of(record))?;
        Some(FoundConversation {
            name: name.or_else(|| record.label_at(&["id"])),
            record,
            messages: messages?,
        })
    };
    let all: Option<Vec<_>> = if value.is_list() {
        value.items().iter().map(|item| found(None, item)).collect()
    } else if value.entries().iter().any(|(key, _)| is_side(key)) {
        None
    } else {
        let named = value.entries().iter();
        let named: Option<Vec<_>> = named
            .map(|(name, record)| found(Some(name.clone().into_owned()), record))
            .collect();
        named.filter(|named| !are_halves(named))
    };
    all.unwrap_or_default()
}

/// True if a part ends before the model speaks, and another is the model's alone: a request and its reply are one run.
fn are_halves(parts: &[FoundConversation<'_, '_>]) -> bool {
    let is_request = |part: &FoundConversation<'_, '_>| {
        part.messages.last().is_some_and(|last| !is_of_model(last))
    };
    let is_reply = |part: &FoundConversation<'_, '_>| {
        !part.messages.is_empty() && part.messages.iter().all(|message| is_of_model(message))
    };
    parts.iter().any(is_request) && parts.iter().any(is_reply)
}

/// True for the key of a case's side: an object with such a key is not a map of conversations.
fn is_side(key: &Text<'_>) -> bool {
    const SIDES: [&str; 5] = ["chosen", "rejected", "actual", "output", "outputs"];
    SIDES.iter().any(|side| *key == **side) || may_hold_expectation(key)
}

/// The messages of one conversation; `None` for other values.
fn messages_of<'n, 'a>(value: &'n Node<'a>) -> Option<Vec<&'n Node<'a>>> {
    let items = |node: &'n Node<'a>| node.items().iter().collect::<Vec<_>>();
    let is_conversation = |node: &Node<'_>| node.is_list() && node.items().iter().all(is_message);
    let items = |node: &'n Node<'a>| numbered_rows(node).unwrap_or_else(|| items(node));
    if value.is_list() {
        return if !value.items().is_empty() && is_conversation(value) {
            Some(items(value))
        } else {
            numbered_rows(value)
        };
    }
    // The older replies of Gemini's interactions have a role.
    if is_message(value) && !value.says("object", "interaction") {
        return Some(vec![value]);
    }
    if let Some(messages) = dialects().find_map(|dialect| (dialect.reply)(value)) {
        return Some(messages);
    }
    if value.get("message").is_some_and(Node::is_object) {
        return Some(message_and_calls(value).collect());
    }
    let says = value.str_at("object");
    let of_reply = dialects()
        .filter_map(|dialect| dialect.object)
        .find(|(object, _)| says == Some(object));
    let of_dialects = || dialects().filter_map(|dialect| dialect.list);
    let keys: Vec<_> = match of_reply {
        Some((_, keys)) => keys.to_vec(),
        None => LISTS.into_iter().chain(of_dialects()).collect(),
    };
    // Next to an expectation, `outputs` is a side of a case.
    let is_expected = |key: &str| key.starts_with("reference") || key.starts_with("expected");
    let states_expectation = value
        .entries()
        .iter()
        .any(|(key, _)| key.as_str().is_some_and(is_expected));
    let lists: Vec<_> = keys
        .into_iter()
        .filter(|key| *key != "outputs" || !states_expectation)
        .filter_map(|key| value.get(key))
        .filter(|list| is_conversation(list) || numbered_rows(list).is_some())
        .collect();
    let mut messages = match lists[..] {
        [] => return None,
        // The input and the output of a model.
        [input, output]
            if value
                .any(&["output", "completion"])
                .is_some_and(|node| std::ptr::eq(node, output)) =>
        {
            items(input).into_iter().chain(items(output)).collect()
        }
        [first, ..] => items(first),
    };
    // The calls may be next to messages without calls.
    if has_calls(value) && !messages.iter().any(|it| has_calls(it)) {
        messages.push(value);
    }
    Some(messages)
}

/// The message in a row of a conversation, `{"id": NUMBER, "message": {}}` or `{"agentName": TEXT, "message": {}}`. The first row is not
/// the agent's.
pub(super) fn numbered_row<'n, 'a>(value: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let is_numbered = value.entries().len() == 2 && value.whole_at("id").is_some();
    let is_row = is_numbered || value.str_at("agentName").is_some();
    message_of_row(value).filter(|_| is_row)
}

fn message_of_row<'n, 'a>(value: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let message = value.get("message")?;
    (message.has("role") && !is_message(value)).then_some(message)
}

/// The messages in a list of rows, if they are of one conversation: rows such as these, or rows with a result of another row's call.
fn numbered_rows<'n, 'a>(list: &'n Node<'a>) -> Option<Vec<&'n Node<'a>>> {
    let messages: Vec<_> = list
        .items()
        .iter()
        .map(message_of_row)
        .collect::<Option<_>>()?;
    let rows = list.items();
    let number = |row: &Node<'_>| row.whole_at("id");
    let are_numbered = rows.iter().all(|row| numbered_row(row).is_some());
    let is_next = |one, next| number(one) < number(next) || number(next).is_none();
    let has_result = messages.iter().any(|message| message.says("role", "tool"));
    let is_one = if are_numbered {
        rows.is_sorted_by(is_next)
    } else {
        has_result
    };
    (is_one && messages.first().is_some_and(|first| !is_of_model(first))).then_some(messages)
}

/// True if a look at the keys shows that this value is a whole conversation, not a part of one spread over several values.
pub(super) fn is_whole_conversation(text: &str) -> bool {
    let glance = || {
        let mut reader = Reader::new(text, Syntax::PYTHON);
        if reader.peek()? == Kind::List {
            let (mut first, mut items) = (reader.enter_list()?, 0);
            while items < 3 && reader.next_item(&mut first)? {
                reader.raw()?;
                items += 1;
            }
            // A pair may be a streamed message and its metadata.
            return Ok(items != 2);
        }
        let (mut first, mut has_list) = (reader.enter_object()?, false);
        while let Some(key) = reader.next_key(&mut first)? {
            match key.as_str().unwrap_or_default() {
                // Keys of messages and events.
                "role" | "type" | "event" => return Ok(false),
                key if dialects().any(|dialect| dialect.keys.contains(&key)) => return Ok(false),
                key if key == "messages" || dialects().any(|it| it.list == Some(key)) => {
                    has_list = reader.peek()? == Kind::List;
                }
                _ => {}
            }
            reader.raw()?;
        }
        Ok::<_, SyntaxError>(has_list)
    };
    glance().unwrap_or(false)
}

/// The text of the first message in a value with `messages`.
pub(super) fn first_message(text: &str) -> Option<&str> {
    let mut reader = Reader::new(text, Syntax::PYTHON);
    let mut first = reader.enter_object().ok()?;
    while let Some(key) = reader.next_key(&mut first).ok()? {
        if key.as_str() != Some("messages") {
            reader.raw().ok()?;
            continue;
        }
        let mut first = reader.enter_list().ok()?;
        let has_any = reader.next_item(&mut first).ok()?;
        return if has_any { reader.raw().ok() } else { None };
    }
    None
}

pub(super) fn is_message(node: &Node<'_>) -> bool {
    let is_word = |key: &str| node.str_at(key).is_some();
    node.get("role").and_then(role_of).is_some() && !node.has("messages")
        || is_word("type") && !node.has("payload")
        || dialects().any(|dialect| (dialect.is_message)(node))
}

/// True for a value that holds a whole conversation, not a message of one.
pub(crate) fn is_whole(value: &Node<'_>) -> bool {
    !is_message(value) && !conversations(value).is_empty()
}

/// The events of a stream saved as a list: on its own, in an object, or as lists in a list. Empty for other values.
pub(super) fn saved_events<'n, 'a>(
    value: &'n Node<'a>,
    dialect: &MessageDialect,
) -> &'n [Node<'a>] {
    let list = value
        .any(&["chunks", "events"])
        .filter(|_| !is_message(value))
        .unwrap_or(value);
    let holds_events = |items: &[Node<'_>]| items.iter().any(dialect.is_event);
    let is_saved =
        holds_events(list.items()) || list.items().iter().any(|item| holds_events(item.items()));
    if is_saved { list.items() } else { &[] }
}

/// The dialect of related values: by their events, else by a whole reply, else by a message.
pub(crate) fn dialect_of(values: &[&Node<'_>]) -> Option<&'static MessageDialect> {
    let has = |test: fn(&MessageDialect, &Node<'_>) -> bool| {
        dialects().find(|dialect| values.iter().any(|value| test(dialect, value)))
    };
    has(|dialect, value| (dialect.is_event)(value))
        .or_else(|| has(|dialect, value| (dialect.owns)(value)))
        .or_else(|| {
            has(|dialect, value| {
                conversations(value)
                    .iter()
                    .any(|found| found.messages.iter().any(|it| (dialect.decides)(it)))
            })
        })
}
