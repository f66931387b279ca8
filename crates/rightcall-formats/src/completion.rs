//! The output of a model in training: a text, or messages in the form that chat templates take.
//!
//! A trainer requests thousands of rewards a second, and must know which calls are broken. So this reader supports only the messages of
//! `OpenAI` and Anthropic, and reports broken calls instead of refusing them. Other messages go through `read_side`: one that it can't
//! read completely is malformed, never a message without calls.

mod any_format;

use std::borrow::Cow;

use rightcall_core::call::{Arguments, Call};
use rightcall_core::value::{JsonText, Object, Syntax, Text, Value, decode_with, is_json};

use crate::catalogue::ToolCatalogue;
use crate::messages::in_text::are_parts;
use crate::notations::{TextArguments, may_hold_calls, read_notations};

/// The output of a model.
#[derive(Clone, Debug)]
pub enum Completion<'r> {
    /// A text, with calls in one of the model's notations.
    Text(&'r str),
    /// A list of messages as JSON text.
    Json(&'r str),
    /// A list of messages.
    Messages(Vec<Value<'r>>),
}

/// Which turns of a conversation are scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoredTurns {
    /// All messages of the model.
    #[default]
    All,
    /// The last message of the model.
    Last,
}

/// The calls of a completion.
#[derive(Debug, Default)]
pub struct ReadCompletion<'r> {
    /// In the order of the text.
    pub calls: Vec<MadeCall<'r>>,
    /// The number of calls within reasoning.
    pub in_reasoning: usize,
    /// True if something call-like was not parsed.
    pub is_malformed: bool,
}

/// A call of a completion.
#[derive(Debug)]
pub struct MadeCall<'r> {
    /// Its name and arguments.
    pub call: Call<'r>,
    /// True if the call's object repeats a key.
    pub repeats_key: bool,
}

/// Keys of messages that hold reasoning.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

/// Roles of the model. A message without a role is from the model.
const ROLES: [&str; 3] = ["assistant", "model", "ai"];

impl<'r> ReadCompletion<'r> {
    /// Reads a completion and passes its calls to `look`; `tools` types the values of notations without types.
    pub fn with<T>(
        completion: &Completion<'_>,
        turns: ScoredTurns,
        tools: &ToolCatalogue,
        look: impl FnOnce(ReadCompletion<'_>) -> T,
    ) -> T {
        let mut read = ReadCompletion::default();
        let decoded;
        match completion {
            Completion::Text(text) => read.text(text, tools, true),
            Completion::Messages(messages) => read.messages(messages, turns, tools),
            Completion::Json(json) => {
                decoded = decode_with(json, Syntax::PYTHON);
                match &decoded {
                    Ok(Value::List(messages)) => read.messages(messages, turns, tools),
                    _ => read.is_malformed = true,
                }
            }
        }
        look(read)
    }

    fn messages(&mut self, messages: &'r [Value<'_>], turns: ScoredTurns, tools: &ToolCatalogue) {
        if !any_format::are_plain(messages) {
            match any_format::calls(messages, turns) {
                Some(calls) => self.calls = calls,
                None => self.is_malformed = true,
            }
            return;
        }
        let of_model = || {
            messages
                .iter()
                .filter_map(Value::as_object)
                .filter(|it| is_of_model(it))
        };
        let skipped = match turns {
            ScoredTurns::All => 0,
            ScoredTurns::Last => of_model().count().saturating_sub(1),
        };
        for message in of_model().skip(skipped) {
            self.message(message, tools);
        }
    }

