//! Compares arguments by their Python text.

use crate::alignment::Grade;
use crate::value::{Object, Text, Value, python};

/// The text of a value, if strings may replace values of other types: a string itself, a list or an object as JSON with sorted keys, any
/// other value as Python's `str`.
pub(super) fn value_text(value: &Value<'_>) -> Text<'static> {
    match value {
        Value::List(_) | Value::Object(_) => python::json_text(value),
        _ => python::str(value),
    }
}

/// True if both have the same keys, and values with equal [`value_text`]s.
pub(super) fn have_equal_texts(expected: &Object<'_>, actual: &Object<'_>) -> bool {
    expected.len() == actual.len()
        && expected.iter().all(|(key, value)| {
            actual
                .get(key)
                .is_some_and(|other| value_text(value) == value_text(other))
        })
}

/// Ragas's share of expected arguments with the same `str`.
pub(super) fn as_text(expected: &Object<'_>, actual: &Object<'_>) -> Grade {
    if expected.is_empty() {
        return if actual.is_empty() {
            Grade::Full
        } else {
            Grade::NameOnly
        };
    }
    let is_same = |key: &Text<'_>, value: &Value<'_>| {
        actual
            .get(key)
            .is_some_and(|other| python::str(other) == python::str(value))
    };
    let same = expected
        .iter()
        .filter(|(key, value)| is_same(key, value))
        .count();
    match same {
        0 => Grade::NameOnly,
        all if all == expected.len() => Grade::Full,
        some => Grade::Partial(some as f64 / expected.len() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Syntax, decode_with};

    #[track_caller]
    fn check(expected: &str, actual: &str, equal: bool) {
        let decode = |text| decode_with(text, Syntax::PYTHON).unwrap();
        let (expected_value, actual_value) = (decode(expected), decode(actual));
        let (Value::Object(left), Value::Object(right)) = (&expected_value, &actual_value) else {
            panic!("{expected} {actual}");
        };
        assert_eq!(have_equal_texts(left, right), equal, "{expected} {actual}");
        assert_eq!(have_equal_texts(right, left), equal, "{actual} {expected}");
    }

    #[test]
    fn texts_stand_for_values() {
        check(r#"{"a":1}"#, r#"{"a":"1"}"#, true);
        check(r#"{"a":1}"#, r#"{"a":1.0}"#, false);
        check(r#"{"a":true,"b":null}"#, r#"{"b":"None","a":"True"}"#, true);
        check(r#"{"a":true}"#, r#"{"a":"true"}"#, false);
        check(r#"{"a":[1,"x"]}"#, r#"{"a":"[1, \"x\"]"}"#, true);
        check(r#"{"a":[1]}"#, r#"{"a":["1"]}"#, false);
        check(r#"{"a":{"y":1,"x":{}}}"#, r#"{"a":{"x":{},"y":1}}"#, true);
        check(r#"{"a":NaN}"#, r#"{"a":"nan"}"#, true);
        check(r#"{"a":1}"#, r#"{"a":1,"b":2}"#, false);
        check(r#"{"a":1}"#, r#"{"b":1}"#, false);
    }
}
