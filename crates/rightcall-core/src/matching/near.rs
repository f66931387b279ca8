//! Equality of arguments with a tolerance for numbers and defaults for missing keys.

use super::json_text::are_lists_same;
use crate::value::{Object, Text, Value, ValueEquality};

/// Default values of optional arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArgumentDefaults(pub(crate) Object<'static>);

impl PartialEq for ArgumentDefaults {
    fn eq(&self, other: &Self) -> bool {
        ValueEquality::Json.equal_objects(&self.0, &other.0)
    }
}

/// True if two values are equal, with numbers at most `within` apart.
fn is_near(expected: &Value<'_>, actual: &Value<'_>, within: f64, equality: ValueEquality) -> bool {
    match (expected, actual) {
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
            let is_within = |one: f64, other: f64| (one - other).abs() <= within;
            equality.equal(expected, actual)
                || expected
                    .as_f64()
                    .zip(actual.as_f64())
                    .is_some_and(|(one, other)| is_within(one, other))
        }
        (Value::List(expected), Value::List(actual)) => {
            let is_same = |one: &_, other: &_| is_near(one, other, within, equality);
            are_lists_same(expected, actual, is_same)
        }
        (Value::Object(expected), Value::Object(actual)) => {
            is_near_object(expected, actual, (within, &Object::default()), equality)
        }
        _ => equality.equal(expected, actual),
    }
}

/// True if two objects are equal with this tolerance. A missing key has its default value.
pub(super) fn is_near_object(
    expected: &Object<'_>,
    actual: &Object<'_>,
    (within, defaults): (f64, &Object<'_>),
    equality: ValueEquality,
) -> bool {
    let is_same = |key: &Text<'_>| {
        let default = defaults.get(key);
        match (expected.get(key).or(default), actual.get(key).or(default)) {
            (Some(one), Some(other)) => is_near(one, other, within, equality),
            _ => false,
        }
    };
    expected.iter().chain(actual).all(|(key, _)| is_same(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::decode;

    #[test]
    fn numbers_have_a_tolerance_and_keys_a_default() {
        for (expected, actual, is_same) in [
            (r#"{"a":10}"#, r#"{"a":10.01}"#, true),
            (r#"{"a":10}"#, r#"{"a":10.02}"#, false),
            (r#"{"a":[1,{"b":2}]}"#, r#"{"a":[1.005,{"b":2.0}]}"#, true),
            (r#"{"a":1}"#, r#"{"a":1,"lang":"en"}"#, true),
            (r#"{"a":1,"lang":"en"}"#, r#"{"a":1}"#, true),
            (r#"{"a":1}"#, r#"{"a":1,"lang":"de"}"#, false),
            (r#"{"a":1}"#, r#"{"a":1,"other":1}"#, false),
            (r#"{"a":true}"#, r#"{"a":1}"#, false),
            (
                r#"{"a":9007199254740993}"#,
                r#"{"a":9007199254740993}"#,
                true,
            ),
        ] {
            let (expected, actual) = (decode(expected).unwrap(), decode(actual).unwrap());
            let defaults = decode(r#"{"lang":"en"}"#).unwrap();
            let objects = (expected.as_object().unwrap(), actual.as_object().unwrap());
            let rule = (0.011, defaults.as_object().unwrap());
            let found = is_near_object(objects.0, objects.1, rule, ValueEquality::Json);
            assert_eq!(found, is_same, "{expected:?} {actual:?}");
        }
    }
}
