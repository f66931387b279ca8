//! Two records with one id expect different things.

use std::collections::HashMap;

use crate::Severity;
use crate::expected::Shape;
use crate::rule::{Check, Rule};
use crate::subject::Subject;

pub(super) const RULE: Rule = Rule {
    code: "two-truths",
    severity: Severity::Error,
    summary: "Two records with one id expect different things.",
    page: "Runs are joined to cases by id, so at most one of the two expectations is right for a run. Correct one, or give it an id of its own.

Equal expectations under one id are trials, and not reported.",
    check: Check::Records(|subjects, found| {
        let mut known: HashMap<&str, &Subject> = HashMap::new();
        for subject in subjects
            .iter()
            .filter(|it| it.expected.shape != Shape::None)
        {
            let Some(id) = subject
                .id
                .as_deref()
                .filter(|_| subject.record.get("id").is_some())
            else {
                continue;
            };
            let expected = |it: &Subject| it.record.pointer(&it.expected.pointer).cloned();
            match known.get(id) {
                Some(first) if expected(first) != expected(subject) => {
                    let message = format!(
                        "id {id:?} expects something else in {}:{}",
                        first.file, first.line
                    );
                    let advice = "correct one of the two, or give it an id of its own";
                    found.in_record(subject, &subject.expected.pointer, message, advice);
                }
                Some(_) => {}
                None => _ = known.insert(id, subject),
            }
        }
    }),
};
