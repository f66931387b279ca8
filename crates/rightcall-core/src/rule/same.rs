//! Arguments that two calls in a rule must share.

use super::call_pattern::RuleCall;
use crate::expectation::{ExpectationError, ReadResult, Under};
use crate::settings::describe;
use crate::value::pointer::unescaped;
use crate::value::{Digest, HashKey, Text, Value, ValueEquality};

/// The argument keys that must have equal values in both calls.
#[derive(Clone, Debug)]
pub(crate) struct SharedKeys {
    /// The keys of an activation.
    pub(super) of_call: Vec<ArgumentKey>,
    /// The keys of the other call.
    pub(super) of_target: Vec<ArgumentKey>,
}

/// A key of the arguments, or a JSON pointer into them.
#[derive(Clone, Debug)]
pub(super) struct ArgumentKey {
    written: Text<'static>,
    /// The steps of a pointer; `None` for a key.
    steps: Option<Vec<Text<'static>>>,
}

/// The values under the keys in one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SharedValue {
    /// A key is missing, so the call agrees with no other call.
    Lacking,
    /// The arguments were not recorded.
    Unknown,
    /// A digest; equal values have equal digests.
    Known(u128),
}

const SAME: &str = "a key of the arguments, a JSON pointer such as `/order/id`, a list of these, or an object from \
the key of `call` to the key of the other call";

impl SharedKeys {
    /// Reads the value of `same`.
    pub(super) fn read(value: &Value<'static>) -> ReadResult<Self> {
        let wrong = |value: &Value<'_>| Err(ExpectationError::new(SAME, describe(value)));
        let one = |key: &ArgumentKey| Self {
            of_call: vec![key.clone()],
            of_target: vec![key.clone()],
        };
        match value {
            Value::String(text) => Ok(one(&ArgumentKey::read(text)?)),
            Value::List(items) if !items.is_empty() => {
                let read = |(index, item): (usize, &Value<'static>)| {
                    let read = match item {
                        Value::String(text) => ArgumentKey::read(text),
                        other => Err(ExpectationError::new(
                            "a key or a JSON pointer",
                            describe(other),
                        )),
                    };
                    read.under_item(index)
                };
                let keys: Vec<_> = items
                    .iter()
                    .enumerate()
                    .map(read)
                    .collect::<ReadResult<_>>()?;
                Ok(Self {
                    of_call: keys.clone(),
                    of_target: keys,
                })
            }
            Value::Object(pairs) if !pairs.is_empty() => {
                let (mut of_call, mut of_target) = (Vec::new(), Vec::new());
                for (key, other) in pairs {
                    let step = key.to_display();
                    of_call.push(ArgumentKey::read(key).under(&step)?);
                    let Value::String(other) = other else {
                        let error =
                            ExpectationError::new("a key or a JSON pointer", describe(other));
                        return Err(error).under(&step);
                    };
                    of_target.push(ArgumentKey::read(other).under(&step)?);
                }
                Ok(Self { of_call, of_target })
            }
            Value::List(_) | Value::Object(_) => Err(ExpectationError::new(SAME, "none")),
            other => wrong(other),
        }
    }

    /// The values of a call as an activation.
    pub(super) fn of_call(&self, call: &RuleCall<'_>, key: HashKey) -> SharedValue {
        shared(&self.of_call, call, key)
    }

    /// The values of a call as the other call.
    pub(super) fn of_target(&self, call: &RuleCall<'_>, key: HashKey) -> SharedValue {
        shared(&self.of_target, call, key)
    }

    /// The keys as readable text: `order_id and customer`.
    pub(super) fn label(&self) -> String {
        let pairs = self.of_call.iter().zip(&self.of_target);
        let label = |(call, target): (&ArgumentKey, &ArgumentKey)| {
            if call.written == target.written {
                call.label()
            } else {
                format!("{} = {}", call.label(), target.label())
            }
        };
        pairs.map(label).collect::<Vec<_>>().join(" and ")
    }

