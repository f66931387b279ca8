//! `mastra/tool-call-accuracy`, `mastra/trajectory-accuracy` and `mastra/trajectory`.

use std::collections::BTreeSet;

use rightcall::value::{Text, Value};

use crate::calls::{Call, calls, some_calls};
use crate::choices::{Choices, FLAGS, Parts};
use crate::equality::javascript_number;
use crate::loops::{all_in_place, in_any_order, one_if, round};
use crate::reading::{flag, given, list, name, number};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[
    (
        "mastra/tool-call-accuracy",
        accuracy::score,
        accuracy::cases,
    ),
    ("mastra/trajectory", dimensions::score, dimensions::cases),
    (
        "mastra/trajectory-accuracy",
        trajectory::score,
        trajectory::cases,
    ),
];

pub(crate) mod accuracy {
    use super::{
        Choices, FLAGS, Parts, Scored, Value, all_in_place, calls, flag, one_if, some_calls,
    };

    pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
        let strict = flag(config, "strictMode")?;
        let (expected, mut actual) = (calls(expected)?, calls(actual)?);
        actual.retain(|call| !call.name.is_empty());
        if expected.is_empty() || actual.is_empty() {
            return Ok(0.0);
        }
        if strict {
            return Ok(one_if(all_in_place(&expected, &actual, |a, b| {
                a.name == b.name
            })));
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

    /// Cases in which calls are mostly in order.
    pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
        let config = choices.entries(&[("strictMode", FLAGS)]);
        (config, some_calls(choices, 3), some_calls(choices, 5))
    }
}

pub(crate) mod trajectory {
    use super::{
        BTreeSet, Call, Choices, FLAGS, Parts, Scored, Stop, Text, Value, calls, flag, given,
        in_any_order, javascript_number, name, one_if, round, some_calls,
    };

    pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
        let ordering = name(config, "ordering")?.unwrap_or_else(|| "relaxed".to_owned());
        let allows_repeats =
            given(config, "allowRepeatedSteps").is_none() || flag(config, "allowRepeatedSteps")?;
        let (expected, actual) = (calls(expected)?, calls(actual)?);
        if expected.is_empty() {
            return Ok(one_if(actual.is_empty()));
        }
        let matched = match &*ordering {
            "strict" => in_place(&expected, &actual),
            "relaxed" => in_order(&expected, &actual),
            "unordered" => in_any_order(&expected, &actual, is_step),
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
            let mut later = actual[next..].iter();
            if let Some(place) = later.position(|made| is_step(wanted, made)) {
                matched += 1;
                next += place + 1;
            }
        }
        matched
    }

    fn repeated_names(actual: &[Call<'_>]) -> usize {
        let often = |name| actual.iter().filter(|call| call.name == name).count() > 1;
        let names = actual.iter().map(|call| call.name);
        names
            .filter(|name| often(*name))
            .collect::<BTreeSet<_>>()
            .len()
    }

    /// True if the actual call has everything that the expected call states.
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
    pub(super) fn text(value: &Value<'_>) -> String {
        match value {
            Value::List(items) => {
                format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(","))
            }
            Value::Object(object) => {
                let member = |(key, value): &(Text<'_>, Value<'_>)| {
                    let shown = key.to_string();
                    let index = shown.parse::<u32>().ok();
                    let index = index.filter(|it| *it < u32::MAX && it.to_string() == shown);
                    let units: Vec<u16> = key.utf16().collect();
                    let member = format!("{units:?}:{}", text(value));
                    ((index.is_none(), index), member)
                };
                let mut members: Vec<_> = object.iter().map(member).collect();
                members.sort_by_key(|(place, _)| *place);
                let members: Vec<_> = members.into_iter().map(|(_, member)| member).collect();
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
    pub(super) fn hundredths(number: f64) -> f64 {
        round((number + f64::EPSILON) * 100.0) / 100.0
    }

    /// Cases with nearly matching steps.
    pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
        const ORDERINGS: &str = r#""strict"|"relaxed"|"unordered""#;
        let config = choices.entries(&[("ordering", ORDERINGS), ("allowRepeatedSteps", FLAGS)]);
        (config, some_calls(choices, 4), some_calls(choices, 5))
    }
}

pub(crate) mod dimensions {
    use super::trajectory::{hundredths, text};
    use super::{
        Choices, FLAGS, Parts, Scored, Stop, Text, Value, all_in_place, calls, flag, given, list,
        number, round, some_calls, trajectory,
    };

    /// A step: its name and arguments as text, true if it failed, and its duration.
    type Step<'v> = (&'v Text<'v>, String, bool, Option<f64>);

    pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
        let mut shares = Vec::new();
        if !expected.is_null() {
            let accuracy = trajectory::score(config, expected, actual)?;
            shares.push((weight(config, "accuracy", 0.4)?, accuracy));
        }
        let steps = steps(actual)?;
        if let Some(efficiency) = efficiency(config, &steps)? {
            shares.push((weight(config, "efficiency", 0.3)?, efficiency));
        }
        if let Some(failures) = failures(config, &steps)? {
            shares.push((weight(config, "toolFailures", 0.2)?, failures));
        }
        match is_forbidden(config, &steps)? {
            Some(true) => return Ok(0.0),
            Some(false) => shares.push((weight(config, "blacklist", 0.1)?, 1.0)),
            None => {}
        }
        let total: f64 = shares.iter().map(|(weight, _)| weight).sum();
        let level = if total > 0.0 {
            let parts = shares.iter().map(|(weight, value)| weight / total * value);
            parts.sum()
        } else {
            1.0
        };
        Ok(round(level * 100.0) / 100.0)
    }

    fn weight(config: &Value<'_>, key: &str, default: f64) -> Scored {
        let Some(weights) = given(config, "weights") else {
            return Ok(default);
        };
        Ok(number(weights, key)?.unwrap_or(default).max(0.0))
    }

    fn steps<'v>(actual: &'v Value<'v>) -> Result<Vec<Step<'v>>, Stop> {
        let mut steps = Vec::new();
        for (call, value) in calls(actual)?.iter().zip(list(actual)?) {
            let time = |key: &str| given(value, key).and_then(Value::as_f64);
            let failed = match given(value, "error") {
                None | Some(Value::Bool(false)) => false,
                Some(_) => true,
            };
            let lasted = match (time("start"), time("end")) {
                (Some(start), Some(end)) => Some((end - start) / 1e6),
                _ => None,
            };
            let arguments = call.arguments.map(text).unwrap_or_default();
            steps.push((call.name, arguments, failed, lasted));
        }
        Ok(steps)
    }

    fn efficiency(config: &Value<'_>, steps: &[Step<'_>]) -> Result<Option<f64>, Stop> {
        let (most_steps, most_time) = (
            number(config, "maxSteps")?,
            number(config, "maxTotalDurationMs")?,
        );
        let says_redundant = given(config, "noRedundantCalls").is_some();
        if most_steps.is_none() && most_time.is_none() && !says_redundant {
            return Ok(None);
        }
        let mut parts = Vec::new();
        if let Some(most) = most_steps {
            parts.push(share(steps.len() as f64, most));
        }
        if let Some(most) = most_time {
            let mut time = 0.0;
            for (_, _, _, lasted) in steps {
                time += lasted.filter(|lasted| *lasted >= 0.0).ok_or(Stop::Raised)?;
            }
            if steps.is_empty() {
                return Err(Stop::Raised);
            }
            parts.push(share(time, most));
        }
        if !says_redundant || flag(config, "noRedundantCalls")? {
            let mut redundant = 0.0;
            for at in 1..steps.len() {
                if steps[at].0 == steps[at - 1].0 && steps[at].1 == steps[at - 1].1 {
                    redundant += 1.0;
                }
            }
            parts.push(f64::max(0.0, 1.0 - redundant * 0.2));
        }
        if parts.is_empty() {
            return Ok(Some(1.0));
        }
        let sum: f64 = parts.iter().sum();
        Ok(Some(hundredths((sum / parts.len() as f64).clamp(0.0, 1.0))))
    }

    fn share(used: f64, most: f64) -> f64 {
        if used <= most {
            return 1.0;
        }
        f64::max(0.0, 1.0 - (used - most) / most)
    }

    /// `None` if no tool was retried after a failure.
    fn failures(config: &Value<'_>, steps: &[Step<'_>]) -> Result<Option<f64>, Stop> {
        let most = number(config, "maxRetriesPerTool")?.unwrap_or(2.0);
        let (mut excess, mut any, mut at) = (0.0, false, 0);
        while at < steps.len() {
            let (mut retries, mut next) = (0.0, at + 1);
            while next < steps.len() && steps[next].0 == steps[at].0 {
                if steps[next - 1].2 {
                    retries += 1.0;
                }
                next += 1;
            }
            any |= retries > 0.0;
            excess += f64::max(0.0, if retries > 0.0 { retries - most } else { 0.0 });
            at = next;
        }
        Ok(any.then(|| hundredths(f64::max(0.0, 1.0 - excess * 0.2))))
    }

    /// `None` if no tool is forbidden.
    fn is_forbidden(config: &Value<'_>, steps: &[Step<'_>]) -> Result<Option<bool>, Stop> {
        let (mut found, mut any) = (false, false);
        for tool in given(config, "blacklistedTools").map_or(Ok(&[][..]), list)? {
            let tool = tool.as_text().ok_or(Stop::Unknown)?;
            any = true;
            found |= steps.iter().any(|step| step.0 == tool);
        }
        for sequence in given(config, "blacklistedSequences").map_or(Ok(&[][..]), list)? {
            any = true;
            let sequence = list(sequence)?;
            if sequence.is_empty() {
                continue;
            }
            let is_step = |tool: &Value<'_>, step: &Step<'_>| tool.as_text() == Some(step.0);
            let mut taken = steps.windows(sequence.len());
            found |= taken.any(|taken| all_in_place(sequence, taken, is_step));
        }
        Ok(any.then_some(found))
    }

    /// Cases with failures, retries and durations.
    pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
        let config = choices.entries(&[
            ("ordering", r#""strict"|"relaxed"|"unordered""#),
            ("allowRepeatedSteps", FLAGS),
            ("maxSteps", "0|1|2|3.5"),
            ("maxTotalDurationMs", "0|1|2.5"),
            ("noRedundantCalls", FLAGS),
            ("blacklistedTools", r#"["b"]|["A"]|[]"#),
            (
                "blacklistedSequences",
                r#"[["a","b"]]|[[]]|[["b","b","a"]]"#,
            ),
            ("maxRetriesPerTool", "0|1|3"),
            (
                "weights",
                r#"{"accuracy":1}|{"efficiency":0,"blacklist":0.5}|{"toolFailures":2}"#,
            ),
        ]);
        let expected = if choices.rarely(5) {
            "null".to_owned()
        } else {
            some_calls(choices, 4)
        };
        let actual = choices.list(6, |choices| {
            let mut fields = vec![format!("\"name\":{}", choices.name())];
            if !choices.rarely(4) {
                fields.push(format!(
                    "\"args\":{}",
                    choices.of(r#"{}|{"x":1}|{"x":1,"y":2}|{"y":2,"x":1}"#)
                ));
            }
            if choices.rarely(2) {
                fields.push(format!("\"error\":{}", choices.of(r#"true|"no"|false"#)));
            }
            if !choices.rarely(8) {
                let lasted = choices.below(250) * 10_000;
                fields.push(format!("\"start\":0,\"end\":{lasted}"));
            }
            format!("{{{}}}", fields.join(","))
        });
        (config, expected, format!("[{actual}]"))
    }
}
