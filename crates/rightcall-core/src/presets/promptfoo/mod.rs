//! Promptfoo's computed assertions about tool calls: three of its `trajectory:` family, and `tool-call-f1`.
//!
//! Source: package `promptfoo` 0.123.1.

pub(crate) mod commands;
pub(crate) mod tool_args_match;
pub(crate) mod tool_call_f1;
pub(crate) mod tool_sequence;
pub(crate) mod tool_used;

use commands::without_commands;

use crate::call::Case;
use crate::outcome::NotApplicable;
use crate::presets::plain_calls::sides_of_calls;
use crate::presets::prelude::*;
use crate::recipe::{Judged, expected_order, not_expected, trajectory};

const INVERSE: Flag = Flag::new("inverse", false, "The assertion's `not-` form.");

/// Writes whether an assertion passes.
fn write_pass(passes: bool, writer: &mut JsonWriter) {
    writer.key("pass").bool(passes);
}

/// The tools that a case names: in its order, or else in its calls. A case without any is not applicable.
fn sides_of_names<'c>(recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
    let case: &'c Case<'c> = prepared.case();
    let run = trajectory(case)?;
    let calls = case.expected.calls.as_deref();
    let mut sides = recipe.sides_of(prepared, calls.unwrap_or_default(), run);
    match expected_order(case) {
        Some(order) => (sides.expected, sides.list) = (order, ExpectedList::Order),
        None if calls.is_none() => return Err(not_expected("calls")),
        None => {}
    }
    require_some(&sides)?;
    Ok(sides)
}

/// The original raises an error for an assertion without an expected tool.
fn require_some(sides: &Sides<'_>) -> Result<(), Outcome> {
    if !sides.expected.is_empty() {
        return Ok(());
    }
    let nothing = NotApplicable::NothingExpected {
        what: "list of tools",
    };
    Err(Outcome::NotApplicable(nothing))
}

/// The policy for empty lists: no expected tool is an error; no actual call is scored as usual.
const EMPTY: EmptyPolicy = EmptyPolicy {
    both: Worth::Error("an assertion needs at least one expected tool"),
    expected: Worth::Error("an assertion needs at least one expected tool"),
    ..EmptyPolicy::COMPUTE
};

/// An assertion about the tool calls among a trace's steps.
#[derive(Debug)]
struct Assertion {
    /// True if an expected tool without a name is an error.
    names_required: bool,
}

impl Original for Assertion {
    fn read_case<'c>(&self, recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        self.checked(sides_of_names(recipe, prepared)?)
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        self.checked(sides_of_calls(expected, actual)?)
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        write_pass(judged.score == 1.0, writer);
    }

    fn passes(&self, judged: &Judged<'_, '_, '_>) -> Option<bool> {
        Some(judged.score == 1.0)
    }
}

impl Assertion {
    fn checked<'c>(&self, sides: Sides<'c>) -> Reading<'c> {
        let mut names = sides.expected.as_slice().iter();
        if self.names_required && names.any(|item| item.name().to_text().is_empty()) {
            let message = "an expected tool must have a name or a pattern";
            return Err(EvaluationError::Raised(message.to_owned()).into());
        }
        Ok(without_commands(sides))
    }
}
