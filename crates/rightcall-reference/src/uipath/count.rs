//! `uipath/tool-call-count`.

use num_bigint::BigInt;
use rightcall::value::{Text, Value};

use super::{calls, criteria, is_strict, points, sanitize};
use crate::choices::{Choices, Parts};
use crate::loops::{one_if, worth_of_nothing};
use crate::reading::{either, list, object, text};
use crate::{Scored, Stop};

struct Criterion {
    key: Vec<u32>,
    operator: String,
    count: BigInt,
}

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let strict = is_strict(config, false)?;
    let criteria = criteria(config, expected, read)?;
    let calls = calls(actual)?;
    if let Some(worth) = worth_of_nothing(&criteria, &calls) {
        return Ok(worth);
    }
    let labels: Vec<Vec<u32>> = calls
        .into_iter()
        .map(|call| call.id.unwrap_or(call.name))
        .collect();
    let times = |key: &[u32]| labels.iter().filter(|label| *label == key).count();
    let mut sum = 0.0;
    for criterion in &criteria {
        let mut found = times(&criterion.key);
        if found == 0 {
            let sanitized: Vec<u32> = sanitize(&criterion.key).chars().map(u32::from).collect();
            found = times(&sanitized);
        }
        let found = BigInt::from(found);
        let holds = match criterion.operator.as_str() {
            ">" => found > criterion.count,
            "<" => found < criterion.count,
            ">=" => found >= criterion.count,
            "<=" => found <= criterion.count,
            "=" | "==" => found == criterion.count,
            "!=" => found != criterion.count,
            _ => return Err(Stop::ErrorResult),
        };
        if strict && !holds {
            return Ok(0.0);
        }
        sum += one_if(holds);
    }
    Ok(sum / criteria.len() as f64)
}

fn read(criteria: &Value<'_>) -> Result<Vec<Criterion>, Stop> {
    let mut read = Vec::new();
    for (key, value) in object(either(criteria, "tool_calls_count", "toolCallsCount"))? {
        let [operator, count] = list(value)? else {
            return Err(Stop::Raised);
        };
        let operator = text(Some(operator))?.to_string();
        read.push(Criterion {
            key: points(key),
            operator,
            count: integer(count)?,
        });
    }
    Ok(read)
}

/// An integer, or a value that can be converted to one without loss.
fn integer(value: &Value<'_>) -> Result<BigInt, Stop> {
    let digits = match value {
        Value::Bool(flag) => u8::from(*flag).to_string(),
        Value::Integer(integer) => integer.to_string(),
        Value::Float(float) if float.fract() == 0.0 && (-9.2e18..9.2e18).contains(float) => {
            format!("{float:.0}")
        }
        // The largest float that the original accepts is a separate question.
        Value::Float(float) if float.fract() == 0.0 && float.is_finite() && float.abs() < 1e19 => {
            return Err(Stop::Unknown);
        }
        Value::String(text) => whole_number(text)?,
        _ => return Err(Stop::Raised),
    };
    digits.parse().map_err(|_| Stop::Raised)
}

/// Digits with an optional sign, surrounding blanks, single `_` between digits, and a fraction of zeros.
fn whole_number(text: &Text<'_>) -> Result<String, Stop> {
    let text = text.as_str().ok_or(Stop::Raised)?;
    if !text
        .chars()
        .all(|character| character == ' ' || character.is_ascii_graphic())
    {
        return Err(Stop::Unknown);
    }
    let text = text.trim();
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = match rest.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (rest, None),
    };
    if whole
        .split('_')
        .any(|group| group.is_empty() || !group.chars().all(|digit| digit.is_ascii_digit()))
    {
        return Err(Stop::Raised);
    }
    if fraction
        .is_some_and(|fraction| fraction.is_empty() || !fraction.chars().all(|digit| digit == '0'))
    {
        return Err(Stop::Raised);
    }
    Ok(format!("{sign}{}", whole.replace('_', "")))
}

/// Cases with nearly matching calls.
pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    super::cases(choices, counts)
}

fn counts(choices: &mut Choices<'_>) -> String {
    const OPERATORS: &str = r#""="|">="|"<="|">"|"<"|"=="|"!="|"~""#;
    const ODD: &str = r#"-1|1.0|1.5|true|null|" +1_0.0 "|"1"|"x"|"1."|"1__0"|"_1"|"-0"|""|"1e0"|"00"|1e400|99999999999999999999|[]"#;
    let entries = choices.list(4, |choices| {
        let key = choices.name();
        let operator = if choices.rarely(40) {
            "1"
        } else {
            choices.of(OPERATORS)
        };
        let count = if choices.rarely(8) {
            choices.of(ODD)
        } else {
            choices.of("1|0|2|3")
        };
        format!(
            "{key}:[{operator},{count}{}]",
            if choices.rarely(64) { ",1" } else { "" }
        )
    });
    format!(
        "{{{}:{{{entries}}}}}",
        choices.of(r#""tool_calls_count"|"toolCallsCount""#)
    )
}
