//! An expected number, string or list is outside the range of the schema.

use super::report;
use crate::check::{Check, CheckedRule};
use crate::tools::Broken;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
    code: "value-out-of-range",
    severity: Severity::Error,
    summary: "An expected number, text or list is smaller or larger than the schema allows.",
    page: "The schema sets `minimum`, `maximum`, `minLength`, `maxItems` or the like, and the expected value breaks it. An agent that obeys the schema
can't produce this value: correct the expectation or the schema.",
    },
    check: Check::Record(|subject, found| {
        report(subject, found, &[Broken::Range], |_| {
            "expect a value within the bounds, or change them in the schema".to_owned()
        });
    }),
};
