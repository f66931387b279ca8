//! Blocks of call objects or lists of them, separated by white space, `,` or `;`, optionally in a code fence.

use memchr::memmem;

use super::calls::TextCall;
use super::context::{CallBlock, Context, Outcome};
use super::markers::Marker;
use super::names::placeholder_length;
use super::object::{BlockItem, ObjectKeys, block_item, broken_item};
use super::places::{skip_letters, skip_space};
use super::reasoning::{ReasoningTag, reasoning_tag};
use super::value::WrittenValue;

/// The delimiter of a code fence.
pub(super) const FENCE: &str = "```";

/// Reads the block with content at this offset.
pub(super) fn json_block(
    context: &Context<'_>,
    marker: &Marker,
    content: usize,
    keys: &ObjectKeys,
) -> Outcome {
    let start = skip_space(context.text, after_reasoning(context.text, content));
    let (at, is_fenced) = after_fence(context.text, start);
    if placeholder_length(context.rest(at)).is_some() {
        return Outcome::Template(context.block_end(marker, at).after);
    }
    if !begins_values(context.rest(at)) {
        return Outcome::Mention;
    }
    let mut block = JsonBlock::new(context, marker, keys, is_fenced);
    let end = block.values(at);
    if block.is_template() {
        return Outcome::Template(context.block_end(marker, end).after);
    }
    Outcome::Block(CallBlock {
        calls: block.calls,
        unread: block.unread,
        is_broken: block.is_broken,
        notation: None,
        end: if block.is_broken {
            end
        } else {
            closed(context, marker, end, is_fenced)
        },
    })
}

/// True if a text begins with call objects or a list of them.
pub(super) fn begins_values(text: &str) -> bool {
    let after_list = text.strip_prefix('[').map(str::trim_start);
    text.starts_with('{') || after_list.is_some_and(|inside| inside.starts_with(['{', ']']))
}

/// The offset after the reasoning that a model wrote inside a block; `at` if there is none.
pub(super) fn after_reasoning(text: &str, at: usize) -> usize {
    let start = skip_space(text, at);
    let Some(ReasoningTag::Opening(_, closing)) = reasoning_tag(text, start) else {
        return at;
    };
    let end = memmem::find(&text.as_bytes()[start..], closing.as_bytes());
    end.map_or(at, |end| start + end + closing.len())
}

/// The offset after an opening fence and its language, if there is a fence here.
pub(super) fn after_fence(text: &str, at: usize) -> (usize, bool) {
    let rest = &text[at..];
    let inside = rest.trim_start_matches('`');
    if rest.len() - inside.len() < 3 {
        return (at, false);
    }
    let language =
        inside.trim_start_matches(|it: char| it.is_alphanumeric() || matches!(it, '_' | '-'));
    (skip_space(text, text.len() - language.len()), true)
}

/// The offset after a block with values up to `end`. Surplus closing brackets, a fence and an end marker belong to the block; the rest is
/// text.
fn closed(context: &Context<'_>, marker: &Marker, end: usize, is_fenced: bool) -> usize {
    let text = context.text;
    let mut at = skip_letters(text, end, &['}', ']', ',', ';']);
    if is_fenced && text[at..].starts_with(FENCE) {
        at = text.len() - text[at..].trim_start_matches('`').len();
        let after = context.after_end(marker, skip_space(text, at));
        return after.filter(|_| marker.ends != [FENCE]).unwrap_or(at);
    }
    if let Some(after) = context.after_end(marker, at) {
        return after;
    }
    if at == text.len() || text[at..].starts_with(marker.begin) {
        return at;
    }
    let brackets = text[end..at].trim_end_matches([',', ';', ' ', '\t', '\r', '\n']);
    end + brackets.len()
}

struct JsonBlock<'c, 't> {
    context: &'c Context<'t>,
    marker: &'c Marker,
    keys: &'c ObjectKeys,
    is_fenced: bool,
    calls: Vec<TextCall>,
    templates: usize,
    unread: bool,
    is_broken: bool,
}

impl<'c, 't> JsonBlock<'c, 't> {
    fn new(
        context: &'c Context<'t>,
        marker: &'c Marker,
        keys: &'c ObjectKeys,
        is_fenced: bool,
    ) -> Self {
        Self {
            context,
            marker,
            keys,
            is_fenced,
            calls: Vec::new(),
            templates: 0,
            unread: false,
            is_broken: false,
        }
    }

    fn is_template(&self) -> bool {
        self.calls.is_empty() && !self.unread && self.templates > 0
    }

    fn take(&mut self, item: BlockItem) {
        match item {
            BlockItem::Call(call) => self.calls.push(call),
            BlockItem::Template => self.templates += 1,
            BlockItem::Nameless => self.unread = true,
        }
    }

    /// Reads values from this offset and returns their end.
    fn values(&mut self, start: usize) -> usize {
        let text = self.context.text;
        let mut at = start;
        loop {
            let end = match WrittenValue::at(text, at) {
                Ok((value, end)) => {
                    self.value(&value);
                    end
                }
                Err(_) if text[at..].starts_with('[') => match self.broken_list(at + 1) {
                    Ok(end) => end,
                    Err(end) => return end,
                },
                Err(_) => return self.broken(at),
            };
            let next = skip_letters(text, end, &[',', ';', '}', ']']);
            if !begins_values(&text[next..]) {
                return end;
            }
            at = next;
        }
    }

    fn value(&mut self, value: &WrittenValue<'_>) {
        if value.is_list() {
            value.items().iter().for_each(|item| self.value(item));
        } else {
            self.take(block_item(value, self.keys, self.context.tools));
        }
    }

    /// Reads the items of a broken or unclosed list and returns its end.
    ///
    /// # Errors
    /// The end of the block, if the rest of it is broken.
    fn broken_list(&mut self, start: usize) -> Result<usize, usize> {
        let text = self.context.text;
        let (mut at, mut end) = (start, start);
        loop {
            at = skip_letters(text, at, &[',', ';']);
            if text[at..].starts_with(']') {
                return Ok(at + 1);
            }
            if self.may_end(at) {
                return Ok(end);
            }
            match WrittenValue::at(text, at) {
                Ok((value, after)) => {
                    self.value(&value);
                    (at, end) = (after, after);
                }
                Err(_) => return Err(self.broken(at)),
            }
        }
    }

    /// True if a list without a closing bracket may end here.
    fn may_end(&self, at: usize) -> bool {
        let text = self.context.text;
        let after = skip_letters(text, at, &['}', ']', ',', ';']);
        after == text.len()
            || self.context.after_end(self.marker, after).is_some()
            || text[after..].starts_with(self.marker.begin)
            || self.is_fenced && text[after..].starts_with(FENCE)
    }

    /// Reads a broken object, which extends to the end of the block.
    fn broken(&mut self, at: usize) -> usize {
        let end = self.context.block_end(self.marker, at);
        let content = self.content_end(at, end.at);
        let (item, is_left) = broken_item(
            self.context.text,
            at,
            content,
            self.keys,
            self.context.tools,
        );
        self.take(item);
        self.unread |= is_left;
        self.is_broken = true;
        end.after
    }

    /// The end of a block's content, before the closing fence.
    fn content_end(&self, from: usize, to: usize) -> usize {
        let content = self.context.text[from..to].trim_end();
        let content = if self.is_fenced {
            content.strip_suffix(FENCE).unwrap_or(content)
        } else {
            content
        };
        from + content.len()
    }
}
