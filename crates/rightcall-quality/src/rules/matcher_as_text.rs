//! The name of a matcher appears as a string value.

use rightcall_core::expectation::matchers_as_text;

use crate::check::{Check, CheckedRule};
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
        let expected = subject.expectation().map(ToString::to_string);
        for (pointer, text) in expected.iter().flat_map(|it| matchers_as_text(it)) {
            let example = match text {
                name @ ("$any" | "$optional") => format!("{{\"{name}\": true}}"),
                name => format!("{{\"{name}\": …}}"),
            };
            found.in_record(
                subject,
                &format!("{}{pointer}", subject.expected.pointer),
                format!("expected a value, found the text \"{text}\""),
                format!(
                    "write {example} for the matcher, {{\"$literal\": \"{text}\"}} for the text"
                ),
            );
        }
    }),
};
