//! An expected number, text or list is smaller or larger than the schema allows.

use super::report;
use crate::Severity;
use crate::rule::{Check, Rule};
use crate::tools::Broken;

pub(super) const RULE: Rule = Rule {
    code: "value-out-of-range",
    severity: Severity::Error,
    summary: "An expected number, text or list is smaller or larger than the schema allows.",
    page: "The schema sets `minimum`, `maximum`, `minLength`, `maxItems` or the like, and the expected value breaks it. An agent that obeys the schema
can't produce this value: correct the expectation or the schema.",
    check: Check::Record(|subject, found| {
        report(subject, found, &[Broken::Range], |_| {
            "expect a value within the bounds, or change them in the schema".to_owned()
        });
    }),
};
