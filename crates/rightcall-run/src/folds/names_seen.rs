//! Names in cases in memory, for callers that score cases one by one.

use std::borrow::Borrow;

use rightcall_core::call::Case;
use rightcall_results::RunSummary;

use super::near_names::NearNames;
use super::near_rules::NearRules;
use crate::Configured;
use crate::rule_names::RuleNames;
use crate::slips::Slips;

/// Keys and names of cases, to warn about those that may be misspelled.
#[derive(Debug, Default)]
pub struct NamesSeen {
    slips: Slips,
    /// Set if an evaluator uses rules.
    rules: Option<RuleNames>,
    names: NearNames,
}

impl NamesSeen {
    /// An empty collection for cases that these evaluators score.
    pub fn new<C: Borrow<Configured>>(evaluators: &[C]) -> Self {
        Self {
            rules: RuleNames::new(evaluators),
            ..Self::default()
        }
    }

    /// Adds the names of a case.
    pub fn add(&mut self, case: &Case<'_>) {
        self.slips.add(case);
        if let Some(rules) = &mut self.rules {
            rules.add(case);
        }
        self.names.add_case(case);
    }

    /// Adds the names from another collection.
    pub fn merge(&mut self, other: Self) {
        self.slips.merge(&other.slips);
        if let (Some(rules), Some(more)) = (&mut self.rules, &other.rules) {
            rules.merge(more);
        }
        self.names.merge(other.names);
    }

    /// Adds possible misspellings to the summary of the cases.
    pub fn finish<C: Borrow<Configured>>(self, evaluators: &[C], summary: &mut RunSummary) {
        let mut near_rules = NearRules::new(evaluators);
        self.rules.iter().for_each(|rules| near_rules.add(rules));
        self.slips.finish(summary);
        (summary.near_rules, summary.unshared_keys) = near_rules.finish();
        summary.near_names = self.names.into_near();
    }
}
