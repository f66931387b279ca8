//! An expected string violates the schema's `format` or `pattern`.

use serde_json::Value;

use super::report;
use crate::check::{Check, CheckedRule};
use crate::expected::Content;
use crate::tools::Broken;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "value-violates-format",
        severity: Severity::Error,
        summary: "An expected text breaks the schema's `format` or `pattern`.",
        page: r#"The schema demands a format such as `date` or a regular expression. An agent that obeys it can't produce this text.

`"date": "May 1"` against `"format": "date"`: write `2024-05-01`. A description that
names one format, `YYYY-MM-DD`, is checked too, as a warning."#,
    },
    check: Check::Record(|subject, found| {
        report(subject, found, &[Broken::Format], |_| ADVICE.to_owned());
        for (_, tool, arguments) in subject.known_calls() {
            // If the schema has a format, the validator already checked it.
            let has_format = |name: &str| {
                tool.property(name)
                    .is_some_and(|it| it.get("format").is_some())
            };
            let dates = arguments
                .iter()
                .filter(|it| asks_for_date(tool.description_of(&it.name)) && !has_format(&it.name));
            for argument in dates {
                for accepted in &argument.accepted {
                    let Content::Plain(Value::String(text)) = &accepted.content else {
                        continue;
                    };
                    if is_date(text) || tool.description_quotes(&argument.name, text) {
                        continue;
                    }
                    let message = format!(
                        "{}.{}: the description asks for {DATE}, found {text:?}",
                        tool.name, argument.name
                    );
                    let finding = found.in_record(subject, &accepted.pointer, message, ADVICE);
                    finding.map(|it| it.is(Severity::Warning));
                }
            }
        }
    }),
};

const ADVICE: &str = "write the text in that format, or correct the schema";

const DATE: &str = "YYYY-MM-DD";

/// True for a description that names this date format once and no other.
fn asks_for_date(description: &str) -> bool {
    let others = [
        "HH", "hh", "MM/", "/MM", "DD/", "/DD", "YYYY/", "MM-DD-", "DD-MM", " or ", "range",
    ];
    description.matches(DATE).count() == 1
        && !others.iter().any(|it| description.contains(it))
        && !description.contains("YYYY-MM-DDT")
}

fn is_date(text: &str) -> bool {
    let is_digit_or_dash = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == DATE.len() && text.bytes().enumerate().all(is_digit_or_dash)
}
