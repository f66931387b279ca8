//! What gave the results of a run, as its settings hold it.

use rightcall::value::{JsonText, from_json};
use serde::{Deserialize, Serialize};

/// What gave the results of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSettings {
    /// The evaluators, in the order of the suite.
    pub evaluators: Vec<WeightedEvaluator>,
    /// Files of cases.
    pub cases: Vec<String>,
    /// Files of runs.
    pub traces: Vec<String>,
    /// Cases that the history keeps at most.
    pub max_cases: usize,
    /// The first line of the message of the working copy's commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_subject: Option<String>,
}

/// An evaluator of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightedEvaluator {
    /// With its settings, as `-e` takes it.
    pub evaluator: String,
    /// What its score weighs.
    #[serde(default = "one")]
    pub weight: f64,
}

fn one() -> f64 {
    1.0
}

impl RunSettings {
    /// Reads [`NewRun::settings`](crate::NewRun::settings); what is not known is left empty.
    pub fn from_json(settings: &str) -> Self {
        from_json(settings).unwrap_or_default()
    }

    /// The same as JSON text.
    pub fn to_json(&self) -> String {
        JsonText::from_type(self).into_string()
    }

    /// Each evaluator with its settings, as `-e` takes it.
    pub fn into_arguments(self) -> Vec<String> {
        self.evaluators.into_iter().map(|it| it.evaluator).collect()
    }
}
