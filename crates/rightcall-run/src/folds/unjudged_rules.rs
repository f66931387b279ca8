//! Counts the runs in which a rule could not be judged.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rightcall_results::UnjudgedRule;

use super::{Fold, WRITTEN};
use crate::judged::JudgedCase;
use crate::rule_names::MAX_NAMES;

/// Rules with the reason, each with its number of runs.
#[derive(Debug, Default)]
pub(crate) struct UnjudgedRules(BTreeMap<(String, String), u64>);

impl Fold for UnjudgedRules {
    /// Most frequent first, then by name.
    type Total = Vec<UnjudgedRule>;

    fn add(&mut self, case: &JudgedCase) {
        let found = case.findings.iter().flat_map(|it| &it.unjudged);
        for rule in found {
            if let Some(runs) = self.0.get_mut(rule) {
                *runs += 1;
            } else if self.0.len() < MAX_NAMES {
                self.0.insert(rule.clone(), 1);
            }
        }
    }

    fn finish(self) -> Vec<UnjudgedRule> {
        let rules = self.0.into_iter();
        let rules = rules.map(|((rule, why), runs)| UnjudgedRule { rule, why, runs });
        let mut rules: Vec<_> = rules.collect();
        rules.sort_by_key(|it| Reverse(it.runs));
        rules.truncate(WRITTEN);
        rules
    }
}
