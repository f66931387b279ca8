//! Finds the smallest change to a call that makes it accept an actual call of the same tool.

use std::collections::BTreeMap;

use crate::value::{Object, Syntax, Text, Value, decode_with};

use super::super::actual::ActualCall;
use super::super::literal::literal;
use super::super::resolution::json;
use super::super::tree::ProcessTree;
use super::element::call_name;

/// The values of variables, by name.
pub(super) type Variables = BTreeMap<Text<'static>, Value<'static>>;

/// A call that also accepts another actual call, and the changes: one text for each argument.
#[derive(Clone, Debug)]
pub(super) struct Widened {
    pub(super) call: Value<'static>,
    pub(super) changes: Vec<String>,
}

/// Widens a call; `None` if the actual call is of another tool.
pub(super) fn widened(
    call: &Value<'static>,
    actual: &ActualCall<'_>,
    variables: &Variables,
) -> Option<Widened> {
    if call_name(call)? != actual.name() {
        return None;
    }
    let Value::Object(members) = call else {
        return Some(Widened {
            call: call.clone(),
            changes: Vec::new(),
        });
    };
    let mut widening = Widening {
        variables,
        changes: Vec::new(),
    };
    let mut wide = Vec::new();
    for (key, value) in members {
        let found = match key.as_str() {
            Some("args") => actual.arguments(),
            Some("output") => actual.read_output(),
            _ => {
                wide.push((key.clone(), value.clone()));
                continue;
            }
        };
        let value = widening.side(value, found, &key.to_display());
        wide.extend(value.map(|value| (key.clone(), value)));
    }
    Some(Widened {
        call: Value::Object(Object::new(wide)),
        changes: widening.changes,
    })
}

/// An actual call as an expected element that accepts it.
pub(super) fn recorded(actual: &ActualCall<'_>) -> Value<'static> {
    let name = Value::String(actual.name().clone().into_owned());
    match actual.arguments() {
        None => name,
        Some(arguments) => Value::Object(Object::new(vec![
            (Text::new("name"), name),
            (Text::new("args"), quoted(arguments)),
        ])),
    }
}

/// A value as an expectation that demands it exactly.
fn quoted(value: &Value<'_>) -> Value<'static> {
    let written = json(value);
    let quoted = literal(&written);
    decode_with(&quoted, Syntax::PYTHON)
        .map_or_else(|_| value.clone().into_owned(), Value::into_owned)
}

fn matcher(key: &'static str, value: Value<'static>) -> Value<'static> {
    Value::Object(Object::new(vec![(Text::new(key), value)]))
}

/// The value of a matcher with only this key.
fn inside<'v>(value: &'v Value<'static>, key: &str) -> Option<&'v Value<'static>> {
    let object = value.as_object().filter(|it| it.len() == 1)?;
    object.get_str(key)
}

struct Widening<'w> {
    variables: &'w Variables,
    changes: Vec<String>,
}

