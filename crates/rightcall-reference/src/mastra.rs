//! `mastra/tool-call-accuracy` and `mastra/trajectory-accuracy`.

use rightcall::value::Value;

use crate::calls::{Call, calls, some_calls};
use crate::choices::{Choices, FLAGS, Parts};
use crate::equality::javascript_number;
use crate::reading::{flag, given, name};
use crate::{Scored, Stop};

pub(crate) mod accuracy {
    use super::{Choices, FLAGS, Parts, Scored, Value, calls, flag, some_calls};

    pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
        let strict = flag(config, "strictMode")?;
        let (expected, actual) = (calls(expected)?, calls(actual)?);
        if expected.is_empty() || actual.is_empty() {
            return Ok(0.0);
        }
        if strict {
            let is_same = expected.len() == actual.len()
                && (0..expected.len()).all(|at| expected[at].name == actual[at].name);
            return Ok(f64::from(u8::from(is_same)));
        }
        let mut before: Option<usize> = None;
        for wanted in &expected {
            let first = actual.iter().position(|call| call.name == wanted.name);
            match (before, first) {
                (_, None) => return Ok(0.0),
                (Some(before), Some(first)) if first <= before => return Ok(0.0),
                _ => before = first,
            }
        }
        Ok(1.0)
    }

    /// Cases in which the order is often kept.
    pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
        let config = choices.entries(&[("strictMode", FLAGS)]);
        (config, some_calls(choices, 3), some_calls(choices, 5))
    }
}

pub(crate) mod trajectory {
    use super::{
        Call, Choices, FLAGS, Parts, Scored, Stop, Value, calls, flag, given, javascript_number,
        name, some_calls,
    };

    pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
        let ordering = name(config, "ordering")?.unwrap_or_else(|| "relaxed".to_owned());
        let allows_repeats =
            given(config, "allowRepeatedSteps").is_none() || flag(config, "allowRepeatedSteps")?;
        let (expected, actual) = (calls(expected)?, calls(actual)?);
        if expected.is_empty() {
            return Ok(if actual.is_empty() { 1.0 } else { 0.0 });
        }
        let matched = match &*ordering {
            "strict" => in_place(&expected, &actual),
            "relaxed" => in_order(&expected, &actual),
            "unordered" => anywhere(&expected, &actual),
            _ => return Err(Stop::Unknown),
        };
        let all = expected.len() as f64;
        let mut score = matched as f64 / all;
        if ordering == "strict" && actual.len() > expected.len() {
            let surplus = (actual.len() - expected.len()) as f64 / all;
            score = f64::max(0.0, score - surplus * 0.5);
        }
        let repeated = repeated_names(&actual);
        if !allows_repeats && repeated > 0 {
            score = f64::max(0.0, score - repeated as f64 * 0.1);
        }
        Ok(hundredths(score.clamp(0.0, 1.0)))
    }

    fn in_place(expected: &[Call<'_>], actual: &[Call<'_>]) -> usize {
        let both = expected.iter().zip(actual);
        both.filter(|(wanted, made)| is_step(wanted, made)).count()
    }

    fn in_order(expected: &[Call<'_>], actual: &[Call<'_>]) -> usize {
        let (mut matched, mut next) = (0, 0);
        for wanted in expected {
            for (place, made) in actual.iter().enumerate().skip(next) {
                if is_step(wanted, made) {
                    matched += 1;
                    next = place + 1;
                    break;
                }
            }
        }
        matched
    }

    fn anywhere(expected: &[Call<'_>], actual: &[Call<'_>]) -> usize {
        let mut used = vec![false; actual.len()];
        for wanted in expected {
            for place in 0..actual.len() {
                if !used[place] && is_step(wanted, &actual[place]) {
                    used[place] = true;
                    break;
                }
            }
        }
        used.iter().filter(|used| **used).count()
    }

    fn repeated_names(actual: &[Call<'_>]) -> usize {
        let mut repeated: Vec<String> = Vec::new();
        for (place, call) in actual.iter().enumerate() {
            let again = actual[place + 1..].iter().any(|it| it.name == call.name);
            let name = format!("{:?}", call.name.utf16().collect::<Vec<_>>());
            if again && !repeated.contains(&name) {
                repeated.push(name);
            }
        }
        repeated.len()
    }

    /// What the expected call states is what the actual one has.
    fn is_step(wanted: &Call<'_>, made: &Call<'_>) -> bool {
        let agrees = |wanted: Option<&Value<'_>>, made: Option<&Value<'_>>| match (wanted, made) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(wanted), Some(made)) => text(wanted) == text(made),
        };
        wanted.name == made.name
            && agrees(wanted.arguments, made.arguments)
            && agrees(wanted.output, made.output)
    }

    /// `JSON.stringify`, strings as their UTF-16 units.
    fn text(value: &Value<'_>) -> String {
        match value {
            Value::List(items) => {
                format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(","))
            }
            Value::Object(object) => {
                let is_index = |key: &str| {
                    key.parse::<u32>()
                        .is_ok_and(|number| number < u32::MAX && number.to_string() == key)
                };
                let mut indices = Vec::new();
                let mut others = Vec::new();
                for (key, value) in object {
                    let shown = key.to_string();
                    let units: Vec<u16> = key.utf16().collect();
                    let member = format!("{units:?}:{}", text(value));
                    if is_index(&shown) {
                        indices.push((shown.parse::<u32>().unwrap_or_default(), member));
                    } else {
                        others.push(member);
                    }
                }
                indices.sort();
                let members: Vec<String> = indices
                    .into_iter()
                    .map(|(_, member)| member)
                    .chain(others)
                    .collect();
                format!("{{{}}}", members.join(","))
            }
            Value::String(text) => format!("\"{:?}\"", text.utf16().collect::<Vec<_>>()),
            Value::Bool(flag) => flag.to_string(),
            other => match javascript_number(other) {
                Some(number) if number.is_finite() => (number + 0.0).to_string(),
                _ => "null".to_owned(),
            },
        }
    }

    /// `Math.round((x + Number.EPSILON) * 100) / 100`, from 0 on.
    fn hundredths(number: f64) -> f64 {
        let hundred = (number + f64::EPSILON) * 100.0;
        let floor = hundred.floor();
        (if hundred - floor >= 0.5 {
            floor + 1.0
        } else {
            floor
        }) / 100.0
    }

    /// Cases in which steps often nearly match.
    pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
        const ORDERINGS: &str = r#""strict"|"relaxed"|"unordered""#;
        let config = choices.entries(&[("ordering", ORDERINGS), ("allowRepeatedSteps", FLAGS)]);
        (config, some_calls(choices, 4), some_calls(choices, 5))
    }
}
