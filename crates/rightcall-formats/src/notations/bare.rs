//! Notations without a marker: the call starts the answer and ends its line.

use super::bare_object::{BareItem, bare_item, cut_item};
use super::calls::{TextArguments, TextCall, UNMARKED};
use super::context::{CallBlock, Context, Outcome};
use super::json_block::{begins_values, json_block};
use super::literal::LooseQuotes;
use super::markers::{Form, Marker};
use super::names::is_name;
use super::object::{BlockItem, PLAIN, block_item, broken_object};
use super::places::{ends_line, rest_of_line, skip_letters, skip_on_line, skip_space};
use super::python_call::{MAX_DEPTH, PythonCall, called_name};
use super::value::{WrittenValue, member};

/// The key of a list of calls.
const TOOL_CALLS: &str = "tool_calls";

/// A marker for call objects that end only with the text.
static NO_MARKER: Marker = Marker {
    begin: "\0",
    ends: &[],
    notation: UNMARKED[0],
    form: Form::Json,
};

/// The calls at the start of an answer; `None` if it starts with anything else.
pub(super) fn bare(context: &Context<'_>, start: usize) -> Option<CallBlock> {
    let rest = context.rest(start);
    if begins_values(rest) {
        return objects(context, start).map(|block| block.of(UNMARKED[0]));
    }
    if rest.starts_with('[') {
        return lists(context, start).map(|block| block.of(UNMARKED[1]));
    }
    let block = weak_calls(context, start).or_else(|| name_and_object(context, start));
    block.map(|block| block.of(UNMARKED[2]))
}

fn objects(context: &Context<'_>, start: usize) -> Option<CallBlock> {
    let text = context.text;
    let mut block = CallBlock::default();
    let mut at = start;
    loop {
        let found = match WrittenValue::at(text, at) {
            Ok((value, end)) => value_calls(context, &value, end),
            Err(_) => cut_calls(context, at),
        };
        // After a call, anything else is text.
        match found {
            Some(found) if !found.calls.is_empty() => block.add(found),
            Some(found) if at == start => return Some(found),
            _ if at == start => return None,
            _ => break,
        }
        at = skip_letters(text, block.end, &[',', ';', '}', ']']);
        if !begins_values(context.rest(at)) {
            break;
        }
    }
    block.end = skip_on_line(text, block.end, &[',', ';', '}', ']']);
    ends_line(text, block.end).then_some(block)
}

/// The calls of a value; `None` if it is an answer.
fn value_calls(context: &Context<'_>, value: &WrittenValue<'_>, end: usize) -> Option<CallBlock> {
    let listed = member(&value.members(), &[TOOL_CALLS]).cloned();
    if let Some(list) = listed.filter(WrittenValue::is_list) {
        return listed_calls(context, &list, end);
    }
    let items = if value.is_list() {
        value.items()
    } else {
        vec![value.clone()]
    };
    let items = items.iter().map(|item| bare_item(item, context.tools));
    collected(items, end)
}

/// The calls among the items; marked if only some items are calls. `None` if no item looks like one.
fn collected(items: impl Iterator<Item = BareItem>, end: usize) -> Option<CallBlock> {
    let mut block = CallBlock {
        end,
        ..CallBlock::default()
    };
    let (mut like, mut others) = (false, false);
    for item in items {
        match item {
            BareItem::Call(call) => block.calls.push(call),
            BareItem::CallLike => like = true,
            BareItem::Answer => others = true,
        }
    }
    block.unread = like || others && !block.calls.is_empty();
    (like || !block.calls.is_empty()).then_some(block)
}

/// The calls under `tool_calls`; `None` for an empty list.
fn listed_calls(context: &Context<'_>, list: &WrittenValue<'_>, end: usize) -> Option<CallBlock> {
    let items = list.items();
    let items = items
        .iter()
        .map(|item| match block_item(item, &PLAIN, context.tools) {
            BlockItem::Call(call) => BareItem::Call(call),
            BlockItem::Template => BareItem::Answer,
            BlockItem::Nameless => BareItem::CallLike,
        });
    collected(items, end)
}

/// The calls of an object or list that is cut off by the end of the text.
fn cut_calls(context: &Context<'_>, start: usize) -> Option<CallBlock> {
    let text = context.text;
    let end = text.len();
    if text[start..].starts_with('{') {
        let object = broken_object(text, start, |_, _| false);
        let list = object
            .broken_value(&[TOOL_CALLS])
            .filter(|_| object.stop == end);
        if let Some(list) = list.filter(|list| begins_values(context.rest(*list))) {
            return match json_block(context, &NO_MARKER, list, &PLAIN) {
                Outcome::Block(block) => Some(block),
                _ => None,
            };
        }
        let item = cut_item(text, start, context.tools)?;
        return collected([item].into_iter(), end);
    }
    let mut items = Vec::new();
    let mut at = start + 1;
    loop {
        at = skip_letters(text, at, &[',']);
        if at == end {
            return collected(items.into_iter(), end);
        }
        match WrittenValue::at(text, at) {
            Ok((value, after)) => {
                items.push(bare_item(&value, context.tools));
                at = after;
            }
            Err(_) if text[at..].starts_with('{') => {
                items.push(cut_item(text, at, context.tools)?);
                return collected(items.into_iter(), end);
            }
            Err(_) => return None,
        }
    }
}

