//! The facts about all values at one location, from a single pass: there may be millions, anywhere in memory.

use std::collections::BTreeMap;

use crate::value::{JsonText, Value, ValueEquality};

use super::REDACTED;

/// A value, with the number of its run.
pub(super) type Found<'v, 'c> = (usize, &'v Value<'c>);

/// Maximum number of values that are learned as a choice.
const FEW: usize = 5;

/// The facts about values.
#[derive(Default)]
pub(super) struct Survey<'v, 'c> {
    /// True if one was redacted.
    pub(super) is_redacted: bool,
    /// The type of all values, if they share one.
    pub(super) shared_type: Option<&'static str>,
    /// The different values, at most one more than a few.
    known: Vec<Known<'v, 'c>>,
}

/// One of the values.
struct Known<'v, 'c> {
    value: &'v Value<'c>,
    /// The first run that has it.
    run: usize,
    /// True if several runs have it.
    is_frequent: bool,
}

impl<'v, 'c> Survey<'v, 'c> {
    pub(super) fn new(values: &[Found<'v, 'c>]) -> Self {
        let mut survey = Self {
            shared_type: values.first().and_then(|(_, value)| type_of(value)),
            ..Self::default()
        };
        for &(run, value) in values {
            survey.is_redacted |= is_redacted(value);
            survey.shared_type = match (survey.shared_type, type_of(value)) {
                (Some(known), Some(found)) => wider_type(known, found),
                _ => None,
            };
            survey.add(run, value);
        }
        survey
    }

    fn add(&mut self, run: usize, value: &'v Value<'c>) {
        if self.known.len() > FEW {
            return;
        }
        match self
            .known
            .iter_mut()
            .find(|it| is_written_alike(it.value, value))
        {
            Some(it) => it.is_frequent |= it.run != run,
            None => self.known.push(Known {
                value,
                run,
                is_frequent: false,
            }),
        }
    }

    /// The different values, each as JSON text, and whether several runs have it; `None` if there are more than a few.
    pub(super) fn few(&self) -> Option<BTreeMap<String, bool>> {
        let text = |it: &Known<'_, '_>| JsonText::from_value(it.value).into_string();
        let few = Some(&self.known).filter(|known| known.len() <= FEW)?;
        Some(few.iter().map(|it| (text(it), it.is_frequent)).collect())
    }
}

/// True if both are written the same.
fn is_written_alike(one: &Value<'_>, other: &Value<'_>) -> bool {
    let is_compound = |it| matches!(it, &Value::List(_) | &Value::Object(_));
    if is_compound(one) && is_compound(other) {
        return JsonText::from_value(one) == JsonText::from_value(other);
    }
    ValueEquality::Strict.equal(one, other)
}

fn is_redacted(value: &Value<'_>) -> bool {
    match value {
        Value::String(text) => text.as_str().is_some_and(|text| text.contains(REDACTED)),
        Value::List(items) => items.iter().any(is_redacted),
        Value::Object(object) => object.iter().any(|(_, value)| is_redacted(value)),
        _ => false,
    }
}

fn type_of(value: &Value<'_>) -> Option<&'static str> {
    match value {
        Value::Null => Some("null"),
        Value::Bool(_) => Some("boolean"),
        Value::Integer(_) => Some("integer"),
        Value::Float(_) => Some("number"),
        Value::String(_) => Some("string"),
        Value::List(_) => Some("array"),
        Value::Object(_) => Some("object"),
        Value::Python(_) => None,
    }
}

/// The type of values of both types, if there is one.
fn wider_type(one: &'static str, other: &'static str) -> Option<&'static str> {
    let is_number = |it| matches!(it, "integer" | "number");
    if one == other {
        return Some(one);
    }
    (is_number(one) && is_number(other)).then_some("number")
}
