//! Findings as JSON.

use std::collections::BTreeMap;

use serde_json::json;

use crate::{Finding, Severity};

/// The findings as one JSON document, with a count for each severity.
pub fn findings_json(findings: &[Finding], cases: usize) -> String {
    let each = findings.iter().map(|it| {
        json!({
            "code": it.rule.code,
            "severity": it.severity.name(),
            "file": &*it.place.file,
            "line": it.place.line,
            "pointer": it.place.pointer,
            "case": it.case,
            "message": it.message,
            "advice": it.advice,
            "times": it.times,
            "fixable": it.fix.is_some(),
        })
    });
    let mut counts = BTreeMap::new();
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let number = findings.iter().filter(|it| it.severity == severity).count();
        counts.insert(severity.name(), number);
    }
    let document = json!({"cases": cases, "counts": counts, "findings": each.collect::<Vec<_>>()});
    format!("{document:#}\n")
}
