//! `DeepSeek` and Kimi: sections of calls, with tokens around names and arguments.

use rightcall_core::value::Text;

use super::calls::{TextArguments, TextCall};
use super::context::{CallBlock, Context, Outcome};
use super::json_block::after_fence;
use super::markers::{DEEPSEEK_CALL, KIMI_CALL, Marker};
use super::names::{is_name, is_placeholder, placeholder_length};
use super::places::skip_space;
use super::value::WrittenValue;

/// The tokens of a section.
struct Tokens {
    notation: &'static str,
    begin: &'static str,
    arguments: &'static str,
    end: &'static str,
    section_end: &'static str,
}

const DEEPSEEK: Tokens = Tokens {
    notation: "DeepSeek",
    begin: DEEPSEEK_CALL,
    arguments: "<｜tool▁sep｜>",
    end: "<｜tool▁call▁end｜>",
    section_end: "<｜tool▁calls▁end｜>",
};

const KIMI: Tokens = Tokens {
    notation: "Kimi",
    begin: KIMI_CALL,
    arguments: "<|tool_call_argument_begin|>",
    end: "<|tool_call_end|>",
    section_end: "<|tool_calls_section_end|>",
};

/// Reads the calls of a section. The first call may follow white space.
pub(super) fn section(context: &Context<'_>, marker: &Marker, first: usize) -> Outcome {
    let tokens = if marker.notation == KIMI.notation {
        &KIMI
    } else {
        &DEEPSEEK
    };
    let mut block = CallBlock::default();
    let mut at = skip_space(context.text, first);
    if !context.rest(at).starts_with(tokens.begin) {
        return Outcome::Mention;
    }
    let mut is_first = true;
    while context.rest(at).starts_with(tokens.begin) {
        let start = at + tokens.begin.len();
        match call(context, tokens, start) {
            Some(found) => block.add(found),
            None if is_first => return Outcome::Template(template_end(context, tokens, start)),
            None => block.end = call_end(context, tokens, start).1,
        }
        is_first = false;
        at = skip_space(context.text, block.end);
    }
    if context.rest(at).starts_with(tokens.section_end) {
        block.end = at + tokens.section_end.len();
    }
    Outcome::Block(block.of(tokens.notation))
}

/// The end of a template section.
fn template_end(context: &Context<'_>, tokens: &Tokens, from: usize) -> usize {
    match context.find(tokens.section_end, from) {
        Some(end) => end + tokens.section_end.len(),
        None => call_end(context, tokens, from).1,
    }
}

/// The end of a call and the offset after its end token. Without an end token, the call ends before the next call or the end of the
/// section, or at the end of the text.
fn call_end(context: &Context<'_>, tokens: &Tokens, from: usize) -> (usize, usize) {
    let next = context.first(&[tokens.begin, tokens.section_end], from);
    let next = next.unwrap_or(context.text.len());
    match context.find(tokens.end, from) {
        Some(end) if end < next => (end, end + tokens.end.len()),
        _ => (next, next),
    }
}

/// Reads one call; `None` for a template.
fn call(context: &Context<'_>, tokens: &Tokens, start: usize) -> Option<CallBlock> {
    let (end, after) = call_end(context, tokens, start);
    let separator = context.find(tokens.arguments, start).filter(|at| *at < end);
    let head = context.trimmed(start, separator.unwrap_or(end));
    if placeholder_length(head.strip_prefix(FUNCTIONS).unwrap_or(head)).is_some() {
        return None;
    }
    let content = separator.map(|at| at + tokens.arguments.len());
    let found = if tokens.notation == KIMI.notation {
        kimi_name(head).map(|(name, id)| (name, Some(id), content.unwrap_or(end)))
    } else {
        let named = content.map(|content| deepseek_name(context, tokens, head, content));
        named.map(|(name, arguments)| (name, None, arguments))
    };
    let Some((name, id, arguments)) = found else {
        return Some(CallBlock::unread(after));
    };
    if placeholder_length(name).is_some() || is_placeholder(name, context.tools) {
        return None;
    }
    if !is_name(name) {
        return Some(CallBlock::unread(after));
    }
    Some(with_arguments(context, tokens, name, id, arguments))
}

/// A prefix of names.
const FUNCTIONS: &str = "functions.";

/// The name and the id in `functions.f:0`.
fn kimi_name(head: &str) -> Option<(&str, &str)> {
    let name = head.strip_prefix(FUNCTIONS).unwrap_or(head);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let name = match name.rsplit_once(':') {
        Some((name, number)) if is_number(number) => name,
        _ => name,
    };
    (!is_number(name)).then_some((name, head))
}

/// The name in a `DeepSeek` call, and the start of its arguments. The name precedes the separator, or follows it if `function` precedes
/// it.
fn deepseek_name<'t>(
    context: &Context<'t>,
    tokens: &Tokens,
    head: &'t str,
    content: usize,
) -> (&'t str, usize) {
    let rest = context.rest(content);
    let is_template = placeholder_length(rest.trim_start()).is_some();
    if head != "function" || rest.trim_start().starts_with('{') && !is_template {
        return (head, content);
    }
    let limit = call_end(context, tokens, content).0 - content;
    let start = content + skip_space(&rest[..limit], 0);
    let inside = &context.text[start..content + limit];
    if is_template {
        return (inside, start);
    }
    let length = inside.find(['\n', '`', '{']).unwrap_or(inside.len());
    (inside[..length].trim(), start + length)
}

fn with_arguments(
    context: &Context<'_>,
    tokens: &Tokens,
    name: &str,
    id: Option<&str>,
    start: usize,
) -> CallBlock {
    let block = |arguments, end| {
        let id = id.map(|id| Text::from(id.to_owned()));
        CallBlock::one(
            TextCall {
                id,
                ..TextCall::new(name, arguments)
            },
            end,
        )
    };
    let text = context.text;
    let (at, _) = after_fence(text, skip_space(text, start));
    let value = WrittenValue::at(text, at).ok();
    if let Some((object, end)) = value.filter(|(value, _)| value.is_object()) {
        let next = skip_space(text, end);
        let next = skip_space(
            text,
            text.len() - text[next..].trim_start_matches("```").len(),
        );
        if context.rest(next).starts_with(tokens.end) {
            return block(
                TextArguments::Json(object.to_json()),
                next + tokens.end.len(),
            );
        }
        let (other, _) = call_end(context, tokens, next);
        if other == next || other == text.len() {
            return block(TextArguments::Json(object.to_json()), next);
        }
    }
    let (end, after) = call_end(context, tokens, at.min(text.len()));
    let inside = context.trimmed(at, end);
    let inside = inside.strip_suffix("```").unwrap_or(inside).trim();
    match inside {
        "" if after > end => block(TextArguments::none(), after),
        "" => CallBlock::unread(after),
        inside => block(TextArguments::invalid(inside), after).broken(),
    }
}
