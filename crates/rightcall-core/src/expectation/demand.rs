//! A rule's demand on a call's arguments or output.

use crate::value::{Object, Text, Value};

use super::actual::read_output;
use super::error::{ExpectationError, Result};
use super::pattern::ValuePattern;
use super::pattern_reader::PatternReader;
use crate::settings::describe;

/// A demand on a whole value. A top-level object may have other keys too.
#[derive(Clone, Debug)]
pub(crate) struct ValueDemand(ValuePattern);

const INSTEAD_OF_VARIABLES: &str =
    "a rule has no variables: name the arguments that two calls must share under `same`";

impl ValueDemand {
    /// Reads a demand on arguments: an object or its JSON text.
    pub(crate) fn of_arguments(value: &Value<'static>, pointer: &str) -> Result<Self> {
        let inside = read_output(value);
        if let object @ Value::Object(_) = inside.as_ref().unwrap_or(value) {
            return Self::read(object, pointer);
        }
        let error = ExpectationError::new("an object or its JSON text", describe(value));
        Err(error.at(pointer))
    }

    /// Reads a demand on an output.
    pub(crate) fn of_output(value: &Value<'static>, pointer: &str) -> Result<Self> {
        Self::read(read_output(value).as_ref().unwrap_or(value), pointer)
    }

    fn read(value: &Value<'static>, pointer: &str) -> Result<Self> {
        PatternReader::without_variables(INSTEAD_OF_VARIABLES)
            .read(&opened(value), pointer)
            .map(Self)
    }

    /// True if the value meets the demand.
    pub(crate) fn holds(&self, found: &Value<'_>) -> bool {
        self.0.holds(Some(found), &[])
    }
}

/// Adds `$rest` to an object that is not a matcher, unless it has one.
fn opened(value: &Value<'static>) -> Value<'static> {
    let is_matcher_key = |key: &Text<'_>| key.as_bytes().first() == Some(&b'$');
    match value {
        Value::Object(object) if !object.iter().any(|(key, _)| is_matcher_key(key)) => {
            let mut members: Vec<_> = object.iter().cloned().collect();
            members.push((Text::new("$rest"), Value::from("any")));
            Value::Object(Object::new(members))
        }
        other => other.clone(),
    }
}
