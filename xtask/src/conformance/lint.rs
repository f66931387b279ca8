//! Goldens of `rightcall lint`: expectations before and after a correction by their maintainers.
//!
//! A defect that is visible from the record and the schema must be found in the old version, at its place or at a parent. A corrected
//! record without further known defects must have no findings.

use rightcall_core::value::{RawJson, from_json};
use rightcall_quality::{Finding, Linter, Severity};
use serde::Deserialize;

use crate::say;

/// A line with an expectation before and after its correction.
#[derive(Deserialize)]
struct CorrectedLine<'a> {
    id: String,
    #[serde(default)]
    language: String,
    decidable: String,
    class: String,
    r#where: String,
    #[serde(borrow)]
    tools: RawJson<'a>,
    tools_after: Option<RawJson<'a>>,
    withheld: Option<RawJson<'a>>,
    expected_before: RawJson<'a>,
    expected_after: RawJson<'a>,
    after_findings: Vec<serde::de::IgnoredAny>,
}

/// Counts of defects and of corrected records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LintTally {
    /// Defects that lint could find, and the defects found.
    pub(crate) defects: usize,
    pub(crate) found: usize,
    /// Corrected records, and corrected records with a finding.
    pub(crate) corrected: usize,
    pub(crate) alarmed: usize,
}

impl LintTally {
    pub(super) fn print(self) {
        let percent = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        say(&format!(
            "lint: {} of {} defects found (recall {:.1} %), findings in {} of {} corrected records (false alarms {:.1} %)",
            self.found,
            self.defects,
            percent(self.found, self.defects),
            self.alarmed,
            self.corrected,
            percent(self.alarmed, self.corrected),
        ));
    }
}

/// Checks a line and returns all differences. `None` if it is not a lint golden.
pub(super) fn check(line: &str, tally: &mut LintTally) -> Option<Result<(), Vec<String>>> {
    let read: CorrectedLine<'_> = from_json(line).ok()?;
    Some(check_line(&read, tally))
}

fn check_line(read: &CorrectedLine<'_>, tally: &mut LintTally) -> Result<(), Vec<String>> {
    let mut differences = Vec::new();
    let before = findings(read, &read.tools, &read.expected_before)?;
    if read.decidable == "yes" {
        tally.defects += 1;
        let wanted = before.iter().filter(|it| it.rule.code == read.class);
        if wanted
            .map(pointer)
            .any(|it| is_at_or_above(&it, &read.r#where))
        {
            tally.found += 1;
        } else {
            differences.push(format!(
                "{}: expected {} at {}, found {}",
                read.id,
                read.class,
                read.r#where,
                list(&before)
            ));
        }
    }
    if read.after_findings.is_empty() {
        tally.corrected += 1;
        let tools = read.tools_after.as_ref().unwrap_or(&read.tools);
        let mut after = findings(read, tools, &read.expected_after)?;
        // The command shows notes only on request.
        after.retain(|it| it.severity > Severity::Note);
        if !after.is_empty() {
            tally.alarmed += 1;
            differences.push(format!(
                "{}: corrected, expected no finding, found {}",
                read.id,
                list(&after)
            ));
        }
    }
    if differences.is_empty() {
        Ok(())
    } else {
        Err(differences)
    }
}

fn findings(
    line: &CorrectedLine<'_>,
    tools: &RawJson<'_>,
    expected: &RawJson<'_>,
) -> Result<Vec<Finding>, Vec<String>> {
    let withheld = line.withheld.as_ref().map_or("null", |it| it.0);
    let record = format!(
        r#"{{"tools":{},"withheld":{withheld},"language":{:?},"ground_truth":{}}}"#,
        tools.0, line.language, expected.0
    );
    let mut linter = Linter::default();
    match linter.add_record("record", 1, &record) {
        Ok(()) => Ok(linter.findings()),
        Err(error) => Err(vec![format!("{}: {error}", line.id)]),
    }
}

/// The place of a finding in the format of the goldens.
fn pointer(finding: &Finding) -> String {
    let pointer = &finding.place.pointer;
    match pointer.strip_prefix("/ground_truth") {
        Some(rest) => format!("/expected_before{rest}"),
        None => pointer.clone(),
    }
}

fn is_at_or_above(pointer: &str, place: &str) -> bool {
    place
        .strip_prefix(pointer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn list(findings: &[Finding]) -> String {
    match findings {
        [] => "nothing".to_owned(),
        findings => {
            let each = findings
                .iter()
                .map(|it| format!("{} at {}: {}", it.rule.code, it.place.pointer, it.message));
            each.collect::<Vec<_>>().join("; ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(before: &str, after: &str, class: &str) -> String {
        format!(
            r#"{{"id":"a","decidable":"yes","class":"{class}","where":"/expected_before/0/f/a/0","after_findings":[],
            "tools":[{{"name":"f","parameters":{{"type":"object","properties":{{"a":{{"type":"integer"}}}}}}}}],
            "expected_before":[{{"f":{{"a":[{before}]}}}}],"expected_after":[{{"f":{{"a":[{after}]}}}}]}}"#
        )
    }

    #[test]
    fn missed_and_unexpected_findings_are_counted() {
        let type_differs = "type-differs-from-schema";
        for (line, passes, found, alarmed) in [
            (line("\"1\"", "1", type_differs), true, 1, 0),
            (line("1", "1", type_differs), false, 0, 0),
            (line("\"1\"", "\"1\"", type_differs), false, 1, 1),
            (line("\"1\"", "1", "value-outside-enum"), false, 0, 0),
        ] {
            let mut tally = LintTally::default();
            assert_eq!(check(&line, &mut tally).unwrap().is_ok(), passes, "{line}");
            assert_eq!((tally.found, tally.alarmed), (found, alarmed), "{line}");
            assert_eq!((tally.defects, tally.corrected), (1, 1));
        }
        assert!(check("{}", &mut LintTally::default()).is_none());
    }
}
