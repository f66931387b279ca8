//! Patterns that values must match: a value, a matcher, or a value with nested matchers.

use std::sync::Arc;

use crate::value::{Object, Text, Value, ValueEquality};

use super::number::ExactNumber;
use super::text_pattern::TextPattern;

/// A pattern for a value in arguments or in an output.
#[derive(Clone, Debug)]
pub(super) enum ValuePattern {
    /// A value without nested matchers: requires equality.
    Exact(Value<'static>),
    /// A list with nested matchers, item by item.
    List(Vec<ValuePattern>),
    /// An object with nested matchers.
    Object {
        members: Vec<(Text<'static>, ValuePattern)>,
        /// True if other keys are allowed.
        is_open: bool,
    },
    /// Conditions that must all hold, and their source.
    Matcher {
        conditions: Vec<ValueCondition>,
        written: Value<'static>,
    },
    /// `$optional`: the key is absent, or its value matches the pattern.
    Optional {
        pattern: Box<ValuePattern>,
        written: Value<'static>,
    },
    /// `$literal`: equality with a value that may have any keys.
    Literal {
        value: Value<'static>,
        written: Value<'static>,
    },
}

/// One key of a matcher.
#[derive(Clone, Debug)]
pub(super) enum ValueCondition {
    Any,
    Equal(Value<'static>),
    NotEqual(Value<'static>),
    Greater(ExactNumber),
    GreaterOrEqual(ExactNumber),
    Less(ExactNumber),
    LessOrEqual(ExactNumber),
    Approximately {
        value: ExactNumber,
        within: ExactNumber,
    },
    Type(JsonType),
    Text(Arc<TextPattern>),
    Contains(Box<ValuePattern>),
    OneOf(Vec<ValuePattern>),
    Not(Box<ValuePattern>),
    /// The variable with this number.
    Variable(usize),
}

/// The JSON types, and integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonType {
    String,
    Number,
    Integer,
    Boolean,
    Null,
    Array,
    Object,
}

/// The binding of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding<'b> {
    /// Any value: each use of the variable is checked separately.
    Open,
    /// This value.
    Value(&'b Value<'b>),
    /// No value: the variable matches no value.
    Nothing,
}

impl ValuePattern {
    /// True if the pattern matches the value; `None` is a missing key.
    pub(super) fn holds(&self, found: Option<&Value<'_>>, bindings: &[Binding<'_>]) -> bool {
        let Some(value) = found else {
            return matches!(self, Self::Optional { .. });
        };
        match self {
            Self::Exact(wanted) | Self::Literal { value: wanted, .. } => equal(wanted, value),
            Self::List(patterns) => value.as_list().is_some_and(|items| {
                items.len() == patterns.len()
                    && patterns
                        .iter()
                        .zip(items)
                        .all(|(pattern, item)| pattern.holds(Some(item), bindings))
            }),
            Self::Object { members, is_open } => value.as_object().is_some_and(|object| {
                members
                    .iter()
                    .all(|(key, pattern)| pattern.holds(object.get(key), bindings))
                    && (*is_open || has_no_others(object, members))
            }),
            Self::Matcher { conditions, .. } => conditions
                .iter()
                .all(|condition| condition.holds(value, bindings)),
            Self::Optional { pattern, .. } => pattern.holds(found, bindings),
        }
    }

    /// The pattern as written.
    pub(super) fn written(&self) -> Value<'static> {
        match self {
            Self::Exact(value) => value.clone(),
            Self::List(patterns) => Value::List(patterns.iter().map(Self::written).collect()),
            Self::Object { members, is_open } => {
                let mut written: Vec<_> = members
                    .iter()
                    .map(|(key, pattern)| (key.clone(), pattern.written()))
                    .collect();
                if *is_open {
                    written.push((Text::new("$rest"), Value::from("any")));
                }
                Value::Object(Object::new(written))
            }
            Self::Matcher { written, .. }
            | Self::Optional { written, .. }
            | Self::Literal { written, .. } => written.clone(),
        }
    }

