//! Equality of values in the languages that published metrics are written in.

use rightcall_python_values::{Integer, Object, PythonValue, Text, Value};

/// A definition of equality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueEquality {
    /// Python's `==`: numbers by exact mathematical value, `True == 1 == 1.0`, `NaN` equals no value.
    Python,
    /// JavaScript's `===`, deep: all numbers are f64; a list never equals an object.
    JavaScript,
    /// Like [`ValueEquality::JavaScript`], except that a list equals an object with keys `"0"`,
    /// `"1"`, …. At the top level a string equals the list of its UTF-16 units, and numbers and
    /// booleans count as empty.
    JavaScriptListsAsObjects,
    /// Equality of `JSON.stringify` with sorted keys: infinity is `null`, a key `__proto__` is dropped.
    StableJson,
    /// Equality of JSON values: numbers by exact mathematical value; booleans are not numbers.
    Json,
    /// Like [`ValueEquality::Json`], except that integers differ from floats and 0.0 from -0.0:
    /// numbers are equal if Python writes them alike.
    Strict,
}

impl ValueEquality {
    /// True if two values are equal.
    pub fn equal(self, left: &Value<'_>, right: &Value<'_>) -> bool {
        if self == Self::JavaScriptListsAsObjects {
            return match (Keyed::at_top(left), Keyed::at_top(right)) {
                (Some(left), Some(right)) => left.equal(&right),
                _ => left.is_null() && right.is_null(),
            };
        }
        self.equal_inside(left, right)
    }

    /// True if two values are equal inside other values. `JavaScriptListsAsObjects` treats the top level differently.
    pub fn equal_inside(self, left: &Value<'_>, right: &Value<'_>) -> bool {
        if self == Self::JavaScriptListsAsObjects
            && let (Some(left), Some(right)) = (Keyed::inside(left), Keyed::inside(right))
        {
            return left.equal(&right);
        }
        match (left, right) {
            (Value::String(left), Value::String(right)) => left == right,
            (Value::List(left), Value::List(right)) => self.equal_lists(left, right),
            (Value::Object(left), Value::Object(right)) => self.equal_objects(left, right),
            (Value::Python(left), Value::Python(right)) => self.equal_python(left, right),
            (Value::Python(python), other) | (other, Value::Python(python)) => match **python {
                PythonValue::Complex { real, imaginary } => {
                    imaginary == 0.0 && self.equal_inside(&Value::Float(real), other)
                }
                _ => false,
            },
            _ => self
                .scalar(left)
                .is_some_and(|left| Some(left) == self.scalar(right)),
        }
    }

    fn equal_lists(self, left: &[Value<'_>], right: &[Value<'_>]) -> bool {
        left.len() == right.len()
            && left
                .iter()
                .zip(right)
                .all(|(left, right)| self.equal_inside(left, right))
    }

    /// True if two objects are equal below the top level.
    pub fn equal_objects(self, left: &Object<'_>, right: &Object<'_>) -> bool {
        let counts = |object: &Object<'_>| object.iter().filter(|(key, _)| self.keeps(key)).count();
        counts(left) == counts(right)
            && left
                .iter()
                .filter(|(key, _)| self.keeps(key))
                .all(|(key, value)| {
                    right
                        .get(key)
                        .is_some_and(|other| self.equal_inside(value, other))
                })
    }

    fn equal_python(self, left: &PythonValue<'_>, right: &PythonValue<'_>) -> bool {
        match (left, right) {
            (PythonValue::Tuple(left), PythonValue::Tuple(right)) => self.equal_lists(left, right),
            (PythonValue::Set(left), PythonValue::Set(right)) => {
                left.len() == right.len()
                    && left
                        .iter()
                        .all(|member| right.iter().any(|other| self.equal_inside(member, other)))
            }
            (PythonValue::Dict(left), PythonValue::Dict(right)) => {
                left.len() == right.len()
                    && left.iter().all(|(key, value)| {
                        right.iter().any(|(other, found)| {
                            self.equal_inside(key, other) && self.equal_inside(value, found)
                        })
                    })
            }
            (PythonValue::Bytes(left), PythonValue::Bytes(right)) => left == right,
            (
                PythonValue::Complex { real, imaginary },
                PythonValue::Complex {
                    real: r,
                    imaginary: i,
                },
            ) => real == r && imaginary == i,
            (PythonValue::Ellipsis, PythonValue::Ellipsis) => true,
            _ => false,
        }
    }

