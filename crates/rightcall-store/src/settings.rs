//! The settings of a run that determine its results.

use rightcall_core::value::{JsonText, from_json};
use serde::{Deserialize, Serialize};

/// The settings of a run that determine its results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSettings {
    /// The evaluators, in the order of the suite.
    pub evaluators: Vec<WeightedEvaluator>,
    /// Files of cases.
    pub cases: Vec<String>,
    /// Files of runs.
    pub traces: Vec<String>,
    /// Maximum number of cases that the history stores.
    pub max_cases: usize,
    /// The subject line of the commit in the working copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_subject: Option<String>,
}

/// An evaluator of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightedEvaluator {
    /// The evaluator with its settings, as an argument of `-e`.
    pub evaluator: String,
    /// The weight of its score.
    #[serde(default = "one")]
    pub weight: f64,
}

fn one() -> f64 {
    1.0
}

impl RunSettings {
    /// Parses [`NewRun::settings`](crate::NewRun::settings); missing values stay empty.
    pub fn from_json(settings: &str) -> Self {
        from_json(settings).unwrap_or_default()
    }

    /// The settings as JSON text.
    pub fn to_json(&self) -> String {
        JsonText::from_type(self).into_string()
    }

    /// Each evaluator with its settings, as arguments of `-e`.
    pub fn into_arguments(self) -> Vec<String> {
        self.evaluators.into_iter().map(|it| it.evaluator).collect()
    }
}
