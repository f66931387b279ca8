//! `uipath/tool-call-order`.

use rightcall::value::Value;

use super::{Call, calls, criteria, is_strict, points, sanitize};
use crate::choices::{Choices, Parts};
use crate::loops::{all_in_place, one_if, worth_of_nothing};
use crate::reading::{either, list};
use crate::{Scored, Stop};

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let strict = is_strict(config, false)?;
    let keys = criteria(config, expected, read)?;
    let calls = calls(actual)?;
    if let Some(worth) = worth_of_nothing(&keys, &calls) {
        return Ok(worth);
    }
    if strict {
        let same = |key: &Vec<u32>, call: &Call<'_>| matches(call, key);
        return Ok(one_if(all_in_place(&keys, &calls, same)));
    }
    // The textbook LCS table; the score uses the length of the backtracking path, which takes every match on its way.
    let mut table = vec![vec![0; keys.len() + 1]; calls.len() + 1];
    for i in 1..=calls.len() {
        for j in 1..=keys.len() {
            table[i][j] = if matches(&calls[i - 1], &keys[j - 1]) {
                table[i - 1][j - 1] + 1
            } else {
                std::cmp::max(table[i - 1][j], table[i][j - 1])
            };
        }
    }
    let (mut i, mut j, mut length) = (calls.len(), keys.len(), 0);
    while i > 0 && j > 0 {
        if matches(&calls[i - 1], &keys[j - 1]) {
            length += 1;
            i -= 1;
            j -= 1;
        } else if table[i - 1][j] > table[i][j - 1] {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    Ok(f64::from(length) / keys.len() as f64)
}

/// Name rule K.
fn matches(call: &Call<'_>, key: &[u32]) -> bool {
    match &call.id {
        Some(id) => id == key,
        None => sanitize(key) == sanitize(&call.name),
    }
}

fn read(criteria: &Value<'_>) -> Result<Vec<Vec<u32>>, Stop> {
    let keys = list(either(criteria, "tool_calls_order", "toolCallsOrder").ok_or(Stop::Raised)?)?;
    keys.iter()
        .map(|key| key.as_text().map(points).ok_or(Stop::Raised))
        .collect()
}

/// Cases with nearly matching calls.
pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    super::cases(choices, order)
}

fn order(choices: &mut Choices<'_>) -> String {
    let keys = choices.list(6, |choices| {
        choices.odd_or(40, |choices| choices.name().to_owned())
    });
    format!(
        "{{{}:[{keys}]}}",
        choices.of(r#""tool_calls_order"|"toolCallsOrder""#)
    )
}
