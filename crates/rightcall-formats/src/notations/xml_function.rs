//! One function of an XML-like block: its name, and parameters or JSON.

use super::calls::{TextArguments, TextCall};
use super::context::{CallBlock, Context, Outcome};
use super::markers::{Form, Marker};
use super::mentions::is_sentence;
use super::names::{is_name, is_placeholder, placeholder_length};
use super::places::{skip_letters, skip_space, starts_line};
use super::typing::{Pairs, text_json, typed, without_layout};
use super::value::WrittenValue;
use super::xml_tags::{ParameterTag, Tags, attribute, parameter_tag, tag};

/// Reads the function with its marker at this offset.
pub(super) fn function(context: &Context<'_>, at: usize, marker: &Marker, tags: &Tags) -> Outcome {
    let (after, form) = (at + marker.begin.len(), marker.form);
    let rest = context.rest(after);
    if form == Form::Function && placeholder_length(rest).is_some() {
        return Outcome::Template(template_end(context, after, tags));
    }
    let Some((tag, length)) = tag(rest) else {
        return Outcome::Mention;
    };
    let name = match form {
        Form::Function => Some(tag),
        _ => attribute(tag, "name"),
    };
    let Some(name) = name.map(str::trim) else {
        return Outcome::Mention;
    };
    if is_placeholder(name, context.tools) {
        return Outcome::Template(template_end(context, after, tags));
    }
    let body = after + length;
    if !is_name(name) {
        return Outcome::Block(CallBlock::unread(template_end(context, body, tags)));
    }
    if form == Form::Invoke && tag.ends_with('/') {
        let call = TextCall::new(name, TextArguments::none());
        return Outcome::Block(CallBlock::one(call, body).of(tags.notation));
    }
    let line = context.rest(body).trim_start_matches([' ', '\t']);
    // Alone in a sentence, a tag without content is a mention.
    let is_said = tags.is_alone && (!starts_line(context.text, at) || is_sentence(line));
    let body = FunctionBody::new(context, tags, name, body);
    if is_said && !body.has_content() {
        return Outcome::Mention;
    }
    Outcome::Block(body.read())
}

/// The end of a function that is not read: after its end tag, else before the wrapper's end or the next begin, else the end of the text.
fn template_end(context: &Context<'_>, from: usize, tags: &Tags) -> usize {
    let other = [tags.wrapper_ends, tags.begins].concat();
    let other = context.first(&other, from).unwrap_or(context.text.len());
    match context.find(tags.end, from) {
        Some(end) if end < other => end + tags.end.len(),
        _ => other,
    }
}

/// The body of a function.
pub(super) struct FunctionBody<'c, 't> {
    pub(super) context: &'c Context<'t>,
    pub(super) tags: &'c Tags,
    pub(super) name: &'c str,
    /// Its start.
    pub(super) start: usize,
    pub(super) pairs: Pairs,
    /// True if it has other text.
    pub(super) unread: bool,
}

/// The end of a value.
pub(super) enum ValueEnd {
    /// At its tag, which ends at `after`.
    Closed { value: usize, after: usize },
    /// Missing: the function is cut off here.
    Cut(usize),
}

impl<'c, 't> FunctionBody<'c, 't> {
    pub(super) fn new(
        context: &'c Context<'t>,
        tags: &'c Tags,
        name: &'c str,
        start: usize,
    ) -> Self {
        Self {
            context,
            tags,
            name,
            start,
            pairs: Pairs::default(),
            unread: false,
        }
    }

    fn read(self) -> CallBlock {
        let at = skip_space(self.context.text, self.start);
        if self.context.rest(at).starts_with('{') {
            return self.json(at);
        }
        self.parameters(at)
    }

    /// True if JSON, parameters or an end follow, possibly after other text.
    fn has_content(&self) -> bool {
        let (context, tags) = (self.context, self.tags);
        let at = skip_space(context.text, self.start);
        let rest = context.rest(at);
        if rest.is_empty() || rest.starts_with('{') || self.end_at(at).is_some() {
            return true;
        }
        let parameter = context.find(tags.parameter, at);
        let limit = context.first(tags.begins, at).into_iter();
        let limit = limit.chain(context.find(tags.end, at));
        let limit = limit.chain(context.first(tags.wrapper_ends, at)).min();
        parameter.is_some_and(|parameter| limit.is_none_or(|limit| parameter < limit))
    }

    /// The end of the function, if there is one at this offset: after its own end tag, or before its wrapper's end tag.
    pub(super) fn end_at(&self, at: usize) -> Option<usize> {
        let rest = self.context.rest(at);
        if rest.starts_with(self.tags.end) {
            return Some(at + self.tags.end.len());
        }
        let mut ends = self.tags.wrapper_ends.iter();
        ends.any(|end| rest.starts_with(end)).then_some(at)
    }

