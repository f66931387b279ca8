//! The shapes of the field: how they are recognised, and how each side of them is read.
//!
//! Two things come of a shape: the sides as the original takes them ([`Native`]), which its preset reads by the original's
//! own rules, and canonical calls, so that every other evaluator can judge the case too. Reading the calls is lenient:
//! what is wrong in a shape is for its preset to say, in the original's words.

mod calls;
mod guess;
mod messages;
mod spans;

use std::mem;

use rightcall::call::{Case, Expectation, Native, Shape, Trajectory};
use rightcall::value::{Reader, Syntax, Text};

use crate::case::{Draft, Fault, Result, Side, Wording, expectation, shortened};
use crate::format::{Format, Reading, Recognition};
use crate::node::Node;

pub(crate) use calls::Dialect;
pub(crate) use guess::Carrier;

/// Makes the case of a draft whole: sides that were not canonical are read as what they look like, or as what they are said to be.
pub(crate) fn settle(draft: &mut Draft<'_>, format: Option<&Format>) -> Result<()> {
    let (expected, actual) = (mem::take(&mut draft.expected), mem::take(&mut draft.actual));
    match format.map(|format| format.reading) {
        Some(Reading::Shape(sides)) => of_shape(&mut draft.case, &expected, &actual, sides, true),
        // Readers of traces write canonical cases.
        Some(Reading::Cases | Reading::Messages(_) | Reading::Traces(_)) => canonical(&mut draft.case, expected, actual),
        None => recognised(&mut draft.case, expected, actual),
    }
}

/// The two sides of a shape.
#[derive(Debug)]
pub(crate) struct Sides {
    pub(crate) shape: Shape,
    /// Keys of the expected side, beside `expected`.
    pub(crate) expected: &'static [&'static str],
    /// Keys of the actual side, beside `actual`.
    pub(crate) actual: &'static [&'static str],
    /// What the original's call takes beside the sides.
    pub(crate) settings: &'static [&'static str],
    /// What carries the calls on the expected and on the actual side.
    pub(crate) carriers: (Carrier, Carrier),
}

/// The value itself, or the first item of a list: what tells of which shape the records of a file are.
pub(crate) fn first_record<'n, 'a>(value: &'n Node<'a>) -> &'n Node<'a> {
    value.items().first().unwrap_or(value)
}

/// Certain for a record of this shape, or a list of such.
pub(crate) fn recognise(value: &Node<'_>, shape: Shape) -> Recognition {
    let record = first_record(value);
    let side = |key: &str, guess: fn(&str) -> Option<Carrier>| record.get(key).and_then(|side| guess(side.raw()));
    let found = if record.has("expected") || record.has("actual") {
        guess::pair(side("expected", guess::expected), side("actual", guess::actual))
    } else {
        let entries: Vec<_> = record.entries().iter().map(|(key, node)| (key.reborrow(), node.raw())).collect();
        guess::by_keys(&entries).map(|(sides, _)| sides.shape)
    };
    if found == Some(shape) { Recognition::Certain } else { Recognition::No }
}

fn canonical<'a>(case: &mut Case<'a>, expected: Side<'a>, actual: Side<'a>) -> Result<()> {
    if let Side::Odd { raw, fault } = expected {
        case.expected = expected_by(guess::expected(raw).filter(|it| it.is_canonical()), raw, fault)?;
    }
    if let Side::Odd { raw, fault } = actual {
        case.actual = Some(actual_by(guess::actual(raw).filter(|it| it.is_canonical()), raw, fault)?);
    }
    Ok(())
}

fn recognised<'a>(case: &mut Case<'a>, expected: Side<'a>, actual: Side<'a>) -> Result<()> {
    if matches!((&expected, &actual), (Side::Missing, Side::Missing)) {
        return match guess::by_keys(&case.meta) {
            Some((sides, keeps_native)) => of_shape(case, &expected, &actual, sides, keeps_native),
            None if case.meta.is_empty() => Ok(()),
            None => Err(without_sides(case)),
        };
    }
    let expected_carrier = expected.carrier(guess::expected);
    let actual_carrier = actual.carrier(guess::actual);
    let shape = match (expected_carrier, actual_carrier) {
        // An empty list on one side takes the form of the other.
        (Some(carrier), None) if actual.is_empty_list() => guess::pair(Some(carrier), Some(carrier.counterpart())),
        (None, Some(carrier)) if expected.is_empty_list() => guess::pair(Some(carrier), Some(carrier)),
        (expected, actual) => guess::pair(expected, actual),
    };
    if let (Some(shape), Some(expected), Some(actual)) = (shape, expected.raw(), actual.raw()) {
        case.native = Some(Native { shape, expected, actual, settings: Vec::new() });
    }
    if let Side::Odd { raw, fault } = expected {
        case.expected = expected_by(expected_carrier, raw, fault)?;
    }
    if let Side::Odd { raw, fault } = actual {
        case.actual = Some(actual_by(actual_carrier, raw, fault)?);
    }
    Ok(())
}

