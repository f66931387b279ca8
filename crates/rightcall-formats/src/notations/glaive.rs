//! Glaive: `<functioncall> {"name": "f", "arguments": '{…}'}`; the text in single quotes may contain quotes.

use super::calls::{TextArguments, TextCall};
use super::context::{CallBlock, Context, Outcome};
use super::json_block::json_block;
use super::markers::Marker;
use super::names::is_placeholder;
use super::object::{PLAIN, broken_object, id_of, name_of, repeats_key};
use super::places::{skip_letters, skip_space};
use super::value::WrittenValue;

/// Reads the content after the marker.
pub(super) fn glaive(context: &Context<'_>, marker: &Marker, content: usize) -> Outcome {
    let at = skip_space(context.text, content);
    let is_json = matches!(
        WrittenValue::at(context.text, at),
        Ok((WrittenValue::Json(_), _))
    );
    let is_object = context.rest(at).starts_with('{');
    let quoted = (is_object && !is_json).then(|| quoted_call(context, marker, at));
    quoted
        .flatten()
        .unwrap_or_else(|| json_block(context, marker, content, &PLAIN))
}

/// The object at this offset with arguments in single quotes; `None` if they aren't.
fn quoted_call(context: &Context<'_>, marker: &Marker, at: usize) -> Option<Outcome> {
    let text = context.text;
    let object = broken_object(text, at, |key, value| {
        PLAIN.arguments.iter().any(|it| *key == **it) && text[value..].starts_with('\'')
    });
    let quote = object.broken_value(PLAIN.arguments)?;
    let name = name_of(&object.members, &PLAIN)?;
    if !text[quote..].starts_with('\'') {
        return None;
    }
    let block_end = context.block_end(marker, quote);
    if is_placeholder(&name.to_display(), context.tools) {
        return Some(Outcome::Template(block_end.after));
    }
    let (arguments, end) = match quoted_arguments(text, quote + 1, block_end.at) {
        Some((inside, end)) => (arguments(inside), after_object(context, marker, end)),
        None => (
            TextArguments::invalid(&text[quote..block_end.at]),
            block_end.after,
        ),
    };
    let id = id_of(&object.members);
    Some(Outcome::Block(CallBlock::one(
        TextCall {
            name,
            arguments,
            id,
            repeats_key: repeats_key(&object.members),
        },
        end,
    )))
}

/// The text between the quotes, and the end of the object: after the JSON, or else after the last quote before a `}`.
fn quoted_arguments(text: &str, start: usize, end: usize) -> Option<(&str, usize)> {
    let after_quote = |quote: usize| {
        let rest = text[quote..].strip_prefix('\'')?.trim_start();
        let after = rest.strip_prefix('}')?;
        Some((&text[start..quote], text.len() - after.len()))
    };
    let value = WrittenValue::at(text, skip_space(text, start)).ok();
    let json_end = value.map(|(_, end)| skip_space(text, end));
    json_end.and_then(after_quote).or_else(|| {
        let mut quotes = text[start..end].rmatch_indices('\'');
        quotes.find_map(|(at, _)| after_quote(start + at))
    })
}

fn arguments(inside: &str) -> TextArguments {
    match WrittenValue::whole_object(inside) {
        Some(object) => TextArguments::Json(object.to_json()),
        None if inside.trim().is_empty() => TextArguments::none(),
        None => TextArguments::invalid(inside),
    }
}

/// The offset after surplus closing brackets and the end marker.
fn after_object(context: &Context<'_>, marker: &Marker, end: usize) -> usize {
    let at = skip_letters(context.text, end, &['}']);
    context.after_end(marker, at).unwrap_or(end)
}
