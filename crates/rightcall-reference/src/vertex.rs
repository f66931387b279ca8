//! The trajectory metrics of Vertex AI, as documented.

use rightcall_core::value::{Syntax, Text, Value, decode_with};

use crate::equality::json_equal;
use crate::loops::{all_in_place, in_any_order, in_order, one_if, share as share_of};
use crate::reading::{get, list, text};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[
    ("vertex/trajectory-exact-match", exact_match),
    ("vertex/trajectory-in-order-match", in_order_match),
    ("vertex/trajectory-any-order-match", any_order_match),
    ("vertex/trajectory-precision", precision),
    ("vertex/trajectory-recall", recall),
    ("vertex/trajectory-single-tool-use", single_tool_use),
];

struct Call<'v> {
    tool_name: &'v Text<'v>,
    tool_input: Value<'static>,
}

impl Call<'_> {
    fn equals(&self, other: &Call<'_>) -> bool {
        self.tool_name == other.tool_name && json_equal(&self.tool_input, &other.tool_input)
    }

    fn is_in(&self, calls: &[Call<'_>]) -> bool {
        calls.iter().any(|other| self.equals(other))
    }
}

fn trajectory<'v>(side: &'v Value<'_>) -> Result<Vec<Call<'v>>, Stop> {
    let mut calls = Vec::new();
    for item in list(side)? {
        let given = get(item, "tool_input").ok_or(Stop::Raised)?;
        let decoded = given
            .as_text()
            .and_then(|text| decode_with(text.as_str()?, Syntax::PYTHON).ok());
        calls.push(Call {
            tool_name: text(get(item, "tool_name"))?,
            tool_input: decoded.unwrap_or_else(|| given.clone()).into_owned(),
        });
    }
    Ok(calls)
}

pub(crate) fn exact_match(_: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let (reference, predicted) = (trajectory(expected)?, trajectory(actual)?);
    Ok(one_if(all_in_place(&reference, &predicted, Call::equals)))
}

pub(crate) fn in_order_match(_: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let (reference, predicted) = (trajectory(expected)?, trajectory(actual)?);
    let kept = in_order(&reference, &predicted, Call::equals);
    Ok(one_if(kept == reference.len()))
}

pub(crate) fn any_order_match(_: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let (reference, predicted) = (trajectory(expected)?, trajectory(actual)?);
    let made = in_any_order(&reference, &predicted, Call::equals);
    Ok(one_if(made == reference.len()))
}

pub(crate) fn precision(_: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let (reference, predicted) = (trajectory(expected)?, trajectory(actual)?);
    Ok(share(&predicted, &reference))
}

pub(crate) fn recall(_: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let (reference, predicted) = (trajectory(expected)?, trajectory(actual)?);
    Ok(share(&reference, &predicted))
}

/// The share of calls that occur in `others`.
fn share(calls: &[Call<'_>], others: &[Call<'_>]) -> f64 {
    let found = calls.iter().filter(|call| call.is_in(others)).count();
    share_of(found, calls.len(), one_if(others.is_empty()))
}

pub(crate) fn single_tool_use(config: &Value<'_>, _: &Value<'_>, actual: &Value<'_>) -> Scored {
    let tool = text(get(config, "tool_name"))?;
    let predicted = trajectory(actual)?;
    Ok(one_if(predicted.iter().any(|call| call.tool_name == tool)))
}
