//! `uipath/tool-call-output`.

use rightcall::value::{Syntax, Text, Value, decode_with, python_str};

use super::{calls, criteria, is_strict, output_text, points, wanted, wanted_criteria};
use crate::Scored;
use crate::choices::{Choices, Parts};
use crate::loops::worth_of_nothing;
use crate::reading::{get, is_true_in_python};

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let strict = is_strict(config, false)?;
    let is_text = |value: &Value<'_>| value.as_text().is_some();
    let wanted = criteria(config, expected, |criteria| {
        wanted(criteria, ["tool_outputs", "toolOutputs"], "output", is_text)
    })?;
    let calls = calls(actual)?;
    if let Some(worth) = worth_of_nothing(&wanted, &calls) {
        return Ok(worth);
    }
    let outputs: Vec<Vec<u32>> = calls
        .iter()
        .map(|call| output(get(call.attributes, "output.value")))
        .collect();
    let mut used = vec![false; calls.len()];
    let mut hits = 0_usize;
    for item in &wanted {
        let text = item.value.as_text().map(points).unwrap_or_default();
        let mut found = false;
        for place in 0..calls.len() {
            if used[place] || !item.matches(&calls[place]) {
                continue;
            }
            if outputs[place] == text {
                used[place] = true;
                found = true;
                hits += 1;
                break;
            }
            if strict {
                return Ok(0.0);
            }
        }
        if strict && !found {
            return Ok(0.0);
        }
    }
    Ok(hits as f64 / wanted.len() as f64)
}

fn output(value: Option<&Value<'_>>) -> Vec<u32> {
    let nothing = Value::String(Text::new(""));
    let content = match value {
        None => nothing,
        Some(Value::String(text)) => match text
            .as_str()
            .and_then(|text| decode_with(text, Syntax::PYTHON).ok())
        {
            Some(Value::Object(object)) => object
                .get_str("content")
                .cloned()
                .map_or(nothing, Value::into_owned),
            _ => Value::String(text.clone()),
        },
        Some(Value::Object(object)) => object.get_str("content").cloned().unwrap_or(nothing),
        Some(other) => Value::String(python_str(other)),
    };
    if is_true_in_python(&content) {
        points(&python_str(&content))
    } else {
        Vec::new()
    }
}

/// Cases with nearly matching calls.
pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    super::cases(choices, |choices| {
        wanted_criteria(choices, "tool_outputs|toolOutputs", "output", output_text)
    })
}
