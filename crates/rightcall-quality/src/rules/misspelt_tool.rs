//! A suite rule names an unknown tool, and a known one has nearly the same name.

use super::{is_known, literal, meant};
use crate::check::{Check, CheckedRule};
use crate::{LintRule, Severity, ToolInSuite};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "misspelt-tool",
        severity: Severity::Warning,
        summary: "A setting of a suite names an unknown tool, and one that is nearly the same exists.",
        page: r"A rule about a tool that is never called is never broken: `forbidden: [delete_acount]` forbids nothing. Correct the name.

Looked at are the rules of `constraints`, `weigh.tools`, `match.aliases`, `match.tools`, the settings of evaluators that name one tool, and the default
criteria of UiPath's evaluators. A pattern such as `delete_*` is known if it fits a known tool. With `--tools`, a tool that has to be called must be in the
catalogue, whether or not another has nearly the same name.",
    },
    check: Check::All(|input, found| {
        let names = || input.names.iter().map(String::as_str);
        let unknown = |it: &&ToolInSuite| !is_known(&it.name, names());
        let tools = input.suites.iter().flat_map(|(_, suite)| &suite.tools);
        for tool in tools.filter(unknown) {
            let instead = meant(literal(&tool.name), names());
            let is_missing = tool.is_demanded && input.given.is_complete;
            if !instead.is_empty() || is_missing {
                let message = format!("a setting names `{}`{instead}", tool.name);
                let message = if is_missing {
                    format!("{message}: no tool of this name in the catalogue")
                } else {
                    message
                };
                found.at(tool.place(), message, "correct the name");
            }
        }
    }),
};
