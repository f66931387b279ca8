//! An argument has another value of the same kind.

use rightcall_stats::Random;
use serde_json::{Number, Value, json};

use super::{MutationOperator, OperatorGroup};
use crate::strength::SubjectRun;
use crate::strength::choice::{around, one_of};
use crate::strength::mutant::Mutant;

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "argument-value",
    summary: "an argument has another value",
    group: OperatorGroup::SingleCalls,
    weight: 44,
    needs: "no call has arguments",
    make,
};

fn make<'c>(run: &SubjectRun<'c>, random: &mut Random) -> Option<Mutant<'c>> {
    around(&run.arguments, random, |place, random| {
        let argument = run.argument(place)?;
        let tool = run.calls[place.0].name();
        let after = other_value(run, (tool, &argument.name()), &argument.json, random)?;
        Mutant::with_value(run, place, "has another value", after)
    })
}

/// Another value: from another call with this argument, or a small change of this one.
fn other_value(
    run: &SubjectRun<'_>,
    (tool, argument): (&str, &str),
    json: &str,
    random: &mut Random,
) -> Option<String> {
    let value: Value = serde_json::from_str(json).ok()?;
    let candidates = run.material.values(tool, argument);
    let is_other = |it: &&String| **it != *json && is_same_kind(&value, it);
    let candidates: Vec<_> = candidates.iter().filter(is_other).collect();
    if !candidates.is_empty() && random.below(2) == 0 {
        return one_of(&candidates, random).map(|it| (*it).clone());
    }
    let changed = changed(&value, random).map(|it| it.to_string());
    changed.or_else(|| one_of(&candidates, random).map(|it| (*it).clone()))
}

fn is_same_kind(value: &Value, json: &str) -> bool {
    let other = json.as_bytes().first().copied().unwrap_or_default();
    match value {
        Value::Null => true,
        Value::Bool(_) => matches!(other, b't' | b'f'),
        Value::Number(_) => other == b'-' || other.is_ascii_digit(),
        Value::String(_) => other == b'"',
        Value::Array(_) => other == b'[',
        Value::Object(_) => other == b'{',
    }
}

/// The value with a small change; `None` for null and for empty values.
fn changed(value: &Value, random: &mut Random) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Bool(it) => Some(json!(!it)),
        Value::Number(number) => Some(changed_number(number, random)),
        Value::String(text) => Some(changed_text(text, random).into()),
        Value::Array(items) => {
            let places: Vec<_> = (0..items.len()).collect();
            around(&places, random, |at, random| {
                let mut items = items.clone();
                match changed(&items[at], random).filter(|_| random.below(2) == 0) {
                    Some(changed) => items[at] = changed,
                    None => _ = items.remove(at),
                }
                Some(items.into())
            })
        }
        Value::Object(members) => {
            let keys: Vec<_> = members.keys().collect();
            around(&keys, random, |key, random| {
                let mut members = members.clone();
                *members.get_mut(key)? = changed(&members[key], random)?;
                Some(members.into())
            })
        }
    }
}

fn changed_number(number: &Number, random: &mut Random) -> Value {
    let whole = number.as_i64().filter(|it| it.unsigned_abs() < 1 << 52);
    match (whole, random.below(3)) {
        (Some(whole), 0) => json!(whole + 1),
        (Some(whole), 1) => json!(whole - 1),
        (Some(0), _) => json!(10),
        (Some(whole), _) => json!(whole * 10),
        // Divide, since a product might be too large.
        (None, choice) => {
            let divisor = [2.0, 5.0, 10.0][choice];
            json!(number.as_f64().unwrap_or_default() / divisor - 1.0)
        }
    }
}

/// Another digit, a word less, or a letter less.
fn changed_text(text: &str, random: &mut Random) -> String {
    let digits: Vec<_> = text
        .bytes()
        .enumerate()
        .filter(|(_, it)| it.is_ascii_digit())
        .collect();
    if let Some((at, digit)) = one_of(&digits, random) {
        let step = 1 + random.below(9) as u8;
        let other = char::from(b'0' + (digit - b'0' + step) % 10);
        return format!("{}{other}{}", &text[..*at], &text[at + 1..]);
    }
    let shorter = match text.trim_end().rsplit_once(' ') {
        Some((start, _)) => start,
        None => text
            .char_indices()
            .next_back()
            .map_or("", |(end, _)| &text[..end]),
    };
    if shorter.is_empty() {
        format!("{text}x")
    } else {
        shorter.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_value_has_the_same_kind_and_differs() {
        for json in [
            "0",
            "7",
            "-3",
            "39.9",
            "1e300",
            "true",
            r#""a""#,
            r#""""#,
            r#""A-17""#,
            r#""Main Street 5""#,
            r#""Straße""#,
            "[1]",
            r#"["a","b"]"#,
            r#"{"a":{"b":1}}"#,
        ] {
            let value: Value = serde_json::from_str(json).unwrap();
            for seed in 0..50 {
                let mut random = Random::from_seed(seed);
                let changed = changed(&value, &mut random).unwrap();
                assert_ne!(changed, value, "{json}");
                assert!(
                    is_same_kind(&value, &changed.to_string()),
                    "{json}: {changed}"
                );
            }
        }
        for json in ["null", "[]", "{}"] {
            let value = serde_json::from_str(json).unwrap();
            assert_eq!(changed(&value, &mut Random::from_seed(1)), None);
        }
    }
}
