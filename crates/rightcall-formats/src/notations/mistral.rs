//! Mistral: call objects after `[TOOL_CALLS]`, or consecutive `f[ARGS]{…}` and `f[CALL_ID]id[ARGS]{…}`.

use rightcall_core::value::Text;

use super::calls::{TextArguments, TextCall};
use super::context::{CallBlock, Context, Outcome};
use super::json_block::{begins_values, json_block};
use super::markers::Marker;
use super::names::{is_name, is_placeholder, name_prefix, placeholder_length};
use super::object::PLAIN;
use super::places::{skip_letters, skip_space, starts_line};
use super::value::WrittenValue;

const CALL_ID: &str = "[CALL_ID]";
const ARGUMENTS: &str = "[ARGS]";

/// Reads the content after the marker.
pub(super) fn mistral(context: &Context<'_>, marker: &Marker, content: usize) -> Outcome {
    let start = skip_space(context.text, content);
    let rest = context.rest(start);
    if placeholder_length(rest).is_some() {
        return Outcome::Template(context.block_end(marker, start).after);
    }
    if begins_values(rest) || rest.starts_with("```") {
        return json_block(context, marker, content, &PLAIN);
    }
    let Some(head) = Head::at(context.text, start) else {
        return Outcome::Mention;
    };
    if is_placeholder(head.name, context.tools) {
        return Outcome::Template(context.block_end(marker, start).after);
    }
    // In a sentence, a word and a brace are not a call.
    let in_sentence = !starts_line(context.text, content - marker.begin.len());
    if in_sentence
        && !head.is_marked(context.text)
        && !head.is_direct(start)
        && !head.has_object(context.text)
    {
        return Outcome::Mention;
    }
    let mut block = head.read(context, marker);
    while let Some(head) = next_head(context, marker, block.end) {
        block.add(head.read(context, marker));
    }
    let at = skip_space(context.text, block.end);
    block.end = context.after_end(marker, at).unwrap_or(block.end);
    Outcome::Block(block.of("Mistral"))
}

/// The call after another one, with or without a marker.
fn next_head<'t>(context: &Context<'t>, marker: &Marker, at: usize) -> Option<Head<'t>> {
    let at = skip_space(context.text, at);
    if let Some(rest) = context.rest(at).strip_prefix(marker.begin) {
        let start = context.text.len() - rest.trim_start().len();
        let is_other =
            begins_values(context.rest(start)) || placeholder_length(context.rest(start)).is_some();
        return Head::at(context.text, start).filter(|_| !is_other);
    }
    let head = Head::at(context.text, at)?;
    // Without a token, the rest may be a sentence.
    (head.is_direct(at) || head.is_marked(context.text)).then_some(head)
}

/// The part of a call before its arguments.
struct Head<'t> {
    name: &'t str,
    id: Option<&'t str>,
    /// The start of the arguments.
    arguments: usize,
}

impl<'t> Head<'t> {
    fn at(text: &'t str, start: usize) -> Option<Self> {
        let name = name_prefix(&text[start..]);
        if !is_name(name) {
            return None;
        }
        let mut at = skip_space(text, start + name.len());
        let mut id = None;
        if text[at..].starts_with(CALL_ID) {
            let rest = &text[at + CALL_ID.len()..];
            let length = rest.find(['[', '{', '\n'])?;
            id = Some(rest[..length].trim());
            at = skip_space(text, at + CALL_ID.len() + length);
        }
        if text[at..].starts_with(ARGUMENTS) {
            at += ARGUMENTS.len();
        } else if !text[at..].starts_with('{') {
            return None;
        }
        Some(Self {
            name,
            id,
            arguments: at,
        })
    }

    /// True if a token precedes the arguments.
    fn is_marked(&self, text: &str) -> bool {
        text[..self.arguments].ends_with(ARGUMENTS)
    }

    /// True if the arguments directly follow the name of a call that begins at `start`.
    fn is_direct(&self, start: usize) -> bool {
        start + self.name.len() == self.arguments
    }

    fn has_object(&self, text: &str) -> bool {
        WrittenValue::at(text, self.arguments).is_ok_and(|(value, _)| value.is_object())
    }

    fn read(&self, context: &Context<'_>, marker: &Marker) -> CallBlock {
        let at = skip_space(context.text, self.arguments);
        let value = WrittenValue::at(context.text, at).ok();
        if let Some((object, end)) = value.filter(|(value, _)| value.is_object()) {
            let after = skip_letters(context.text, end, &['}', ']']);
            let is_last =
                after == context.text.len() || context.rest(after).starts_with(marker.begin);
            return self.block(
                TextArguments::Json(object.to_json()),
                if is_last { after } else { end },
            );
        }
        let end = context.block_end(marker, at);
        match context.trimmed(at, end.at) {
            "" if end.at == context.text.len() => CallBlock::unread(end.after),
            "" => self.block(TextArguments::none(), end.after),
            written => self
                .block(TextArguments::invalid(written), end.after)
                .broken(),
        }
    }

    fn block(&self, arguments: TextArguments, end: usize) -> CallBlock {
        let id = self.id.filter(|id| !id.is_empty());
        let call = TextCall {
            id: id.map(|id| Text::from(id.to_owned())),
            ..TextCall::new(self.name, arguments)
        };
        CallBlock::one(call, end)
    }
}
