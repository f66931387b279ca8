//! An expected tool is not in the agent's catalogue.

use super::{is_known, literal, meant};
use crate::check::{Check, CheckedRule};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
    code: "tool-not-in-catalogue",
    severity: Severity::Error,
    summary: "An expected tool is not among the tools that the agent has.",
    page: "The agent can't call it, so the case can't pass. Often the name is misspelt, or the tool was renamed. Names in `counts`, `order`,
`outputs` and `constraints` are checked too; one that need not be called is a warning, and only if a tool has nearly the same name.

This is an error if the record lists its tools or you gave `--tools`. If the tools were only found in traces, it's a note: there may be more.",
    },
    check: Check::Record(|subject, found| {
        let Some(tools) = &subject.tools else {
            return;
        };
        for call in subject
            .expected
            .calls
            .iter()
            .filter(|call| subject.tool(call).is_none())
        {
            let message = format!(
                "no tool `{}` in the catalogue{}",
                call.tool,
                meant(&call.tool, tools.names())
            );
            let advice = "correct the name, or add the tool to the catalogue";
            let finding = found.in_record(subject, &call.pointer, message, advice);
            if let Some(finding) = finding.filter(|_| !tools.is_complete) {
                finding.is(Severity::Note);
            }
        }
        for named in &subject.expected.named {
            if is_known(&named.name, tools.names()) {
                continue;
            }
            let instead = meant(literal(&named.name), tools.names());
            // A forbidden tool may be unknown, unless its name is nearly a known one.
            if !named.is_demanded && instead.is_empty() {
                continue;
            }
            let message = format!("no tool `{}` in the catalogue{instead}", named.name);
            let advice = "correct the name, or add the tool to the catalogue";
            let finding = found.in_record(subject, &named.pointer, message, advice);
            let severity = match (tools.is_complete, named.is_demanded) {
                (false, _) => Severity::Note,
                (true, false) => Severity::Warning,
                (true, true) => Severity::Error,
            };
            finding.map(|it| it.is(severity));
        }
    }),
};
