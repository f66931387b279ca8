//! The universal alignment: why a score is what it is, in one form for every evaluator.
//!
//! Everything that people look at is drawn from this alone. Indices are positions in the lists of calls, from 0, flat over
//! turns and invocations.

mod read;

use std::borrow::Cow;

pub use crate::alignment::Side;

use crate::alignment::Grade;
use crate::call::Case;
use crate::tally::Tally;
use crate::value::{JsonText, JsonWriter, Text};

/// Why a score is what it is.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// Which expected call is answered by which actual call.
    pub pairs: Vec<ExplainedPair>,
    /// Expected calls that no actual call answers.
    pub missed: Vec<usize>,
    /// Actual calls that answer no expected call.
    pub extra: Vec<usize>,
    /// Actual or expected calls that a set counts once, with the side.
    pub duplicates: Vec<(Side, usize)>,
    /// Calls that were not looked at, since the evaluation ended before.
    pub not_examined: Vec<(Side, usize)>,
    /// Conditions that were checked, for evaluators that pair no calls.
    pub checks: Vec<ExplainedCheck>,
    /// What came out.
    pub tally: Tally,
    /// From the tally to the score, step by step.
    pub arithmetic: Vec<Term>,
    /// What the indices of expected calls count in.
    pub list: ExpectedList,
    /// What lowers the score.
    pub costs: Costs,
}

/// The list of what was demanded that an evaluator went by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpectedList {
    /// The calls of the case.
    #[default]
    Calls,
    /// The order that the case states, which are names alone.
    Order,
    /// The outputs that the case states, or its calls with an output.
    Outputs,
    /// Criteria of the evaluator's own settings.
    Settings,
}

/// Which calls without an answer lower the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// JSON pointer into the arguments; empty for the arguments as a whole.
    pub pointer: String,
    /// What was expected there, as JSON; `None` if nothing stood there.
    pub expected: Option<JsonText>,
    /// What was found there, as JSON; `None` if nothing stood there.
    pub found: Option<JsonText>,
}

/// A condition that was checked.
#[derive(Clone, Debug)]
pub struct ExplainedCheck {
    /// What the condition is about.
    pub label: String,
    /// True where that is a tool, or a pattern of tools, whose calls were counted.
    pub is_count: bool,
    /// What was wanted.
    pub wanted: String,
    /// What was found.
    pub found: String,
    /// Whether the condition held; `None` where the run did not record what it looks at.
    pub held: Option<bool>,
    /// The actual calls that broke the condition; of one that held, those that were counted.
    pub actual: Vec<usize>,
}

impl ExplainedCheck {
    /// Writes the member `checks` of an object.
    pub(crate) fn write_all(checks: &[Self], writer: &mut JsonWriter) {
        writer.word("checks").begin_list();
        for check in checks {
            writer.begin_object().word("label").str(&check.label);
            writer.word("wanted").str(&check.wanted);
            writer.word("found").str(&check.found).word("held");
            match check.held {
                Some(held) => writer.bool(held),
                None => writer.null(),
            };
            indices(writer, "actual", &check.actual);
            writer.end_object();
        }
        writer.end_list();
    }

    /// The checks that count calls.
    fn counts(checks: &[Self]) -> Vec<usize> {
        let is_count = |&index: &usize| checks[index].is_count;
        (0..checks.len()).filter(is_count).collect()
    }
}

/// One step of the arithmetic: `label = formula = value`.
#[derive(Clone, Debug, PartialEq)]
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

    /// The explanation as JSON text.
    pub fn to_json(&self) -> JsonText {
        let mut writer = JsonWriter::with_room();
        writer.begin_object();
        self.write_pairs(&mut writer);
        indices(&mut writer, "missed", &self.missed);
        indices(&mut writer, "extra", &self.extra);
        sided(&mut writer, "duplicates", &self.duplicates);
        sided(&mut writer, "not_examined", &self.not_examined);
        if !self.checks.is_empty() {
            ExplainedCheck::write_all(&self.checks, &mut writer);
            indices(&mut writer, "counts", &ExplainedCheck::counts(&self.checks));
        }
        writer.word("tally").begin_object();
        for (key, count) in self.tally.counts() {
            writer.word(key).count(count);
        }
        writer.word("credit").float(self.tally.credit).end_object();
        writer.word("arithmetic").begin_list();
        for term in &self.arithmetic {
            writer
                .begin_object()
                .word("label")
                .str(&term.label)
                .word("formula")
                .str(&term.formula);
            writer.word("value").float(term.value).end_object();
        }
        writer.end_list();
        if self.list != ExpectedList::default() {
            writer.word("list").str(self.list.name());
        }
        if self.costs != Costs::default() {
            writer
                .word("costs")
                .begin_object()
                .word("missed")
                .bool(self.costs.missed);
            writer.word("extra").bool(self.costs.extra).end_object();
        }
        writer.end_object();
        writer.finish()
    }

    fn write_pairs(&self, writer: &mut JsonWriter) {
        writer.word("pairs").begin_list();
        for pair in &self.pairs {
            writer
                .begin_object()
                .word("expected")
                .count(pair.expected)
                .word("actual")
                .count(pair.actual);
            writer.word("grade");
            match pair.grade {
                Grade::Full => writer.raw("\"full\""),
                Grade::Partial(share) => writer.raw("\"partial\"").word("share").float(share),
                Grade::NameOnly => writer.raw("\"name_only\""),
                Grade::Unlike => writer.raw("\"unlike\""),
            };
            writer
                .word("counted")
                .bool(pair.counted)
                .word("differences")
                .begin_list();
            for difference in &pair.differences {
                writer
                    .begin_object()
                    .word("pointer")
                    .str(&difference.pointer);
                for (key, value) in [
                    ("expected", &difference.expected),
                    ("found", &difference.found),
                ] {
                    if let Some(value) = value {
                        writer.word(key).raw(value.as_str());
                    }
                }
                writer.end_object();
            }
            writer.end_list();
            if pair.more_differences > 0 {
                writer.word("more_differences").count(pair.more_differences);
            }
            writer.end_object();
        }
        writer.end_list();
    }
}

fn indices(writer: &mut JsonWriter, key: &'static str, indices: &[usize]) {
    writer.word(key).begin_list();
    for &index in indices {
        writer.count(index);
    }
    writer.end_list();
}

fn sided(writer: &mut JsonWriter, key: &'static str, members: &[(Side, usize)]) {
    if members.is_empty() {
        return;
    }
    writer.word(key).begin_object();
    for (name, side) in [("expected", Side::Expected), ("actual", Side::Actual)] {
        let of_side: Vec<usize> = members
            .iter()
            .filter(|(it, _)| *it == side)
            .map(|&(_, index)| index)
            .collect();
        indices(writer, name, &of_side);
    }
    writer.end_object();
}
