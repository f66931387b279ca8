//! The facts about all values at one location, from a single pass: there may be millions, anywhere in memory.

use std::collections::BTreeMap;
use std::mem::{Discriminant, discriminant};

use memchr::memchr;

use crate::value::{JsonText, Text, Value, ValueEquality};

use super::REDACTED;

/// A value, with the number of its run.
pub(super) type Found<'v, 'c> = (usize, &'v Value<'c>);

/// Maximum number of values that are learned as a choice.
const FEW: usize = 5;

/// The values at one location, surveyed one by one while they are in the cache.
#[derive(Default)]
pub(super) struct SurveyedValues<'v, 'c> {
    values: Vec<Found<'v, 'c>>,
    /// Number of objects, which the survey lacks.
    objects: usize,
    survey: Survey<'v, 'c>,
}

impl<'v, 'c> SurveyedValues<'v, 'c> {
    pub(super) fn push(&mut self, (run, value): Found<'v, 'c>) {
        self.values.push((run, value));
        match value {
            Value::Object(_) => self.objects += 1,
            _ => self.survey.add(run, value),
        }
    }

    pub(super) fn values(&self) -> &[Found<'v, 'c>] {
        &self.values
    }

    /// True if there are values, all of them objects.
    pub(super) fn are_objects(&self) -> bool {
        self.objects > 0 && self.objects == self.values.len()
    }

    /// The facts about all values.
    pub(super) fn survey(&mut self) -> &Survey<'v, 'c> {
        if self.objects > 0 {
            self.survey = Survey::default();
            for (run, value) in &self.values {
                self.survey.add(*run, value);
            }
        }
        &self.survey
    }
}

/// The facts about values.
#[derive(Default)]
pub(super) struct Survey<'v, 'c> {
    /// True if one was redacted.
    pub(super) is_redacted: bool,
    /// The type of all values, if they share one.
    shared_type: SharedType,
    /// The last value's kind: most values have the same.
    kind: Option<Discriminant<Value<'c>>>,
    /// The different values, at most one more than a few.
    known: Vec<Known<'v, 'c>>,
}

/// The type of all values so far.
#[derive(Default)]
enum SharedType {
    #[default]
    NoValue,
    Known(&'static str),
    Different,
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
    fn add(&mut self, run: usize, value: &'v Value<'c>) {
        self.is_redacted = self.is_redacted || is_redacted(value);
        let kind = discriminant(value);
        if self.kind.replace(kind) != Some(kind) {
            self.add_type(value);
        }
        self.add_value(run, value);
    }

    /// The type of all values, if they share one.
    pub(super) fn shared_type(&self) -> Option<&'static str> {
        match self.shared_type {
            SharedType::Known(name) => Some(name),
            SharedType::NoValue | SharedType::Different => None,
        }
    }

    fn add_type(&mut self, value: &Value<'_>) {
        let shared = match (&self.shared_type, type_of(value)) {
            (SharedType::NoValue, found) => found,
            (SharedType::Known(known), Some(found)) => wider_type(known, found),
            _ => None,
        };
        self.shared_type = shared.map_or(SharedType::Different, SharedType::Known);
    }

    fn add_value(&mut self, run: usize, value: &'v Value<'c>) {
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
    let has_mark = |text: &Text<'_>| {
        // Most texts have no bracket.
        memchr(b'[', text.as_bytes()).is_some() && text.to_display().contains(REDACTED)
    };
    match value {
        Value::String(text) => has_mark(text),
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
