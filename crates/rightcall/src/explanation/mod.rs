//! The universal alignment: why a score is what it is, in one form for every evaluator.
//!
//! Everything that people look at is drawn from this alone. Indices are positions in the lists of calls, from 0, flat over
//! turns and invocations.

mod text;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use crate::alignment::Side;

use crate::alignment::Grade;
use crate::call::Case;
use crate::tally::Tally;
use crate::value::{JsonText, Text, deserialize_present};

/// Why a score is what it is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Explanation {
    /// Which expected call is answered by which actual call.
    pub pairs: Vec<ExplainedPair>,
    /// Expected calls that no actual call answers.
    pub missed: Vec<usize>,
    /// Actual calls that answer no expected call.
    pub extra: Vec<usize>,
    /// Actual or expected calls that a set counts once, with the side.
    #[serde(with = "text::sided", skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<(Side, usize)>,
    /// Calls that were not looked at, since the evaluation ended before.
    #[serde(with = "text::sided", skip_serializing_if = "Vec::is_empty")]
    pub not_examined: Vec<(Side, usize)>,
    /// Conditions that were checked, for evaluators that pair no calls.
    #[serde(flatten, with = "text::checks")]
    pub checks: Vec<ExplainedCheck>,
    /// What came out.
    pub tally: Tally,
    /// From the tally to the score, step by step.
    pub arithmetic: Vec<Term>,
    /// What the indices of expected calls count in.
    #[serde(skip_serializing_if = "is_default")]
    pub list: ExpectedList,
    /// What lowers the score.
    #[serde(skip_serializing_if = "is_default")]
    pub costs: Costs,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The list of what was demanded that an evaluator went by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedList {
    /// The order that the case states, which are names alone.
    Order,
    /// The outputs that the case states, or its calls with an output.
    Outputs,
    /// Criteria of the evaluator's own settings.
    Settings,
    /// The calls of the case.
    #[default]
    #[serde(other)]
    Calls,
}

/// Which calls without an answer lower the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Costs {
    /// Expected calls that were missed.
    pub missed: bool,
    /// Actual calls that were extra.
    pub extra: bool,
}

impl Costs {
    /// All of them.
    pub(crate) const BOTH: Self = Self {
        missed: true,
        extra: true,
    };
    /// None: a score falls by what was done although it is forbidden.
    pub(crate) const NONE: Self = Self {
        missed: false,
        extra: false,
    };
    /// Missed calls alone.
    pub(crate) const MISSED: Self = Self {
        missed: true,
        extra: false,
    };
    /// Extra calls alone.
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
    /// What the evaluator holds of the pair.
    pub grade: Grade,
    /// False for a pair made for display only, of a missed and an extra call of one name. Where such a pair is the same
    /// call, it stands in order behind a missed one, and an evaluator that goes no further did not count it.
    pub counted: bool,
    /// Where the arguments differ, as far as the evaluator compares them; none of a pair that is the same call to it.
    pub differences: Vec<Difference>,
    /// Further differences, which are counted alone.
    pub more_differences: usize,
}

impl ExplainedPair {
    /// A pair that counts, of which nothing else is known.
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

/// A place where two arguments differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Difference {
    /// JSON pointer into the arguments; empty for the arguments as a whole.
    pub pointer: String,
    /// What was expected there, as JSON; `None` if nothing stood there.
    #[serde(
        deserialize_with = "deserialize_present",
        skip_serializing_if = "Option::is_none"
    )]
    pub expected: Option<JsonText>,
    /// What was found there, as JSON; `None` if nothing stood there.
    #[serde(
        deserialize_with = "deserialize_present",
        skip_serializing_if = "Option::is_none"
    )]
    pub found: Option<JsonText>,
}

/// A condition that was checked.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExplainedCheck {
    /// What the condition is about.
    pub label: String,
    /// True where that is a tool, or a pattern of tools, whose calls were counted.
    #[serde(skip)]
    pub is_count: bool,
    /// What was wanted.
    pub wanted: String,
    /// What was found.
    pub found: String,
    /// Whether the condition held; `None` where the run did not record what it looks at.
    pub held: Option<bool>,
    /// The actual calls that broke the condition; of one that held, those that were counted.
    pub actual: Vec<usize>,
    /// True for a rule that holds because no call is one that it is about.
    #[serde(skip_serializing_if = "is_default")]
    pub vacuous: bool,
    /// Why the condition exists, as its author says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// One step of the arithmetic: `label = formula = value`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Term {
    /// What is computed: `recall`.
    pub label: Cow<'static, str>,
    /// How, with the numbers put in: `2 / 3`.
    pub formula: String,
    /// The value.
    pub value: f64,
}

impl Explanation {
    /// The name of an expected call in the list that the evaluator went by; `None` for criteria of its settings.
    pub fn expected_name<'c>(&self, case: &'c Case<'c>, index: usize) -> Option<&'c Text<'c>> {
        let stated = &case.expected;
        match self.list {
            ExpectedList::Calls => stated.calls.as_ref()?.get(index).map(|call| &call.name),
            ExpectedList::Order => stated.order.as_ref()?.get(index),
            ExpectedList::Outputs => match &stated.outputs {
                Some(outputs) => outputs.get(index).map(|output| &output.name),
                None => stated
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

    /// Joins the explanation of a later part, its indices moved behind those before.
    pub(crate) fn append(&mut self, mut part: Self) {
        let (expected, actual) = (self.tally.expected, self.tally.actual);
        for pair in &mut part.pairs {
            pair.expected += expected;
            pair.actual += actual;
        }
        let moved = |(side, index)| match side {
            Side::Expected => (side, index + expected),
            Side::Actual => (side, index + actual),
        };
        self.pairs.append(&mut part.pairs);
        let missed = part.missed.into_iter().map(|index| index + expected);
        self.missed.extend(missed);
        let extra = part.extra.into_iter().map(|index| index + actual);
        self.extra.extend(extra);
        self.not_examined
            .extend(part.not_examined.into_iter().map(moved));
        self.duplicates
            .extend(part.duplicates.into_iter().map(moved));
        self.tally = self.tally + part.tally;
    }
}
