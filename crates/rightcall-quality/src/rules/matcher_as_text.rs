//! The name of a matcher appears as a string value.

use rightcall_core::expectation::MATCHERS;
use rightcall_core::value::pointer::child;
use serde_json::Value;

use crate::check::{Check, CheckedRule};
use crate::found::Found;
use crate::subject::Subject;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "matcher-as-text",
        severity: Severity::Warning,
        summary: "The name of a matcher is written as a text.",
        page: r#"A matcher is an object. As a text its name is a value like any other, which no call has.

`"amount": "$any"`: write `{"$any": true}`. If the text itself is right, write `{"$literal": "$any"}`."#,
    },
    check: Check::Record(|subject, found| {
        if let Some(expected) = subject.expectation() {
            report(subject, found, expected, &subject.expected.pointer);
        }
    }),
};

fn report(subject: &Subject, found: &mut Found, value: &Value, pointer: &str) {
    match value {
        Value::String(text) if MATCHERS.contains(&text.as_str()) => {
            let example = match text.as_str() {
                name @ ("$any" | "$optional") => format!("{{\"{name}\": true}}"),
                name => format!("{{\"{name}\": …}}"),
            };
            found.in_record(
                subject,
                pointer,
                format!("expected a value, found the text \"{text}\""),
                format!(
                    "write {example} for the matcher, {{\"$literal\": \"{text}\"}} for the text"
                ),
            );
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                report(subject, found, item, &child(pointer, &number.to_string()));
            }
        }
        // A variable may have any name, so its text is not checked.
        Value::Object(members) if !members.contains_key("$literal") => {
            for (key, value) in members.iter().filter(|(key, _)| *key != "$var") {
                report(subject, found, value, &child(pointer, key));
            }
        }
        _ => {}
    }
}
