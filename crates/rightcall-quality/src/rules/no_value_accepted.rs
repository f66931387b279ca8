//! A matcher accepts no value that the schema allows.

use crate::check::{Check, CheckedRule};
use crate::expected::{Content, Unreachable, unreachable};
use crate::tools::{listed_values, short};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "no-value-accepted",
        severity: Severity::Error,
        summary: "A matcher accepts no value that the tool's schema allows, or no value at all.",
        page: r#"No call can match, whatever the agent does.

`{"$gt": 50}` against `"maximum": 10`, `{"$pattern": "^z"}` against `"enum": ["x", "y"]`, `{"$gt": 5, "$lt": 3}`, `{"$one_of": []}`: correct
the matcher or the schema. If another alternative can match, this is a warning.

Decided by trying values: all that the schema lists, else one of each type and numbers at and between the bounds. A pattern for free texts is
not decided, and not reported."#,
    },
    check: Check::Record(|subject, found| {
        for call in &subject.expected.calls {
            let tool = subject.tool(call);
            for argument in call.arguments.iter().flatten() {
                let of = format!("{}.{}", call.tool, argument.name);
                let advice = "correct the matcher, or the schema";
                if argument.accepted.is_empty() && is_empty_choice(subject, &argument.pointer) {
                    let message = format!("{of}: no value matches {{\"$one_of\":[]}}");
                    found.in_record(subject, &argument.pointer, message, advice);
                }
                let schema = tool.and_then(|tool| Some((tool.property(&argument.name)?, tool)));
                let mut empty = Vec::new();
                for accepted in &argument.accepted {
                    if let Content::Matcher(value) = &accepted.content {
                        unreachable(value, &accepted.pointer, schema, &mut empty);
                    }
                }
                let has_other = !argument.left_out.is_empty() || argument.accepted.len() > 1;
                for it in empty {
                    let message = format!("{of}: {}", reason(&it));
                    let finding = found.in_record(subject, &it.pointer, message, advice);
                    finding
                        .filter(|_| has_other)
                        .map(|it| it.is(Severity::Warning));
                }
            }
        }
    }),
};

fn is_empty_choice(subject: &crate::subject::Subject, pointer: &str) -> bool {
    let value = subject.record.pointer(pointer);
    let choice = value.and_then(|it| it.get("$one_of")?.as_array());
    choice.is_some_and(Vec::is_empty)
}

fn reason(it: &Unreachable) -> String {
    let matcher = short(&it.matcher);
    let Some(schema) = &it.schema else {
        return format!("no value matches {matcher}");
    };
    match listed_values(schema) {
        Some(values) => {
            let listed: Vec<_> = values.iter().take(6).map(short).collect();
            let more = if values.len() > 6 { ", …" } else { "" };
            format!(
                "{matcher} matches none of the values that the schema allows: {}{more}",
                listed.join(", ")
            )
        }
        None => format!(
            "{matcher} matches no value that the schema allows: {}",
            short(schema)
        ),
    }
}
