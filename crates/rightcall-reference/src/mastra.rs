//! `mastra/tool-call-accuracy`, `mastra/trajectory-accuracy` and `mastra/trajectory`.

use rightcall::value::Value;

use crate::calls::{Call, calls, some_calls};
use crate::choices::{Choices, FLAGS, Parts};
use crate::equality::javascript_number;
use crate::reading::{flag, given, list, name, number};
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
    pub(super) fn text(value: &Value<'_>) -> String {
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
    pub(super) fn hundredths(number: f64) -> f64 {
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

pub(crate) mod dimensions {
    use super::trajectory::{hundredths, text};
    use super::{
        Choices, FLAGS, Parts, Scored, Stop, Value, calls, flag, given, list, number, some_calls,
        trajectory,
    };

    /// A step: its name and arguments as text, whether it failed, and how long it took.
    type Step = (String, String, bool, Option<f64>);

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
        let mut total = 0.0;
        for (weight, _) in &shares {
            total += weight;
        }
        let mut level = if total > 0.0 { 0.0 } else { 1.0 };
        if total > 0.0 {
            for (weight, value) in shares {
                level += weight / total * value;
            }
        }
        // `Math.round(x * 100) / 100`.
        let hundred: f64 = level * 100.0;
        let floor = hundred.floor();
        Ok((if hundred - floor >= 0.5 {
            floor + 1.0
        } else {
            floor
        }) / 100.0)
    }

    fn weight(config: &Value<'_>, key: &str, default: f64) -> Scored {
        let Some(weights) = given(config, "weights") else {
            return Ok(default);
        };
        Ok(number(weights, key)?.unwrap_or(default).max(0.0))
    }

    fn steps(actual: &Value<'_>) -> Result<Vec<Step>, Stop> {
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
            let name = format!("{:?}", call.name.utf16().collect::<Vec<_>>());
            let arguments = call.arguments.map(text).unwrap_or_default();
            steps.push((name, arguments, failed, lasted));
        }
        Ok(steps)
    }

    fn efficiency(config: &Value<'_>, steps: &[Step]) -> Result<Option<f64>, Stop> {
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
        let mut sum = 0.0;
        for part in &parts {
            sum += part;
        }
        Ok(Some(hundredths((sum / parts.len() as f64).clamp(0.0, 1.0))))
    }

    fn share(used: f64, most: f64) -> f64 {
        if used <= most {
            return 1.0;
        }
        f64::max(0.0, 1.0 - (used - most) / most)
    }

    /// Nothing where no tool was called again after it failed.
    fn failures(config: &Value<'_>, steps: &[Step]) -> Result<Option<f64>, Stop> {
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

    /// Nothing where nothing is forbidden.
    fn is_forbidden(config: &Value<'_>, steps: &[Step]) -> Result<Option<bool>, Stop> {
        let name = |value: &Value<'_>| {
            let name = value.as_text().ok_or(Stop::Unknown)?;
            Ok(format!("{:?}", name.utf16().collect::<Vec<_>>()))
        };
        let (mut found, mut any) = (false, false);
        for tool in given(config, "blacklistedTools").map_or(Ok(&[][..]), list)? {
            let tool = name(tool)?;
            any = true;
            found |= steps.iter().any(|step| step.0 == tool);
        }
        for sequence in given(config, "blacklistedSequences").map_or(Ok(&[][..]), list)? {
            any = true;
            let sequence = list(sequence)?;
            if sequence.is_empty() {
                continue;
            }
            for from in 0..steps.len() {
                let mut is_taken = true;
                for (offset, tool) in sequence.iter().enumerate() {
                    let tool = name(tool)?;
                    is_taken &= steps.get(from + offset).is_some_and(|step| step.0 == tool);
                }
                found |= is_taken;
            }
        }
        Ok(any.then_some(found))
    }

    /// Cases in which tools fail, are called again, and take their time.
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
