//! `tau2/action-check`.

use rightcall_core::value::{Object, Text, Value};

use crate::equality::python_equal_objects;
use crate::loops::one_if;
use crate::reading::{NamedCall, flag, get, given, list, text};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[("tau2/action-check", score)];

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let strict = given(config, "strict").is_none() || flag(config, "strict")?;
    let mut actions = Vec::new();
    for action in list(expected)? {
        if get(action, "allow_partial_match").is_some() {
            return Err(Stop::Unknown);
        }
        let compare = match given(action, "compare_args") {
            None => None,
            Some(keys) => Some(
                list(keys)?
                    .iter()
                    .map(|key| text(Some(key)))
                    .collect::<Result<Vec<_>, _>>()?,
            ),
        };
        actions.push((call(action)?, compare));
    }
    let mut calls = Vec::new();
    for message in list(actual)? {
        let role = text(get(message, "role"))?;
        if *role != *"assistant" && *role != *"user" {
            continue;
        }
        if let Some(made) = given(message, "tool_calls") {
            for made in list(made)? {
                calls.push(call(made)?);
            }
        }
    }
    if actions.is_empty() {
        return Ok(1.0);
    }
    let is_met = |(action, compare): &&(NamedCall<'_>, Option<Vec<&Text<'_>>>)| {
        let mut calls = calls.iter();
        calls.any(|call| matches(action, compare.as_deref(), call))
    };
    let matched = actions.iter().filter(is_met).count();
    if strict {
        return Ok(one_if(matched == actions.len()));
    }
    Ok(matched as f64 / actions.len() as f64)
}

fn call<'v>(value: &'v Value<'_>) -> Result<NamedCall<'v>, Stop> {
    NamedCall::read(value, "arguments")
}

fn matches(action: &NamedCall<'_>, compare: Option<&[&Text<'_>]>, call: &NamedCall<'_>) -> bool {
    if action.name != call.name {
        return false;
    }
    let is_compared = |key: &Text<'_>| match compare {
        None => call.args.get(key).is_some(),
        Some(keys) => keys.contains(&key),
    };
    let restricted = |arguments: &Object<'_>| {
        let kept = arguments.iter().filter(|(key, _)| is_compared(key));
        Object::new(
            kept.map(|(key, value)| (key.clone().into_owned(), value.clone().into_owned()))
                .collect(),
        )
    };
    python_equal_objects(&restricted(action.args), &restricted(call.args))
}
