//! When two values are the same, each language by itself.

use rightcall::value::{Integer, Text, Value};

/// Python's `==`.
pub fn python_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::String(left), Value::String(right)) => left.code_points().eq(right.code_points()),
        (Value::List(left), Value::List(right)) => {
            left.len() == right.len()
                && (0..left.len()).all(|place| python_equal(&left[place], &right[place]))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| {
                    right
                        .iter()
                        .any(|(other_key, other)| key == other_key && python_equal(value, other))
                })
        }
        _ => match (exactly(left), exactly(right)) {
            (Some(left), Some(right)) => left == right,
            _ => false,
        },
    }
}

/// Equality of JSON's values: as in Python, but booleans are no numbers.
pub fn json_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Bool(_), _) | (_, Value::Bool(_)) => false,
        (Value::List(left), Value::List(right)) => {
            left.len() == right.len()
                && (0..left.len()).all(|place| json_equal(&left[place], &right[place]))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| {
                    right
                        .iter()
                        .any(|(other_key, other)| key == other_key && json_equal(value, other))
                })
        }
        _ => python_equal(left, right),
    }
}

/// Equality of the texts that Python's `json.dumps` writes with sorted keys, but `NaN` equals nothing.
pub fn strictly_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Integer(_), Value::Float(_)) | (Value::Float(_), Value::Integer(_)) => false,
        (Value::Float(left), Value::Float(right)) => {
            left == right && left.is_sign_positive() == right.is_sign_positive()
        }
        (Value::List(left), Value::List(right)) => {
            left.len() == right.len()
                && (0..left.len()).all(|place| strictly_equal(&left[place], &right[place]))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| {
                    right
                        .iter()
                        .any(|(other_key, other)| key == other_key && strictly_equal(value, other))
                })
        }
        _ => json_equal(left, right),
    }
}

/// All decimal digits of a number, and none for what equals nothing.
fn exactly(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Bool(flag) => Some(u8::from(*flag).to_string()),
        Value::Integer(integer) => Some(integer.to_string()),
        Value::Float(float) if float.is_nan() => None,
        Value::Float(float) if *float == 0.0 => Some("0".to_owned()),
        // The standard library prints every digit of a float's exact value.
        Value::Float(float) => Some(format!("{float}")),
        _ => None,
    }
}

/// The number that JavaScript sees.
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

/// JavaScript's `===` for what is neither a list nor an object.
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
    match (left, right) {
        (Value::List(left), Value::List(right)) => {
            left.len() == right.len()
                && (0..left.len()).all(|place| javascript_deep_equal(&left[place], &right[place]))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| {
                    right.iter().any(|(other_key, other)| {
                        key == other_key && javascript_deep_equal(value, other)
                    })
                })
        }
        _ => javascript_identical(Some(left), Some(right)),
    }
}

/// Equality of `JSON.stringify` with sorted keys: what has no JSON is null, a key `__proto__` is dropped.
pub fn stable_json_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    let is_null = |value: &Value<'_>| {
        value.is_null() || javascript_number(value).is_some_and(|number| !number.is_finite())
    };
    match (left, right) {
        _ if is_null(left) || is_null(right) => is_null(left) && is_null(right),
        (Value::List(left), Value::List(right)) => {
            left.len() == right.len()
                && (0..left.len()).all(|place| stable_json_equal(&left[place], &right[place]))
        }
        (Value::Object(left), Value::Object(right)) => {
            let kept = |key: &Text<'_>| *key != "__proto__";
            left.iter().filter(|entry| kept(&entry.0)).count()
                == right.iter().filter(|entry| kept(&entry.0)).count()
                && left
                    .iter()
                    .filter(|entry| kept(&entry.0))
                    .all(|(key, value)| {
                        right.iter().any(|(other_key, other)| {
                            key == other_key && stable_json_equal(value, other)
                        })
                    })
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

/// The same at the top level, where a string is its UTF-16 units and a number or boolean is empty; none for null.
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
