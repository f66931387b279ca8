//! `uipath/tool-call-args`, except for arguments written as Python literals.

use rightcall::value::{Object, Syntax, Value, decode_with};

use super::{calls, criteria, is_strict, wanted, wanted_criteria};
use crate::choices::{Choices, Parts};
use crate::equality::python_equal;
use crate::loops::{in_any_order, one_if, worth_of_nothing};
use crate::reading::get;
use crate::{Scored, Stop};

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let strict = is_strict(config, true)?;
    let is_object = |value: &Value<'_>| value.as_object().is_some();
    let wanted = criteria(config, expected, |criteria| {
        wanted(criteria, ["tool_calls", "toolCalls"], "args", is_object)
    })?;
    let calls = calls(actual)?;
    let calls = calls.into_iter().map(|call| {
        let arguments = arguments(call.attributes)?;
        Ok((call, arguments))
    });
    let calls = calls.collect::<Result<Vec<_>, _>>()?;
    if let Some(worth) = worth_of_nothing(&wanted, &calls) {
        return Ok(worth);
    }
    let hits = in_any_order(&wanted, &calls, |item, (call, arguments)| {
        item.matches(call) && contains(arguments, item.value)
    });
    if strict {
        return Ok(one_if(hits == wanted.len()));
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

/// Cases with nearly matching calls.
pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    super::cases(choices, |choices| {
        wanted_criteria(choices, "tool_calls|toolCalls", "args", |choices| {
            choices.object()
        })
    })
}