    /// The values of a call as readable text: `order_id 7`; `None` if one is missing.
    pub(super) fn describe(&self, call: &RuleCall<'_>, is_target: bool) -> Option<String> {
        let keys = if is_target {
            &self.of_target
        } else {
            &self.of_call
        };
        let arguments = call.arguments()?;
        let shown = keys.iter().map(|key| {
            let value = key.find(arguments)?;
            let value = match value {
                Value::String(text) => text.to_display().into_owned(),
                other => crate::value::JsonText::from_value(other).into_string(),
            };
            Some(format!("{} {value}", key.label()))
        });
        Some(shown.collect::<Option<Vec<_>>>()?.join(", "))
    }
}

impl ArgumentKey {
    fn read(text: &Text<'_>) -> ReadResult<Self> {
        let written = text.clone().into_owned();
        let shown = text.to_display().into_owned();
        let wrong = |found: String| Err(ExpectationError::new("a key or a JSON pointer", found));
        if shown.is_empty() {
            return wrong("an empty text".to_owned());
        }
        let Some(pointer) = shown.strip_prefix('/') else {
            return Ok(Self {
                written,
                steps: None,
            });
        };
        let bytes = pointer.as_bytes();
        let is_escape = |at: usize| matches!(bytes.get(at + 1), Some(b'0' | b'1'));
        let mut tildes = (0..bytes.len()).filter(|at| bytes[*at] == b'~');
        if !tildes.all(is_escape) {
            return wrong(format!("`~` without 0 or 1 behind it in `{shown}`"));
        }
        let step = |step: &str| Text::from(unescaped(step).into_owned());
        Ok(Self {
            written,
            steps: Some(pointer.split('/').map(step).collect()),
        })
    }

    /// The value at this key.
    pub(super) fn find<'v, 'c>(&self, arguments: &'v Value<'c>) -> Option<&'v Value<'c>> {
        let object = arguments.as_object()?;
        let Some(steps) = &self.steps else {
            return object.get(&self.written);
        };
        steps.iter().try_fold(arguments, |value, step| match value {
            Value::Object(object) => object.get(step),
            Value::List(items) => {
                let digits = step.as_str()?;
                let is_index = digits == "0" || !digits.starts_with(['0', '+']);
                items.get(digits.parse::<usize>().ok().filter(|_| is_index)?)
            }
            _ => None,
        })
    }

    pub(super) fn as_written(&self) -> String {
        self.written.to_display().into_owned()
    }

    fn label(&self) -> String {
        let shown = self.written.to_display();
        shown.strip_prefix('/').unwrap_or(&shown).to_owned()
    }
}

/// The combined values under the keys; `Lacking` if any of them is missing. NaN counts as missing.
fn shared(keys: &[ArgumentKey], call: &RuleCall<'_>, key: HashKey) -> SharedValue {
    let Some(arguments) = call.arguments() else {
        return SharedValue::Unknown;
    };
    let mut all = None;
    for it in keys {
        let value = it.find(arguments).filter(|value| is_finite(value));
        let digest = value.map(|value| Digest::from_value(value, ValueEquality::Json, key).key());
        let Some(Some(digest)) = digest else {
            return SharedValue::Lacking;
        };
        all = Some(all.map_or(digest, |before| combine(before, digest, key)));
    }
    all.map_or(SharedValue::Lacking, SharedValue::Known)
}

/// Combines two digests.
fn combine(first: u128, second: u128, key: HashKey) -> u128 {
    let text = Value::String(Text::from(format!("{first:x} {second:x}")));
    let digest = Digest::from_value(&text, ValueEquality::Json, key);
    digest.key().unwrap_or(second)
}

fn is_finite(value: &Value<'_>) -> bool {
    match value {
        Value::Float(float) => float.is_finite(),
        Value::List(items) => items.iter().all(is_finite),
        Value::Object(object) => object.iter().all(|(_, value)| is_finite(value)),
        _ => true,
    }
}
