//! Tools that rules name and that occur in no run and no case, each with a similar known name.

use std::borrow::Borrow;

use rightcall_results::NearName;

use super::near_names::{is_pattern, nearest};
use crate::Configured;
use crate::rule_names::{MAX_NAMES, NameCounts, RuleNames, names_in_settings};

/// The names in rules, and the known names.
pub(super) struct NearRules {
    of_settings: NameCounts,
    of_cases: RuleNames,
}

impl NearRules {
    pub(super) fn new<C: Borrow<Configured>>(evaluators: &[C]) -> Self {
        Self {
            of_settings: names_in_settings(evaluators),
            of_cases: RuleNames::default(),
        }
    }

    /// Adds the names of some cases.
    pub(super) fn add(&mut self, names: &RuleNames) {
        self.of_cases.merge(names);
    }

    /// Returns none if not all names are known.
    pub(super) fn finish(self) -> Vec<NearName> {
        let RuleNames { mut ruled, known } = self.of_cases;
        if known.len() >= MAX_NAMES {
            return Vec::new();
        }
        ruled.extend(self.of_settings);
        let unknown = ruled
            .keys()
            .filter(|name| !known.contains_key(*name) && !is_pattern(name));
        unknown.filter_map(|name| nearest(name, &known)).collect()
    }
}
