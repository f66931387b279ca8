//! Results as tool messages, serialized by `LangChain` or as a Python repr.

use rightcall_core::call::argument_text;
use rightcall_core::value::{Text, Value};

use crate::messages::content::{json_text, output_of};
use crate::node::Node;
use crate::spans::span::Attribute;
use crate::trace::TraceCall;

/// A serialized tool message of `LangChain`.
pub(super) struct ToolMessage {
    content: String,
    id: Option<Text<'static>>,
    is_error: bool,
}

impl ToolMessage {
    /// The message in a value, plain or one level down.
    pub(super) fn of(node: &Node<'_>) -> Option<Self> {
        if let Some(text) = node.str() {
            return Self::of_repr(text);
        }
        let body = node.inner(&["kwargs", "data"]);
        let is_message =
            body.has("content") && (body.has("tool_call_id") || body.says("type", "tool"));
        is_message.then(|| Self {
            content: body
                .get("content")
                .map_or_else(|| "null".to_owned(), output_of),
            id: body.label_at(&["tool_call_id"]),
            is_error: body.says("status", "error"),
        })
    }

    /// The message as a Python repr: `content='shipped' name='find_order' tool_call_id='c1'`.
    fn of_repr(text: &str) -> Option<Self> {
        let (content, rest) = python_text(text.trim().strip_prefix("content=")?)?;
        let member = |key: &str| {
            rest.split_once(key)
                .and_then(|(_, value)| python_text(value))
                .map(|(value, _)| value)
        };
        Some(Self {
            content: json_text(&content),
            id: Some(member(" tool_call_id=")?),
            is_error: member(" status=").is_some_and(|status| status == *"error"),
        })
    }

    /// Fills the missing facts of a call; the result is always the message's.
    pub(super) fn fill(self, call: &mut TraceCall) {
        call.output = Some(self.content);
        call.id = call.id.take().or(self.id);
        if self.is_error {
            call.error.get_or_insert_with(|| "true".to_owned());
        }
    }
}

/// The tool message in an attribute.
pub(super) fn tool_message(output: &Attribute<'_>) -> Option<ToolMessage> {
    let text = output.source()?;
    // Few outputs are messages, and those contain one of these words.
    let says = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    if !says("tool_call_id") && !says("\"tool") {
        return None;
    }
    output
        .read(ToolMessage::of)
        .flatten()
        .or_else(|| ToolMessage::of_repr(text))
}

/// The Python string at the start of a text, and the text after it.
fn python_text(text: &str) -> Option<(Text<'static>, &str)> {
    let quote = text
        .chars()
        .next()
        .filter(|letter| matches!(letter, '\'' | '"'))?;
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|&(_, letter)| {
        let is_end = letter == quote && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_end
    });
    let (literal, rest) = text.split_at(end?.0 + 1);
    match argument_text(&Text::from(format!("{{'text': {literal}}}"))).0 {
        Value::Object(object) => object
            .get_str("text")
            .and_then(Value::as_text)
            .map(|text| (text.clone().into_owned(), rest)),
        _ => None,
    }
}
