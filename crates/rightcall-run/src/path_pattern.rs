//! Patterns for places in a value: pointers with `*` and `**`.

use rightcall_core::value::pointer::unescaped;
use rightcall_core::value::{JsonText, Object, Syntax, Text, Value, decode_with};

/// A step of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathStep {
    /// One key or index.
    One(glob::Pattern),
    /// Any number of keys or indices, including none.
    Any,
}

/// The steps of a pointer without its leading slash; `step` parses one that is not `**`.
pub(crate) fn steps<E>(
    pointer: &str,
    step: impl Fn(&str) -> Result<glob::Pattern, E>,
) -> Result<Vec<PathStep>, E> {
    let step = |part: &str| match part {
        "**" => Ok(PathStep::Any),
        part => step(&unescaped(part)).map(PathStep::One),
    };
    pointer.split('/').map(step).collect()
}

/// Replaces or removes the values that patterns match.
pub(crate) struct Replacing<'r, 'v> {
    pub(crate) replace: &'r mut dyn FnMut(Value<'v>) -> Option<Value<'v>>,
    /// True if patterns also match inside JSON in texts, as if the parsed value were in its place.
    pub(crate) looks_into_texts: bool,
}

/// Maximum nesting depth, including values in texts. Deeper values are replaced as a whole.
const MAX_DEPTH: usize = 512;

impl<'v> Replacing<'_, 'v> {
    /// The value with all matches replaced.
    pub(crate) fn value(&mut self, value: Value<'v>, patterns: &[&[PathStep]]) -> Value<'v> {
        self.at_depth(value, patterns, 0)
    }

    fn at_depth(&mut self, value: Value<'v>, patterns: &[&[PathStep]], depth: usize) -> Value<'v> {
        if patterns.is_empty() {
            return value;
        }
        if depth > MAX_DEPTH {
            return (self.replace)(value).unwrap_or(Value::Null);
        }
        let mut child = |key: &str, value: Value<'v>| match remaining_steps(patterns, key) {
            Some(remaining) => Some(self.at_depth(value, &remaining, depth + 1)),
            None => (self.replace)(value),
        };
        match value {
            Value::Object(object) => {
                let entry = |(key, value): &(_, Value<'v>)| {
                    let key: &Text<'v> = key;
                    Some((key.clone(), child(&key.to_display(), value.clone())?))
                };
                Value::Object(Object::new(object.iter().filter_map(entry).collect()))
            }
            Value::List(items) => {
                let items = items.into_iter().enumerate();
                let item = |(index, item): (usize, _)| child(&index.to_string(), item);
                Value::List(items.filter_map(item).collect())
            }
            Value::String(text) if self.looks_into_texts => self.text(text, patterns, depth),
            other => other,
        }
    }

    /// The text, with matches replaced in its JSON.
    fn text(&mut self, text: Text<'v>, patterns: &[&[PathStep]], depth: usize) -> Value<'v> {
        match self.json_in_text(&text.to_display(), patterns, depth) {
            Some(replaced) => Value::String(Text::from(replaced)),
            None => Value::String(text),
        }
    }

    /// The text with matches replaced in its JSON. The JSON is the whole text, the part from the
    /// first bracket to the last, or such a part of a line. `None` if nothing matches.
    fn json_in_text(
        &mut self,
        text: &str,
        patterns: &[&[PathStep]],
        depth: usize,
    ) -> Option<String> {
        let whole = 0..text.len();
        let brackets = text.find(['{', '[']).zip(text.rfind(['}', ']']));
        let inner =
            brackets.and_then(|(start, last)| Some(start..last + 1).filter(|it| start < it.end));
        for part in [Some(whole), inner].into_iter().flatten() {
            let Some(value) = json_in(&text[part.clone()]) else {
                continue;
            };
            let before = JsonText::from_value(&value);
            let after = JsonText::from_value(&self.at_depth(value, patterns, depth + 1));
            let around = |after: String| [&text[..part.start], &after, &text[part.end..]].concat();
            return (after != before).then(|| around(after.into_string()));
        }
        if !text.contains('\n') {
            return None;
        }
        let lines: Vec<_> = text
            .split('\n')
            .map(|line| (line, self.json_in_text(line, patterns, depth)))
            .collect();
        let is_changed = lines.iter().any(|(_, replaced)| replaced.is_some());
        let line = |(line, replaced): (&str, Option<String>)| replaced.unwrap_or(line.to_owned());
        is_changed.then(|| lines.into_iter().map(line).collect::<Vec<_>>().join("\n"))
    }
}

/// The parsed value of a text that holds an object, a list or a JSON string.
fn json_in(text: &str) -> Option<Value<'static>> {
    let is_meant = text.trim_start().starts_with(['{', '[', '"']);
    let value = is_meant.then(|| decode_with(text, Syntax::PYTHON));
    value?.ok().map(Value::into_owned)
}

/// The remaining steps of the patterns that match a key; `None` if one of them ends there.
fn remaining_steps<'s>(patterns: &[&'s [PathStep]], key: &str) -> Option<Vec<&'s [PathStep]>> {
    let mut remaining = Vec::new();
    for pattern in patterns {
        let mut rest = *pattern;
        while let [PathStep::Any, after @ ..] = rest {
            remaining.push(rest);
            rest = after;
        }
        if let [PathStep::One(pattern), after @ ..] = rest
            && pattern.matches(key)
        {
            remaining.push(after);
        }
    }
    let ends = |steps: &&[PathStep]| steps.iter().all(|step| *step == PathStep::Any);
    (!remaining.iter().any(ends)).then_some(remaining)
}
