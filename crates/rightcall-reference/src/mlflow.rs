//! `mlflow/tool-call-correctness`, with `should_exact_match`.

use rightcall::value::{Text, Value};

use crate::choices::{Choices, FLAGS, Parts};
use crate::equality::strictly_equal;
use crate::loops::{all_in_place, one_if};
use crate::reading::{flag, get, given, is_true_in_python, list, text};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[("mlflow/tool-call-correctness", score, cases)];

struct Call<'v> {
    name: &'v Text<'v>,
    arguments: Option<&'v Value<'v>>,
}

impl Call<'_> {
    fn is(&self, other: &Call<'_>, with_arguments: bool) -> bool {
        let none = Value::Object(rightcall::value::Object::default());
        self.name == other.name
            && (!with_arguments
                || strictly_equal(
                    self.arguments.unwrap_or(&none),
                    other.arguments.unwrap_or(&none),
                ))
    }
}

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    if get(config, "should_exact_match").is_some() && !flag(config, "should_exact_match")? {
        return Err(Stop::Raised);
    }
    let in_order = flag(config, "should_consider_ordering")?;
    let expected = get(expected, "expected_tool_calls").unwrap_or(expected);
    let (expected, actual) = (calls(expected, false)?, calls(actual, true)?);
    if expected.is_empty() {
        return Err(Stop::Raised);
    }
    let with_arguments = expected.iter().all(|call| call.arguments.is_some());
    let is_text = |call: &Call<'_>| call.arguments.and_then(Value::as_text).is_some();
    if with_arguments && expected.len() == actual.len() && actual.iter().any(is_text) {
        return Err(Stop::Raised);
    }
    let among = |calls: &[Call<'_>], others: &[Call<'_>]| {
        calls
            .iter()
            .all(|call| others.iter().any(|other| call.is(other, with_arguments)))
    };
    let holds = if in_order {
        all_in_place(&expected, &actual, |call, other| {
            call.is(other, with_arguments)
        })
    } else {
        expected.len() == actual.len() && among(&expected, &actual) && among(&actual, &expected)
    };
    Ok(one_if(holds))
}

/// Calls of a run have no arguments if these are false in Python, and may have text arguments.
fn calls<'v>(side: &'v Value<'v>, of_run: bool) -> Result<Vec<Call<'v>>, Stop> {
    let mut calls = Vec::new();
    for item in list(side)? {
        let arguments = given(item, "arguments");
        let arguments = arguments.filter(|it| !of_run || is_true_in_python(it));
        let is_right =
            |it: &Value<'_>| it.as_object().is_some() || of_run && it.as_text().is_some();
        if !arguments.is_none_or(is_right) {
            return Err(Stop::Raised);
        }
        calls.push(Call {
            name: text(get(item, "name"))?,
            arguments,
        });
    }
    Ok(calls)
}

/// Cases with mostly equal calls.
pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    let config = choices.entries(&[
        ("should_consider_ordering", FLAGS),
        ("should_exact_match", "true|true|true|false"),
    ]);
    let open = choices.rarely(4);
    let side = |choices: &mut Choices<'_>| {
        let calls = choices.list(4, |choices| {
            let name = choices.name();
            let arguments = match choices.below(12) {
                0 => choices.of(r#"null|{}|[]|1|0|"x"|"""#).to_owned(),
                1 if open => return format!("{{\"name\":{name}}}"),
                2..6 => choices.of(r#"{}|{"a":1}|{"a":1.0}|{"a":2}"#).to_owned(),
                _ => choices.object(),
            };
            format!("{{\"name\":{name},\"arguments\":{arguments}}}")
        });
        format!("[{calls}]")
    };
    let expected = side(choices);
    let actual = if choices.rarely(3) {
        expected.clone()
    } else {
        side(choices)
    };
    let expected = if choices.rarely(6) {
        format!("{{\"expected_tool_calls\":{expected}}}")
    } else {
        expected
    };
    (config, expected, actual)
}
