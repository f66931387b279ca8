//! The deterministic scorers of the Strands evaluation library.

use std::collections::BTreeSet;

use rightcall::value::{Text, Value};

use crate::choices::{Choices, Parts};
use crate::loops::{in_order, one_if, share};
use crate::reading::{get, list, text};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[
    ("strands/exact-match", exact_match, cases),
    ("strands/in-order-match", in_order_match, cases),
    ("strands/any-order-match", any_order_match, cases),
    ("strands/tool-called", tool_called, cases_of_one_tool),
];

fn names<'v>(side: &'v Value<'v>) -> Result<Vec<&'v Text<'v>>, Stop> {
    list(side)?.iter().map(|name| text(Some(name))).collect()
}

pub(crate) fn exact_match(_: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let (expected, actual) = (names(expected)?, names(actual)?);
    if expected.is_empty() {
        return Err(Stop::Raised);
    }
    let both = expected.iter().zip(&actual);
    let correct = both.filter(|(expected, actual)| expected == actual).count();
    Ok(correct as f64 / expected.len() as f64)
}

pub(crate) fn in_order_match(_: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let (expected, actual) = (names(expected)?, names(actual)?);
    let kept = in_order(&expected, &actual, |expected, actual| expected == actual);
    Ok(share(kept, expected.len(), 1.0))
}

pub(crate) fn any_order_match(_: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let (expected, actual) = (names(expected)?, names(actual)?);
    let distinct: BTreeSet<_> = expected.iter().collect();
    let made = distinct.iter().filter(|name| actual.contains(name)).count();
    Ok(share(made, expected.len(), 1.0))
}

pub(crate) fn tool_called(config: &Value<'_>, _: &Value<'_>, actual: &Value<'_>) -> Scored {
    let tool = text(get(config, "tool_name"))?;
    Ok(one_if(names(actual)?.contains(&tool)))
}

pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    let side = |choices: &mut Choices<'_>| {
        let names = choices.list(6, |choices| {
            choices.odd_or(32, |choices| choices.name().to_owned())
        });
        format!("[{names}]")
    };
    ("{}".to_owned(), side(choices), side(choices))
}

pub(crate) fn cases_of_one_tool(choices: &mut Choices<'_>) -> Parts {
    let tool = format!("{{\"tool_name\":{}}}", choices.name());
    let (_, expected, actual) = cases(choices);
    (tool, expected, actual)
}
