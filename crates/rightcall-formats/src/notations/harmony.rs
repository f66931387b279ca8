//! Harmony: messages `<|start|>role<|channel|>c to=functions.f<|message|>body<|call|>`.

use super::calls::{TextArguments, TextCall, TextCalls};
use super::complete::{has_complete_call, look_into_answer};
use super::context::Context;
use super::places::{skip_space, without_end_tokens};
use super::quotations::{Quotations, backticks};
use super::reasoning::calls_in_reasoning;
use super::value::WrittenValue;

const NOTATION: &str = "harmony";
const START: &str = "<|start|>";
const CHANNEL: &str = "<|channel|>";
const CONSTRAIN: &str = "<|constrain|>";
const MESSAGE: &str = "<|message|>";

/// Tokens that end a body and are part of the message.
const ENDS: [&str; 3] = ["<|call|>", "<|end|>", "<|return|>"];

/// Roles of messages without a channel.
const ROLES: [&str; 5] = ["assistant", "user", "system", "developer", "tool"];

/// Recipients that aren't tools.
const SPEAKERS: [&str; 3] = ["user", "assistant", "all"];

/// Reads a text of messages; `None` for other texts.
pub(super) fn harmony(context: &Context<'_>) -> Option<TextCalls> {
    let first = first_token(context)?;
    let (leading, start) = leading(context, first);
    if !Header::at(context, start).is_some_and(|header| header.is_sound(context)) {
        return None;
    }
    let mut reader = Reader {
        context,
        found: TextCalls::default(),
    };
    reader.text(without_end_tokens(&context.text[..leading]));
    let mut at = start;
    while let Some(header) = Header::at(context, at) {
        at = reader.message(&header);
    }
    reader.text(context.rest(at));
    Some(reader.found)
}

/// The first header token outside quotations.
fn first_token(context: &Context<'_>) -> Option<usize> {
    let text = context.text;
    let first = context.first(&[START, CHANNEL], 0)?;
    let quotations = Quotations::default();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'`', &text.as_bytes()[at..first]) {
        let begin = at + found;
        match quotations.at(text, begin) {
            Some(quotation) if quotation.is_closed && quotation.end > first => return None,
            Some(quotation) if quotation.is_closed => at = quotation.end,
            _ => at = begin + backticks(text, begin),
        }
        if at >= first {
            break;
        }
    }
    Some(first)
}

/// The end of the text before the first header, and the start of the header: a role may precede the first token.
fn leading(context: &Context<'_>, first: usize) -> (usize, usize) {
    let before = context.text[..first].trim();
    let role = before.strip_prefix("assistant").unwrap_or(before).trim();
    let is_role = role.is_empty() || role.starts_with("to=") && !role.contains(char::is_whitespace);
    if is_role { (0, 0) } else { (first, first) }
}

/// The header of a message.
struct Header<'t> {
    role: &'t str,
    channel: Option<&'t str>,
    recipient: Option<&'t str>,
    /// The start of the body; `None` if the text ends in the header.
    body: Option<usize>,
    end: usize,
}

impl<'t> Header<'t> {
    /// The header at this offset, after white space; `None` at the end of the text or before other text.
    fn at(context: &Context<'t>, at: usize) -> Option<Self> {
        let text = context.text;
        let start = skip_space(text, at);
        let rest = context.rest(start);
        let is_header = rest.starts_with(START) || rest.starts_with(CHANNEL) || at == 0;
        if !is_header || rest.is_empty() {
            return None;
        }
        let role_at = start
            + if rest.starts_with(START) {
                START.len()
            } else {
                0
            };
        let other = [&ENDS[..], &[START]].concat();
        let limit = context.first(&other, role_at).unwrap_or(text.len());
        let message = context.find(MESSAGE, role_at).filter(|at| *at < limit);
        let end = message.unwrap_or(limit);
        let head = &text[role_at..end];
        let (role, rest) = head.split_once(CHANNEL).unwrap_or((head, ""));
        let (channel, content) = rest.split_once(CONSTRAIN).unwrap_or((rest, ""));
        let recipient = [role, channel, content].into_iter().find_map(recipient);
        Some(Self {
            role: role.split_whitespace().next().unwrap_or_default(),
            channel: channel.split_whitespace().next(),
            recipient,
            body: message.map(|at| at + MESSAGE.len()),
            end,
        })
    }

