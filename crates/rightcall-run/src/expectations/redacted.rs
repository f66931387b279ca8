//! Runs without their redacted values, to make expectations.
//!
//! A redacted value becomes a text such as `[redacted 1]`, which no later run has. So an expectation accepts any value there.

use rightcall_core::call::{Arguments, Call, Case, Trajectory};
use rightcall_core::learn::REDACTED;
use rightcall_core::value::{JsonText, Object, Syntax, Text, Value, decode_with};

use crate::Redaction;
use crate::redaction::shown;

/// Passes the case without its redacted values to `look`. Its run has the same calls.
pub(super) fn without_redacted<T>(
    redaction: &Redaction,
    case: &Case<'_>,
    look: impl FnOnce(&Case<'_>) -> T,
) -> T {
    let Some(run) = case.actual.as_ref().filter(|_| !redaction.is_empty()) else {
        return look(case);
    };
    let text = redaction.apply(case);
    let mut hidden = shown(&text, case);
    let mut calls = hidden.actual.take().map_or_else(Vec::new, |it| it.calls);
    if calls.len() != run.calls.len() {
        let named = |call: &Call<'_>| Call {
            name: call.name.clone().into_owned(),
            ..Call::default()
        };
        calls = run.calls.iter().map(named).collect();
    }
    for (hidden, call) in calls.iter_mut().zip(&run.calls) {
        // A redacted text is written as an object, which no call has.
        if is_object(&hidden.arguments) && !is_object(&call.arguments) {
            hidden.arguments = Arguments::default();
        }
    }
    hidden.actual = Some(Trajectory {
        calls,
        ..Trajectory::default()
    });
    look(&hidden)
}

fn is_object(arguments: &Arguments<'_>) -> bool {
    matches!(arguments.to_value(), Some(Value::Object(_)))
}

/// The expected value as JSON text. In place of a redacted value, any value is accepted.
pub(super) fn with_any_redacted(json: &str) -> String {
    match decode_with(json, Syntax::PYTHON) {
        Ok(value) if json.contains(REDACTED) => JsonText::from_value(&opened(value)).into_string(),
        _ => json.to_owned(),
    }
}

fn opened(value: Value<'_>) -> Value<'_> {
    let any = || Value::Object(Object::new(vec![(Text::new("$any"), Value::Bool(true))]));
    let is_redacted = |value: &Value<'_>| JsonText::from_value(value).as_str().contains(REDACTED);
    match value {
        Value::String(_) if is_redacted(&value) => any(),
        Value::List(items) => Value::List(items.into_iter().map(opened).collect()),
        Value::Object(object) => {
            // The content of a literal can't be a matcher.
            let is_literal = |key: &str| object.get_str(key).is_some_and(is_redacted);
            if ["$literal", "$eq", "$ne"].into_iter().any(is_literal) {
                return any();
            }
            let members = object.iter();
            let members = members.map(|(key, value)| (key.clone(), opened(value.clone())));
            Value::Object(Object::new(members.collect()))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redacted_values_are_expected_as_any_value() {
        for (json, expected) in [
            (
                r#"{"a":"[redacted 1]","b":2}"#,
                r#"{"a":{"$any":true},"b":2}"#,
            ),
            (
                r#"{"a":["x","to [redacted 2]"]}"#,
                r#"{"a":["x",{"$any":true}]}"#,
            ),
            (
                r#"{"a":{"$literal":{"$gt":"[redacted 1]"}},"b":{"$optional":{"$eq":"[redacted 1]"}}}"#,
                r#"{"a":{"$any":true},"b":{"$optional":{"$any":true}}}"#,
            ),
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
        ] {
            assert_eq!(with_any_redacted(json), expected);
        }
    }
}
