//! The user's question in a trace of spans. Only read if it is displayed.

use rightcall_core::value::Text;
use serde::{Deserialize, Serialize};

use super::dialects::numbered::Numbered;
use super::dialects::observations::PLATFORMS;
use super::span::{Attribute, Attributes, TraceSpan};
use crate::messages::content::{json_text, text_of};
use crate::messages::conversations::conversations;
use crate::messages::speaker::words_of_user;
use crate::node::Node;

/// The input of a span, as a possible question.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SpanInput {
    /// As JSON text.
    json: String,
    is_said_by_user: bool,
    is_text: bool,
}

impl SpanInput {
    /// The user's last text in the messages passed to a model, or else the whole input.
    pub(super) fn of(span: &TraceSpan<'_>) -> Option<Self> {
        let carriers = || {
            let events = span.events.iter().map(|event| &event.attributes);
            std::iter::once(&span.attributes).chain(events)
        };
        let said = carriers().find_map(said_in);
        if let Some(json) = said.or_else(|| in_events(span)) {
            return Some(Self::said(json));
        }
        let platforms = PLATFORMS.iter().map(|platform| platform.input);
        let mut keys = INPUTS.into_iter().chain(platforms);
        Self::from_attribute(keys.find_map(|key| span.attributes.get(key))?)
    }

    /// The input of a whole trace.
    pub(super) fn from_node(input: &Node<'_>) -> Option<Self> {
        Self::from_attribute(&Attribute::from_node(input))
    }

    fn from_attribute(input: &Attribute<'_>) -> Option<Self> {
        let source = input.source()?.trim();
        if !source.starts_with(['{', '[', '"']) {
            return Self::written(&input.label());
        }
        match input.read(Self::from_value) {
            Some(input) => input,
            None => Self::written(&input.label()),
        }
    }

    /// The priority among the possible questions of a trace, 0 being the best; `None` if it cannot be a question.
    pub(super) fn rank(&self, is_of_root: bool) -> Option<u8> {
        match (self.is_said_by_user || is_of_root, self.is_text) {
            (true, true) => Some(0),
            (false, true) => Some(1),
            (true, false) => Some(2),
            (false, false) => None,
        }
    }

    pub(super) fn into_json(self) -> String {
        self.json
    }

    fn said(json: String) -> Self {
        Self {
            json,
            is_said_by_user: true,
            is_text: true,
        }
    }

    fn written(text: &Text<'_>) -> Option<Self> {
        let is_left_out = text.is_empty() || LEFT_OUT.iter().any(|it| *text == **it);
        (!is_left_out).then(|| Self {
            json: json_text(text),
            is_said_by_user: false,
            is_text: true,
        })
    }

    fn from_value(value: &Node<'_>) -> Option<Self> {
        if let Some(json) = last_words(value) {
            return Some(Self::said(json));
        }
        let named = QUESTIONS.iter().find_map(|key| value.get(key)?.text());
        if let Some(text) = value.text().or(named) {
            return Self::written(text);
        }
        let is_empty = value.entries().is_empty() && value.items().is_empty();
        (!is_empty).then(|| Self {
            json: value.raw().to_owned(),
            ..Self::default()
        })
    }
}

/// Placeholders for a withheld input.
const LEFT_OUT: [&str; 3] = ["null", "N/A", "<redacted>"];

/// The attribute with the messages that the AI SDK passes to a model, and to its tools as an option.
pub(crate) const PROMPT: &str = "ai.prompt.messages";

/// Attributes with the messages passed to a model.
pub(super) const MESSAGES: [&str; 2] = ["gen_ai.input.messages", PROMPT];

/// Attributes with the input of a span, in addition to the platforms' attributes.
pub(super) const INPUTS: [&str; 6] = [
    "langfuse.trace.input",
    "input.value",
    "traceloop.entity.input",
    "genkit:input",
    "ai.prompt",
    "gcp.vertex.agent.llm_request",
];

/// Keys of the question in an input.
const QUESTIONS: [&str; 5] = ["input", "question", "query", "prompt", "user_message"];

/// The user's last text in messages in attributes.
fn said_in(attributes: &Attributes<'_>) -> Option<String> {
    if let Some(messages) = attributes.any(&MESSAGES) {
        return messages.read(last_words).flatten();
    }
    let numbered = Numbered::of(attributes, &["gen_ai.prompt.", "llm.input_messages."]);
    if numbered.is_empty() {
        return None;
    }
    let fields: [(&[&str], [&[&str]; 2]); 2] = [
        (&["gen_ai", "prompt", "#"], [&["role"], &["content"]]),
        (
            &["llm", "input_messages", "#"],
            [&["message", "role"], &["message", "content"]],
        ),
    ];
    let parts = numbered.rows(
        &["llm", "input_messages", "#", "message", "contents", "#"],
        [&["message_content", "text"]],
    );
    let part_of = |message: u64| {
        let mut texts = parts.iter().filter(|((place, _), _)| *place == message);
        texts.find_map(|(_, [text])| text.clone())
    };
    fields.into_iter().find_map(|(path, fields)| {
        let rows = numbered.rows(path, fields);
        let mut rows = rows.into_iter().rev();
        rows.find_map(|((message, _), [role, content])| {
            let is_user = role.is_some_and(|role| role == *"user");
            let text = content.or_else(|| part_of(message)).filter(|_| is_user)?;
            // The content may be stringified JSON: text parts, or tool results.
            match Node::parse(text.as_str()?, rightcall_core::value::MAX_DEPTH) {
                Ok(parts) if parts.is_list() => text_of(&parts),
                _ => Some(json_text(&text)),
            }
        })
    })
}

/// The user's text in the events used before messages became attributes.
fn in_events(span: &TraceSpan<'_>) -> Option<String> {
    let mut events = span.events.iter().rev();
    events.find_map(|event| {
        if event.name != *"gen_ai.user.message" {
            return None;
        }
        if let Some(body) = &event.body {
            let content = |body: &Node<'_>| body.get("content").and_then(text_of);
            return Attribute::Json(body.clone()).read(content).flatten();
        }
        let content = ["content", "gen_ai.prompt", "gen_ai.event.content"];
        let content = event.attributes.any(&content)?;
        Some(json_text(&content.label()))
    })
}

/// The user's last text in a value with messages.
fn last_words(value: &Node<'_>) -> Option<String> {
    let conversations = conversations(value);
    let messages = match conversations.first() {
        Some(found) => found.messages.clone(),
        None => value.items().iter().collect(),
    };
    let words = |message: &&Node<'_>| {
        let text = words_of_user(message).or_else(|| written_in_parts(message));
        text.map(|text| json_text(&text))
    };
    messages.iter().rev().find_map(words)
}

/// The text of a message in the form of OpenTelemetry's conventions: `parts` with `content`.
fn written_in_parts(message: &Node<'_>) -> Option<Text<'static>> {
    let parts = message.list("parts").iter();
    let mut texts = parts.filter(|part| part.says("type", "text"));
    let text = texts.find_map(|part| part.get("content")?.text());
    text.filter(|_| message.says("role", "user"))
        .map(|text| text.clone().into_owned())
}

#[cfg(test)]
mod tests;