/// Lists of Python calls.
fn lists(context: &Context<'_>, start: usize) -> Option<CallBlock> {
    let text = context.text;
    let mut quotes = LooseQuotes::default();
    let (mut calls, mut end) = list(text, start, MAX_DEPTH, &mut quotes)?;
    loop {
        let next = skip_letters(text, end, &[',']);
        let more = text[next..]
            .starts_with('[')
            .then(|| list(text, next, MAX_DEPTH, &mut quotes));
        let Some((more, after)) = more.flatten() else {
            break;
        };
        calls.extend(more);
        end = after;
    }
    if !ends_line(text, end) {
        return None;
    }
    let read: Vec<_> = calls
        .iter()
        .map(|call| call.call(call.name, context.tools))
        .collect();
    let is_whole = |call: &TextCall| matches!(call.arguments, TextArguments::Json(_));
    let unread = CallBlock::unread(end);
    if calls
        .iter()
        .any(|call| call.is_object() && !context.tools.has(call.name))
    {
        return Some(unread);
    }
    if calls.iter().any(PythonCall::has_keyword) || read.iter().all(is_whole) {
        let is_cut = |call: &PythonCall<'_>| !call.is_closed && call.is_empty();
        let kept = calls.iter().zip(read).filter(|(call, _)| !is_cut(call));
        return Some(CallBlock {
            calls: kept.map(|(_, call)| call).collect(),
            unread: calls.iter().any(is_cut),
            end,
            ..CallBlock::default()
        });
    }
    let is_mathematics = calls.iter().all(PythonCall::is_mathematics);
    (!is_mathematics).then_some(unread)
}

/// The calls of one list (brackets optional) and its end; `None` if the list contains anything else. `quotes` belongs to this text.
pub(super) fn list<'t>(
    text: &'t str,
    start: usize,
    depth: usize,
    quotes: &mut LooseQuotes,
) -> Option<(Vec<PythonCall<'t>>, usize)> {
    let mut calls = Vec::new();
    let mut at = skip_space(text, start + 1);
    loop {
        let call = PythonCall::nested_at(text, at, &[], depth, quotes);
        let cut = || (!calls.is_empty()).then(|| PythonCall::cut_at(text, at));
        let call = call.or_else(|| cut().flatten())?.within(text, text.len());
        let end = call.end;
        calls.push(call);
        at = skip_space(text, end);
        let rest = &text[at..];
        if rest.starts_with(']') {
            return Some((calls, at + 1));
        }
        let Some(rest) = rest.strip_prefix(',') else {
            return ends_line(text, end).then_some((calls, end));
        };
        at = skip_space(text, text.len() - rest.len());
        if rest.trim_start().is_empty() {
            return Some((calls, at));
        }
        if rest.trim_start().starts_with(']') {
            return Some((calls, at + 1));
        }
    }
}

/// Python calls without brackets. They only count if all names are tools.
fn weak_calls(context: &Context<'_>, start: usize) -> Option<CallBlock> {
    let text = context.text;
    let (mut calls, mut end, mut at) = (Vec::new(), start, start);
    while called_name(context.rest(at)).is_some() {
        let call = PythonCall::at(text, at, &[])?.within(text, text.len());
        let next = skip_on_line(text, call.end, &[]);
        let after = skip_on_line(text, next, &[';', ',']);
        let is_separated = text[next..].starts_with([';', ',']);
        let goes_on = is_separated && called_name(context.rest(after)).is_some();
        if !goes_on && !ends_line(text, after) {
            break;
        }
        calls.push(call);
        end = after;
        at = skip_space(text, after);
    }
    if !ends_line(text, end) {
        return None;
    }
    let are_tools = !calls.is_empty() && calls.iter().all(|call| context.tools.has(call.name));
    let read: Vec<_> = calls
        .iter()
        .map(|call| call.call(call.name, context.tools))
        .collect();
    let is_whole = |call: &TextCall| matches!(call.arguments, TextArguments::Json(_));
    let has_keyword = calls.iter().any(PythonCall::has_keyword);
    if are_tools && (has_keyword || read.iter().all(is_whole)) {
        return Some(CallBlock {
            calls: read,
            end,
            ..CallBlock::default()
        });
    }
    has_keyword.then(|| CallBlock::unread(end))
}

/// A name, with an object on the next line. It is a call if the name is a tool.
fn name_and_object(context: &Context<'_>, start: usize) -> Option<CallBlock> {
    let text = context.text;
    let line = rest_of_line(text, start);
    let name = line.trim_end();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    if !is_name(name) || !name.starts_with(is_word) || !name.ends_with(is_word) {
        return None;
    }
    let at = skip_space(text, start + line.len());
    if !context.rest(at).starts_with('{') {
        return None;
    }
    let (arguments, end) = match WrittenValue::at(text, at) {
        Ok((object, end)) => (TextArguments::Json(object.to_json()), end),
        Err(stop) if stop == text.len() => (TextArguments::invalid(context.rest(at)), stop),
        Err(_) => return None,
    };
    if !ends_line(text, end) {
        return None;
    }
    if !context.tools.has(name) {
        return Some(CallBlock::unread(end));
    }
    Some(CallBlock::one(TextCall::new(name, arguments), end))
}
