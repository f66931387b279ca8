//! Equality of values, for each language separately.

use rightcall_core::value::{Integer, Object, Text, Value};

use crate::loops::all_in_place;

/// True if two values are equal: lists item by item, objects key by key, other values by `plain`.
fn same(left: &Value<'_>, right: &Value<'_>, plain: fn(&Value<'_>, &Value<'_>) -> bool) -> bool {
    match (left, right) {
        (Value::List(left), Value::List(right)) => {
            all_in_place(left, right, |left, right| same(left, right, plain))
        }
        (Value::Object(left), Value::Object(right)) => {
            same_members(left, right, |left, right| same(left, right, plain))
        }
        _ => plain(left, right),
    }
}

/// True if two objects have the same keys, with equal values.
fn same_members(
    left: &Object<'_>,
    right: &Object<'_>,
    same: impl Fn(&Value<'_>, &Value<'_>) -> bool,
) -> bool {
    let is_in = |(key, value): &(Text<'_>, Value<'_>)| {
        let mut others = right.iter();
        others.any(|(other_key, other)| key == other_key && same(value, other))
    };
    left.len() == right.len() && left.iter().all(is_in)
}

/// Python's `==`.
pub fn python_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    same(left, right, |left, right| match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::String(left), Value::String(right)) => left.code_points().eq(right.code_points()),
        _ => exactly(left).is_some_and(|digits| exactly(right) == Some(digits)),
    })
}

/// Python's `==` for two dicts.
pub(crate) fn python_equal_objects(left: &Object<'_>, right: &Object<'_>) -> bool {
    same_members(left, right, python_equal)
}

/// Equality of JSON values: as in Python, except that booleans aren't numbers.
pub fn json_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    same(left, right, |left, right| match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Bool(_), _) | (_, Value::Bool(_)) => false,
        _ => python_equal(left, right),
    })
}

/// Equality of the texts from Python's `json.dumps` with sorted keys, except that `NaN` never equals another value.
pub fn strictly_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    same(left, right, |left, right| match (left, right) {
        (Value::Integer(_), Value::Float(_)) | (Value::Float(_), Value::Integer(_)) => false,
        (Value::Float(left), Value::Float(right)) => {
            left == right && left.is_sign_positive() == right.is_sign_positive()
        }
        _ => json_equal(left, right),
    })
}

/// The decimal digits of a number, without an exponent; `None` if the value equals no number.
pub(crate) fn exactly(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Bool(flag) => Some(u8::from(*flag).to_string()),
        Value::Integer(integer) => Some(integer.to_string()),
        Value::Float(float) if float.is_nan() => None,
        Value::Float(float) if *float == 0.0 => Some("0".to_owned()),
        // Without a precision Rust prints the shortest digits that parse back, and for a large whole number they end in wrong zeros.
        Value::Float(float) if float.fract() == 0.0 => Some(format!("{float:.0}")),
        Value::Float(float) => Some(format!("{float}")),
        _ => None,
    }
}

/// The number in JavaScript's precision.
pub(crate) fn javascript_number(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Integer(integer) => Some(nearest_float(integer)),
        Value::Float(float) => Some(*float),
        _ => None,
    }
}

fn nearest_float(integer: &Integer) -> f64 {
    integer.to_string().parse().unwrap_or(f64::NAN)
}

/// JavaScript's `===` for values other than lists and objects.
pub fn javascript_identical(left: Option<&Value<'_>>, right: Option<&Value<'_>>) -> bool {
    match (left, right) {
        (None, None) | (Some(Value::Null), Some(Value::Null)) => true,
        (Some(Value::Bool(left)), Some(Value::Bool(right))) => left == right,
        (Some(Value::String(left)), Some(Value::String(right))) => left.utf16().eq(right.utf16()),
        (Some(left), Some(right)) => match (javascript_number(left), javascript_number(right)) {
            (Some(left), Some(right)) => left == right,
            _ => false,
        },
        _ => false,
    }
}

/// Evalite's `deepEqual`.
pub fn javascript_deep_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    same(left, right, |left, right| {
        javascript_identical(Some(left), Some(right))
    })
}

