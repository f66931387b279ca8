//! XML-like blocks: `<function=f>…</function>` and `<invoke name="f">…</invoke>`, with or without a wrapper.

use super::context::{CallBlock, Context, Outcome};
use super::markers::{Form, Marker, marker_at};
use super::places::skip_space;
use super::xml_function::function;
use super::xml_older::older_invoke;
use super::xml_tags::Tags;

/// Reads the functions in a wrapper; `None` if none follows.
pub(super) fn wrapper(context: &Context<'_>, marker: &Marker, content: usize) -> Option<Outcome> {
    let first = skip_space(context.text, content);
    let mut block = match one(context, first, Some(marker))? {
        Outcome::Block(block) => block,
        Outcome::Template(_) => {
            return Some(Outcome::Template(context.block_end(marker, first).after));
        }
        Outcome::Mention => return Some(Outcome::Mention),
    };
    loop {
        let at = skip_space(context.text, block.end);
        match one(context, at, Some(marker)) {
            Some(Outcome::Block(found)) => block.add(found),
            Some(Outcome::Template(end)) => block.end = end,
            Some(Outcome::Mention) | None => break,
        }
    }
    close(context, marker, &mut block);
    Some(Outcome::Block(block))
}

/// Ends a wrapper after its last function; any other content is unparsed.
fn close(context: &Context<'_>, marker: &Marker, block: &mut CallBlock) {
    let at = skip_space(context.text, block.end);
    if let Some(after) = context.after_end(marker, at) {
        block.end = after;
        return;
    }
    let end = context.block_end(marker, block.end);
    if end.after > end.at {
        block.unread = true;
        block.is_broken = true;
        block.end = end.after;
    }
}

/// Reads the function at this offset.
fn one(context: &Context<'_>, at: usize, wrapper: Option<&Marker>) -> Option<Outcome> {
    let is_tag = context.rest(at).starts_with('<');
    let (_, marker) = is_tag.then(|| marker_at(context.text, at)).flatten()?;
    let is_function = matches!(marker.form, Form::Function | Form::Invoke);
    is_function.then(|| read(context, at, marker, wrapper))
}

/// Reads a function without a wrapper, and skips a wrapper's end tag after it.
pub(super) fn alone(context: &Context<'_>, at: usize, marker: &Marker) -> Outcome {
    let mut found = read(context, at, marker, None);
    if let Outcome::Block(block) = &mut found {
        let at = skip_space(context.text, block.end);
        let ends = Tags::new(marker, None).wrapper_ends;
        let end = ends.iter().find(|end| context.rest(at).starts_with(**end));
        block.end = end.map_or(block.end, |end| at + end.len());
    }
    found
}

fn read(context: &Context<'_>, at: usize, marker: &Marker, wrapper: Option<&Marker>) -> Outcome {
    let tags = Tags::new(marker, wrapper);
    let after = at + marker.begin.len();
    if marker.form == Form::Invoke && context.rest(after).starts_with('>') {
        return older_invoke(context, after + 1, &tags);
    }
    function(context, at, marker, &tags)
}