    /// True unless this equality ignores entries under this key.
    #[inline]
    pub(crate) fn keeps(self, key: &Text<'_>) -> bool {
        self != Self::StableJson || *key != "__proto__"
    }

    /// The class of a null, boolean or number; `None` for any other value, and for `NaN`, which equals no value.
    pub(crate) fn scalar(self, value: &Value<'_>) -> Option<Scalar> {
        match value {
            Value::Null => Some(Scalar::Null),
            Value::Bool(it) if self == Self::Python => Some(Scalar::Integer(i64::from(*it).into())),
            Value::Bool(it) => Some(Scalar::Bool(*it)),
            Value::Integer(it) => match self {
                Self::Python | Self::Json | Self::Strict => Some(Scalar::Integer(it.clone())),
                _ => self.float(it.to_f64()),
            },
            Value::Float(it) => self.float(*it),
            _ => None,
        }
    }

    fn float(self, float: f64) -> Option<Scalar> {
        if float.is_nan() {
            return None;
        }
        match self {
            Self::StableJson if float.is_infinite() => Some(Scalar::Null),
            Self::Python | Self::Json => Some(
                Integer::from_integral(float)
                    .map_or(Scalar::Float(float.to_bits()), Scalar::Integer),
            ),
            Self::Strict => Some(Scalar::Float(float.to_bits())),
            // -0 + 0 is 0.
            _ => Some(Scalar::Float((float + 0.0).to_bits())),
        }
    }
}

/// Equality classes of scalars: equal scalars have the same class.
#[derive(Debug, PartialEq)]
pub(crate) enum Scalar {
    Null,
    Bool(bool),
    Integer(Integer),
    Float(u64),
}

/// A value as JavaScript's `Object.keys` sees it.
enum Keyed<'v> {
    Entries(&'v Object<'v>),
    Items(&'v [Value<'v>]),
    Units(Vec<u16>),
}

impl<'v> Keyed<'v> {
    fn at_top(value: &'v Value<'v>) -> Option<Self> {
        match value {
            Value::Null | Value::Python(_) => None,
            Value::String(text) => Some(Self::Units(text.utf16().collect())),
            Value::Bool(_) | Value::Integer(_) | Value::Float(_) => Some(Self::Items(&[])),
            _ => Self::inside(value),
        }
    }

    fn inside(value: &'v Value<'v>) -> Option<Self> {
        match value {
            Value::List(items) => Some(Self::Items(items)),
            Value::Object(object) => Some(Self::Entries(object)),
            _ => None,
        }
    }

