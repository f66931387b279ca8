//! Errors of models, and tricks that exploit a weak reward, applied to a sketch of a completion.

use std::fmt::Write;

/// A completion as a list of calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sketch {
    pub(super) calls: Vec<SketchCall>,
}

/// A call of a sketch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SketchCall {
    pub(super) name: String,
    /// Keys, with values as JSON text.
    pub(super) arguments: Vec<(String, String)>,
    pub(super) notation: Notation,
}

/// The notation of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Notation {
    #[default]
    Plain,
    InReasoning,
    /// Malformed, in one of several ways.
    Garbled(usize),
}

/// An error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Drop,
    Rename,
    WrongValue,
    DropKey,
    AddKey,
    Reorder,
    Add,
    Repeat,
    Garble,
    Retype,
    Hide,
    RepeatKey,
}

/// Each of these lowers the reward of a right completion.
pub(super) const FAULTS: [Fault; 12] = [
    Fault::Drop,
    Fault::Rename,
    Fault::WrongValue,
    Fault::DropKey,
    Fault::AddKey,
    Fault::Reorder,
    Fault::Add,
    Fault::Repeat,
    Fault::Garble,
    Fault::Retype,
    Fault::Hide,
    Fault::RepeatKey,
];

/// None of these raises the reward of any completion.
pub(super) const NEVER_RAISING: [Fault; 6] = [
    Fault::Add,
    Fault::Repeat,
    Fault::Garble,
    Fault::Retype,
    Fault::Hide,
    Fault::RepeatKey,
];

/// Number of ways to garble a call.
pub(super) const GARBLINGS: usize = 4;

impl Fault {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Drop => "leaving out a call",
            Self::Rename => "calling another tool",
            Self::WrongValue => "another value",
            Self::DropKey => "leaving out a key",
            Self::AddKey => "another key",
            Self::Reorder => "another order",
            Self::Add => "adding a call",
            Self::Repeat => "repeating a call",
            Self::Garble => "garbling a call",
            Self::Retype => "another type",
            Self::Hide => "hiding a call in reasoning",
            Self::RepeatKey => "repeating a key",
        }
    }

    /// The completion with one variant of this error in a call; `None` if the error is impossible
    /// or has no effect.
    pub(super) fn apply(
        self,
        made: &Sketch,
        expected: &Sketch,
        at: usize,
        variant: usize,
    ) -> Option<Sketch> {
        let mut changed = made.clone();
        if self == Self::Add {
            let added = added(expected, variant);
            // A first attempt at an expected tool may earn something.
            let is_attempt =
                made.calls.is_empty() && expected.calls.iter().any(|it| it.name == added.name);
            let is_error = !is_attempt && !expected.calls.contains(&added);
            changed.calls.insert(at.min(made.calls.len()), added);
            return is_error.then_some(changed);
        }
        let call = changed.calls.get_mut(at)?;
        if call.notation != Notation::Plain {
            return None;
        }
        match self {
            Self::Add => {}
            Self::Drop => _ = changed.calls.remove(at),
            Self::Rename => call.name.push_str("_x"),
            Self::WrongValue => {
                nth(&mut call.arguments, variant)?.1 = String::from("\"no such value\"");
            }
            Self::DropKey => {
                let place = variant % call.arguments.len().max(1);
                nth(&mut call.arguments, variant)?;
                call.arguments.remove(place);
            }
            Self::AddKey => call
                .arguments
                .push(("no_such_key".to_owned(), "1".to_owned())),
            Self::Reorder => {
                if changed.calls.get(at) == changed.calls.get(at + 1)
                    || at + 1 >= changed.calls.len()
                {
                    return None;
                }
                changed.calls.swap(at, at + 1);
            }
            Self::Repeat => {
                let repeated = call.clone();
                let count =
                    |sketch: &Sketch| sketch.calls.iter().filter(|it| **it == repeated).count();
                if count(expected) > count(made) {
                    return None;
                }
                let place = if variant.is_multiple_of(2) {
                    at
                } else {
                    changed.calls.len()
                };
                changed.calls.insert(place, repeated);
            }
            Self::Garble => call.notation = Notation::Garbled(variant % GARBLINGS),
            Self::Retype => {
                let argument = nth(&mut call.arguments, variant)?;
                argument.1 = retyped(&argument.1);
                let is_expected = expected
                    .calls
                    .iter()
                    .any(|it| it.arguments.contains(argument));
                if is_expected {
                    return None;
                }
            }
            Self::Hide => call.notation = Notation::InReasoning,
            Self::RepeatKey => {
                let (key, value) = nth(&mut call.arguments, variant)?.clone();
                let right = expected.calls.iter().filter(|it| it.name == call.name);
                let right = right
                    .flat_map(|it| &it.arguments)
                    .find(|(it, _)| *it == key);
                let value = right.map_or(value, |(_, value)| value.clone());
                let place = if variant.is_multiple_of(2) {
                    0
                } else {
                    call.arguments.len()
                };
                call.arguments.insert(place, (key, value));
            }
        }
        Some(changed)
    }
}

