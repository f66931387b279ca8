//! Makes a call's demand concrete: matchers are replaced by the values found.

use crate::value::{Object, Text, Value};

use super::pattern::{Binding, ValuePattern};

/// How patterns that don't hold are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opaque {
    /// As written.
    AsWritten,
    /// As written, for evaluators: `$literal` is replaced by its value.
    Compared,
    /// As [`Compared`](Self::Compared), but inside an object with a special key, so that they equal no actual value.
    Apart,
}

impl Opaque {
    fn write(self, written: Value<'static>) -> Value<'static> {
        match self {
            Self::AsWritten | Self::Compared => written,
            Self::Apart => Value::Object(Object::new(vec![(Text::new("$not_met"), written)])),
        }
    }
}

/// Makes patterns concrete under the bindings of variables.
#[derive(Clone, Copy)]
pub(super) struct Instantiation<'b> {
    pub(super) bindings: &'b [Binding<'b>],
    pub(super) opaque: Opaque,
}

impl Instantiation<'_> {
    /// The pattern's value, given the value found; `None` for a key that is left out.
    pub(super) fn value(
        self,
        pattern: &ValuePattern,
        found: Option<&Value<'_>>,
    ) -> Option<Value<'static>> {
        match (pattern, found) {
            (ValuePattern::Exact(value) | ValuePattern::Literal { value, .. }, _) => {
                Some(value.clone())
            }
            (ValuePattern::Optional { .. }, None) => None,
            (ValuePattern::Matcher { .. } | ValuePattern::Optional { .. }, Some(value))
                if pattern.holds(found, self.bindings) =>
            {
                Some(value.clone().into_owned())
            }
            (ValuePattern::Object { members, is_open }, Some(Value::Object(object))) => {
                Some(Value::Object(self.object(members, *is_open, object)))
            }
            (ValuePattern::List(patterns), Some(Value::List(items)))
                if patterns.len() == items.len() =>
            {
                let of = |(pattern, item)| self.value(pattern, Some(item));
                Some(Value::List(
                    patterns.iter().zip(items).filter_map(of).collect(),
                ))
            }
            _ => Some(self.opaque.write(pattern.written())),
        }
    }

    fn object(
        self,
        members: &[(Text<'static>, ValuePattern)],
        is_open: bool,
        found: &Object<'_>,
    ) -> Object<'static> {
        let mut made: Vec<(Text<'static>, Value<'static>)> = members
            .iter()
            .filter_map(|(key, pattern)| Some((key.clone(), self.value(pattern, found.get(key))?)))
            .collect();
        if is_open {
            let others = found
                .iter()
                .filter(|(key, _)| members.iter().all(|(name, _)| name != key));
            made.extend(
                others.map(|(key, value)| (key.clone().into_owned(), value.clone().into_owned())),
            );
        }
        Object::new(made)
    }

    /// A pattern for which no value was found.
    pub(super) fn unpaired(self, pattern: &ValuePattern) -> Value<'static> {
        match pattern {
            ValuePattern::Exact(value) => value.clone(),
            _ if self.opaque == Opaque::AsWritten => pattern.written(),
            ValuePattern::Literal { value, .. } => value.clone(),
            ValuePattern::List(patterns) => {
                Value::List(patterns.iter().map(|it| self.unpaired(it)).collect())
            }
            ValuePattern::Object { members, .. } => {
                let of = |(key, pattern): &(Text<'static>, ValuePattern)| {
                    (key.clone(), self.unpaired(pattern))
                };
                Value::Object(Object::new(members.iter().map(of).collect()))
            }
            ValuePattern::Matcher { .. } | ValuePattern::Optional { .. } => {
                self.opaque.write(pattern.written())
            }
        }
    }
}
