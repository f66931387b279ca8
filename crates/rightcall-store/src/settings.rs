//! The settings of a run that determine its results.

use rightcall_core::value::{JsonText, from_json};
use serde::{Deserialize, Serialize};

/// The settings of a run that determine its results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSettings {
    /// The evaluators, in the order of the suite.
    pub evaluators: Vec<WeightedEvaluator>,
    /// The filters of gates. A gate's result has its filter as text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gate_filters: Vec<GateFilter>,
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

/// The cases that a gate looks at: those that fit each list that is not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GateFilter {
    /// Any of these tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Any of these agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// For each meta key, any of the values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub meta: Vec<GateFilterValues>,
}

/// A meta key, with the values that a gate looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GateFilterValues {
    /// The key.
    pub key: String,
    /// Any of these values.
    pub values: Vec<String>,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_round_trip() {
        let settings = RunSettings {
            evaluators: vec![WeightedEvaluator {
                evaluator: "trajectory".to_owned(),
                weight: 2.0,
            }],
            gate_filters: vec![GateFilter {
                tags: vec!["refund".to_owned()],
                agents: Vec::new(),
                meta: vec![GateFilterValues {
                    key: "model".to_owned(),
                    values: vec!["a".to_owned(), "b".to_owned()],
                }],
            }],
            cases: vec!["cases.jsonl".to_owned()],
            ..RunSettings::default()
        };
        assert_eq!(RunSettings::from_json(&settings.to_json()), settings);
    }
}
