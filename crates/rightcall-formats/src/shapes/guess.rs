//! What a value looks like: the first item that tells decides, of those that come first in a list.

use rightcall::call::Shape;
use rightcall::value::{Kind, Reader, Syntax, SyntaxError, Text};

use super::Sides;
use super::calls::Dialect;
use crate::case::Field;
use crate::detect::SAMPLE;
use crate::formats::{agentevals, axion, deepeval, evalite, ragas};

/// What carries calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// UiPath's criteria.
    Criteria,
    /// Spans with attributes.
    Spans,
    /// Chat messages.
    Messages,
    /// Invocations of ADK.
    Invocations,
    /// A list of calls.
    Calls(Dialect),
}

impl Carrier {
    /// What carries the calls on the actual side where this does on the expected one.
    pub(super) fn counterpart(self) -> Self {
        if self == Self::Criteria {
            Self::Spans
        } else {
            self
        }
    }

    /// True if canonical cases may hold it too.
    pub(super) fn is_canonical(self) -> bool {
        matches!(self, Self::Criteria | Self::Spans | Self::Messages)
    }
}

/// What the value of `expected` looks like.
pub(super) fn expected(raw: &str) -> Option<Carrier> {
    of_demands(raw).unwrap_or_default().or_else(|| actual(raw))
}

/// What the value of `actual` looks like.
pub(super) fn actual(raw: &str) -> Option<Carrier> {
    let reader = &mut reader(raw);
    match reader.peek().ok()? {
        Kind::List => of_items(reader).ok()?,
        Kind::Object => {
            let mut marks = Marks::default();
            marks.read(reader).ok()?;
            (marks.message || marks.messages).then_some(Carrier::Messages)
        }
        _ => None,
    }
}

/// The shape of a case whose sides look like this; `None` where they do not belong together.
pub(super) fn pair(expected: Option<Carrier>, actual: Option<Carrier>) -> Option<Shape> {
    match (expected, actual) {
        (Some(Carrier::Criteria), Some(Carrier::Spans)) => Some(Shape::UiPath),
        (Some(Carrier::Calls(Dialect::Axion)), Some(Carrier::Messages)) => Some(Shape::Ragas),
        (Some(Carrier::Messages), Some(Carrier::Messages)) => Some(Shape::AgentEvals),
        (Some(Carrier::Invocations), Some(Carrier::Invocations)) => Some(Shape::Adk),
        (Some(Carrier::Calls(expected)), Some(Carrier::Calls(actual))) if expected == actual => {
            match expected {
                Dialect::Evalite => Some(Shape::Evalite),
                Dialect::Tpmjs => Some(Shape::Tpmjs),
                Dialect::DeepEval => Some(Shape::DeepEval),
                Dialect::Axion => None,
            }
        }
        _ => None,
    }
}

/// The shape that the keys of a record without `expected` and `actual` tell, and whether its sides are that shape's own.
pub(super) fn by_keys(entries: &[(Text<'_>, &str)]) -> Option<(&'static Sides, bool)> {
    let value = |names: &[&str]| {
        entries
            .iter()
            .rfind(|(key, _)| names.iter().any(|name| key == name))
            .map(|(_, raw)| *raw)
    };
    let tools = [
        value(deepeval::SIDES.expected),
        value(deepeval::SIDES.actual),
    ];
    if tools.iter().any(Option::is_some) {
        let [expected, actual] = tools
            .map(|raw| raw.map_or((false, false), |raw| argument_keys(raw).unwrap_or_default()));
        let is_deepeval = expected.0 || actual.0;
        let sides = if is_deepeval {
            &deepeval::SIDES
        } else {
            &axion::SIDES
        };
        return Some((sides, is_deepeval || expected.1 || actual.1));
    }
    [&evalite::SIDES, &ragas::SIDES, &agentevals::SIDES]
        .into_iter()
        .find_map(|sides| {
            let is_shape = value(sides.expected).is_some()
                || sides.shape == Shape::Evalite && value(sides.actual).is_some();
            is_shape.then_some((sides, true))
        })
}

fn reader(raw: &str) -> Reader<'_> {
    Reader::new(raw, Syntax::PYTHON)
}

/// What an object of demands looks like.
fn of_demands(raw: &str) -> Result<Option<Carrier>, SyntaxError> {
    let reader = &mut reader(raw);
    if reader.peek()? != Kind::Object {
        return Ok(None);
    }
    let mut found = None;
    let mut is_message = false;
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        match key.as_bytes() {
            b"role" => is_message = true,
            b"tool_calls_order" | b"toolCallsOrder" | b"tool_calls_count" | b"toolCallsCount"
            | b"tool_calls" | b"toolCalls" | b"tool_outputs" | b"toolOutputs" => {
                found = Some(Carrier::Criteria)
            }
            b"reference_tool_calls" => found = Some(Carrier::Calls(Dialect::Axion)),
            _ => {}
        }
        reader.raw()?;
    }
    Ok(found.filter(|_| !is_message))
}

