//! Findings as SARIF 2.1.0. Code hosts show them next to source lines.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_sarif::sarif::{
    ArtifactLocation, Location, LogicalLocation, Message, MultiformatMessageString,
    PhysicalLocation, Region, ReportingConfiguration, ReportingDescriptor, Result as SarifResult,
    ResultLevel, Run, Sarif, Tool, ToolComponent,
};

use crate::{Finding, Severity, rules};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The findings as a SARIF document with all rules.
pub fn sarif(findings: &[Finding], version: &str) -> String {
    let described = rules().map(|rule| {
        ReportingDescriptor::builder()
            .id(rule.code)
            .short_description(text(rule.summary))
            .full_description(text(rule.page.trim()))
            .default_configuration(
                ReportingConfiguration::builder()
                    .level(serde_json::Value::from(rule.severity.name()))
                    .build(),
            )
            .build()
    });
    let driver = ToolComponent::builder()
        .name("rightcall")
        .version(version)
        .rules(described.collect::<Vec<_>>())
        .build();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .results(findings.iter().map(result).collect::<Vec<_>>())
        .build();
    let document = Sarif::builder()
        .schema(SCHEMA)
        .version("2.1.0")
        .runs(vec![run])
        .build();
    let document = serde_json::to_value(&document).unwrap_or_default();
    format!("{document:#}\n")
}

fn result(finding: &Finding) -> SarifResult {
    let index = rules().position(|it| it == finding.rule);
    let place = PhysicalLocation::builder()
        .artifact_location(
            ArtifactLocation::builder()
                .uri(uri(&finding.place.file))
                .build(),
        )
        .region(
            Region::builder()
                .start_line(finding.place.line as i64)
                .build(),
        )
        .build();
    let pointer = LogicalLocation::builder()
        .fully_qualified_name(match finding.place.pointer.as_str() {
            "" => "/",
            pointer => pointer,
        })
        .kind("member")
        .build();
    SarifResult::builder()
        .rule_id(finding.rule.code)
        .rule_index(index.map_or(-1, |it| it as i64))
        .level(match finding.severity {
            Severity::Note => ResultLevel::Note,
            Severity::Warning => ResultLevel::Warning,
            Severity::Error => ResultLevel::Error,
        })
        .message(
            Message::builder()
                .text(format!("{}; {}", finding.message, finding.advice))
                .build(),
        )
        .locations(vec![
            Location::builder()
                .physical_location(place)
                .logical_locations(vec![pointer])
                .build(),
        ])
        .build()
}

fn text(text: &str) -> MultiformatMessageString {
    MultiformatMessageString::builder().text(text).build()
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
    fn a_document_keeps_the_rules_of_the_standard() {
        let mut linter = Linter::default();
        let record = r#"{"id":"a","tools":[{"name":"f","parameters":{"type":"object","properties":{"n":{"type":"integer","default":"x"}}}}],
            "expected":[{"name":"f","args":{"n":"1"}},{"name":"g","args":{}}]}"#;
        linter.add_record("my cases.jsonl", 4, record).unwrap();
        let findings = linter.findings();
        let written = sarif(&findings, "0.1.0");
        let read: Sarif = serde_json::from_str(&written).unwrap();
        assert_eq!(read.version, "2.1.0");
        let run = &read.runs[0];
        let rules = run.tool.driver.rules.as_ref().unwrap();
        assert_eq!(rules.len(), super::rules().count());
        let results = run.results.as_ref().unwrap();
        assert_eq!(results.len(), 3);
        for (result, finding) in results.iter().zip(&findings) {
            // `ruleId` must be that of the rule at `ruleIndex`, and the message must not be empty.
            let rule = &rules[usize::try_from(result.rule_index.unwrap()).unwrap()];
            assert_eq!(result.rule_id.as_ref(), Some(&rule.id));
            assert!(
                result
                    .message
                    .text
                    .as_ref()
                    .is_some_and(|it| !it.is_empty())
            );
            let place = result.locations.as_ref().unwrap()[0]
                .physical_location
                .as_ref()
                .unwrap();
            let uri = place.artifact_location.as_ref().unwrap().uri.as_deref();
            assert_eq!(uri, Some("my%20cases.jsonl"));
            assert_eq!(
                place.region.as_ref().unwrap().start_line,
                Some(finding.place.line as i64)
            );
        }
        // Every rule has a valid default level.
        assert!(rules.iter().all(|it| {
            let level = it
                .default_configuration
                .as_ref()
                .and_then(|it| it.level.clone());
            level.is_some_and(|it| {
                ["none", "note", "warning", "error"]
                    .iter()
                    .any(|name| it == *name)
            })
        }));
    }
}
