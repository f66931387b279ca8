//! `deepeval/tool-correctness`.

use rightcall::value::{Text, Value};

use crate::choices::{Choices, FLAGS, Parts};
use crate::equality::python_equal;
use crate::loops::{all_in_place, one_if};
use crate::reading::{either, flag, get, given, list, text};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[("deepeval/tool-correctness", score, cases)];

struct Call<'v> {
    name: &'v Text<'v>,
    is_mcp: bool,
    parameters: &'v Value<'v>,
    output: &'v Value<'v>,
}

impl Call<'_> {
    fn has_kind_of(&self, other: &Call<'_>) -> bool {
        self.name == other.name && self.is_mcp == other.is_mcp
    }

    /// Equality as in the original's `__eq__`, ignoring the type.
    fn equals(&self, other: &Call<'_>) -> bool {
        self.name == other.name
            && python_equal(self.parameters, other.parameters)
            && python_equal(self.output, other.output)
    }
}

/// The fields compared in addition to the names.
struct Compared {
    parameters: bool,
    output: bool,
}

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let mut compared = Compared {
        parameters: false,
        output: false,
    };
    if let Some(parameters) = given(config, "evaluation_params") {
        for parameter in list(parameters)? {
            match parameter.as_text().and_then(Text::as_str) {
                Some("input_parameters") => compared.parameters = true,
                Some("output") => compared.output = true,
                _ => return Err(Stop::Raised),
            }
        }
    }
    let exact_match = flag(config, "should_exact_match")?;
    let ordering = flag(config, "should_consider_ordering")?;
    let strict = flag(config, "strict_mode")?;
    let (expected, actual) = (calls(expected)?, calls(actual)?);
    let score = if exact_match {
        exactly(&compared, &expected, &actual)
    } else if ordering {
        in_order(&compared, &expected, &actual)?
    } else {
        in_any_order(&compared, &expected, &actual)?
    };
    Ok(if strict && score < 1.0 { 0.0 } else { score })
}

fn calls<'v>(side: &'v Value<'_>) -> Result<Vec<Call<'v>>, Stop> {
    let mut calls = Vec::new();
    for item in list(side)? {
        let parameters =
            either(item, "input_parameters", "inputParameters").unwrap_or(&Value::Null);
        if !parameters.is_null() && parameters.as_object().is_none() {
            return Err(Stop::Raised);
        }
        let is_mcp = match get(item, "type") {
            None => false,
            Some(Value::String(kind)) if *kind == "FUNCTION" => false,
            Some(Value::String(kind)) if *kind == "MCP" => true,
            Some(_) => return Err(Stop::Raised),
        };
        for key in ["description", "reasoning"] {
            if given(item, key).is_some_and(|value| value.as_text().is_none()) {
                return Err(Stop::Unknown);
            }
        }
        let output = get(item, "output").unwrap_or(&Value::Null);
        calls.push(Call {
            name: text(get(item, "name"))?,
            is_mcp,
            parameters,
            output,
        });
    }
    Ok(calls)
}

fn exactly(compared: &Compared, expected: &[Call<'_>], actual: &[Call<'_>]) -> f64 {
    one_if(all_in_place(expected, actual, |wanted, call| {
        wanted.has_kind_of(call)
            && (!compared.parameters || python_equal(wanted.parameters, call.parameters))
            && (!compared.output || python_equal(wanted.output, call.output))
    }))
}

