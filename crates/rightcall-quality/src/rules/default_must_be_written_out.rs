//! The expected value is the schema's default, but a call that omits the argument is rejected.

use crate::check::{Check, CheckedRule};
use crate::expected::ExpectationForm;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "default-must-be-written-out",
        severity: Severity::Warning,
        summary: "The expected value is the schema's default, yet a call that leaves it out is not accepted.",
        page: r#"A call without the argument does exactly the same, and fails.

`"unit": ["celsius"]` against `"default": "celsius"`: write `["celsius", ""]`. Only answers with lists of accepted values are checked; for
other cases see [default-written-or-left-out](#default-written-or-left-out)."#,
    },
    check: Check::Record(|subject, found| {
        if subject.expected.shape != ExpectationForm::Alternatives {
            return;
        }
        for (_, tool, arguments) in subject.known_calls() {
            for argument in arguments.iter().filter(|it| it.left_out.is_empty()) {
                let Some(default) = tool
                    .default(&argument.name)
                    .filter(|_| !tool.is_required(&argument.name))
                else {
                    continue;
                };
                if argument.accepts(default) {
                    let message = format!(
                        "{}.{}: {default} is the schema's default, yet leaving it out is not accepted",
                        tool.name, argument.name
                    );
                    found.in_record(
                        subject,
                        &argument.pointer,
                        message,
                        "accept a call without it too: add \"\"",
                    );
                }
            }
        }
    }),
};
