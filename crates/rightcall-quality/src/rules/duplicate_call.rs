//! The same call is expected twice in one answer.

use crate::check::{Check, CheckedRule};
use crate::expected::{ExpectationForm, ExpectedCall};
use crate::subject::Subject;
use crate::values::same;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
    code: "duplicate-call",
    severity: Severity::Warning,
    summary: "The same call is expected twice in one answer.",
    page: "In BFCL's answers all calls are made at once, so a second equal call has no use: often one of its arguments should differ.

In a conversation a call may be right twice, such as a look-up after a change, so other cases aren't checked.",
    },
    check: Check::Record(|subject, found| {
        if subject.expected.shape != ExpectationForm::Alternatives {
            return;
        }
        let calls = &subject.expected.calls;
        for (number, call) in calls.iter().enumerate() {
            let Some(first) = calls[..number].iter().find(|it| is_same(subject, it, call)) else {
                continue;
            };
            let message = format!(
                "{}: the call is the same as the one at {}",
                name(subject, call),
                first.pointer
            );
            found.in_record(
                subject,
                &call.pointer,
                message,
                "remove it, or correct the argument that should differ",
            );
        }
    }),
};

fn name<'s>(subject: &'s Subject, call: &'s ExpectedCall) -> &'s str {
    subject.tool(call).map_or(&call.tool, |it| &it.name)
}

fn is_same(subject: &Subject, one: &ExpectedCall, other: &ExpectedCall) -> bool {
    let arguments = |call: &ExpectedCall| subject.record.pointer(&call.pointer);
    name(subject, one) == name(subject, other)
        && arguments(one)
            .zip(arguments(other))
            .is_some_and(|(one, other)| same(one, other))
}
