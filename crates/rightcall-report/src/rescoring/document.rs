//! Rescored rollouts for programs, as JSON.

use rightcall_stats::{Prediction, SettingPair, SettingSpread};
use serde::Serialize;

use super::parted::PartedRows;
use super::report::RescoringReport;

#[derive(Serialize)]
struct RescoringDocument<'r> {
    rollouts: &'r str,
    rows: usize,
    groups: usize,
    confidence: f64,
    settings: Vec<SettingDocument<'r>>,
    pairs: Vec<SettingPairDocument<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    predictions: &'r [Prediction],
}

#[derive(Serialize)]
struct SettingDocument<'r> {
    #[serde(flatten)]
    spread: &'r SettingSpread,
    not_applicable: usize,
    errors: usize,
    without_score: Vec<GapDocument<'r>>,
}

#[derive(Serialize)]
struct GapDocument<'r> {
    outcome: &'static str,
    reason: &'r str,
    rows: usize,
    example: String,
}

#[derive(Serialize)]
struct SettingPairDocument<'r> {
    first: &'r str,
    second: &'r str,
    #[serde(flatten)]
    pair: &'r SettingPair,
    parted: &'r [PartedRows],
}

impl RescoringReport<'_> {
    /// The rollouts as a JSON document on one line.
    ///
    /// # Panics
    /// Never: keys are strings, and numbers that are not finite become null.
    pub fn json(&self) -> String {
        let settings = self.spreads.iter().enumerate().map(|(at, spread)| {
            let (not_applicable, errors) = self.unscored(at);
            let gaps = self.rows.gaps[at].iter().map(|gap| GapDocument {
                outcome: if gap.is_error {
                    "error"
                } else {
                    "not_applicable"
                },
                reason: &gap.reason,
                rows: gap.rows,
                example: self.rows.name(gap.example),
            });
            SettingDocument {
                spread,
                not_applicable,
                errors,
                without_score: gaps.collect(),
            }
        });
        let pairs = self.pairs.iter().map(|(pair, parted)| SettingPairDocument {
            first: self.setting(pair.first),
            second: self.setting(pair.second),
            pair,
            parted,
        });
        let document = RescoringDocument {
            rollouts: self.name,
            rows: self.rows.len(),
            groups: self.groups,
            confidence: self.options.confidence,
            settings: settings.collect(),
            pairs: pairs.collect(),
            against: self.options.against_text(),
            predictions: &self.predictions,
        };
        serde_json::to_string(&document)
            .expect("keys are texts, and numbers that are not finite are null")
    }
}