    /// The value, if there are no matchers.
    pub(super) fn exact(&self) -> Option<&Value<'static>> {
        match self {
            Self::Exact(value) => Some(value),
            _ => None,
        }
    }
}

fn has_no_others(object: &Object<'_>, members: &[(Text<'static>, ValuePattern)]) -> bool {
    object
        .iter()
        .all(|(key, _)| members.iter().any(|(name, _)| name == key))
}

impl ValueCondition {
    fn holds(&self, found: &Value<'_>, bindings: &[Binding<'_>]) -> bool {
        if matches!(self, Self::Any) {
            return true;
        }
        if matches!(found, Value::Float(float) if !float.is_finite()) {
            return false;
        }
        let compared =
            |wanted: &ExactNumber| ExactNumber::from_value(found).map(|it| it.compare(wanted));
        match self {
            Self::Any => true,
            Self::Equal(wanted) => equal(wanted, found),
            Self::NotEqual(unwanted) => !equal(unwanted, found),
            Self::Greater(bound) => compared(bound).is_some_and(std::cmp::Ordering::is_gt),
            Self::GreaterOrEqual(bound) => compared(bound).is_some_and(std::cmp::Ordering::is_ge),
            Self::Less(bound) => compared(bound).is_some_and(std::cmp::Ordering::is_lt),
            Self::LessOrEqual(bound) => compared(bound).is_some_and(std::cmp::Ordering::is_le),
            Self::Approximately { value, within } => {
                ExactNumber::from_value(found).is_some_and(|number| number.is_within(value, within))
            }
            Self::Type(wanted) => wanted.is_of(found),
            Self::Text(pattern) => found
                .as_text()
                .is_some_and(|text| pattern.is_found_in(&text.to_display())),
            Self::Contains(part) => contains(found, part, bindings),
            Self::OneOf(patterns) => patterns
                .iter()
                .any(|pattern| pattern.holds(Some(found), bindings)),
            Self::Not(pattern) => !pattern.holds(Some(found), bindings),
            Self::Variable(number) => match bindings.get(*number) {
                Some(Binding::Open) => true,
                Some(Binding::Value(value)) => equal(value, found),
                Some(Binding::Nothing) | None => false,
            },
        }
    }
}

/// True if a string contains a string, or a list contains an item.
fn contains(found: &Value<'_>, part: &ValuePattern, bindings: &[Binding<'_>]) -> bool {
    match (found, part) {
        (Value::String(text), ValuePattern::Exact(Value::String(part))) => {
            part.is_empty()
                || text
                    .as_bytes()
                    .windows(part.as_bytes().len())
                    .any(|window| window == part.as_bytes())
        }
        (Value::List(items), part) => items.iter().any(|item| part.holds(Some(item), bindings)),
        _ => false,
    }
}

impl JsonType {
    pub(super) const NAMES: [(&'static str, Self); 7] = [
        ("string", Self::String),
        ("number", Self::Number),
        ("integer", Self::Integer),
        ("boolean", Self::Boolean),
        ("null", Self::Null),
        ("array", Self::Array),
        ("object", Self::Object),
    ];

    fn is_of(self, value: &Value<'_>) -> bool {
        match self {
            Self::String => matches!(value, Value::String(_)),
            Self::Number => ExactNumber::from_value(value).is_some(),
            Self::Integer => ExactNumber::from_value(value).is_some_and(|number| number.is_whole()),
            Self::Boolean => matches!(value, Value::Bool(_)),
            Self::Null => value.is_null(),
            Self::Array => matches!(value, Value::List(_)),
            Self::Object => matches!(value, Value::Object(_)),
        }
    }
}

/// Equality of JSON values. A value that contains a number that is not finite equals no value.
pub(super) fn equal(wanted: &Value<'_>, found: &Value<'_>) -> bool {
    ValueEquality::Json.equal(wanted, found) && is_finite(found)
}

fn is_finite(value: &Value<'_>) -> bool {
    match value {
        Value::Float(float) => float.is_finite(),
        Value::List(items) => items.iter().all(is_finite),
        Value::Object(object) => object.iter().all(|(_, value)| is_finite(value)),
        _ => true,
    }
}