impl Widening<'_> {
    /// Widens arguments or an output; `None` if no demand is left.
    fn side(
        &mut self,
        expected: &Value<'static>,
        found: Option<&Value<'_>>,
        name: &str,
    ) -> Option<Value<'static>> {
        let read = |text: &Text<'static>| {
            let value = decode_with(text.as_str()?, Syntax::PYTHON).ok()?;
            matches!(value, Value::Object(_) | Value::List(_)).then(|| value.into_owned())
        };
        let read = expected.as_text().and_then(read);
        let pattern = read.as_ref().unwrap_or(expected);
        let Some(found) = found else {
            self.changes.push(format!("`{name}` need not be recorded"));
            return None;
        };
        if self.holds(pattern, found) {
            return Some(expected.clone());
        }
        match (pattern, found) {
            (Value::Object(members), Value::Object(found)) if is_plain(members) => {
                Some(self.members(members, found))
            }
            _ => {
                self.changes.push(format!("`{name}` takes another value"));
                Some(wider(pattern, found))
            }
        }
    }

    fn members(&mut self, expected: &Object<'static>, found: &Object<'_>) -> Value<'static> {
        let mut wide = Vec::new();
        for (key, pattern) in expected {
            let name = key.to_display();
            let is_optional = inside(pattern, "$optional").is_some();
            let pattern = match found.get(key) {
                _ if key.as_str() == Some("$rest") => pattern.clone(),
                Some(value) if self.holds(pattern, value) => pattern.clone(),
                Some(value) => {
                    self.changes.push(format!("`{name}` takes another value"));
                    match inside(pattern, "$optional") {
                        Some(inner) => matcher("$optional", wider(inner, value)),
                        None => wider(pattern, value),
                    }
                }
                None if is_optional => pattern.clone(),
                None => {
                    self.changes.push(format!("`{name}` may be left out"));
                    matcher("$optional", pattern.clone())
                }
            };
            wide.push((key.clone(), pattern));
        }
        if expected.get_str("$rest").is_none() {
            for (key, value) in found {
                if expected.get(key).is_none() {
                    let name = key.to_display();
                    self.changes.push(format!("`{name}` may be given"));
                    let key = key.clone().into_owned();
                    wide.push((key, matcher("$optional", quoted(value))));
                }
            }
        }
        Value::Object(Object::new(wide))
    }

    /// True if a value matches a pattern.
    fn holds(&self, pattern: &Value<'static>, value: &Value<'_>) -> bool {
        let member = |value| Value::Object(Object::new(vec![(Text::new("value"), value)]));
        let call = Value::List(vec![Value::Object(Object::new(vec![
            (Text::new("name"), Value::String(Text::new("call"))),
            (Text::new("args"), member(self.with_values(pattern))),
        ]))]);
        let value = member(value.clone().into_owned());
        let actual = [ActualCall::new(Text::new("call"), Some(value), None)];
        ProcessTree::read(&json(&call))
            .and_then(|tree| tree.align(&actual))
            .is_ok_and(|alignment| alignment.cost == 0)
    }

    /// A pattern with its variables replaced by their values.
    fn with_values(&self, pattern: &Value<'static>) -> Value<'static> {
        if let Some(Value::String(name)) = inside(pattern, "$var") {
            return match self.variables.get(name) {
                Some(value) => matcher("$literal", value.clone()),
                None => matcher("$any", Value::Bool(true)),
            };
        }
        match pattern {
            Value::Object(object) if object.get_str("$literal").is_none() => {
                let bound = |(key, value): &(Text<'static>, Value<'static>)| {
                    (key.clone(), self.with_values(value))
                };
                Value::Object(Object::new(object.iter().map(bound).collect()))
            }
            Value::List(items) => {
                Value::List(items.iter().map(|it| self.with_values(it)).collect())
            }
            other => other.clone(),
        }
    }
}

/// True for an object that is compared key by key.
fn is_plain(object: &Object<'_>) -> bool {
    let is_matcher = |key: &Text<'_>| key.as_bytes().first() == Some(&b'$');
    (object.iter()).all(|(key, _)| !is_matcher(key) || key.as_str() == Some("$rest"))
}

/// A pattern that matches one more value. A pattern with a variable can't be an alternative, so it becomes any value.
fn wider(pattern: &Value<'static>, value: &Value<'_>) -> Value<'static> {
    if has_variable(pattern) || !is_json(value) {
        return matcher("$any", Value::Bool(true));
    }
    let mut values = match inside(pattern, "$one_of") {
        Some(Value::List(values)) => values.clone(),
        _ => vec![pattern.clone()],
    };
    values.push(quoted(value));
    matcher("$one_of", Value::List(values))
}

fn has_variable(pattern: &Value<'_>) -> bool {
    match pattern {
        Value::Object(object) => {
            let is_variable = |(key, value): &(Text<'_>, Value<'_>)| {
                key.as_str() == Some("$var") || has_variable(value)
            };
            object.get_str("$literal").is_none() && object.iter().any(is_variable)
        }
        Value::List(items) => items.iter().any(has_variable),
        _ => false,
    }
}

/// False if the value contains a number that no expectation can express.
fn is_json(value: &Value<'_>) -> bool {
    match value {
        Value::Float(float) => float.is_finite(),
        Value::List(items) => items.iter().all(is_json),
        Value::Object(object) => object.iter().all(|(_, value)| is_json(value)),
        _ => true,
    }
}
