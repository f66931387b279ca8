//! Blocks of Python calls: a list, or one call a line.

use super::context::{CallBlock, Context, Outcome};
use super::json_block::{begins_values, json_block};
use super::markers::Marker;
use super::object::PLAIN;
use super::places::{ends_line, skip_letters, skip_on_line, skip_space};
use super::python_call::{PythonCall, called_name};

/// Reads Python calls, or call objects.
pub(super) fn python_block(context: &Context<'_>, marker: &Marker, content: usize) -> Outcome {
    let start = skip_space(context.text, content);
    let inside = skip_letters(context.text, start, &['[']);
    if called_name(context.rest(inside)).is_none() {
        return json_block(context, marker, content, &PLAIN);
    }
    let mut block = CallBlock::default();
    let mut at = inside;
    while let Some(call) = PythonCall::at(context.text, at, marker.ends) {
        let end = context.block_end(marker, at);
        let call = call.within(context.text, end.at);
        take(context, &call, &mut block);
        if !call.is_closed {
            block.end = end.after;
            return Outcome::Block(block.broken());
        }
        block.end = call.end;
        at = skip_letters(context.text, call.end, &[',', ';', '[', ']']);
    }
    close(context, marker, at, &mut block);
    Outcome::Block(block)
}

fn take(context: &Context<'_>, call: &PythonCall<'_>, block: &mut CallBlock) {
    if call.is_closed || !call.is_empty() {
        block.calls.push(call.call(call.name, context.tools));
    } else {
        block.unread = true;
    }
}

/// Ends a block with calls up to `at`; the rest of the block is unparsed.
fn close(context: &Context<'_>, marker: &Marker, at: usize, block: &mut CallBlock) {
    if let Some(after) = context.after_end(marker, at) {
        block.end = after;
        return;
    }
    let end = context.block_end(marker, at);
    let text = context.text;
    let between = &text[block.end..at];
    let is_cut = between.contains(',') && PythonCall::cut_at(text, at).is_some();
    if end.after > end.at || is_cut {
        block.unread = true;
        block.is_broken = true;
        block.end = end.after;
        return;
    }
    let brackets = text[block.end..at].trim_end_matches(|it: char| it != ']');
    block.end += brackets.len();
}

/// Reads the content after `<|python_tag|>`: call objects, or calls of built-in tools, `f.call(k=v)`.
pub(super) fn python_tag(context: &Context<'_>, marker: &Marker, content: usize) -> Outcome {
    const BUILT_IN: &str = ".call";
    let text = context.text;
    let start = skip_space(text, content);
    if begins_values(&text[start..]) {
        return json_block(context, marker, content, &PLAIN);
    }
    let mut block = CallBlock::default();
    let mut at = start;
    while let Some(call) = PythonCall::at(text, at, &[marker.begin]) {
        let Some(tool) = call.name.strip_suffix(BUILT_IN) else {
            break;
        };
        let end = context.block_end(marker, at);
        let call = call.within(text, end.at);
        if !call.is_closed && call.is_empty() {
            block.unread = true;
        } else {
            block.calls.push(call.call(tool, context.tools));
        }
        block.end = call.end;
        at = skip_letters(text, call.end, &[';']);
        if !call.is_closed {
            return Outcome::Block(block.broken());
        }
        if at == skip_space(text, call.end) && !ends_line(text, call.end) {
            // More code follows, so the value may not be the call's.
            return Outcome::Mention;
        }
    }
    if block.calls.is_empty() && !block.unread {
        return Outcome::Mention;
    }
    Outcome::Block(block)
}

/// The calls in a `tool_code` fence; empty for an empty fence, `None` if it contains other code.
pub(super) fn tool_code(context: &Context<'_>, from: usize, to: usize) -> Option<CallBlock> {
    let text = context.text.get(..to)?;
    let mut block = CallBlock {
        end: to,
        ..CallBlock::default()
    };
    let mut at = skip_space(text, from.min(to));
    let is_list = text[at..].starts_with('[');
    at += usize::from(is_list);
    loop {
        at = skip_letters(text, at, if is_list { &[',', ']', '['] } else { &[';'] });
        if at == text.len() {
            return Some(block);
        }
        let call = PythonCall::at(text, at, &[])?;
        let end = call.end;
        let call = unwrapped(text, at, call)?;
        let tool = call.name.strip_prefix("default_api.").unwrap_or(call.name);
        if !call.is_closed {
            block.is_broken = true;
            block.unread |= call.is_empty();
        }
        if call.is_closed || !call.is_empty() {
            block.calls.push(call.call(tool, context.tools));
        }
        let next = skip_on_line(text, end, &[]);
        if !is_list && !text[next..].starts_with(';') && !ends_line(text, next) {
            return None;
        }
        at = end;
    }
}

/// The call inside `print(…)`; `None` if it prints anything else.
fn unwrapped<'t>(text: &'t str, at: usize, call: PythonCall<'t>) -> Option<PythonCall<'t>> {
    const PRINT: &str = "print";
    if call.name != PRINT {
        return Some(call);
    }
    let inside = skip_space(text, at + PRINT.len() + 1);
    if !call.is_closed {
        return PythonCall::at(text, inside, &[]);
    }
    let text = &text[..call.end - 1];
    let inner = PythonCall::at(text, inside, &[])?;
    let is_whole = text[inner.end..].trim().is_empty();
    is_whole.then_some(inner)
}
