//! Conversations: messages with tool calls, as `LangChain` and others write them.

use crate::alignment::Turn;
use crate::call::Call;
use crate::presets::prelude::*;
use crate::recipe::{MoreOfSides, Turns};
use crate::value::{Object, Syntax, decode_with};

/// A conversation in the form that the evaluator compares.
#[derive(Debug, Default)]
pub(super) struct Conversation<'c> {
    items: Vec<Item<'c>>,
    turns: Turns,
}

impl<'c> Conversation<'c> {
    fn push(&mut self, role: &'static str, calls: Vec<Item<'c>>) {
        let from = self.items.len();
        self.items.extend(calls);
        self.turns.roles.push(role);
        self.turns.calls.push(Turn {
            calls: from..self.items.len(),
        });
    }

    pub(super) fn from_side(name: &'static str, text: &'c str) -> Result<Self, EvaluationError> {
        let at = At::root(name);
        let value = side(name, text)?;
        let mut conversation = Self::default();
        let at_messages = at.key("messages");
        let messages = match &value {
            Value::Null => return Ok(conversation),
            Value::Object(object) if object.get_str("role").is_some() => {
                vec![read_message(at.index(0), &value)?]
            }
            Value::Object(object) => {
                let messages = object.get_str("messages");
                let none = || at_messages.error("a list of messages", None);
                at_messages.each(messages.ok_or_else(none)?, read_message)?
            }
            list => at.each(list, read_message)?,
        };
        for (role, calls) in messages {
            conversation.push(role, calls);
        }
        Ok(conversation)
    }

    /// One turn per assistant message; a single turn if turns are not known.
    pub(super) fn from_calls(
        calls: &'c [Call<'c>],
        by_turn: bool,
    ) -> Result<Self, EvaluationError> {
        let items = calls.iter().map(item_of_call).collect::<Result<_, _>>()?;
        let turns = Turns::from_calls(calls, |a, b| {
            !by_turn || a.metadata().turn == b.metadata().turn
        });
        Ok(Self { items, turns })
    }

    /// This conversation compared with an expected one.
    pub(super) fn against(self, expected: Self) -> Sides<'c> {
        let sides = Sides::new(Items::Own(expected.items), Items::Own(self.items));
        sides.with(MoreOfSides {
            turns: Some([expected.turns, self.turns]),
            ..MoreOfSides::default()
        })
    }
}

fn item_of_call<'c>(call: &'c Call<'c>) -> Result<Item<'c>, EvaluationError> {
    let mut item = Item::from_call(call);
    if let Some(text) = call.arguments.text() {
        item = item.with_arguments(ItemArguments::Tree(
            decode_arguments(text).map_err(EvaluationError::Raised)?,
        ));
    }
    Ok(item)
}

/// Decodes an arguments text as Python's JSON, which allows control characters in strings here.
fn decode_arguments(text: &Text<'_>) -> Result<Value<'static>, String> {
    let syntax = Syntax {
        control_characters: true,
        ..Syntax::PYTHON
    };
    let decoded = text
        .as_str()
        .and_then(|text| decode_with(text, syntax).ok());
    decoded
        .map(Value::into_owned)
        .ok_or_else(|| format!("the arguments are no JSON: {text}"))
}

type Message<'s> = (&'static str, Vec<Item<'s>>);

fn read_message<'s>(at: At<'_>, message: &Value<'s>) -> Result<Message<'s>, EvaluationError> {
    let message = at.object(message)?;
    let given = message.get_str("role").or_else(|| message.get_str("type"));
    let role = match given.and_then(Value::as_text).and_then(Text::as_str) {
        Some("human" | "user") => "user",
        Some("ai" | "assistant") => "assistant",
        Some("system") => "system",
        Some("developer") => "developer",
        Some("function") => "function",
        Some("tool") => "tool",
        _ => return Err(at.key("role").error("a role", given)),
    };
    if role == "function" {
        at.text(message, "name")?;
    }
    let content = message.get_str("content");
    if let Some(other) = content
        && !matches!(other, Value::Null | Value::String(_) | Value::List(_))
    {
        return Err(at.key("content").error("text or a list", content));
    }
    let call = |at: At<'_>, call: &Value<'s>| read_call(at, call, role);
    let mut items = at.each_under(message, "tool_calls", call)?;
    if role != "assistant" {
        return Ok((role, Vec::new()));
    }
    for block in content.and_then(Value::as_list).unwrap_or_default() {
        items.extend(call_of_block(at.key("content"), block, message)?);
    }
    Ok((role, items))
}

/// The call in a content block of a message, unless the message also lists it by id.
fn call_of_block<'s>(
    at: At<'_>,
    block: &Value<'s>,
    message: &Object<'s>,
) -> Result<Option<Item<'s>>, EvaluationError> {
    let text_under = |object: &Object<'s>, key| object.get_str(key)?.as_text().cloned();
    let Some(block) = block.as_object() else {
        return Ok(None);
    };
    if text_under(block, "type").is_none_or(|kind| kind != *"tool_use") {
        return Ok(None);
    }
    let calls = message.get_str("tool_calls").and_then(Value::as_list);
    let mut listed = calls.into_iter().flatten().filter_map(Value::as_object);
    if let Some(id) = text_under(block, "id")
        && listed.any(|call| text_under(call, "id").as_ref() == Some(&id))
    {
        return Ok(None);
    }
    let arguments = block.get_str("input").cloned();
    let arguments = arguments.unwrap_or_else(|| Value::Object(Object::default()));
    let name = ItemName::Text(at.text(block, "name")?.clone());
    Ok(Some(Item::new(name, ItemArguments::Tree(arguments))))
}

fn read_call<'s>(at: At<'_>, call: &Value<'s>, role: &str) -> Result<Item<'s>, EvaluationError> {
    let call = at.object(call)?;
    // LangChain validates ids in assistant messages. In all other messages, it looks them up in the calls.
    let id = call.get_str("id");
    let is_id = match id {
        None => role == "assistant" || call.get_str("function").is_none(),
        Some(id) => role != "assistant" || matches!(id, Value::Null | Value::String(_)),
    };
    if !is_id {
        return Err(at.key("id").error("the id of the call", id));
    }
    let (at, call, key) = match call.get_str("function") {
        Some(function) => (
            at.key("function"),
            at.key("function").object(function)?,
            "arguments",
        ),
        None => (at, call, "args"),
    };
    let name = ItemName::Text(at.text(call, "name")?.clone());
    let given = call.get_str(key);
    let arguments = match given {
        Some(Value::String(text)) if key == "arguments" => {
            decode_arguments(text).map_err(|_| at.key(key).error("JSON text", given))?
        }
        Some(value) => value.clone(),
        None => return Err(at.key(key).error("arguments", None)),
    };
    at.key(key).object(&arguments)?;
    Ok(Item::new(name, ItemArguments::Tree(arguments)))
}
