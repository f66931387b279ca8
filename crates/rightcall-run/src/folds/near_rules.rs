//! Tools and keys that rules name, and that occur in no run and no case.

use std::borrow::Borrow;

use rightcall_core::call::Case;
use rightcall_results::{NearName, UnsharedKey};

use super::near_names::{is_pattern, nearest, nearest_key};
use crate::Configured;
use crate::rule_names::{MAX_NAMES, NameCounts, RuleNames, add_rules, names_in_settings};

/// The names in rules, and the known names.
#[derive(Debug, Default)]
pub struct NearRules {
    of_settings: NameCounts,
    of_cases: RuleNames,
}

impl NearRules {
    pub(super) fn new<C: Borrow<Configured>>(evaluators: &[C]) -> Self {
        Self {
            of_settings: names_in_settings(evaluators),
            of_cases: RuleNames::new(evaluators).unwrap_or_default(),
        }
    }

    /// The names in the settings of `constraints`, a JSON object.
    pub fn from_settings(settings: &str) -> Self {
        let mut names = Self::default();
        add_rules(settings, &mut names.of_settings);
        names.of_cases.same.add_rules(settings);
        names
    }

    /// Adds the names of a case.
    pub fn add_case(&mut self, case: &Case<'_>) {
        self.of_cases.add(case);
    }

    /// Adds the names of some cases.
    pub(super) fn add(&mut self, names: &RuleNames) {
        self.of_cases.merge(names);
    }

    /// The unknown tools, each with a similar known name, and the keys of `same` that no call has. No tools if not all names are known.
    pub fn finish(self) -> (Vec<NearName>, Vec<UnsharedKey>) {
        let RuleNames {
            mut ruled,
            known,
            same,
        } = self.of_cases;
        let mut keys = same.finish();
        for missing in &mut keys {
            missing.near = nearest_key(&missing.key, &missing.others);
        }
        if known.len() >= MAX_NAMES {
            return (Vec::new(), keys);
        }
        ruled.extend(self.of_settings);
        let unknown = ruled
            .keys()
            .filter(|name| !known.contains_key(*name) && !is_pattern(name));
        let near = unknown.filter_map(|name| nearest(name, &known)).collect();
        (near, keys)
    }
}
