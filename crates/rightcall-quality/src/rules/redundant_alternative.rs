//! Two accepted values of an argument are equal.

use serde_json::Value;

use crate::check::{Check, CheckedRule};
use crate::expected::Content;
use crate::{Fix, LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "redundant-alternative",
        severity: Severity::Note,
        summary: "Two accepted values of an argument are equal.",
        page: r#"The second adds nothing; often another value was meant. `["Oslo", "Oslo"]`: remove one. `--fix` does."#,
    },
    check: Check::Record(|subject, found| {
        for argument in subject
            .expected
            .calls
            .iter()
            .filter_map(|it| it.arguments.as_deref())
            .flatten()
        {
            let mut known: Vec<&Value> = Vec::new();
            for accepted in &argument.accepted {
                let Content::Plain(value) = &accepted.content else {
                    continue;
                };
                if known.contains(&value) {
                    let message = format!("{}: {value} is accepted twice", argument.name);
                    let finding =
                        found.in_record(subject, &accepted.pointer, message, "remove one of them");
                    finding.map(|it| it.fixed_by(Fix::RemoveItem(accepted.pointer.clone())));
                }
                known.push(value);
            }
            if let Some(second) = argument.left_out.get(1) {
                let message = format!("{}: \"\" is accepted twice", argument.name);
                let finding = found.in_record(subject, second, message, "remove one of them");
                finding.map(|it| it.fixed_by(Fix::RemoveItem(second.clone())));
            }
        }
    }),
};