    fn equal(&self, other: &Self) -> bool {
        const RULE: ValueEquality = ValueEquality::JavaScriptListsAsObjects;
        match (self, other) {
            (Self::Entries(left), Self::Entries(right)) => RULE.equal_objects(left, right),
            (Self::Entries(entries), indexed) | (indexed, Self::Entries(entries)) => {
                entries.len() == indexed.len()
                    && (0..entries.len()).all(|index| {
                        entries
                            .get(&Text::from(index.to_string()))
                            .is_some_and(|value| indexed.holds(index, value))
                    })
            }
            (left, right) => {
                left.len() == right.len()
                    && (0..left.len()).all(|index| match left {
                        Self::Items(items) => right.holds(index, &items[index]),
                        Self::Units(units) => right.holds_unit(index, units[index]),
                        Self::Entries(_) => false,
                    })
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Entries(object) => object.len(),
            Self::Items(items) => items.len(),
            Self::Units(units) => units.len(),
        }
    }

    fn holds(&self, index: usize, value: &Value<'_>) -> bool {
        match self {
            Self::Items(items) => {
                ValueEquality::JavaScriptListsAsObjects.equal_inside(&items[index], value)
            }
            Self::Units(units) => value
                .as_text()
                .is_some_and(|text| text.utf16().eq([units[index]])),
            Self::Entries(_) => false,
        }
    }

    fn holds_unit(&self, index: usize, unit: u16) -> bool {
        match self {
            Self::Items(items) => items[index]
                .as_text()
                .is_some_and(|text| text.utf16().eq([unit])),
            Self::Units(units) => units[index] == unit,
            Self::Entries(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ValueEquality::{
        self, JavaScript, JavaScriptListsAsObjects, Json, Python, StableJson, Strict,
    };
    use crate::{Syntax, decode_with};

    #[track_caller]
    fn check(equality: ValueEquality, left: &str, right: &str, expected: bool) {
        let decode = |text| decode_with(text, Syntax::PYTHON).unwrap();
        let (left_value, right_value) = (decode(left), decode(right));
        assert_eq!(
            equality.equal(&left_value, &right_value),
            expected,
            "{equality:?} {left} {right}"
        );
        assert_eq!(
            equality.equal(&right_value, &left_value),
            expected,
            "{equality:?} {right} {left}"
        );
    }

    #[test]
    fn numbers_and_booleans() {
        for (left, right, python, javascript, json) in [
            ("1", "1.0", true, true, true),
            ("1", "true", true, false, false),
            ("0", "-0.0", true, true, true),
            ("false", "-0.0", true, false, false),
            ("9007199254740993", "9007199254740992", false, true, false),
            ("9007199254740993", "9007199254740992.0", false, true, false),
            ("10000000000000000000000", "1e22", true, true, true),
            ("1e400", "Infinity", true, true, true),
            ("NaN", "NaN", false, false, false),
            ("null", "false", false, false, false),
            ("\"1\"", "1", false, false, false),
        ] {
            check(Python, left, right, python);
            check(JavaScript, left, right, javascript);
            check(Json, left, right, json);
        }
    }

    #[test]
    fn strict_numbers_are_equal_only_if_written_alike() {
        for (left, right, equal) in [
            ("1", "1.0", false),
            ("1", "true", false),
            ("0", "-0", true),
            ("0.0", "-0.0", false),
            ("100.0", "1e2", true),
            ("10000000000000000000000", "1e22", false),
            ("NaN", "NaN", false),
            ("[{\"a\":1}]", "[{\"a\":1.0}]", false),
        ] {
            check(Strict, left, right, equal);
        }
    }

    #[test]
    fn containers() {
        for equality in [
            Python,
            JavaScript,
            JavaScriptListsAsObjects,
            StableJson,
            Json,
            Strict,
        ] {
            check(
                equality,
                r#"{"a":1,"b":[{"c":null}]}"#,
                r#"{"b":[{"c":null}],"a":1}"#,
                true,
            );
            check(equality, r#"{"a":1,"a":2}"#, r#"{"a":2}"#, true);
            check(equality, "[1,2]", "[2,1]", false);
            check(equality, r#"{"a":null}"#, "{}", false);
            check(
                equality,
                "[[]]",
                r#"{"0":[]}"#,
                equality == JavaScriptListsAsObjects,
            );
        }
    }

    #[test]
    fn stable_json_drops_proto_and_turns_infinity_into_null() {
        check(
            StableJson,
            r#"{"__proto__":1,"a":{"__proto__":[]}}"#,
            r#"{"a":{}}"#,
            true,
        );
        check(JavaScript, r#"{"__proto__":1}"#, "{}", false);
        check(StableJson, "[1e400]", "[null]", true);
    }

    #[test]
    fn lists_as_objects_at_the_top_and_inside() {
        for (left, right, expected) in [
            ("5", "true", true),
            ("5", "{}", true),
            ("[]", "\"\"", true),
            ("\"xy\"", r#"["x","y"]"#, true),
            ("\"xy\"", r#"{"1":"y","0":"x"}"#, true),
            (r#"{"a":"xy"}"#, r#"{"a":["x","y"]}"#, false),
            (r#"["x"]"#, r#"{"0":"x"}"#, true),
            ("null", "null", true),
            ("null", "{}", false),
        ] {
            check(JavaScriptListsAsObjects, left, right, expected);
        }
    }
}
