//! `uipath/tool-call-args`, but for arguments written as Python literals.

use rightcall::value::{Object, Syntax, Value, decode_with};

use super::{calls, criteria, settings, wanted, wanted_criteria};
use crate::choices::{Choices, Parts};
use crate::equality::python_equal;
use crate::reading::get;
use crate::{Scored, Stop};

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let settings = settings(config, true)?;
    let is_object = |value: &Value<'_>| value.as_object().is_some();
    let wanted = criteria(config, expected, |criteria| {
        wanted(criteria, ["tool_calls", "toolCalls"], "args", is_object)
    })?;
    let calls = calls(actual)?;
    let arguments = calls
        .iter()
        .map(|call| arguments(call.attributes))
        .collect::<Result<Vec<_>, _>>()?;
    if wanted.is_empty() || calls.is_empty() {
        return Ok(if wanted.is_empty() && calls.is_empty() {
            1.0
        } else {
            0.0
        });
    }
    let mut used = vec![false; calls.len()];
    let mut hits = 0;
    for item in &wanted {
        for place in 0..calls.len() {
            if !used[place]
                && item.matches(&calls[place])
                && contains(&arguments[place], item.value)
            {
                used[place] = true;
                hits += 1;
                break;
            }
        }
    }
    if settings.strict {
        return Ok(if hits == wanted.len() { 1.0 } else { 0.0 });
    }
    Ok(hits as f64 / wanted.len() as f64)
}

fn contains(arguments: &Object<'_>, wanted: &Value<'_>) -> bool {
    let wanted = wanted.as_object().into_iter().flatten();
    wanted.into_iter().all(|(key, value)| {
        arguments
            .get(key)
            .is_some_and(|other| python_equal(value, other))
    })
}

fn arguments<'v>(attributes: &'v Value<'v>) -> Result<Object<'v>, Stop> {
    Ok(match get(attributes, "input.value") {
        Some(Value::Object(object)) => object.clone(),
        Some(Value::String(text)) => {
            let text = text.as_str().ok_or(Stop::Unknown)?;
            match decode_with(text, Syntax::PYTHON)
                .map_err(|_| Stop::Unknown)?
                .into_owned()
            {
                Value::Object(object) => object,
                _ => Object::default(),
            }
        }
        _ => Object::default(),
    })
}

/// Cases in which calls often nearly match.
pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    super::cases(choices, |choices| {
        wanted_criteria(choices, "tool_calls|toolCalls", "args", |choices| {
            choices.object()
        })
    })
}