    /// True for a real header, false if its tokens are mentioned in a sentence.
    fn is_sound(&self, context: &Context<'_>) -> bool {
        let is_channel = |it: &str| matches!(it, "analysis" | "commentary" | "final");
        let is_word = |it: &str| {
            it.chars()
                .all(|letter| letter.is_alphanumeric() || "_-.=".contains(letter))
        };
        let is_role = ROLES.contains(&self.role);
        let is_named = self.channel.map_or(is_role, is_channel);
        let is_known = self.recipient.is_some() || is_named;
        let ends =
            self.body.is_some() || self.recipient.is_some() && self.end == context.text.len();
        is_word(self.role) && is_known && ends
    }

    fn is_assistant(&self) -> bool {
        let role = self.role;
        role.is_empty() || role == "assistant" || role.starts_with("to=")
    }
}

/// The recipient in a part of a header.
fn recipient(part: &str) -> Option<&str> {
    let mut words = part.split_whitespace();
    words
        .find_map(|word| word.strip_prefix("to="))
        .filter(|it| !it.is_empty())
}

struct Reader<'c, 't> {
    context: &'c Context<'t>,
    found: TextCalls,
}

impl Reader<'_, '_> {
    /// Adds answer text. A complete call in it is reported as unread.
    fn text(&mut self, text: &str) {
        look_into_answer(self.context, text, &mut self.found, NOTATION);
        self.found.add_text(text);
    }

    /// Reads the message of a header and returns its end.
    fn message(&mut self, header: &Header<'_>) -> usize {
        let tool = header.recipient.filter(|it| !SPEAKERS.contains(it));
        let tool = tool.filter(|_| header.is_assistant());
        let Some(start) = header.body else {
            if tool.is_some() {
                self.found.miss(NOTATION);
            }
            return self.after_end(header.end);
        };
        let end = self.body_end(start);
        let body = &self.context.text[start..end];
        match (tool, header.channel) {
            (Some(tool), _) => self.call(tool, body, end),
            _ if !header.is_assistant() => {}
            (None, Some("analysis")) => {
                let is_open = end == self.context.text.len();
                self.found.quoted |= is_open && has_complete_call(self.context, body);
                self.found.in_reasoning += calls_in_reasoning(self.context, body);
            }
            (None, _) => self.text(body),
        }
        self.after_end(end)
    }

    /// The end of the body that starts here. Tokens inside a JSON object don't end it.
    fn body_end(&self, start: usize) -> usize {
        let context = self.context;
        let object = skip_space(context.text, start);
        let value = context
            .rest(object)
            .starts_with('{')
            .then(|| WrittenValue::at(context.text, object));
        let after = value.and_then(Result::ok).map_or(start, |(_, end)| end);
        let ends = [&ENDS[..], &[START]].concat();
        context.first(&ends, after).unwrap_or(context.text.len())
    }

    /// The offset after the end token of a message.
    fn after_end(&self, end: usize) -> usize {
        let rest = self.context.rest(end);
        let token = ENDS.iter().find(|token| rest.starts_with(**token));
        token.map_or(end, |token| end + token.len())
    }

    fn call(&mut self, tool: &str, body: &str, end: usize) {
        let name = tool.strip_prefix("functions.").unwrap_or(tool);
        let arguments = match WrittenValue::whole_object(body) {
            Some(object) => TextArguments::Json(object.to_json()),
            None if !body.trim().is_empty() => TextArguments::invalid(body),
            None if end < self.context.text.len() => TextArguments::none(),
            None => return self.found.miss(NOTATION),
        };
        self.found.note(NOTATION);
        self.found.calls.push(TextCall::new(name, arguments));
    }
}
