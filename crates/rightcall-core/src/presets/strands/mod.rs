//! The deterministic trajectory scorers of Strands' evaluation library.
//!
//! Source: package `strands-agents-evals` 1.7.0. Its trajectories are lists of names.

pub(crate) mod any_order_match;
pub(crate) mod exact_match;
pub(crate) mod in_order_match;
pub(crate) mod tool_called;

use crate::entry::Departure;
use crate::presets::prelude::*;
use crate::recipe::{expected_order, not_expected, nothing_expected, trajectory};

const NEEDS: &str = "expected calls or order; names of the actual calls";
const NOT_APPLICABLE: &str = "The case states neither calls nor an order, or there is no run.";
const SOURCE: &str = "Package `strands-agents-evals` 1.7.0, `tools/evaluation_tools.py`; its `TrajectoryEvaluator` hands these scorers to a model.";
const DEPARTURES: &[Departure] = &[
    STEPS,
    departures::REPEATED_KEYS,
    departures::NESTING,
    departures::DIGITS,
];

const STEPS: Departure = Departure {
    point: "a step that is an object, in the package's own shape",
    package: "equals no name; an exception where sets are compared",
    here: "an error; in a case, calls are compared by name",
    reason: "a comparison that nothing can pass says nothing of the agent",
};

fn scorer(empty: EmptyPolicy, align: Align) -> Box<dyn crate::recipe::Preset> {
    let recipe = Recipe {
        empty,
        ..Recipe::new(Rules::from_names(NameRule::Exact), align, Scoring::Recall)
    };
    let demands_steps = matches!(recipe.empty.both, Worth::Error(_));
    Composed::preset(recipe, Names { demands_steps })
}

/// 1 if no steps are expected.
const NOTHING: EmptyPolicy = EmptyPolicy {
    both: Worth::Fixed(1.0),
    expected: Worth::Fixed(1.0),
    rule: "nothing is expected",
    costs: Costs::MISSED,
    ..EmptyPolicy::COMPUTE
};

/// Compares names with names.
#[derive(Debug)]
struct Names {
    /// True if an expectation without steps is an error: the original divides by their number.
    demands_steps: bool,
}

impl Original for Names {
    fn read_case<'c>(&self, _: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        let case = prepared.case();
        trajectory(case)?;
        let (expected, list) = match expected_order(case) {
            Some(order) => (order, ExpectedList::Order),
            None if case.expected.calls.is_some() => {
                (prepared.expected_items(), ExpectedList::Calls)
            }
            None => return Err(not_expected("calls")),
        };
        if expected.is_empty() && self.demands_steps {
            return Err(nothing_expected("order"));
        }
        Ok(Sides {
            list,
            ..Sides::new(expected, prepared.actual_items())
        })
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        sides_of_items(expected, actual, name)
    }
}

fn name<'s>(at: At<'_>, step: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    let name = step.as_text();
    let name = name.ok_or_else(|| at.error("the name of a tool", Some(step)))?;
    Ok(Item::from_name(name.clone()))
}
