//! A suite, or one of its profiles, that `rightcall run` refuses.

use crate::check::{Check, CheckedRule};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "suite-invalid",
        severity: Severity::Error,
        summary: "A suite, or one of its profiles, that `rightcall run` refuses.",
        page: r#"An unknown key, evaluator or setting, a gate on an evaluator that the suite does not have or on a tag that no case has, or a rule
that is none. Profiles are checked too, each with the keys that it replaces.

`profiles: {ci: {gates: [{trajectry: {mean: ">= 0.9"}}]}}`: the message names the nearest valid name."#,
    },
    check: Check::Suite(|suite, found| {
        for it in &suite.errors {
            let place = suite.place_of(it.line, &it.pointer);
            found.at(place, it.message.clone(), it.advice.clone());
        }
    }),
};
