//! The explanation of a score, in one form for all evaluators.
//!
//! All displays are generated from it alone. Indices are positions in the lists of calls, from 0, continuous across turns and invocations.

mod text;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use crate::alignment::Side;

use crate::alignment::Grade;
use crate::call::Case;
use crate::tally::Tally;
use crate::value::{JsonText, Text, deserialize_present};

/// The explanation of a score.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Explanation {
    /// The pairs of an expected and an actual call.
    pub pairs: Vec<ExplainedPair>,
    /// Expected calls without an actual call.
    pub missed: Vec<usize>,
    /// Actual calls without an expected call.
    pub extra: Vec<usize>,
    /// Calls that duplicate another call of their side, for evaluators that compare sets.
    #[serde(with = "text::sided", skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<(Side, usize)>,
    /// Calls that were not compared because the evaluation ended early.
    #[serde(with = "text::sided", skip_serializing_if = "Vec::is_empty")]
    pub not_examined: Vec<(Side, usize)>,
    /// Checked conditions, for evaluators that don't pair calls.
    #[serde(flatten, with = "text::checks")]
    pub checks: Vec<ExplainedCheck>,
    /// The counts of the result.
    pub tally: Tally,
    /// The computation from the tally to the score, step by step.
    pub arithmetic: Vec<Term>,
    /// The list that indices of expected calls refer to.
    #[serde(skip_serializing_if = "is_default")]
    pub list: ExpectedList,
    /// The calls that lower the score.
    #[serde(skip_serializing_if = "is_default")]
    pub costs: Costs,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The expected list that an evaluator used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedList {
    /// The case's order, a list of names.
    Order,
    /// The case's outputs, or its calls with an output.
    Outputs,
    /// Criteria in the evaluator's own settings.
    Settings,
    /// The calls of the case.
    #[default]
    #[serde(other)]
    Calls,
}

/// Which unpaired calls lower the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Costs {
    /// Missed expected calls.
    pub missed: bool,
    /// Extra actual calls.
    pub extra: bool,
}

impl Costs {
    /// Both kinds.
    pub(crate) const BOTH: Self = Self {
        missed: true,
        extra: true,
    };
    /// Neither: only forbidden calls lower the score.
    pub(crate) const NONE: Self = Self {
        missed: false,
        extra: false,
    };
    /// Only missed calls.
    pub(crate) const MISSED: Self = Self {
        missed: true,
        extra: false,
    };
    /// Only extra calls.
    pub(crate) const EXTRA: Self = Self {
        missed: false,
        extra: true,
    };
}

impl Default for Costs {
    fn default() -> Self {
        Self::BOTH
    }
}

/// A pair of calls.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "text::PairText<'_>")]
pub struct ExplainedPair {
    /// Index of the expected call.
    pub expected: usize,
    /// Index of the actual call.
    pub actual: usize,
    /// The evaluator's grade for the pair.
    pub grade: Grade,
    /// False for a pair made only for display, from a missed and an extra call with the same name. If the two calls are equal, the pair
    /// comes after a missed call at which the evaluator stopped, so it did not count.
    pub counted: bool,
    /// Differences of the arguments, as far as the evaluator compares them; empty if it considers
    /// the calls equal.
    pub differences: Vec<Difference>,
    /// Number of further differences that are not listed.
    pub more_differences: usize,
}

impl ExplainedPair {
    /// A counted pair without details.
    pub fn new(expected: usize, actual: usize) -> Self {
        Self {
            expected,
            actual,
            grade: Grade::Unlike,
            counted: true,
            differences: Vec::new(),
            more_differences: 0,
        }
    }
}

/// A difference between two arguments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Difference {
    /// JSON pointer into the arguments; empty for the arguments as a whole.
    pub pointer: String,
    /// The expected value, as JSON; `None` if it is missing. `NaN` and infinities are as in Python's `json`; serialized they are texts.
    #[serde(
        deserialize_with = "deserialize_present",
        serialize_with = "text::serialize_strictly",
        skip_serializing_if = "Option::is_none"
    )]
    pub expected: Option<JsonText>,
    /// The actual value, in the same form; `None` if it is missing.
    #[serde(
        deserialize_with = "deserialize_present",
        serialize_with = "text::serialize_strictly",
        skip_serializing_if = "Option::is_none"
    )]
    pub found: Option<JsonText>,
}

/// A checked condition.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExplainedCheck {
    /// The subject of the condition.
    pub label: String,
    /// True if the subject is a tool or a pattern of tools, and its calls were counted.
    #[serde(skip)]
    pub is_count: bool,
    /// The requirement.
    pub wanted: String,
    /// What was found.
    pub found: String,
    /// Whether the condition held; `None` if the run lacks the required data.
    pub held: Option<bool>,
    /// The actual calls that broke the condition; if it held, the calls that were counted.
    pub actual: Vec<usize>,
    /// True for a rule that holds because no call concerns it.
    #[serde(skip_serializing_if = "is_default")]
    pub vacuous: bool,
    /// The author's reason for the condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// One step of the computation: `label = formula = value`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Term {
    /// The name of the quantity: `recall`.
    pub label: Cow<'static, str>,
    /// The formula with numbers: `2 / 3`.
    pub formula: String,
    /// The value.
    pub value: f64,
}

impl Explanation {
    /// The name of an expected call in the list that the evaluator used; `None` for criteria in its settings.
    pub fn expected_name<'c>(&self, case: &'c Case<'c>, index: usize) -> Option<&'c Text<'c>> {
        let expected = &case.expected;
        match self.list {
            ExpectedList::Calls => expected.calls.as_ref()?.get(index).map(|call| &call.name),
            ExpectedList::Order => expected.order.as_ref()?.get(index),
            ExpectedList::Outputs => match &expected.outputs {
                Some(outputs) => outputs.get(index).map(|output| &output.name),
                None => expected
                    .calls
                    .iter()
                    .flatten()
                    .filter(|call| call.metadata().output.is_some())
                    .nth(index)
                    .map(|call| &call.name),
            },
            ExpectedList::Settings => None,
        }
    }

    /// Appends the explanation of a later part, with its indices shifted.
    pub(crate) fn append(&mut self, mut part: Self) {
        let (expected, actual) = (self.tally.expected, self.tally.actual);
        for pair in &mut part.pairs {
            pair.expected += expected;
            pair.actual += actual;
        }
        let shifted = |(side, index)| match side {
            Side::Expected => (side, index + expected),
            Side::Actual => (side, index + actual),
        };
        self.pairs.append(&mut part.pairs);
        let missed = part.missed.into_iter().map(|index| index + expected);
        self.missed.extend(missed);
        let extra = part.extra.into_iter().map(|index| index + actual);
        self.extra.extend(extra);
        self.not_examined
            .extend(part.not_examined.into_iter().map(shifted));
        self.duplicates
            .extend(part.duplicates.into_iter().map(shifted));
        self.tally = self.tally + part.tally;
    }
}
