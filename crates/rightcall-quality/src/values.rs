//! Compares JSON values as evaluators do: `2` and `2.0` are equal.

use serde_json::{Map, Number, Value};

/// True if two values are equal as JSON.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || is_float(one, other) && one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has =
                |(key, value): (&String, &Value)| other.get(key).is_some_and(|it| same(value, it));
            one.len() == other.len() && one.iter().all(has)
        }
        _ => one == other,
    }
}

/// Two integers are compared exactly, as an integer may be too large for a float.
fn is_float(one: &Number, other: &Number) -> bool {
    one.is_f64() || other.is_f64()
}

/// The value with each whole number written as an integer: equal values have equal texts.
pub(crate) fn canonical(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(whole) if whole.fract() == 0.0 && whole.abs() < 9e15 => Value::from(whole as i64),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(key, it)| (key.clone(), canonical(it)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_equal_however_they_are_written() {
        for (one, other, equal) in [
            (json!(2), json!(2.0), true),
            (json!([1, {"a": 2.0}]), json!([1.0, {"a": 2}]), true),
            (json!(2), json!(2.5), false),
            (json!(2), json!("2"), false),
            (
                json!(9_007_199_254_740_993_u64),
                json!(9_007_199_254_740_992_u64),
                false,
            ),
            (json!({"a": 1}), json!({"b": 1}), false),
            (json!([1]), json!([1, 1]), false),
        ] {
            assert_eq!(same(&one, &other), equal, "{one} {other}");
            assert_eq!(canonical(&one) == canonical(&other), equal, "{one} {other}");
        }
    }
}
