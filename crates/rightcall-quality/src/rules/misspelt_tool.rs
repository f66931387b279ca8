//! A suite rule names an unknown tool, and a known one has nearly the same name.

use super::{is_known, literal, meant};
use crate::check::{Check, CheckedRule};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "misspelt-tool",
        severity: Severity::Warning,
        summary: "A setting of a suite names a tool that nothing else knows, and one that is nearly the same exists.",
        page: r"A rule about a tool that is never called is never broken: `forbidden: [delete_acount]` forbids nothing. Correct the name.

Looked at are the rules of `constraints`, `weigh.tools`, `match.aliases`, `match.tools` and the settings of evaluators that name one tool.
A pattern such as `delete_*` is known if it fits a known tool.",
    },
    check: Check::Suite(|suite, known, found| {
        for tool in &suite.tools {
            let names = || known.iter().map(String::as_str);
            if is_known(&tool.name, names()) {
                continue;
            }
            let instead = meant(literal(&tool.name), names());
            if !instead.is_empty() {
                found.at(
                    suite.place_of(tool.line, &tool.pointer),
                    format!("a setting names `{}`{instead}", tool.name),
                    "correct the name",
                );
            }
        }
    }),
};