fn in_order(compared: &Compared, expected: &[Call<'_>], actual: &[Call<'_>]) -> Scored {
    if expected.is_empty() {
        return Ok(one_if(actual.is_empty()));
    }
    let mut table = vec![vec![0.0_f64; actual.len() + 1]; expected.len() + 1];
    for i in 1..=expected.len() {
        for j in 1..=actual.len() {
            let skipped = if table[i - 1][j] > table[i][j - 1] {
                table[i - 1][j]
            } else {
                table[i][j - 1]
            };
            table[i][j] = skipped;
            if expected[i - 1].has_kind_of(&actual[j - 1]) {
                let worth = pair(compared, &expected[i - 1], &actual[j - 1])?;
                if worth > 0.0 && table[i - 1][j - 1] + worth > skipped {
                    table[i][j] = table[i - 1][j - 1] + worth;
                }
            }
        }
    }
    let (mut i, mut j, mut total) = (expected.len(), actual.len(), 0.0);
    while i > 0 && j > 0 {
        if table[i][j] == table[i - 1][j] {
            i -= 1;
        } else if table[i][j] == table[i][j - 1] {
            j -= 1;
        } else {
            total += table[i][j] - table[i - 1][j - 1];
            i -= 1;
            j -= 1;
        }
    }
    Ok(total / expected.len() as f64)
}

fn in_any_order(compared: &Compared, expected: &[Call<'_>], actual: &[Call<'_>]) -> Scored {
    if expected.is_empty() {
        return Ok(one_if(actual.is_empty()));
    }
    let mut done: Vec<&Call<'_>> = Vec::new();
    let mut total = 0.0;
    for wanted in expected {
        let (mut best, mut best_call) = (0.0, None);
        for call in actual {
            if done.iter().any(|other| other.equals(call)) || !wanted.has_kind_of(call) {
                continue;
            }
            let worth = pair(compared, wanted, call)?;
            if worth > best {
                best = worth;
                best_call = Some(call);
            }
        }
        total += best;
        done.extend(best_call);
    }
    Ok(total / expected.len() as f64)
}

fn pair(compared: &Compared, expected: &Call<'_>, actual: &Call<'_>) -> Scored {
    let mut worth = 1.0;
    if compared.parameters {
        worth *= overlap(expected.parameters, actual.parameters)?;
    }
    if compared.output && !python_equal(expected.output, actual.output) {
        worth = 0.0;
    }
    Ok(worth)
}

fn overlap(expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    if python_equal(expected, actual) {
        return Ok(1.0);
    }
    let (Some(expected), Some(actual)) = (expected.as_object(), actual.as_object()) else {
        return Err(Stop::Raised);
    };
    let common = expected
        .iter()
        .filter(|(key, _)| actual.get(key).is_some())
        .count();
    let union = (expected.len() + actual.len() - common) as f64;
    let mut sum = 0.0;
    for (key, wanted) in expected {
        match actual.get(key) {
            Some(found) if python_equal(wanted, found) => sum += 1.0 / union,
            Some(found) if wanted.as_object().is_some() && found.as_object().is_some() => {
                sum += overlap(wanted, found)? / union;
            }
            _ => {}
        }
    }
    Ok(sum)
}

/// Cases with nearly matching calls.
pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    let config = choices.entries(&[
        (
            "evaluation_params",
            r#"["input_parameters"]|["input_parameters","output"]|["output"]|[]|["other"]"#,
        ),
        ("should_consider_ordering", FLAGS),
        ("should_exact_match", FLAGS),
        ("strict_mode", FLAGS),
        ("threshold", "0.5|1|0"),
    ]);
    let side = |choices: &mut Choices<'_>| {
        let calls = choices.list(5, |choices| {
            let mut fields = vec![format!("\"name\":{}", choices.name())];
            if !choices.rarely(6) {
                let key = choices.of("input_parameters|inputParameters");
                let value = if choices.rarely(12) {
                    "null".to_owned()
                } else {
                    choices.object()
                };
                fields.push(format!("\"{key}\":{value}"));
            }
            if choices.rarely(3) {
                fields.push(format!("\"output\":{}", choices.value()));
            }
            if choices.rarely(6) {
                fields.push(format!(
                    "\"type\":{}",
                    choices.of(r#""MCP"|"FUNCTION"|"MCP"|"x""#)
                ));
            }
            format!("{{{}}}", fields.join(","))
        });
        format!("[{calls}]")
    };
    (config, side(choices), side(choices))
}
