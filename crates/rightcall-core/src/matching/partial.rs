//! Partial equality of arguments: the expected ones are a subset of the actual ones, also inside lists. Some keys and default values can be
//! ignored.

use super::glob::Glob;
use super::json_text::are_lists_same;
use super::near::ArgumentDefaults;
use crate::value::{Object, Text, Value};

/// How to compare arguments partially.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PartialArguments {
    /// If true, both sides are compared as a whole after removing ignored keys and defaults.
    pub(crate) exact: bool,
    /// Argument keys to ignore on both sides.
    pub(crate) ignore: Vec<Glob>,
    /// Actual arguments with these values are ignored.
    pub(crate) defaults: ArgumentDefaults,
}

impl PartialArguments {
    /// True if the actual arguments are as expected.
    pub(super) fn agree(&self, expected: &Value<'_>, actual: &Value<'_>) -> bool {
        let (expected, actual) = (
            self.expected_without_ignored(expected),
            self.actual_without_ignored(actual),
        );
        if self.exact {
            is_deep_strict_equal(&expected, &actual)
        } else {
            is_part(&expected, &actual)
        }
    }

    /// The expected arguments without ignored ones.
    pub(super) fn expected_without_ignored<'a>(&self, expected: &Value<'a>) -> Value<'a> {
        self.kept(expected, |_, _| true)
    }

    /// The actual arguments without ignored ones and defaults.
    pub(super) fn actual_without_ignored<'a>(&self, actual: &Value<'a>) -> Value<'a> {
        self.kept(actual, |key, value| {
            let default = self.defaults.0.get(key);
            !default.is_some_and(|default| is_deep_strict_equal(value, default))
        })
    }

    fn kept<'a>(
        &self,
        arguments: &Value<'a>,
        is_kept: impl Fn(&Text<'a>, &Value<'a>) -> bool,
    ) -> Value<'a> {
        let Value::Object(arguments) = arguments else {
            return arguments.clone();
        };
        let is_compared = |key: &Text<'a>| !self.ignore.iter().any(|entry| entry.fits_key(key));
        let kept = arguments
            .iter()
            .filter(|(key, value)| is_compared(key) && is_kept(key, value));
        Value::Object(Object::new(kept.cloned().collect()))
    }
}

/// True if the actual value contains the expected one. Lists must have the same length, and each item must contain the expected item.
pub(super) fn is_part(expected: &Value<'_>, actual: &Value<'_>) -> bool {
    match (expected, actual) {
        (Value::List(expected), Value::List(actual)) => are_lists_same(expected, actual, is_part),
        (Value::Object(expected), Value::Object(actual)) => {
            expected.iter().all(|(key, expected)| {
                actual
                    .get(key)
                    .is_some_and(|actual| is_part(expected, actual))
            })
        }
        (expected, actual) => is_deep_strict_equal(expected, actual),
    }
}

/// Node's `isDeepStrictEqual` for JSON values: numbers are equal by their bits as floats, but `NaN` equals itself.
fn is_deep_strict_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::String(left), Value::String(right)) => left == right,
        (Value::List(left), Value::List(right)) => {
            are_lists_same(left, right, is_deep_strict_equal)
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| {
                    right
                        .get(key)
                        .is_some_and(|right| is_deep_strict_equal(left, right))
                })
        }
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
            match (left.as_f64(), right.as_f64()) {
                (Some(left), Some(right)) => {
                    left.to_bits() == right.to_bits() || left.is_nan() && right.is_nan()
                }
                _ => false,
            }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::decode;

    #[test]
    fn partial_equality_also_applies_inside_lists() {
        for (expected, actual, is_found) in [
            (r#"{"a":1}"#, r#"{"a":1.0,"b":2}"#, true),
            (r#"{"a":{"b":1}}"#, r#"{"a":{"b":1,"c":2}}"#, true),
            (r#"{"a":[{"b":1}]}"#, r#"{"a":[{"b":1,"c":2}]}"#, true),
            (r#"{"a":[{"b":1}]}"#, r#"{"a":[{"b":1},{"b":1}]}"#, false),
            (r#"{"a":{}}"#, r#"{"a":[]}"#, false),
            (r#"{"a":null}"#, "{}", false),
            (r#"{"a":true}"#, r#"{"a":1}"#, false),
            ("[1]", "[1]", true),
        ] {
            let (expected, actual) = (decode(expected).unwrap(), decode(actual).unwrap());
            let found = PartialArguments::default().agree(&expected, &actual);
            assert_eq!(found, is_found, "{expected:?} {actual:?}");
        }
    }

    #[test]
    fn ignored_keys_and_defaults_are_left_out() {
        let defaults = decode(r#"{"lang":"en","n":{"a":1}}"#).unwrap();
        let rule = PartialArguments {
            exact: true,
            ignore: ["trace_*", "id"]
                .map(|entry| Glob::new(&Text::new(entry)))
                .into(),
            defaults: ArgumentDefaults(defaults.as_object().unwrap().clone()),
        };
        for (expected, actual, is_found) in [
            (r#"{"q":1}"#, r#"{"q":1,"id":7,"Trace_ID":8}"#, true),
            (r#"{"q":1,"id":6}"#, r#"{"q":1}"#, true),
            (r#"{"q":1}"#, r#"{"q":1,"ID":7}"#, false),
            (r#"{"q":1}"#, r#"{"q":1,"lang":"en","n":{"a":1}}"#, true),
            (r#"{"q":1}"#, r#"{"q":1,"lang":"de"}"#, false),
            // Defaults are removed only from the actual side.
            (r#"{"q":1,"lang":"en"}"#, r#"{"q":1,"lang":"en"}"#, false),
            (r#"{"q":{"id":1}}"#, r#"{"q":{"id":2}}"#, false),
        ] {
            let (expected, actual) = (decode(expected).unwrap(), decode(actual).unwrap());
            assert_eq!(rule.agree(&expected, &actual), is_found, "{actual:?}");
        }
    }
}
