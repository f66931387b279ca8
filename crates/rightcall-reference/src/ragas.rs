//! `ragas/tool-call-accuracy` and `ragas/tool-call-f1`.

use rightcall::value::{Object, Text, Value, python_str};

use crate::calls::NamedCall;
use crate::choices::{Choices, Parts};
use crate::loops::{all_in_place, f1 as harmonic, one_if, share, worth_of_nothing};
use crate::reading::{flag, get, given, list, text};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[
    ("ragas/tool-call-accuracy", accuracy, cases),
    ("ragas/tool-call-f1", f1, cases),
];

/// The share of equal arguments, if the names are in the same order.
pub(crate) fn accuracy(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let strict = get(config, "strict_order").is_none() || flag(config, "strict_order")?;
    let mut predicted = predicted(actual)?;
    let mut reference = calls(given(expected, "reference_tool_calls").ok_or(Stop::Raised)?)?;
    if let Some(worth) = worth_of_nothing(&reference, &predicted) {
        return Ok(worth);
    }
    if !strict {
        reference.sort_by_key(sort_key);
        predicted.sort_by_key(sort_key);
    }
    let aligned = all_in_place(&reference, &predicted, |r, p| r.name == p.name);
    let pairs = std::cmp::min(reference.len(), predicted.len());
    let mut total = 0.0;
    for (reference, predicted) in reference.iter().zip(&predicted) {
        if reference.name == predicted.name {
            total += of_arguments(reference.args, predicted.args);
        }
    }
    total /= reference.len() as f64;
    if pairs < reference.len() {
        total *= pairs as f64 / reference.len() as f64;
    }
    Ok(if aligned { total } else { 0.0 })
}

fn of_arguments(reference: &Object<'_>, predicted: &Object<'_>) -> f64 {
    if reference.is_empty() {
        return one_if(predicted.is_empty());
    }
    let mut sum = 0.0;
    for (key, wanted) in reference {
        if predicted
            .get(key)
            .is_some_and(|found| python_str(found) == python_str(wanted))
        {
            sum += 1.0;
        }
    }
    sum / reference.len() as f64
}

/// The name, then keys and values, sorted.
fn sort_key<'v>(call: &NamedCall<'v>) -> (&'v Text<'v>, Vec<(&'v Text<'v>, Text<'v>)>) {
    let entries = call.args.iter();
    let mut entries: Vec<_> = entries
        .map(|(key, value)| (key, python_str(value).into_owned()))
        .collect();
    entries.sort();
    (call.name, entries)
}

/// The F1 of two sets of calls.
pub(crate) fn f1(_: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let predicted = distinct(predicted(actual)?);
    let reference = match given(expected, "reference_tool_calls") {
        None => Vec::new(),
        Some(reference) => distinct(calls(reference)?),
    };
    let both = reference
        .iter()
        .filter(|call| predicted.iter().any(|other| call.equals(other)))
        .count();
    let precision = share(both, predicted.len(), 0.0);
    let recall = share(both, reference.len(), 0.0);
    Ok(to_four_decimals(harmonic(precision, recall)))
}

fn distinct(calls: Vec<NamedCall<'_>>) -> Vec<NamedCall<'_>> {
    let mut distinct: Vec<NamedCall<'_>> = Vec::new();
    for call in calls {
        if !distinct.iter().any(|other| other.equals(&call)) {
            distinct.push(call);
        }
    }
    distinct
}

/// Python's `round(x, 4)`: the standard library's formatting is exact too, with ties to even.
fn to_four_decimals(number: f64) -> f64 {
    format!("{number:.4}").parse().unwrap_or(f64::NAN)
}

fn calls<'v>(items: &'v Value<'_>) -> Result<Vec<NamedCall<'v>>, Stop> {
    let items = list(items)?.iter();
    items.map(|item| NamedCall::of(item, "args")).collect()
}

/// The calls of all `ai` messages; a `tool` message must follow calls.
fn predicted<'v>(messages: &'v Value<'_>) -> Result<Vec<NamedCall<'v>>, Stop> {
    let mut predicted = Vec::new();
    let mut any_ai = false;
    let mut before = "";
    for message in list(messages)? {
        let of_message = match given(message, "tool_calls") {
            Some(items) => calls(items)?,
            None => Vec::new(),
        };
        match text(get(message, "type"))?.as_str() {
            Some("human") => before = "human",
            Some("ai") => {
                any_ai = true;
                before = if of_message.is_empty() {
                    "ai without calls"
                } else {
                    "ai with calls"
                };
                predicted.extend(of_message);
            }
            Some("tool") => {
                if !any_ai || before == "human" || before == "ai without calls" {
                    return Err(Stop::Raised);
                }
                before = "tool";
            }
            _ => return Err(Stop::Unknown),
        }
    }
    Ok(predicted)
}

/// Cases with nearly matching calls.
pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    let config = choices
        .of(r#"{"strict_order":true}|{"strict_order":false}|{}"#)
        .to_owned();
    let calls = |choices: &mut Choices<'_>, most: usize| {
        choices.list(most, |choices| {
            let args = choices.odd_or(60, Choices::object);
            format!("{{\"name\":{},\"args\":{args}}}", choices.name())
        })
    };
    let reference = if choices.rarely(24) {
        "null".to_owned()
    } else {
        format!("[{}]", calls(choices, 5))
    };
    let messages = choices.list(5, |choices| {
        let kind = choices.of("ai|ai|ai|human|tool");
        let tool_calls = match (kind, choices.rarely(10)) {
            ("ai", false) => format!(",\"tool_calls\":[{}]", calls(choices, 3)),
            ("ai", true) => choices.of(r#"|,"tool_calls":null"#).to_owned(),
            _ => String::new(),
        };
        format!("{{\"type\":\"{kind}\",\"content\":\"\"{tool_calls}}}")
    });
    (
        config,
        format!("{{\"reference_tool_calls\":{reference}}}"),
        format!("[{messages}]"),
    )
}
