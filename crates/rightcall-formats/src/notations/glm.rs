//! GLM: a name, then pairs `<arg_key>k</arg_key><arg_value>text</arg_value>`.

use super::calls::{TextArguments, TextCall};
use super::context::{CallBlock, Context, Outcome};
use super::markers::Marker;
use super::names::{is_name, is_placeholder, placeholder_length};
use super::places::{skip_space, starts_line};
use super::typing::Pairs;

const KEY: &str = "<arg_key>";
const KEY_END: &str = "</arg_key>";
const VALUE: &str = "<arg_value>";
const VALUE_END: &str = "</arg_value>";
const END: &str = "</tool_call>";
const NOTATION: &str = "GLM";

/// Reads the call that follows a marker.
pub(super) fn glm(context: &Context<'_>, marker: &Marker, content: usize) -> Outcome {
    let text = context.text;
    let start = skip_space(text, content);
    let rest = context.rest(start);
    if placeholder_length(rest).is_some() {
        return Outcome::Template(context.block_end(marker, start).after);
    }
    let length = rest.find(['<', '\n']).unwrap_or(rest.len());
    let name = rest[..length].trim_end();
    if !is_name(name) {
        return Outcome::Mention;
    }
    let body = start + length;
    let next = skip_space(text, body);
    let has_pairs = context.rest(next).starts_with(KEY);
    let space = &text[content..start];
    let is_direct = space.is_empty() || space.ends_with('\n');
    if !has_pairs && !is_direct {
        return Outcome::Mention;
    }
    if is_placeholder(name, context.tools) {
        return Outcome::Template(context.block_end(marker, start).after);
    }
    // In a sentence, `<tool_call>s` is a word.
    let is_open = !context.rest(next).starts_with('<') && context.find(END, next).is_none();
    if is_open && !starts_line(text, content - marker.begin.len()) && next < text.len() {
        return Outcome::Mention;
    }
    Outcome::Block(pairs(context, name, body).of(NOTATION))
}

fn pairs(context: &Context<'_>, name: &str, start: usize) -> CallBlock {
    let mut pairs = Pairs::default();
    let mut at = skip_space(context.text, start);
    while let Some((key, value, end)) = pair(context, at) {
        pairs.add_text(context.tools, name, key, value);
        at = skip_space(context.text, end);
    }
    if context.rest(at).starts_with(END) {
        let call = TextCall::new(name, TextArguments::Json(pairs.to_json()));
        return CallBlock::one(call, at + END.len());
    }
    let end = context.find(END, at);
    let inside = context.trimmed(start, end.unwrap_or(context.text.len()));
    let end = end.map_or(context.text.len(), |end| end + END.len());
    if inside.is_empty() {
        return CallBlock::unread(end);
    }
    CallBlock::one(TextCall::new(name, TextArguments::invalid(inside)), end).broken()
}

/// The pair at this offset: its key, its value and its end.
fn pair<'t>(context: &Context<'t>, at: usize) -> Option<(&'t str, &'t str, usize)> {
    let key = part(context, at, KEY, KEY_END)?;
    let value_at = skip_space(context.text, key.1);
    let value = part(context, value_at, VALUE, VALUE_END)?;
    Some((key.0.trim(), value.0, value.1))
}

fn part<'t>(
    context: &Context<'t>,
    at: usize,
    begin: &str,
    end: &'static str,
) -> Option<(&'t str, usize)> {
    context.rest(at).strip_prefix(begin)?;
    let start = at + begin.len();
    let close = context.find(end, start)?;
    Some((&context.text[start..close], close + end.len()))
}
