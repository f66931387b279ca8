//! Two records with the same id have different expectations.

use std::collections::HashMap;

use crate::check::{Check, CheckedRule};
use crate::expected::ExpectationForm;
use crate::subject::Subject;
use crate::values::same;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
    code: "two-truths",
    severity: Severity::Error,
    summary: "Two records with one id expect different things.",
    page: "Runs are joined to cases by id, so at most one of the two expectations is right for a run. Correct one, or give it an id of its own.

Equal expectations under one id are trials, and not reported. Ids belong to a file, or to all files of a suite.",
    },
    check: Check::Records(|subjects, found| {
        let mut known: HashMap<(usize, &str), &Subject> = HashMap::new();
        for subject in subjects
            .iter()
            .filter(|it| it.expected.shape != ExpectationForm::None)
        {
            let Some(id) = subject
                .id
                .as_deref()
                .filter(|_| subject.record.get("id").is_some())
            else {
                continue;
            };
            match known.get(&(subject.group, id)) {
                Some(first) if differ(first, subject) => {
                    let message = format!(
                        "id {id:?} expects something else in {}:{}",
                        first.file, first.line
                    );
                    let advice = "correct one of the two, or give it an id of its own";
                    found.in_record(subject, &subject.expected.pointer, message, advice);
                }
                Some(_) => {}
                None => _ = known.insert((subject.group, id), subject),
            }
        }
    }),
};

fn differ(one: &Subject, other: &Subject) -> bool {
    match (one.expectation(), other.expectation()) {
        (Some(one), Some(other)) => !same(one, other),
        (one, other) => one.is_some() != other.is_some(),
    }
}
