//! Findings as SARIF 2.1.0. Code hosts show them next to source lines.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::{Finding, rules};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The findings as a SARIF document with all rules.
pub fn sarif(findings: &[Finding], version: &str) -> String {
    let described = rules().map(|rule| {
        json!({
            "id": rule.code,
            "shortDescription": {"text": rule.summary},
            "fullDescription": {"text": rule.page.trim()},
            "defaultConfiguration": {"level": rule.severity.name()},
        })
    });
    let driver = json!({
        "name": "rightcall",
        "version": version,
        "rules": described.collect::<Value>(),
    });
    let results: Value = findings.iter().map(result).collect();
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    });
    format!("{document:#}\n")
}

fn result(finding: &Finding) -> Value {
    let pointer = match finding.place.pointer.as_str() {
        "" => "/",
        pointer => pointer,
    };
    json!({
        "ruleId": finding.rule.code,
        "ruleIndex": rules().position(|it| it == finding.rule),
        "level": finding.severity.name(),
        "message": {"text": format!("{}; {}", finding.message, finding.advice)},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": {"uri": uri(&finding.place.file)},
                "region": {"startLine": finding.place.line},
            },
            "logicalLocations": [{"fullyQualifiedName": pointer, "kind": "member"}],
        }],
    })
}

/// A path as a relative URI reference, percent-encoded.
fn uri(path: &str) -> String {
    const OUTSIDE: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~')
        .remove(b'/');
    utf8_percent_encode(&path.replace('\\', "/"), OUTSIDE).to_string()
}

#[cfg(test)]
mod tests {
    use crate::Linter;

    use super::*;

    #[test]
    fn a_document_follows_the_standard() {
        let mut linter = Linter::default();
        let record = r#"{"id":"a","tools":[{"name":"f","parameters":{"type":"object","properties":{"n":{"type":"integer","default":"x"}}}}],
            "expected":[{"name":"f","args":{"n":"1"}},{"name":"g","args":{}}]}"#;
        linter.add_record("my cases.jsonl", 4, record).unwrap();
        let findings = linter.findings();
        let written = sarif(&findings, "0.1.0");
        let read: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(read["version"], "2.1.0");
        let run = &read["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(rules.len(), super::rules().count());
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 3);
        let is_level = |level: &Value| {
            ["none", "note", "warning", "error"]
                .iter()
                .any(|name| level == name)
        };
        for (result, finding) in results.iter().zip(&findings) {
            // `ruleId` must be the id of the rule at `ruleIndex`, and the message must not be empty.
            let index = result["ruleIndex"].as_u64().unwrap();
            assert_eq!(
                result["ruleId"],
                rules[usize::try_from(index).unwrap()]["id"]
            );
            assert_ne!(result["message"]["text"].as_str().unwrap(), "");
            assert!(is_level(&result["level"]));
            let place = &result["locations"][0]["physicalLocation"];
            assert_eq!(place["artifactLocation"]["uri"], "my%20cases.jsonl");
            assert_eq!(place["region"]["startLine"], finding.place.line);
        }
        assert!(
            rules
                .iter()
                .all(|it| is_level(&it["defaultConfiguration"]["level"]))
        );
    }
}
