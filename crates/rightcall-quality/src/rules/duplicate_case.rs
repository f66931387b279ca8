//! Two cases have the same question and the same expectation.

use std::collections::HashMap;

use crate::check::{Check, CheckedRule};
use crate::expected::ExpectationForm;
use crate::subject::Subject;
use crate::values::canonical;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
    code: "duplicate-case",
    severity: Severity::Warning,
    summary: "Two cases ask the same and expect the same.",
    page: "The case counts twice in every mean, and adds nothing. Remove one, or change it into the variant that was meant. Trials of a case and runs with
an `actual` of their own aren't reported.",
    },
    check: Check::Records(|subjects, found| {
        let mut known: HashMap<String, &Subject> = HashMap::new();
        for subject in subjects
            .iter()
            .filter(|it| it.expected.shape != ExpectationForm::None)
        {
            let Some(question) = question(subject) else {
                continue;
            };
            let expected = subject.expectation();
            let tools = ["tools", "function", "functions"].map(|key| &subject.record[key]);
            let key = serde_json::json!([subject.group, question, expected, tools]);
            let key = canonical(&key).to_string();
            match known.get(&key) {
                Some(first) => {
                    let message = format!(
                        "same question and expectation as {} ({}:{})",
                        first.id.as_deref().unwrap_or("a case without id"),
                        first.file,
                        first.line
                    );
                    found.in_record(
                        subject,
                        "",
                        message,
                        "remove one of the two, or make them differ",
                    );
                }
                None => _ = known.insert(key, subject),
            }
        }
    }),
};

/// The question of a case. `None` if it has none, or if the record is a run or a trial.
pub(super) fn question(subject: &Subject) -> Option<&serde_json::Value> {
    let is_run = ["actual", "trial", "messages"]
        .iter()
        .any(|key| subject.record.get(*key).is_some());
    let question = ["input", "question"]
        .iter()
        .find_map(|key| subject.record.get(*key));
    question.filter(|it| !is_run && !it.is_null())
}
