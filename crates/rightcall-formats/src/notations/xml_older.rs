//! The form of Claude 2: `<invoke><tool_name>f</tool_name><parameters><k>text</k></parameters></invoke>`.

use memchr::memmem;

use super::context::{CallBlock, Context, Outcome};
use super::names::{is_name, is_placeholder};
use super::places::skip_space;
use super::xml_function::FunctionBody;
use super::xml_tags::{Tags, tag};

const NAME: &str = "<tool_name>";
const NAME_END: &str = "</tool_name>";
const PARAMETERS: &str = "<parameters>";
const PARAMETERS_END: &str = "</parameters>";

/// Reads the content after `<invoke>`.
pub(super) fn older_invoke(context: &Context<'_>, after: usize, tags: &Tags) -> Outcome {
    let at = skip_space(context.text, after);
    if !context.rest(at).starts_with(NAME) {
        return Outcome::Mention;
    }
    let start = at + NAME.len();
    let limit = context
        .first(&[tags.end, PARAMETERS], start)
        .unwrap_or(context.text.len());
    let name_end = context.find(NAME_END, start).filter(|end| *end < limit);
    let name = name_end.map(|end| context.trimmed(start, end));
    let end = || {
        context
            .find(tags.end, start)
            .map_or(context.text.len(), |end| end + tags.end.len())
    };
    match name {
        Some(name) if is_placeholder(name, context.tools) => Outcome::Template(end()),
        Some(name) if is_name(name) => {
            let body = start
                + context.text[start..limit]
                    .find(NAME_END)
                    .unwrap_or_default();
            let body = FunctionBody::new(context, tags, name, body + NAME_END.len());
            Outcome::Block(read(body))
        }
        _ => Outcome::Block(CallBlock::unread(end())),
    }
}

fn read(mut body: FunctionBody<'_, '_>) -> CallBlock {
    let text = body.context.text;
    let mut at = body.start;
    loop {
        at = skip_space(text, at);
        let rest = &text[at..];
        if let Some(end) = body.end_at(at) {
            return body.finished(end);
        }
        if let Some(part) = [PARAMETERS, PARAMETERS_END]
            .iter()
            .find(|it| rest.starts_with(**it))
        {
            at += part.len();
            continue;
        }
        let parameter = rest.strip_prefix('<').and_then(tag);
        let next = match parameter.filter(|(key, _)| is_name(key) && !key.starts_with('/')) {
            Some((key, length)) => parameter_value(&mut body, key, at + 1 + length),
            None => other_text(&mut body, at),
        };
        match next {
            Some(next) => at = next,
            None => return body.cut(text.len()),
        }
    }
}

/// Reads the value of a parameter and returns its end; `None` if the end is missing.
fn parameter_value(body: &mut FunctionBody<'_, '_>, key: &str, start: usize) -> Option<usize> {
    let context = body.context;
    let ends = [&[PARAMETERS_END, body.tags.end], body.tags.wrapper_ends].concat();
    let next = context.first_on_line(&ends, start);
    let close = format!("</{key}>");
    let limit = next.unwrap_or(context.text.len());
    let own = memmem::find(&context.text.as_bytes()[start..limit], close.as_bytes());
    let value = own.map(|own| start + own).or(next)?;
    let text = &context.text[start..value];
    body.pairs.add_text(context.tools, body.name, key, text);
    Some(own.map_or(value, |_| value + close.len()))
}

/// Skips other text up to the next tag; `None` if there is none.
fn other_text(body: &mut FunctionBody<'_, '_>, at: usize) -> Option<usize> {
    let inside = body.context.rest(at + 1);
    body.unread = true;
    inside.find('<').map(|next| at + 1 + next)
}
