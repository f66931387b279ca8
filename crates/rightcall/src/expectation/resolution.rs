//! An expectation resolved for one run: the accepted run nearest to what was done, its calls made concrete.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::value::{JsonText, RawJson, Text, Value, serialize_raw, serialize_raw_option};

use super::alignment::RunPair;
use super::choices::TreeChoice;

/// The accepted run nearest to the actual calls.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// The number of missed calls, of extra calls, and of pairs by name alone; 0 where the run is accepted.
    pub cost: u64,
    /// The pairs in which all that is demanded is met.
    pub full: usize,
    /// The leaves of the accepted run, by their numbers in written order.
    pub run: Vec<u32>,
    /// The reported alignment.
    pub pairs: Vec<RunPair>,
    /// The calls of the accepted run, made concrete.
    pub calls: Vec<ResolvedCall>,
    /// What the variables stand for; those that stand for nothing are left out.
    pub variables: Vec<BoundVariable>,
    /// Which ways the run takes through the tree.
    pub choices: Vec<TreeChoice>,
    /// What is wrong that no list of calls could say, a sentence each.
    pub findings: Vec<String>,
    /// The number of calls of the shortest run that is accepted.
    pub shortest: u64,
    /// The number of actual calls.
    pub actual: usize,
}

/// A call of the accepted run. Serialized as cases have it.
#[derive(Clone, Debug, Serialize)]
pub struct ResolvedCall {
    /// The tool.
    pub name: Text<'static>,
    /// The arguments, as JSON text; `None` where nothing is demanded of them.
    #[serde(
        rename = "args",
        serialize_with = "serialize_raw_option",
        skip_serializing_if = "Option::is_none"
    )]
    pub arguments: Option<String>,
    /// The output, as JSON text.
    #[serde(
        serialize_with = "serialize_raw_option",
        skip_serializing_if = "Option::is_none"
    )]
    pub output: Option<String>,
    /// The arguments as evaluators compare them, if that is another text: what does not hold equals nothing there.
    #[serde(skip)]
    pub(super) compared_arguments: Option<String>,
    /// As [`compared_arguments`](Self::compared_arguments).
    #[serde(skip)]
    pub(super) compared_output: Option<String>,
    /// Other keys of the call as written, each with its JSON text.
    #[serde(skip)]
    pub others: Vec<(Text<'static>, String)>,
}

/// A variable and its value.
#[derive(Clone, Debug, Serialize)]
pub struct BoundVariable {
    /// Its name.
    pub name: Text<'static>,
    /// The value, as JSON text.
    #[serde(serialize_with = "serialize_raw")]
    pub value: String,
    /// Where the variable stands first, an RFC 6901 pointer into the expectation.
    pub pointer: String,
}

/// How much of a resolution is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResolutionPart {
    /// Whether the run is accepted, and its cost.
    Cost,
    /// Also which ways were taken, and what the variables stand for.
    Choices,
    /// Also the calls and the pairs.
    Whole,
}

impl Resolution {
    /// True if the expectation accepts the actual calls.
    pub fn is_accepted(&self) -> bool {
        self.cost == 0
    }

    /// How near the actual calls are to being accepted: `1 - cost / (actual + shortest)`, 1 where both are 0.
    ///
    /// Source: Adriansyah, *Aligning Observed and Modeled Behavior* (2014), trace fitness by alignments; van der Aalst, *Process Mining*
    /// (2016), 8.3.
    pub fn fitness(&self) -> f64 {
        let worst = self.actual as u64 + self.shortest;
        if worst == 0 {
            1.0
        } else {
            1.0 - self.cost as f64 / worst as f64
        }
    }

    /// What came of the expectation as JSON text: whether the run is accepted, its cost, and more as asked for.
    pub fn to_json(&self, part: ResolutionPart) -> JsonText {
        JsonText::from_type(&ResolutionText {
            accepted: self.is_accepted(),
            cost: self.cost,
            choices: (part >= ResolutionPart::Choices).then_some(ChoicesText {
                choices: &self.choices,
                variables: &self.variables,
                findings: &self.findings,
            }),
            alignment: (part == ResolutionPart::Whole).then(|| self.alignment()),
        })
    }

    /// What the definition demands of a resolution, in its words: cost, full pairs, leaves, calls, pairs, and the variables as an object.
    pub fn definition_json(&self) -> JsonText {
        JsonText::from_type(&DefinitionText {
            cost: self.cost,
            full: self.full,
            run: &self.run,
            alignment: self.alignment(),
            variables: (self.variables.iter())
                .map(|it| (&it.name, RawJson(&it.value)))
                .collect(),
        })
    }

    fn alignment(&self) -> AlignmentText<'_> {
        AlignmentText {
            calls: &self.calls,
            pairs: &self.pairs,
        }
    }
}

#[derive(Serialize)]
struct ResolutionText<'r> {
    accepted: bool,
    cost: u64,
    #[serde(flatten)]
    choices: Option<ChoicesText<'r>>,
    #[serde(flatten)]
    alignment: Option<AlignmentText<'r>>,
}

#[derive(Serialize)]
struct ChoicesText<'r> {
    choices: &'r [TreeChoice],
    variables: &'r [BoundVariable],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    findings: &'r [String],
}

#[derive(Serialize)]
struct AlignmentText<'r> {
    calls: &'r [ResolvedCall],
    pairs: &'r [RunPair],
}

#[derive(Serialize)]
struct DefinitionText<'r> {
    cost: u64,
    full: usize,
    run: &'r [u32],
    #[serde(flatten)]
    alignment: AlignmentText<'r>,
    variables: BTreeMap<&'r Text<'static>, RawJson<'r>>,
}

impl ResolvedCall {
    /// The arguments as evaluators compare them: what is demanded and was not found equals nothing.
    pub fn compared_arguments(&self) -> Option<&str> {
        self.compared_arguments
            .as_deref()
            .or(self.arguments.as_deref())
    }

    /// The output as evaluators compare it.
    pub fn compared_output(&self) -> Option<&str> {
        self.compared_output.as_deref().or(self.output.as_deref())
    }
}

pub(super) fn json(value: &Value<'_>) -> String {
    JsonText::from_value(value).into_string()
}
