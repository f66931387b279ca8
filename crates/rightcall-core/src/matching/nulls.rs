//! Handles null members, for data sets that fill missing members with null.

use crate::value::{Object, Value};

/// The meaning of a null member of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NullMembers {
    /// A value like any other.
    Compared,
    /// A missing member, at any depth. A null in a list is kept.
    Absent,
}

/// The value without null members; `None` if it has none.
pub(crate) fn without_nulls<'v>(value: &Value<'v>) -> Option<Value<'v>> {
    has_nulls(value).then(|| copy_without_nulls(value))
}

fn has_nulls(value: &Value<'_>) -> bool {
    match value {
        Value::List(items) => items.iter().any(has_nulls),
        Value::Object(members) => members
            .iter()
            .any(|(_, member)| member.is_null() || has_nulls(member)),
        _ => false,
    }
}

fn copy_without_nulls<'v>(value: &Value<'v>) -> Value<'v> {
    match value {
        Value::List(items) => Value::List(items.iter().map(copy_without_nulls).collect()),
        Value::Object(members) => {
            let stated = members.iter().filter(|(_, member)| !member.is_null());
            let stated = stated.map(|(key, member)| (key.clone(), copy_without_nulls(member)));
            Value::Object(Object::new(stated.collect()))
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::decode;

    #[test]
    fn null_members_go_and_null_items_stay() {
        for (value, wanted) in [
            (r#"{"a":null,"b":1}"#, Some(r#"{"b":1}"#)),
            (r#"{"a":{"b":null}}"#, Some(r#"{"a":{}}"#)),
            (
                r#"{"a":[null,{"b":null,"c":[{"d":null}]}]}"#,
                Some(r#"{"a":[null,{"c":[{}]}]}"#),
            ),
            (r#"{"a":[null]}"#, None),
            ("{}", None),
            ("null", None),
            (r#""null""#, None),
        ] {
            let found = without_nulls(&decode(value).unwrap());
            let found = found.map(|value| crate::value::JsonText::from_value(&value).into_string());
            assert_eq!(found.as_deref(), wanted, "{value}");
        }
    }
}
