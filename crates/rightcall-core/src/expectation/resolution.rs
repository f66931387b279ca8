//! The resolution of an expectation for a run: the nearest accepted run, with concrete calls.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::value::{JsonText, RawJson, Text, Value, serialize_raw, serialize_raw_option};

use super::alignment::RunPair;
use super::choices::TreeChoice;

/// The accepted run nearest to the actual calls.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// Number of missed calls, extra calls, and pairs by name alone; 0 if the run is accepted.
    pub cost: u64,
    /// Number of pairs that meet the whole demand.
    pub full: usize,
    /// The leaves of the accepted run, numbered in written order.
    pub run: Vec<u32>,
    /// The reported alignment.
    pub pairs: Vec<RunPair>,
    /// The calls of the accepted run, made concrete.
    pub calls: Vec<ResolvedCall>,
    /// The values of the variables; variables without a value are left out.
    pub variables: Vec<BoundVariable>,
    /// The run's choices in the tree.
    pub choices: Vec<TreeChoice>,
    /// Errors that a list of calls can't show, one sentence each.
    pub findings: Vec<String>,
    /// The number of calls in the shortest accepted run.
    pub shortest: u64,
    /// The number of actual calls.
    pub actual: usize,
}

/// A call of the accepted run. Serialized as in cases.
#[derive(Clone, Debug, Serialize)]
pub struct ResolvedCall {
    /// The tool.
    pub name: Text<'static>,
    /// The arguments, as JSON text; `None` if there is no demand on them.
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
    /// The arguments for evaluators to compare, if they differ: a pattern that doesn't hold equals no actual value there.
    #[serde(skip)]
    pub(super) compared_arguments: Option<String>,
    /// Like [`compared_arguments`](Self::compared_arguments).
    #[serde(skip)]
    pub(super) compared_output: Option<String>,
    /// Other keys of the call as written, with their JSON text.
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
    /// The variable's first location in the expectation, an RFC 6901 pointer.
    pub pointer: String,
}

/// The parts of a resolution to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResolutionPart {
    /// Whether the run is accepted, and its cost.
    Cost,
    /// Also the choices, and the values of variables.
    Choices,
    /// Also the calls and the pairs.
    Whole,
}

impl Resolution {
    /// True if the expectation accepts the actual calls.
    pub fn is_accepted(&self) -> bool {
        self.cost == 0
    }

    /// How close the actual calls are to an accepted run: `1 - cost / (actual + shortest)`, or 1 if both are 0.
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

    /// The result as JSON text: whether the run is accepted, its cost, and the requested parts.
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

    /// The fields of a resolution under the names of the definition: cost, full pairs, leaves, calls, pairs, and the variables as an
    /// object.
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
    /// The arguments for evaluators to compare. A demanded value that was not found equals no actual value.
    pub fn compared_arguments(&self) -> Option<&str> {
        self.compared_arguments
            .as_deref()
            .or(self.arguments.as_deref())
    }

    /// The output for evaluators to compare.
    pub fn compared_output(&self) -> Option<&str> {
        self.compared_output.as_deref().or(self.output.as_deref())
    }
}

pub(super) fn json(value: &Value<'_>) -> String {
    JsonText::from_python_value(value).into_string()
}
