//! Several models in one run, which count as trials of one case.

use std::collections::{BTreeMap, BTreeSet};

use super::compared_run::ComparedRun;
use crate::text::count;

/// Models that are named.
const MODELS: usize = 5;

impl ComparedRun {
    /// The models of cases for which several count as trials, if there are any. Expects the models as the sides of the cases.
    pub fn models_told(&self) -> Option<String> {
        let mut models: BTreeMap<&str, BTreeSet<&String>> = BTreeMap::new();
        for case in &self.scores.cases {
            models.entry(&case.key).or_default().extend(&case.sides);
        }
        models.retain(|_, models| models.len() > 1);
        let names: BTreeSet<&String> = models.values().flatten().copied().collect();
        let number = names.len();
        let shown: Vec<&str> = names.into_iter().take(MODELS).map(String::as_str).collect();
        let more = if number > shown.len() { ", …" } else { "" };
        let (name, cases) = (&self.scores.name, count(models.len() as u64, "case"));
        (number > 0).then(|| {
            let named = shown.join(", ");
            format!(
                "{name}: the {number} models of {cases} count as trials of one case: {named}{more}"
            )
        })
    }
}
