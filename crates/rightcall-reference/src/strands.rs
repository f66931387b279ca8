//! The deterministic scorers of Strands' evaluation library.

use std::collections::BTreeSet;

use rightcall::value::{Text, Value};

use crate::choices::{Choices, Parts};
use crate::reading::{get, list, text};
use crate::{Scored, Stop};

pub(crate) mod exact_match {
    pub(crate) use super::{cases, exact_match as score};
}

pub(crate) mod in_order_match {
    pub(crate) use super::{cases, in_order_match as score};
}

pub(crate) mod any_order_match {
    pub(crate) use super::{any_order_match as score, cases};
}

pub(crate) mod tool_called {
    pub(crate) use super::{cases_of_one_tool as cases, tool_called as score};
}

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
    if expected.is_empty() {
        return Ok(1.0);
    }
    let mut next = 0;
    for name in actual {
        if next < expected.len() && expected[next] == name {
            next += 1;
        }
    }
    Ok(next as f64 / expected.len() as f64)
}

pub(crate) fn any_order_match(_: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let (expected, actual) = (names(expected)?, names(actual)?);
    if expected.is_empty() {
        return Ok(1.0);
    }
    let steps = expected.len() as f64;
    let set = |names: Vec<&Text<'_>>| -> BTreeSet<Vec<u32>> {
        let points = |name: &Text<'_>| name.code_points().collect();
        names.into_iter().map(points).collect()
    };
    Ok(set(expected).intersection(&set(actual)).count() as f64 / steps)
}

pub(crate) fn tool_called(config: &Value<'_>, _: &Value<'_>, actual: &Value<'_>) -> Scored {
    let tool = text(get(config, "tool_name"))?;
    Ok(f64::from(u8::from(names(actual)?.contains(&tool))))
}

pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    let side = |choices: &mut Choices<'_>| {
        let names = choices.list(6, |choices| {
            if choices.rarely(32) {
                choices.value()
            } else {
                choices.name().to_owned()
            }
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