    fn parameters(mut self, start: usize) -> CallBlock {
        let text = self.context.text;
        let mut at = start;
        loop {
            at = skip_space(text, at);
            if let Some(end) = self.end_at(at) {
                return self.finished(end);
            }
            let parameter = self.context.rest(at).strip_prefix(self.tags.parameter);
            match parameter.and_then(parameter_tag) {
                Some(parameter) => match self.parameter(at, &parameter) {
                    ValueEnd::Closed { after, .. } => at = after,
                    ValueEnd::Cut(end) => return self.cut(end),
                },
                None => match self.after_other_text(at) {
                    Ok(after) => at = after,
                    Err(end) => return self.cut(end),
                },
            }
        }
    }

    /// Skips text that is not a parameter.
    ///
    /// # Errors
    /// The offset where the function is cut off, because neither a parameter nor an end follows.
    fn after_other_text(&mut self, at: usize) -> Result<usize, usize> {
        let (context, tags) = (self.context, self.tags);
        if at == context.text.len() {
            return Err(at);
        }
        // A tag other than a parameter's is also text.
        let next = context.find(tags.parameter, at + 1).into_iter();
        let next = next.chain(context.find(tags.end, at));
        let next = next.chain(context.first(tags.wrapper_ends, at)).min();
        let begin = context.first(tags.begins, at).unwrap_or(context.text.len());
        match next {
            Some(next) if next < begin => {
                self.unread = true;
                Ok(next)
            }
            _ => Err(begin),
        }
    }

    fn parameter(&mut self, at: usize, parameter: &ParameterTag<'_>) -> ValueEnd {
        let start = at + self.tags.parameter.len() + parameter.length;
        let end = if parameter.is_empty {
            ValueEnd::Closed {
                value: start,
                after: start,
            }
        } else {
            self.value_end(start)
        };
        if let ValueEnd::Closed { value, .. } = end {
            let text = &self.context.text[start..value];
            let tools = self.context.tools;
            let json = match parameter.is_text {
                Some(true) => text_json(without_layout(text)),
                Some(false) => WrittenValue::whole(text)
                    .map_or_else(|| text_json(without_layout(text)), |value| value.to_json()),
                None => typed(text, tools.types(self.name, parameter.key)),
            };
            self.pairs.add(parameter.key, json);
        }
        end
    }

    /// Finds the end of a value: its tag, or an earlier line that starts with the next parameter or an end.
    fn value_end(&self, start: usize) -> ValueEnd {
        let (context, tags) = (self.context, self.tags);
        let own = context.find(tags.parameter_end, start);
        let next = [&[tags.parameter, tags.end], tags.wrapper_ends].concat();
        let next = context.first_on_line(&next, start);
        if let Some(own) = own.filter(|own| next.is_none_or(|next| *own < next)) {
            return ValueEnd::Closed {
                value: own,
                after: own + tags.parameter_end.len(),
            };
        }
        // If another function begins first, this one is missing its end.
        let begin = context.first_on_line(tags.begins, start);
        match next {
            Some(next) if begin.is_none_or(|begin| next < begin) => {
                let value = start
                    + context.text[start..next]
                        .trim_end_matches([' ', '\t'])
                        .len();
                ValueEnd::Closed { value, after: next }
            }
            _ => ValueEnd::Cut(begin.unwrap_or(context.text.len())),
        }
    }

    /// A complete function.
    pub(super) fn finished(self, end: usize) -> CallBlock {
        let arguments = TextArguments::Json(self.pairs.to_json());
        CallBlock {
            calls: vec![TextCall::new(self.name, arguments)],
            unread: self.unread,
            is_broken: false,
            notation: Some(self.tags.notation),
            end,
        }
    }

    /// A function that is cut off here.
    pub(super) fn cut(self, end: usize) -> CallBlock {
        let inside = self.context.trimmed(self.start, end);
        if inside.is_empty() {
            return CallBlock::unread(end).of(self.tags.notation);
        }
        let call = TextCall::new(self.name, TextArguments::invalid(inside));
        let block = CallBlock::one(call, end).of(self.tags.notation);
        block.broken()
    }

    /// A function with JSON arguments.
    fn json(self, at: usize) -> CallBlock {
        let (context, tags) = (self.context, self.tags);
        let value = WrittenValue::at(context.text, at);
        let object = value.ok().filter(|(value, _)| value.is_object());
        let content_end = template_end(context, at, tags);
        let Some((object, after)) = object else {
            let inside = context.rest(at);
            let inside = &inside[..content_end - at];
            let inside = inside.strip_suffix(tags.end).unwrap_or(inside);
            let call = TextCall::new(self.name, TextArguments::invalid(inside));
            return CallBlock::one(call, content_end).of("Llama").broken();
        };
        let call = TextCall::new(self.name, TextArguments::Json(object.to_json()));
        let next = skip_letters(context.text, after, &['}', ']', ',']);
        let is_ended = context.text[..content_end].ends_with(tags.end);
        match self.end_at(next) {
            Some(end) => CallBlock::one(call, end),
            None if is_ended => CallBlock {
                unread: true,
                ..CallBlock::one(call, content_end)
            },
            None => CallBlock::one(call, after),
        }
        .of("Llama")
    }
}
