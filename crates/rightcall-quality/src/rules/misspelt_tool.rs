//! A suite rule names an unknown tool, and a known one has nearly the same name.

use super::meant;
use crate::check::{Check, CheckedRule};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "misspelt-tool",
        severity: Severity::Warning,
        summary: "A rule of a suite names a tool that nothing else knows, and one that is nearly the same exists.",
        page: "A rule about a tool that is never called is never broken: `never: delete_acount` forbids nothing. Correct the name.",
    },
    check: Check::Suite(|suite, known, found| {
        for name in &suite.tools_in_rules {
            if known.contains(name) {
                continue;
            }
            let instead = meant(name, known.iter().map(String::as_str));
            if !instead.is_empty() {
                found.at(
                    suite.place(),
                    format!("a rule names `{name}`{instead}"),
                    "correct the name",
                );
            }
        }
    }),
};
