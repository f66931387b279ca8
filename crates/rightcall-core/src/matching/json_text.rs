//! Equality of values by the JSON text that JavaScript writes.
//!
//! `JSON.stringify` keeps the order of keys, so two equal objects may have different texts. It writes index keys first, in numeric order,
//! numbers as floats, and numbers that are not finite as null.

use crate::value::{JsonWriter, Object, Text, Value};

/// True if `JSON.stringify` writes both values as the same text.
pub(crate) fn have_same_json_text(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let (left, right) = (in_order_of_keys(left), in_order_of_keys(right));
            left.len() == right.len()
                && left.iter().zip(&right).all(|(left, right)| {
                    left.0 == right.0 && have_same_json_text(&left.1, &right.1)
                })
        }
        (Value::List(left), Value::List(right)) => are_lists_same(left, right, have_same_json_text),
        (Value::Object(_) | Value::List(_), _) | (_, Value::Object(_) | Value::List(_)) => false,
        _ => javascript_text(left) == javascript_text(right),
    }
}

/// True if two lists have the same length and equal items.
pub(super) fn are_lists_same<'v>(
    left: &[Value<'v>],
    right: &[Value<'v>],
    is_same: impl Fn(&Value<'v>, &Value<'v>) -> bool,
) -> bool {
    let mut pairs = left.iter().zip(right);
    left.len() == right.len() && pairs.all(|(left, right)| is_same(left, right))
}

/// The text that `JSON.stringify` writes.
pub(crate) fn javascript_text(value: &Value<'_>) -> String {
    let mut writer = JsonWriter::new();
    writer.javascript_value(value);
    writer.finish().into_string()
}

/// The members in JavaScript's order: index keys in numeric order, then all others as written.
fn in_order_of_keys<'o, 'v>(object: &'o Object<'v>) -> Vec<&'o (Text<'v>, Value<'v>)> {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_by_key(|(key, _)| index(key).map_or(u64::MAX, u64::from));
    members
}

/// The value of an index key: decimal, without leading zeros, below 2³² − 1.
fn index(key: &Text<'_>) -> Option<u32> {
    let digits = key.as_str()?;
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    let number = digits.parse().ok().filter(|_| is_plain)?;
    (number < u32::MAX).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::decode;

    #[test]
    fn order_matters_for_all_keys_except_indices() {
        for (left, right, is_same) in [
            (r#"{"a":1,"b":2}"#, r#"{"a":1,"b":2}"#, true),
            (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, false),
            (r#"{"2":0,"10":0}"#, r#"{"10":0,"2":0}"#, true),
            (r#"{"a":1,"0":2}"#, r#"{"0":2,"a":1}"#, true),
            (r#"{"a":1,"00":2}"#, r#"{"00":2,"a":1}"#, false),
            (
                r#"{"a":1,"4294967295":2}"#,
                r#"{"4294967295":2,"a":1}"#,
                false,
            ),
            (r#"{"a":1}"#, r#"{"a":1.0}"#, true),
            (r#"{"a":0}"#, r#"{"a":-0.0}"#, true),
            (r#"{"a":1}"#, r#"{"a":"1"}"#, false),
            ("[]", "{}", false),
            ("[1,2]", "[1,2]", true),
            ("[1,2]", "[1]", false),
            (r#"[{"a":1,"b":2}]"#, r#"[{"b":2,"a":1}]"#, false),
            ("1e400", "null", true),
        ] {
            let (one, other) = (decode(left).unwrap(), decode(right).unwrap());
            assert_eq!(have_same_json_text(&one, &other), is_same, "{left} {right}");
        }
    }
}
