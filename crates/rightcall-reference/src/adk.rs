//! `adk/trajectory`.

use rightcall::value::{Object, Text, Value};

use crate::choices::{Choices, FLAGS, Parts};
use crate::equality::python_equal_objects;
use crate::loops::{all_in_place, in_any_order, in_order, one_if};
use crate::reading::{either, get, given, list, object, text};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[("adk/trajectory", score, cases)];

struct Call<'v> {
    name: Option<&'v Text<'v>>,
    args: Option<&'v Object<'v>>,
}

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    get(config, "threshold")
        .and_then(Value::as_f64)
        .ok_or(Stop::Raised)?;
    let match_type = match_type(either(config, "match_type", "matchType"))?;
    let ignore_args = match either(config, "ignore_args", "ignoreArgs") {
        None => false,
        Some(Value::Bool(ignore)) => *ignore,
        Some(_) => return Err(Stop::Unknown),
    };
    let (expected, actual) = (invocations(expected)?, invocations(actual)?);
    if expected.len() != actual.len() || expected.is_empty() {
        return Err(Stop::Raised);
    }
    let matches = |left: &Call<'_>, right: &Call<'_>| {
        left.name == right.name
            && (ignore_args
                || match (left.args, right.args) {
                    (None, None) => true,
                    (Some(left), Some(right)) => python_equal_objects(left, right),
                    _ => false,
                })
    };
    let mut sum = 0.0;
    for (expected, actual) in expected.iter().zip(&actual) {
        let holds = match match_type {
            "EXACT" => all_in_place(expected, actual, matches),
            "IN_ORDER" => in_order(expected, actual, matches) == expected.len(),
            _ => in_any_order(expected, actual, matches) == expected.len(),
        };
        sum += one_if(holds);
    }
    Ok(sum / expected.len() as f64)
}

fn match_type(value: Option<&Value<'_>>) -> Result<&'static str, Stop> {
    const NAMES: [&str; 3] = ["EXACT", "IN_ORDER", "ANY_ORDER"];
    match value {
        None => Ok(NAMES[0]),
        Some(Value::String(name)) => {
            let name = name
                .as_str()
                .ok_or(Stop::Raised)?
                .trim()
                .to_uppercase()
                .replace(['-', ' '], "_");
            NAMES
                .into_iter()
                .find(|known| *known == name)
                .ok_or(Stop::Raised)
        }
        Some(Value::Integer(number)) => match number.to_string().as_str() {
            "0" => Ok(NAMES[0]),
            "1" => Ok(NAMES[1]),
            "2" => Ok(NAMES[2]),
            _ => Err(Stop::Raised),
        },
        Some(_) => Err(Stop::Unknown),
    }
}

fn invocations<'v>(side: &'v Value<'_>) -> Result<Vec<Vec<Call<'v>>>, Stop> {
    list(side)?.iter().map(invocation).collect()
}

fn invocation<'v>(invocation: &'v Value<'_>) -> Result<Vec<Call<'v>>, Stop> {
    let Some(data) = given(invocation, "intermediate_data") else {
        return Ok(Vec::new());
    };
    let uses = match get(data, "tool_uses") {
        Some(uses) => list(uses)?,
        None if get(data, "invocation_events").is_some() => return Err(Stop::Unknown),
        None => return Ok(Vec::new()),
    };
    let mut calls = Vec::new();
    for item in uses {
        let name = given(item, "name").map(|name| text(Some(name)));
        let args = given(item, "args").map(|args| object(Some(args)));
        calls.push(Call {
            name: name.transpose()?,
            args: args.transpose()?,
        });
    }
    Ok(calls)
}

/// Cases with nearly matching calls.
pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    let mut config = vec!["\"threshold\":0.5".to_owned()];
    if choices.rarely(2) {
        const TYPES: &str = r#""IN_ORDER"|"ANY_ORDER"|"EXACT"|1|2|0|" any-order"|"in order"|"x"|3"#;
        config.push(format!("\"match_type\":{}", choices.of(TYPES)));
    }
    if choices.rarely(3) {
        config.push(format!("\"ignore_args\":{}", choices.of(FLAGS)));
    }
    let invocation = |choices: &mut Choices<'_>| {
        if choices.rarely(16) {
            return "{\"intermediate_data\":null}".to_owned();
        }
        let uses = choices.list(4, |choices| {
            let mut fields = Vec::new();
            if !choices.rarely(16) {
                fields.push(format!("\"name\":{}", choices.name()));
            }
            if !choices.rarely(10) {
                let args = if choices.rarely(12) {
                    choices.of("null|{}|[]").to_owned()
                } else {
                    choices.object()
                };
                fields.push(format!("\"args\":{args}"));
            }
            format!("{{{}}}", fields.join(","))
        });
        format!("{{\"intermediate_data\":{{\"tool_uses\":[{uses}]}}}}")
    };
    // Usually both sides have the same number.
    let (mut expected, mut actual) = (Vec::new(), Vec::new());
    for _ in 0..=usize::from(choices.rarely(3)) {
        expected.push(invocation(choices));
        actual.push(invocation(choices));
    }
    if choices.rarely(20) {
        actual.push(invocation(choices));
    }
    (
        format!("{{{}}}", config.join(",")),
        format!("[{}]", expected.join(",")),
        format!("[{}]", actual.join(",")),
    )
}