fn nth(arguments: &mut [(String, String)], variant: usize) -> Option<&mut (String, String)> {
    let count = arguments.len();
    arguments.get_mut(variant.checked_rem(count)?)
}

/// A call that is not expected: of an unknown tool, or of an expected one with other arguments.
fn added(expected: &Sketch, variant: usize) -> SketchCall {
    let unknown = SketchCall {
        name: "no_such_tool".to_owned(),
        arguments: Vec::new(),
        notation: Notation::Plain,
    };
    let Some(call) = variant.checked_sub(1).and_then(|it| expected.calls.get(it)) else {
        return unknown;
    };
    let mut call = call.clone();
    match call.arguments.last_mut() {
        Some((_, value)) => *value = String::from("\"another guess\""),
        None => return unknown,
    }
    call
}

/// A value of another type that looks the same.
fn retyped(value: &str) -> String {
    match value.as_bytes().first() {
        Some(b'"') => {
            let inner = &value[1..value.len() - 1];
            if inner.parse::<i64>().is_ok() || matches!(inner, "true" | "false" | "null") {
                inner.to_owned()
            } else {
                format!("[{value}]")
            }
        }
        Some(b'[' | b'{') => "\"a structure\"".to_owned(),
        _ => format!("\"{value}\""),
    }
}

impl Sketch {
    /// The text of the completion.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        for call in &self.calls {
            let object = call.to_json("arguments");
            let block = format!("<tool_call>\n{object}\n</tool_call>\n");
            match call.notation {
                Notation::Plain => text.push_str(&block),
                Notation::InReasoning => _ = write!(text, "<think>\n{block}</think>\n"),
                Notation::Garbled(way) => text.push_str(&garbled_call(call, &block, way)),
            }
        }
        text
    }

    /// The calls as `expected` of a case.
    pub(super) fn to_expected(&self) -> String {
        let calls: Vec<_> = self.calls.iter().map(|it| it.to_json("args")).collect();
        format!("[{}]", calls.join(","))
    }
}

impl SketchCall {
    fn to_json(&self, key: &str) -> String {
        let arguments = self.arguments.iter();
        let arguments: Vec<_> = arguments
            .map(|(key, value)| format!("\"{key}\": {value}"))
            .collect();
        let arguments = arguments.join(", ");
        format!(
            "{{\"name\": \"{}\", \"{key}\": {{{arguments}}}}}",
            self.name
        )
    }
}

/// A call that cannot be parsed.
fn garbled_call(call: &SketchCall, block: &str, way: usize) -> String {
    let name = &call.name;
    match way {
        0 => format!(
            "<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {{\"key\": [1, }}}}\n</tool_call>\n"
        ),
        1 => block.replace("\"name\": ", "\"nam\": "),
        2 => format!(
            "<tool_call>\n{{\"name\": \"{name}\", \"arguments\": \"no object\"}}\n</tool_call>\n"
        ),
        _ => format!("<tool_call>\n{{\"name\": {name} {{\n</tool_call>\n"),
    }
}
