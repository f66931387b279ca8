//! An expectation allows a required argument to be omitted.

use crate::check::{Check, CheckedRule};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "unreachable-alternative",
        severity: Severity::Warning,
        summary: "An expectation accepts that a required argument is left out.",
        page: r#"The schema requires the argument, so no right call leaves it out, and a wrong one that does passes.

`"city": ["Oslo", ""]` for a required `city`: remove `""`. `{"$optional": …}` in a case is the same."#,
    },
    check: Check::Record(|subject, found| {
        for (_, tool, arguments) in subject.known_calls() {
            let required = arguments
                .iter()
                .filter(|it| tool.is_required(&it.name) && !it.accepted.is_empty());
            for argument in required.filter(|it| !it.left_out.is_empty()) {
                let message = format!(
                    "{}.{}: the schema requires it, yet a call without it is accepted",
                    tool.name, argument.name
                );
                let advice = "remove the alternative, or make the argument optional in the schema";
                found.in_record(subject, &argument.pointer, message, advice);
            }
        }
    }),
};
