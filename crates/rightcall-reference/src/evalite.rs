//! `evalite/tool-call-accuracy`.

use rightcall::value::Value;

use crate::choices::{Choices, Parts, items};
use crate::equality::{javascript_deep_equal, javascript_identical, stable_json_equal};
use crate::loops::worth_of_nothing;
use crate::reading::{get, is_true_in_javascript};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[("evalite/tool-call-accuracy", score, cases)];

struct Weights {
    name_only: f64,
    extra: f64,
    wrong: f64,
}

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    if expected.is_null() || actual.is_null() {
        return Err(Stop::Raised);
    }
    let (Some(expected), Some(actual)) = (expected.as_list(), actual.as_list()) else {
        return Err(Stop::Unknown);
    };
    if let Some(worth) = worth_of_nothing(expected, actual) {
        return Ok(worth);
    }
    let weight = |key: &str, default: f64| match get(config, "weights")
        .and_then(|weights| get(weights, key))
    {
        None => Ok(default),
        Some(Value::Null | Value::Bool(false)) => Ok(0.0),
        Some(Value::Bool(true)) => Ok(1.0),
        // JavaScript's conversion of texts to numbers isn't implemented here.
        Some(value) => value.as_f64().ok_or(Stop::Unknown),
    };
    let mode = match get(config, "mode") {
        None | Some(Value::Null) => "exact".to_owned(),
        Some(Value::String(mode)) => mode.to_string(),
        Some(_) => return Err(Stop::Unknown),
    };
    let weights = Weights {
        name_only: weight("nameOnly", 0.5)?,
        extra: weight("extraPenalty", 0.25)?,
        wrong: weight("wrongPenalty", 0.25)?,
    };
    match mode.as_str() {
        "exact" => Ok(in_place(&weights, expected, actual)),
        "flexible" => anywhere(&weights, expected, actual),
        _ => Err(Stop::Raised),
    }
}

fn clamp(score: f64) -> f64 {
    if score.is_nan() {
        score
    } else {
        score.clamp(0.0, 1.0)
    }
}

fn in_place(weights: &Weights, expected: &[Value<'_>], actual: &[Value<'_>]) -> f64 {
    let (mut exact, mut name_only, mut wrong) = (0, 0, 0);
    for (place, call) in actual.iter().enumerate() {
        let wanted = expected.get(place);
        if !is_true_in_javascript(Some(call)) || !is_true_in_javascript(wanted) {
            wrong += 1;
            continue;
        }
        let Some(wanted) = wanted else { continue };
        if !javascript_identical(get(wanted, "toolName"), get(call, "toolName")) {
            wrong += 1;
            continue;
        }
        match (get(wanted, "input"), get(call, "input")) {
            (None, _) => exact += 1,
            (Some(wanted), Some(given)) if javascript_deep_equal(wanted, given) => exact += 1,
            _ => name_only += 1,
        }
    }
    wrong += actual.len().saturating_sub(expected.len());
    let all = expected.len() as f64;
    clamp(
        (f64::from(exact) + weights.name_only * f64::from(name_only)) / all
            - weights.wrong * (wrong as f64 / all),
    )
}

fn anywhere(weights: &Weights, expected: &[Value<'_>], actual: &[Value<'_>]) -> Scored {
    if expected.iter().chain(actual).any(Value::is_null) {
        return Err(Stop::Raised);
    }
    let same = |left: Option<&Value<'_>>, right: Option<&Value<'_>>| match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => stable_json_equal(left, right),
        _ => false,
    };
    let mut missing: Vec<&Value<'_>> = expected.iter().collect();
    let mut left_over = Vec::new();
    let mut exact = 0;
    for call in actual {
        // The last equal one is removed; since they also have equal names, it doesn't matter which.
        let found = missing.iter().rposition(|wanted| {
            same(get(wanted, "toolName"), get(call, "toolName"))
                && same(get(wanted, "input"), get(call, "input"))
        });
        match found {
            Some(place) => {
                missing.remove(place);
                exact += 1;
            }
            None => left_over.push(call),
        }
    }
    let (mut name_only, mut extras) = (0, 0);
    for call in left_over {
        match missing
            .iter()
            .position(|it| javascript_identical(get(it, "toolName"), get(call, "toolName")))
        {
            Some(place) => {
                missing.remove(place);
                name_only += 1;
            }
            None => extras += 1,
        }
    }
    let all = expected.len() as f64;
    Ok(clamp(
        (f64::from(exact) + weights.name_only * f64::from(name_only)) / all
            - weights.extra * (f64::from(extras) / all),
    ))
}

/// Names that are lists, objects or infinite are left out; `tests/it/regressions.rs` covers these.
fn scalar(choices: &mut Choices<'_>) -> String {
    choices
        .of(r#"1|1.0|true|null|0|-0.0|false|"1"|9007199254740993|9007199254740992"#)
        .to_owned()
}

/// Cases with nearly matching calls.
pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    const WEIGHTS: &str = "0|1|0.3|null|true|-1|1e400";
    let mode = choices.of(r#""exact"|"flexible"|null|"""#);
    let weights = choices.entries(&[
        ("nameOnly", WEIGHTS),
        ("extraPenalty", WEIGHTS),
        ("wrongPenalty", WEIGHTS),
        ("exact", WEIGHTS),
    ]);
    let config = if choices.rarely(3) {
        format!("{{\"mode\":{mode}}}")
    } else {
        format!("{{\"mode\":{mode},\"weights\":{weights}}}")
    };
    let side = |choices: &mut Choices<'_>| items(choices, "toolName", "input", scalar);
    (config, side(choices), side(choices))
}