/// Whether any call has `input_parameters`, and whether any has `args`.
fn argument_keys(raw: &str) -> Result<(bool, bool), SyntaxError> {
    let mut found = (false, false);
    let reader = &mut reader(raw);
    if reader.peek()? != Kind::List {
        return Ok(found);
    }
    let mut items = reader.enter_list()?;
    while reader.next_item(&mut items)? {
        if reader.peek()? != Kind::Object {
            reader.raw()?;
            continue;
        }
        let mut first = reader.enter_object()?;
        while let Some(key) = reader.next_key(&mut first)? {
            match key.as_bytes() {
                b"input_parameters" | b"inputParameters" => found.0 = true,
                b"args" => found.1 = true,
                _ => {}
            }
            reader.raw()?;
        }
    }
    Ok(found)
}

fn of_items(reader: &mut Reader<'_>) -> Result<Option<Carrier>, SyntaxError> {
    let (mut first, mut looked_at) = (reader.enter_list()?, 0);
    // Calls of a shape, as long as no item speaks against it.
    let (mut calls, mut is_of_one_shape) = (None, true);
    while looked_at < SAMPLE && reader.next_item(&mut first)? {
        looked_at += 1;
        match reader.peek()? {
            Kind::Object => {}
            kind => {
                is_of_one_shape &= kind == Kind::Null;
                reader.raw()?;
                continue;
            }
        }
        let mut marks = Marks::default();
        marks.read(reader)?;
        match marks.carrier() {
            Some(Carrier::Calls(dialect)) => {
                is_of_one_shape &= *calls.get_or_insert(dialect) == dialect;
            }
            Some(carrier) if calls.is_none() => return Ok(Some(carrier)),
            _ => is_of_one_shape &= !marks.is_call_in_other_words(),
        }
    }
    Ok(calls.filter(|_| is_of_one_shape).map(Carrier::Calls))
}

/// True for a list of calls that say nothing of their arguments, as `DeepEval`'s may.
pub(super) fn leaves_arguments_open(raw: &str) -> bool {
    let all_are_open = || {
        let reader = &mut reader(raw);
        if reader.peek()? != Kind::List {
            return Ok(false);
        }
        let mut first = reader.enter_list()?;
        while reader.next_item(&mut first)? {
            let mut marks = Marks::default();
            if reader.peek()? != Kind::Object {
                return Ok(false);
            }
            marks.read(reader)?;
            if !marks.name || marks.arguments || marks.args || marks.input || marks.other_arguments
            {
                return Ok(false);
            }
        }
        Ok::<_, SyntaxError>(true)
    };
    all_are_open().unwrap_or(false)
}

/// The telling keys of an object.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of keys")]
struct Marks {
    name: bool,
    arguments: bool,
    attributes: bool,
    message: bool,
    messages: bool,
    typed: bool,
    content: bool,
    intermediate_data: bool,
    tool: bool,
    tool_name: bool,
    /// Arguments under `args`, under `input`, and under any other key that is meant for them.
    args: bool,
    input: bool,
    input_parameters: bool,
    other_arguments: bool,
}

impl Marks {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), SyntaxError> {
        let mut first = reader.enter_object()?;
        while let Some(key) = reader.next_key(&mut first)? {
            match key.as_bytes() {
                b"args" => self.args = true,
                b"input" => self.input = true,
                b"input_parameters" | b"inputParameters" => self.input_parameters = true,
                _ if Field::of(&key.to_display()) == Some(Field::Arguments) => {
                    self.other_arguments = true
                }
                _ => {}
            }
            let mark = match key.as_bytes() {
                b"name" => Some(&mut self.name),
                b"args" | b"arguments" => Some(&mut self.arguments),
                b"attributes" => Some(&mut self.attributes),
                b"role" | b"tool_calls" => Some(&mut self.message),
                b"messages" => Some(&mut self.messages),
                b"type" => Some(&mut self.typed),
                b"content" | b"data" | b"kwargs" => Some(&mut self.content),
                b"intermediate_data" | b"intermediateData" => Some(&mut self.intermediate_data),
                b"tool" => Some(&mut self.tool),
                b"toolName" => Some(&mut self.tool_name),
                _ => None,
            };
            if let Some(mark) = mark {
                *mark = true;
            }
            reader.raw()?;
        }
        Ok(())
    }

    fn carrier(&self) -> Option<Carrier> {
        if self.name && self.arguments {
            None
        } else if self.intermediate_data {
            Some(Carrier::Invocations)
        } else if self.attributes {
            Some(Carrier::Spans)
        } else if self.message || self.typed && self.content {
            Some(Carrier::Messages)
        } else if self.is_call_in_other_words() {
            None
        } else if self.tool_name && !self.name {
            Some(Carrier::Calls(Dialect::Evalite))
        } else if self.tool && !self.name {
            Some(Carrier::Calls(Dialect::Tpmjs))
        } else if self.name && self.input_parameters {
            Some(Carrier::Calls(Dialect::DeepEval))
        } else {
            None
        }
    }

    /// True for a call whose name is not written as in the shape that its arguments are written as in, such as `{toolName, args}`: it
    /// is of none, and read as any would lose its arguments.
    fn is_call_in_other_words(&self) -> bool {
        let beside = |own: bool| {
            self.other_arguments
                || [self.args, self.input, self.input_parameters]
                    .iter()
                    .any(|it| *it)
                    && !own
        };
        let two = [
            self.args || self.arguments,
            self.input,
            self.input_parameters,
        ]
        .iter()
        .filter(|it| **it)
        .count()
            > 1;
        if self.tool_name {
            two || beside(self.input)
        } else if self.tool {
            two || beside(self.args)
        } else {
            self.name && (two || beside(self.input_parameters))
        }
    }
}
