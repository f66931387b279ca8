//! The schema requires an argument that no accepted call has.

use super::report;
use crate::check::{Check, CheckedRule};
use crate::expected::ExpectationForm;
use crate::tools::Broken;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "required-argument-missing",
        severity: Severity::Error,
        summary: "The schema requires an argument that no accepted call has.",
        page: r#"An agent that obeys the schema sends the argument, and the expectation demands that it does not. No right call can match.

`{"name": "refund", "args": {"order_id": 7}}` against `"required": ["order_id", "amount"]`: expect an amount, or `{"$any": true}` where any will
do. In BFCL's answers `[""]` means *must be left out*. For calls in cases this is a warning: an evaluator may ignore missing arguments
(`missing_args: any`)."#,
    },
    check: Check::Record(|subject, found| {
        let severity = match subject.expected.shape {
            ExpectationForm::Calls => Severity::Warning,
            _ => Severity::Error,
        };
        for (call, tool, arguments) in subject.known_calls().filter(|(call, ..)| !call.is_open) {
            for (place, name) in tool.parameters().iter().enumerate() {
                if !tool.is_required(name) || place < call.positional.len() {
                    continue;
                }
                let (pointer, message) = match arguments.iter().find(|it| it.name == *name) {
                    None => (
                        &call.pointer,
                        format!("{}: the required argument `{name}` is missing", tool.name),
                    ),
                    Some(argument)
                        if argument.accepted.is_empty() && !argument.left_out.is_empty() =>
                    {
                        (
                            &argument.pointer,
                            format!(
                                "{}.{name}: required, yet the only accepted call leaves it out",
                                tool.name
                            ),
                        )
                    }
                    Some(_) => continue,
                };
                let advice =
                    format!("expect a value of `{name}`, or make it optional in the schema");
                if let Some(finding) = found.in_record(subject, pointer, message, advice) {
                    finding.is(severity);
                }
            }
        }
        report(subject, found, &[Broken::Missing], |_| {
            "expect a value, or make it optional in the schema".to_owned()
        });
    }),
};
