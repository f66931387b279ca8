//! The six trajectory metrics of Vertex AI's Gen AI evaluation service.
//!
//! The service is closed. Its documentation, *Evaluate Gen AI agents*, defines the metrics; the package `google-cloud-aiplatform` 2.7.0
//! shows how trajectories are sent to it.

pub(crate) mod any_order_match;
pub(crate) mod exact_match;
pub(crate) mod in_order_match;
pub(crate) mod precision;
pub(crate) mod recall;
pub(crate) mod single_tool_use;

use crate::entry::Departure;
use crate::presets::prelude::*;
use crate::value::{Syntax, decode_with};

const NEEDS: &str = "expected calls with arguments; names and arguments of the actual calls";
const NOT_APPLICABLE: &str = "The case states no calls, an expected call states no arguments, there is no run, or a call was recorded \
without arguments.";
const VALUES: &str = "The documentation does not say when two inputs are the same: here, if they are equal as JSON values, with keys in any order.";
const SOURCE: &str =
    "Google Cloud, *Evaluate Gen AI agents*, trajectory metrics; the service itself is closed.";
const DEPARTURES: &[Departure] = &[
    EMPTY_TRAJECTORY,
    departures::REPEATED_KEYS,
    departures::NESTING,
    departures::DIGITS,
];

/// For the two metrics that are shares.
const DEPARTURES_OF_SHARES: &[Departure] = &[
    SINGLE_PRECISION,
    EMPTY_TRAJECTORY,
    departures::REPEATED_KEYS,
    departures::NESTING,
    departures::DIGITS,
];

const SINGLE_PRECISION: Departure = Departure {
    point: "a share that is no sum of halves, such as two thirds",
    package: "a float of 32 bits: `0.6666666865348816`",
    here: "a float of 64 bits: `0.6666666666666666`",
    reason: "the same share to seven digits; round before you compare scores of both",
};

/// The package doesn't send an empty trajectory, although the service requires one.
const EMPTY_TRAJECTORY: Departure = Departure {
    point: "an empty trajectory",
    package: "is not sent to the service, which demands both",
    here: "judged as what it is: nothing was called, or nothing is expected",
    reason: "a run without any call is the plainest failure there is",
};

/// The score of a share if both sides are empty. One empty side has the share 0.
const NOTHING: EmptyPolicy = EmptyPolicy {
    both: Worth::Fixed(1.0),
    rule: "nothing was expected, and nothing called",
    ..EmptyPolicy::COMPUTE
};

fn metric(empty: EmptyPolicy, align: Align, score: Scoring) -> Box<dyn crate::recipe::Preset> {
    let rules = Rules::from_arguments(ArgumentRule::Equal, ValueEquality::Json);
    let recipe = Recipe {
        empty,
        ..Recipe::new(rules, align, score)
    };
    Composed::preset(recipe, Trajectories)
}

/// A reference trajectory and a predicted one.
#[derive(Debug)]
struct Trajectories;

impl Original for Trajectories {
    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        sides_of_items(expected, actual, tool_call)
    }
}

fn tool_call<'s>(at: At<'_>, call: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    let call = at.object(call)?;
    let name = ItemName::Text(at.text(call, "tool_name")?.clone());
    let input = match call.get_str("tool_input") {
        None => return Err(at.key("tool_input").error("the input", None)),
        // The service receives JSON text.
        Some(Value::String(text)) => decoded(text).unwrap_or_else(|| Value::String(text.clone())),
        Some(input) => input.clone(),
    };
    Ok(Item::new(name, ItemArguments::Tree(input)))
}

fn decoded(text: &Text<'_>) -> Option<Value<'static>> {
    let value = decode_with(text.as_str()?, Syntax::PYTHON).ok()?;
    Some(value.into_owned())
}