    fn message(&mut self, message: &'r Object<'_>, tools: &ToolCatalogue) {
        let calls = match message.get_str("tool_calls") {
            Some(Value::List(calls)) => &calls[..],
            _ => &[],
        };
        for call in calls {
            self.call(call);
        }
        for key in REASONING {
            if let Some(text) = message.get_str(key).and_then(Value::as_text) {
                self.reasoning(&text.to_display(), tools);
            }
        }
        // As in files, calls in the text of a message are ignored if the message has structured calls.
        let is_read = calls.is_empty();
        match message.get_str("content") {
            Some(Value::String(text)) => self.text(&text.to_display(), tools, is_read),
            Some(Value::List(parts)) => {
                for part in parts.iter().filter_map(Value::as_object) {
                    self.part(part, tools, is_read);
                }
            }
            _ => {}
        }
    }

    /// A part of the content.
    fn part(&mut self, part: &'r Object<'_>, tools: &ToolCatalogue, is_read: bool) {
        let text = |key: &str| part.get_str(key).and_then(Value::as_text);
        let is = |kind: &str| text("type").is_some_and(|it| *it == *kind);
        if is("tool_use") {
            self.named(text("name"), part.get_str("input"));
        } else if is("thinking") {
            if let Some(text) = text("thinking") {
                self.reasoning(&text.to_display(), tools);
            }
        } else if let Some(text) = text("text") {
            self.text(&text.to_display(), tools, is_read);
        }
    }

    /// An item of `tool_calls`.
    fn call(&mut self, call: &'r Value<'_>) {
        let Some(call) = call.as_object() else {
            self.is_malformed = true;
            return;
        };
        let call = call
            .get_str("function")
            .and_then(Value::as_object)
            .unwrap_or(call);
        let arguments = ["arguments", "args", "parameters", "input"];
        let arguments = arguments.iter().find_map(|key| call.get_str(key));
        self.named(call.get_str("name").and_then(Value::as_text), arguments);
    }

    fn named(&mut self, name: Option<&'r Text<'_>>, arguments: Option<&'r Value<'_>>) {
        let json = match arguments {
            None | Some(Value::Null) => Some("{}".into()),
            Some(object @ Value::Object(_)) => {
                Some(JsonText::from_value(object).into_string().into())
            }
            Some(Value::String(text)) if *text == *"" => Some("{}".into()),
            Some(Value::String(text)) => {
                let json = text.to_display();
                let is_object =
                    json.trim_start().starts_with('{') && is_json(&json, Syntax::PYTHON);
                is_object.then_some(json)
            }
            Some(_) => None,
        };
        match (name, json) {
            (Some(name), Some(json)) if *name != *"" => self.add(name.reborrow(), json, false),
            _ => self.is_malformed = true,
        }
    }

    fn add(&mut self, name: Text<'r>, json: Cow<'r, str>, repeats_key: bool) {
        self.calls.push(MadeCall {
            call: Call {
                name,
                arguments: match json {
                    Cow::Borrowed(json) => Arguments::json(json),
                    Cow::Owned(json) => Arguments::owned_json(json),
                },
                metadata: None,
            },
            repeats_key,
        });
    }

    fn text(&mut self, text: &str, tools: &ToolCatalogue, is_read: bool) {
        if !may_hold_calls(text) {
            self.is_malformed |= are_parts(text);
            return;
        }
        let found = read_notations(text, tools);
        self.is_malformed |= found.unread && !found.quoted;
        self.is_malformed |= found.calls.is_empty() && are_parts(text);
        self.in_reasoning += found.in_reasoning;
        for call in found.calls {
            match call.arguments {
                TextArguments::Invalid(_) => self.is_malformed = true,
                TextArguments::Json(json) if is_read => {
                    self.add(call.name, json.into(), call.repeats_key);
                }
                TextArguments::Json(_) => {}
            }
        }
    }

    /// Reasoning in a separate field.
    fn reasoning(&mut self, text: &str, tools: &ToolCatalogue) {
        self.in_reasoning += read_notations(text, tools).calls.len();
    }
}

fn is_of_model(message: &Object<'_>) -> bool {
    let role = message.get_str("role").and_then(Value::as_text);
    role.is_none_or(|role| ROLES.iter().any(|it| *role == **it))
}
