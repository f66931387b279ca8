//! `axion/tool-correctness`.

use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use rightcall_core::similarity;
use rightcall_core::value::{Object, Value};

use crate::equality::{python_equal, python_equal_objects};
use crate::loops::{all_in_place, f1, in_any_order, one_if, share};
use crate::reading::{NamedCall, flag, list, name, number, object};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[("axion/tool-correctness", score)];

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let check_parameters = flag(config, "check_parameters")?;
    let strategy =
        name(config, "parameter_matching_strategy")?.unwrap_or_else(|| "exact".to_owned());
    let fuzzy_threshold = number(config, "fuzzy_threshold")?.unwrap_or(0.8);
    let scoring = name(config, "scoring")?.unwrap_or_else(|| "recall".to_owned());
    let strict_order = flag(config, "strict_order")?;
    let (expected, actual) = (calls(expected)?, calls(actual)?);

    let matches = |expected: &NamedCall<'_>, actual: &NamedCall<'_>| {
        actual.name == expected.name
            && (!check_parameters
                || match strategy.as_str() {
                    "subset" => is_subset(expected.args, actual.args),
                    "fuzzy" => is_similar(actual.args, expected.args, fuzzy_threshold),
                    _ => python_equal_objects(actual.args, expected.args),
                })
    };
    if expected.is_empty() {
        return Ok(one_if(actual.is_empty()));
    }
    if strict_order {
        return Ok(one_if(all_in_place(&expected, &actual, matches)));
    }
    let pairs = in_any_order(&expected, &actual, matches);
    let recall = share(pairs, expected.len(), 0.0);
    let precision = share(pairs, actual.len(), 1.0);
    Ok(match scoring.as_str() {
        "recall" => recall,
        "precision" => precision,
        _ => f1(precision, recall),
    })
}

fn calls<'v>(side: &'v Value<'_>) -> Result<Vec<NamedCall<'v>>, Stop> {
    if side.is_null() {
        return Ok(Vec::new());
    }
    let mut calls = Vec::new();
    for item in list(side)? {
        for (key, value) in object(Some(item))? {
            let known = match key.as_str() {
                Some("name" | "args") => true,
                // These fields have value types too, which the semantics leave to the original.
                Some("id") if value.as_text().is_some() => true,
                Some("tags")
                    if value
                        .as_list()
                        .is_some_and(|tags| tags.iter().all(|tag| tag.as_text().is_some())) =>
                {
                    true
                }
                Some("request_latency") if value.is_null() || value.as_f64().is_some() => true,
                Some("id" | "tags" | "request_latency") => return Err(Stop::Unknown),
                _ => false,
            };
            if !known {
                return Err(Stop::Raised);
            }
        }
        calls.push(NamedCall::read(item, "args")?);
    }
    Ok(calls)
}

fn is_subset(expected: &Object<'_>, actual: &Object<'_>) -> bool {
    expected
        .iter()
        .all(|(key, wanted)| match (wanted, actual.get(key)) {
            (_, None) => false,
            (Value::Object(wanted), Some(Value::Object(found))) => is_subset(wanted, found),
            (wanted, Some(found)) => python_equal(wanted, found),
        })
}

fn is_similar(actual: &Object<'_>, expected: &Object<'_>, threshold: f64) -> bool {
    if expected.is_empty() {
        return true;
    }
    let mut sum = 0.0;
    for (key, wanted) in expected {
        sum += similarity(actual.get(key).unwrap_or(&Value::Null), wanted);
    }
    sum / expected.len() as f64 >= threshold
}

fn similarity(actual: &Value<'_>, expected: &Value<'_>) -> f64 {
    match (actual, expected) {
        (Value::String(actual), Value::String(expected)) => similarity::ratio(actual, expected),
        (Value::Integer(_), Value::Integer(_)) => {
            let big = |value: &Value<'_>| -> BigInt {
                match value {
                    Value::Integer(integer) => integer.to_string().parse().unwrap_or_default(),
                    _ => BigInt::default(),
                }
            };
            of_integers(&big(actual), &big(expected))
        }
        (Value::Bool(actual), Value::Bool(expected)) => of_integers(
            &BigInt::from(u8::from(*actual)),
            &BigInt::from(u8::from(*expected)),
        ),
        (Value::Float(actual), Value::Float(expected)) => {
            if *actual == 0.0 || *expected == 0.0 {
                return one_if(actual == expected);
            }
            1.0 - (actual - expected).abs() / f64::max(actual.abs(), expected.abs())
        }
        (Value::Object(actual), Value::Object(expected)) => {
            let common: Vec<_> = actual
                .iter()
                .filter(|(key, _)| expected.get(key).is_some())
                .collect();
            let union = actual.len() + expected.len() - common.len();
            if union == 0 {
                return 1.0;
            }
            let mut sum = 0.0;
            for (key, value) in &common {
                sum += similarity(value, expected.get(key).unwrap_or(&Value::Null));
            }
            let of_values = if common.is_empty() {
                0.0
            } else {
                sum / common.len() as f64
            };
            let of_keys = common.len() as f64 / union as f64;
            0.5 * (of_keys + of_values)
        }
        (Value::List(_), Value::List(_)) if python_equal(actual, expected) => 1.0,
        _ => 0.0,
    }
}

fn of_integers(actual: &BigInt, expected: &BigInt) -> f64 {
    let zero = BigInt::default();
    if *actual == zero || *expected == zero {
        return one_if(actual == expected);
    }
    let larger = std::cmp::max(actual.magnitude(), expected.magnitude());
    1.0 - quotient((actual - expected).magnitude(), larger)
}

/// The float nearest to a quotient of at most 2, by long division to 64 bits, with a sticky bit for the remainder.
fn quotient(dividend: &BigUint, divisor: &BigUint) -> f64 {
    if dividend.bits() == 0 {
        return 0.0;
    }
    let shift = (divisor.bits() + 62).saturating_sub(dividend.bits());
    let shifted = dividend << shift;
    let whole = &shifted / divisor;
    let rest = shifted - &whole * divisor;
    let bits = whole.to_u64().unwrap_or(u64::MAX) | u64::from(rest.bits() > 0);
    (0..shift).fold(bits as f64, |float, _| float / 2.0)
}
