//! A parameter name is not a valid Python keyword argument, in data with Python calls.

use rightcall_core::value::pointer::child;

use crate::check::{Check, CheckedRule};
use crate::expected::ExpectationForm;
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
    code: "schema-illegal-argument-name",
    severity: Severity::Warning,
    summary: "A parameter cannot be written as a keyword argument in Python, in data whose calls are Python.",
    page: "Models that answer in Python's notation, as BFCL asks them to, can't write `class=…` or `from=…`. Rename the parameter. Only records with BFCL's
Python answers are checked: JSON has no such limit.",
    },
    check: Check::Record(|subject, found| {
        // Java and JavaScript have other reserved words.
        if subject.is_source_text
            || !matches!(subject.expected.shape, ExpectationForm::Alternatives | ExpectationForm::Texts) {
            return;
        }
        for tool in subject.tools.iter().flat_map(|it| &it.tools) {
            for name in tool
                .parameters()
                .iter()
                .filter(|it| KEYWORDS.contains(&it.as_str()))
            {
                let place = tool.place_in_schema(&child("/properties", name));
                let message = format!("{}.{name}: `{name}` is a keyword of Python", tool.name);
                let known = found.findings.iter().any(|it| it.message == message);
                if !known {
                    found.at(place, message, "rename the parameter");
                }
            }
        }
    }),
};

/// Python's reserved words.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];
