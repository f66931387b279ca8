//! A rule of `constraints` that no run breaks.

use crate::check::{Check, CheckedRule};
use crate::written_rules::{RuleVerdicts, rule_lists};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "rule-never-broken",
        severity: Severity::Warning,
        summary: "A rule of `constraints` that no run breaks.",
        page: r"The rule says nothing, so another one was meant. All runs of a few calls are made and judged.

`at least 0 refund`, `first *`: name the tool or the number that is meant, or remove the rule.",
    },
    check: Check::All(|input, found| {
        let mut verdicts = RuleVerdicts::default();
        for list in rule_lists(input) {
            for rule in list.rules.iter().filter(|it| verdicts.is_never_broken(it)) {
                let message = format!("no run breaks {}", rule.to_text());
                let advice = "name the tool or the number that is meant, or remove the rule";
                list.report(rule, found, message, advice);
            }
        }
    }),
};
