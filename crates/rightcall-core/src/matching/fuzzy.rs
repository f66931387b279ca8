//! Similarity of arguments, as Axion defines it.
//!
//! Source: semantics, section 3.

use crate::similarity::ratio;
use crate::value::python::true_divide;
use crate::value::{Integer, Object, Text, Value, ValueEquality};

/// A similarity measure.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Similarity {
    /// Values that are equal under this equality have similarity 1. Without it, as in the original,
    /// null and values of different types have similarity 0, even null with null.
    pub(crate) equality: Option<ValueEquality>,
}

impl Similarity {
    /// Mean similarity of the arguments under the expected keys; 1 if none are expected.
    ///
    /// Numbers of opposite sign have a negative similarity, down to -1; it is not clamped.
    pub(crate) fn mean(self, expected: &Object<'_>, actual: &Object<'_>) -> f64 {
        if expected.is_empty() {
            return 1.0;
        }
        let of_key = |key: &Text<'_>, value: &Value<'_>| {
            actual
                .get(key)
                .map_or(0.0, |found| self.between(found, value))
        };
        let sum = expected
            .iter()
            .fold(0.0, |sum, (key, value)| sum + of_key(key, value));
        sum / expected.len() as f64
    }

    /// Similarity of an actual and an expected value. It isn't symmetric, since difflib's ratio isn't.
    fn between(self, actual: &Value<'_>, expected: &Value<'_>) -> f64 {
        if self
            .equality
            .is_some_and(|equality| equality.equal(actual, expected))
        {
            return 1.0;
        }
        match (actual, expected) {
            (Value::String(actual), Value::String(expected)) => ratio(actual, expected),
            (Value::Bool(actual), Value::Bool(expected)) => {
                integer_similarity(&i64::from(*actual).into(), &i64::from(*expected).into())
            }
            (Value::Integer(actual), Value::Integer(expected)) => {
                integer_similarity(actual, expected)
            }
            (Value::Float(actual), Value::Float(expected)) => float_similarity(*actual, *expected),
            (Value::Object(actual), Value::Object(expected)) => {
                self.between_objects(actual, expected)
            }
            (Value::List(_), Value::List(_)) => {
                f64::from(u8::from(ValueEquality::Python.equal(actual, expected)))
            }
            _ => 0.0,
        }
    }

    fn between_objects(self, actual: &Object<'_>, expected: &Object<'_>) -> f64 {
        let (mut common, mut sum) = (0_usize, 0.0);
        // The original's order of summation is unspecified. The order of the first operand
        // satisfies all golden cases.
        for (key, value) in actual {
            if let Some(other) = expected.get(key) {
                common += 1;
                sum += self.between(value, other);
            }
        }
        let all = actual.len() + expected.len() - common;
        if all == 0 {
            return 1.0;
        }
        let of_keys = common as f64 / all as f64;
        let of_values = if common == 0 {
            0.0
        } else {
            sum / common as f64
        };
        f64::midpoint(of_keys, of_values)
    }
}

fn integer_similarity(actual: &Integer, expected: &Integer) -> f64 {
    match (actual.is_zero(), expected.is_zero()) {
        (true, true) => 1.0,
        (false, false) => {
            let (actual, expected) = (actual.to_big(), expected.to_big());
            let larger = actual.magnitude().max(expected.magnitude()).clone();
            let distance = (actual - expected).magnitude().clone();
            1.0 - true_divide(
                &num_bigint::BigInt::from(distance).into(),
                &num_bigint::BigInt::from(larger).into(),
            )
        }
        _ => 0.0,
    }
}

fn float_similarity(actual: f64, expected: f64) -> f64 {
    match (actual == 0.0, expected == 0.0) {
        (true, true) => 1.0,
        (false, false) => 1.0 - (actual - expected).abs() / actual.abs().max(expected.abs()),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::decode;

    #[test]
    fn similarity_by_type() {
        for (actual, expected, wanted) in [
            ("null", "null", 0.0),
            ("1", "1.0", 0.0),
            ("true", "1", 0.0),
            ("true", "true", 1.0),
            ("8", "10", 0.8),
            ("-5", "5", -1.0),
            ("0", "5", 0.0),
            ("0.0", "-0.0", 1.0),
            ("2.5", "5.0", 0.5),
            ("[1]", "[1.0]", 1.0),
            ("[1]", "[2]", 0.0),
            ("{}", "{}", 1.0),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, 0.75),
            ("\"abcd\"", "\"bcde\"", 0.75),
        ] {
            let similarity =
                Similarity::default().between(&decode(actual).unwrap(), &decode(expected).unwrap());
            assert_eq!(similarity, wanted, "{actual} {expected}");
        }
    }

    #[test]
    fn equal_values_have_similarity_1_if_requested() {
        let similarity = Similarity {
            equality: Some(ValueEquality::Json),
        };
        for (value, other, alike) in [
            ("null", "null", 1.0),
            ("1", "1.0", 1.0),
            ("[null]", "[null]", 1.0),
            ("null", "0", 0.0),
            ("true", "1", 0.0),
        ] {
            assert_eq!(
                similarity.between(&decode(value).unwrap(), &decode(other).unwrap()),
                alike,
                "{value} {other}"
            );
        }
    }
}
