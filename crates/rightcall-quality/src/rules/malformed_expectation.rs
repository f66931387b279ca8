//! A part of an expectation cannot be parsed.

use rightcall_core::check_constraints;
use rightcall_core::value::pointer::child;

use crate::check::{Check, CheckedRule};
use crate::subject::Subject;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "malformed-expectation",
        severity: Severity::Error,
        summary: "A part of an expectation, or of its case, cannot be read.",
        page: r#"It does not have the form that the rest of the expectation has, so no call matches it, or its score means something else.

`"budget": {"min": 3}` where each argument has a list of accepted values: write `[{"min": [3]}]`. `send(text='I'll come')` is no Python: escape
the quote.

`{"$patern": "^a"}`, `{"any_ordr": […]}`, `{"name": "find", "argss": {}}`: `score` refuses the case, with the same words. `"expcted": ["find"]`:
the case has no expectation. Keys that are nearly those of a case, such as `"inputs"`, are warnings.

`"constraints": {"forbiden": ["refund"]}`: a key that `constraints` does not have makes the case an error. Correct the name."#,
    },
    check: Check::Record(|subject, found| {
        if let Some(error) = &subject.refused {
            let message = format!("expected {}, found {}", error.expected, error.found);
            let advice = error.help.as_deref().unwrap_or("correct the record");
            found.in_record(subject, &error.pointer, message, advice);
            return;
        }
        for (key, meant) in &subject.near_keys {
            let message = format!("expected a key of a case, found the key `{key}`");
            let advice = format!("did you mean `{meant}`? its value is not judged");
            let finding = found.in_record(subject, &child("", key), message, advice);
            let is_side = matches!(*meant, "expected" | "actual");
            finding
                .filter(|_| !is_side)
                .map(|it| it.is(Severity::Warning));
        }
        let malformed = subject.expected.malformed.iter();
        for it in malformed.filter(|it| !is_free(subject, &it.pointer)) {
            let message = format!("expected {}, found {}", it.expected, it.found);
            found.in_record(subject, &it.pointer, message, "correct the expectation");
        }
        let of_case = subject.record.pointer(CONSTRAINTS);
        if let Some(Err(error)) = of_case.map(|it| check_constraints(&it.to_string())) {
            found.in_record(subject, CONSTRAINTS, error.to_string(), CONDITIONS);
        }
    }),
};

const CONSTRAINTS: &str = "/expected/constraints";

const CONDITIONS: &str = "`rightcall evaluators constraints` lists the conditions";

/// True for a place inside an argument if the schema allows any keys there: a plain value may be intended.
fn is_free(subject: &Subject, pointer: &str) -> bool {
    let mut arguments = subject
        .known_calls()
        .flat_map(|(_, tool, arguments)| arguments.iter().map(move |it| (tool, it)));
    let around = arguments.find(|(_, it)| {
        pointer
            .strip_prefix(it.pointer.as_str())
            .is_some_and(|rest| rest.starts_with('/'))
    });
    around.is_some_and(|(tool, argument)| {
        let schema = tool.property(&argument.name);
        let has = |path: &str| schema.is_some_and(|it| it.pointer(path).is_some());
        !has("/properties") && !has("/items/properties")
    })
}
