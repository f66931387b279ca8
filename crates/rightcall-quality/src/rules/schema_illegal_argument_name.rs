//! A parameter cannot be written as a keyword argument in Python, in data whose calls are Python.

use crate::Severity;
use crate::expected::Shape;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: "schema-illegal-argument-name",
    severity: Severity::Warning,
    summary: "A parameter cannot be written as a keyword argument in Python, in data whose calls are Python.",
    page: "Models that answer in Python's notation, as BFCL asks them to, can't write `class=…` or `from=…`. Rename the parameter. Only records with BFCL's
answers are checked: JSON has no such limit.",
    check: Check::Record(|subject, found| {
        if !matches!(subject.expected.shape, Shape::Alternatives | Shape::Texts) {
            return;
        }
        for tool in subject.tools.iter().flat_map(|it| &it.tools) {
            for name in tool
                .parameters()
                .iter()
                .filter(|it| KEYWORDS.contains(&it.as_str()))
            {
                let place = tool.place_in_schema(&crate::pointer::child("/properties", name));
                let message = format!("{}.{name}: `{name}` is a keyword of Python", tool.name);
                let known = found.findings.iter().any(|it| it.message == message);
                if !known {
                    found.at(place, message, "rename the parameter");
                }
            }
        }
    }),
};

/// Words that Python keeps for itself.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];
