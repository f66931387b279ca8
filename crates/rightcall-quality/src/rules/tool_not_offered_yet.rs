//! A tool is expected in a turn before the agent gets it.

use crate::check::{Check, CheckedRule};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
    code: "tool-not-offered-yet",
    severity: Severity::Error,
    summary: "A tool is expected in a turn before the one in which the agent gets it.",
    page: "`missed_function` (or `withheld`) says from which turn on a tool is offered. A call of it in an earlier turn can't be made: move the call to that turn,
or offer the tool sooner.",
    },
    check: Check::Record(|subject, found| {
        for call in &subject.expected.calls {
            let offered = subject.expected.withheld.get(&call.tool);
            if let Some(offered) = offered.filter(|offered| call.turn < **offered) {
                let message = format!(
                    "{} is expected in turn {}, and offered from turn {offered} on",
                    call.tool, call.turn
                );
                found.in_record(
                    subject,
                    &call.pointer,
                    message,
                    "move the call, or offer the tool sooner",
                );
            }
        }
    }),
};