fn without_proto<'a>(object: &Object<'a>) -> Object<'a> {
    let kept = object.iter().filter(|(key, _)| *key != "__proto__");
    Object::new(kept.cloned().collect())
}

/// Equality of `JSON.stringify` with sorted keys: values without JSON are null, a key `__proto__` is dropped.
pub fn stable_json_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    let is_null = |value: &Value<'_>| {
        value.is_null() || javascript_number(value).is_some_and(|number| !number.is_finite())
    };
    match (left, right) {
        _ if is_null(left) || is_null(right) => is_null(left) && is_null(right),
        (Value::List(left), Value::List(right)) => all_in_place(left, right, stable_json_equal),
        (Value::Object(left), Value::Object(right)) => {
            let (left, right) = (without_proto(left), without_proto(right));
            same_members(&left, &right, stable_json_equal)
        }
        _ => javascript_identical(Some(left), Some(right)),
    }
}

/// tpmjs' comparison of arguments below the top level: a list is an object with the keys `"0"`, `"1"`, …
pub fn keyed_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (entries(left), entries(right)) {
        (Some(left), Some(right)) => same_entries(&left, &right),
        _ => javascript_identical(Some(left), Some(right)),
    }
}

/// The comparison at the top level, where a string is its UTF-16 units, and a number or boolean is empty; `None` for null.
pub fn keyed_equal_at_top(left: &Value<'_>, right: &Value<'_>) -> Option<bool> {
    Some(same_entries(
        &entries_at_top(left)?,
        &entries_at_top(right)?,
    ))
}

type Entries<'v> = Vec<(Vec<u16>, Entry<'v>)>;

enum Entry<'v> {
    Unit(u16),
    Value(&'v Value<'v>),
}

fn place(place: usize) -> Vec<u16> {
    place.to_string().encode_utf16().collect()
}

fn entries<'v>(value: &'v Value<'_>) -> Option<Entries<'v>> {
    match value {
        Value::List(items) => Some(
            items
                .iter()
                .enumerate()
                .map(|(at, item)| (place(at), Entry::Value(item)))
                .collect(),
        ),
        Value::Object(object) => Some(
            object
                .iter()
                .map(|(key, value)| (key.utf16().collect(), Entry::Value(value)))
                .collect(),
        ),
        _ => None,
    }
}

fn entries_at_top<'v>(value: &'v Value<'_>) -> Option<Entries<'v>> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(
            text.utf16()
                .enumerate()
                .map(|(at, unit)| (place(at), Entry::Unit(unit)))
                .collect(),
        ),
        Value::List(_) | Value::Object(_) => entries(value),
        _ => Some(Vec::new()),
    }
}

fn same_entries(left: &Entries<'_>, right: &Entries<'_>) -> bool {
    left.len() == right.len()
        && left.iter().all(|(key, value)| {
            right
                .iter()
                .any(|(other_key, other)| key == other_key && same_entry(value, other))
        })
}

fn same_entry(left: &Entry<'_>, right: &Entry<'_>) -> bool {
    match (left, right) {
        (Entry::Unit(left), Entry::Unit(right)) => left == right,
        (Entry::Value(left), Entry::Value(right)) => keyed_equal(left, right),
        (Entry::Unit(unit), Entry::Value(Value::String(text)))
        | (Entry::Value(Value::String(text)), Entry::Unit(unit)) => text.utf16().eq([*unit]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use rightcall_core::value::{Syntax, decode_with};

    use super::*;

    /// As in Python: `10**23 == 1e23` is false, `99999999999999991611392 == 1e23` is true.
    #[test]
    fn an_integer_equals_a_float_only_if_it_is_its_exact_value() {
        let digits = |json| exactly(&decode_with(json, Syntax::PYTHON).unwrap());
        assert_ne!(digits("100000000000000000000000"), digits("1e23"));
        assert_eq!(digits("99999999999999991611392"), digits("1e23"));
        assert_eq!(digits("7"), digits("7.0"));
    }
}