fn of_shape<'a>(case: &mut Case<'a>, expected: &Side<'a>, actual: &Side<'a>, sides: &Sides, keeps_native: bool) -> Result<()> {
    let shape = sides.shape;
    let expected = take(&mut case.meta, sides.expected).or(expected.raw());
    let actual = take(&mut case.meta, sides.actual).or(actual.raw()).filter(|&raw| raw != "null");
    let (expected_carrier, actual_carrier) = sides.carriers;
    if let (true, Some(expected), Some(actual)) = (keeps_native, expected, actual) {
        case.native = Some(Native { shape, expected, actual, settings: stated(&case.meta, sides)? });
    }
    if let Some(raw) = expected.filter(|&raw| raw != "null") {
        case.expected = expected_by(Some(expected_carrier), raw, None)?;
    }
    if let Some(raw) = actual {
        case.actual = Some(actual_by(Some(actual_carrier), raw, None)?);
    }
    if matches!(shape, Shape::Axion | Shape::DeepEval) {
        let input = take(&mut case.meta, &["query"]);
        let output = take(&mut case.meta, &["actual_output", "actualOutput"]);
        case.input = case.input.or(input);
        case.output = case.output.or(output);
    }
    Ok(())
}

/// The settings of the original's call that a case states. They stay among its other entries too, to choose and group cases by.
fn stated<'a>(meta: &[(Text<'a>, &'a str)], sides: &Sides) -> Result<Vec<(&'static str, &'a str)>> {
    let mut settings = Vec::new();
    for (key, raw) in meta.iter().filter(|_| !sides.settings.is_empty()) {
        let key = key.to_display();
        let Some(name) = sides.settings.iter().copied().find(|name| name.eq_ignore_ascii_case(&key)) else { continue };
        if key != name {
            let fault = Fault::new(format!("`{name}`"), format!("`{}`", shortened(&key)));
            return Err(fault.help("the original reads this name in no other spelling").under(&key));
        }
        if *raw != "null" {
            settings.push((name, *raw));
        }
    }
    Ok(settings)
}

/// Takes the value of the last of these keys out of the other entries.
fn take<'a>(meta: &mut Vec<(Text<'a>, &'a str)>, keys: &[&str]) -> Option<&'a str> {
    let at = meta.iter().rposition(|(key, _)| keys.iter().any(|name| key == name))?;
    Some(meta.remove(at).1)
}

#[cold]
fn without_sides(case: &Case<'_>) -> Fault {
    let keys: Vec<_> = case.meta.iter().take(6).map(|(key, _)| format!("`{}`", shortened(&key.to_display()))).collect();
    Fault::new("a case with `expected` or `actual`", format!("an object with {}", keys.join(", ")))
        .help("if its calls stand under other keys, name its format with --input-format")
}

fn expected_by(carrier: Option<Carrier>, raw: &str, fault: Option<Fault>) -> Result<Expectation<'_>> {
    match carrier {
        Some(Carrier::Criteria) => {
            // What is wrong in criteria is for the preset to say.
            let reader = &mut Reader::new(raw, Syntax::PYTHON);
            match expectation(reader) {
                Ok((expected, Wording::Criteria)) => Ok(expected),
                _ => Ok(Expectation::default()),
            }
        }
        Some(carrier) => Ok(Expectation::of_calls(carried(carrier, raw)?.calls)),
        None => Err(fault.unwrap_or_else(|| Fault::new("a list of calls", "another value"))),
    }
}

fn actual_by(carrier: Option<Carrier>, raw: &str, fault: Option<Fault>) -> Result<Trajectory<'_>> {
    match carrier {
        Some(carrier) => carried(carrier, raw),
        None => Err(fault.unwrap_or_else(|| Fault::new("a list of calls, spans or messages", "another value"))),
    }
}

fn carried(carrier: Carrier, raw: &str) -> Result<Trajectory<'_>> {
    let only_calls = |calls| Trajectory { calls, spans: Vec::new() };
    match carrier {
        Carrier::Criteria => Ok(Trajectory::default()),
        Carrier::Spans => spans::trajectory(raw),
        Carrier::Messages => messages::calls(raw).map(only_calls),
        Carrier::Invocations => calls::of_invocations(raw).map(only_calls),
        Carrier::Calls(dialect) => calls::of_list(raw, dialect).map(only_calls),
    }
}

impl<'a> Side<'a> {
    fn raw(&self) -> Option<&'a str> {
        match self {
            Self::Missing => None,
            Self::Read { raw, .. } | Self::Odd { raw, .. } => Some(raw),
        }
    }

    fn is_empty_list(&self) -> bool {
        self.raw().is_some_and(|raw| raw.starts_with('[') && raw[1..].trim_start() == "]")
    }

    /// What carries the calls of this side, as far as one can tell.
    fn carrier(&self, guess: impl FnOnce(&str) -> Option<Carrier>) -> Option<Carrier> {
        match self {
            Self::Read { wording: Wording::Criteria, .. } => Some(Carrier::Criteria),
            Self::Read { .. } | Self::Missing => None,
            Self::Odd { raw, .. } => guess(raw),
        }
    }
}

#[cfg(test)]
mod tests;
