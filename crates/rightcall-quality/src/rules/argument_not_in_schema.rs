//! An expected argument is not a parameter of the tool.

use super::{meant, report};
use crate::check::{Check, CheckedRule};
use crate::tools::Broken;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "argument-not-in-schema",
        severity: Severity::Error,
        summary: "An expected argument is not a parameter of the tool.",
        page: r#"The agent sees only the schema, so it can't know this argument. Often the name is misspelt, or the tool changed after the case was written.

`{"name": "find", "args": {"oder_id": 7}}` against a schema with `order_id`: correct the name. Schemas with `"additionalProperties": true` accept
any argument."#,
    },
    check: Check::Record(|subject, found| {
        for (call, tool, arguments) in subject.known_calls() {
            let unknown = arguments.iter().filter(|it| !tool.takes(&it.name));
            for argument in unknown {
                let parameters = tool.parameters();
                let message = format!(
                    "{}: the schema has no parameter `{}`{}",
                    tool.name,
                    argument.name,
                    meant(&argument.name, parameters.iter().map(String::as_str))
                );
                found.in_record(
                    subject,
                    &argument.pointer,
                    message,
                    parameters_are(parameters),
                );
            }
            if call.positional.len() > tool.parameters().len() {
                let message = format!(
                    "{}: {} values for {} parameters",
                    tool.name,
                    call.positional.len(),
                    tool.parameters().len()
                );
                found.in_record(
                    subject,
                    &call.pointer,
                    message,
                    parameters_are(tool.parameters()),
                );
            }
        }
        report(subject, found, &[Broken::Unknown], |_| {
            "correct its name, or add it to the schema".to_owned()
        });
    }),
};

fn parameters_are(parameters: &[String]) -> String {
    match parameters {
        [] => "remove it: the tool takes no arguments".to_owned(),
        names => format!(
            "use a parameter of the schema ({}), or add this one there",
            names.join(", ")
        ),
    }
}
