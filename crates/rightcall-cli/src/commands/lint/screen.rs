//! Findings as text: a screen grouped by file, or GitHub annotations.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use rightcall_quality::{Finding, Severity};
use rightcall_report::{annotation, count, push_wrapped, screen_columns, wrap};
use rightcall_run::printable;

/// All findings by file, then a summary.
pub(super) fn screen(findings: &[Finding], cases: usize, hidden: usize) -> String {
    let mut out = String::new();
    let mut file = None;
    for finding in findings {
        if file != Some(&finding.place.file) {
            let gap = if file.is_some() { "\n" } else { "" };
            _ = writeln!(out, "{gap}{}", printable(&finding.place.file));
            file = Some(&finding.place.file);
        }
        out.push_str(&entry(finding));
    }
    if !findings.is_empty() {
        out.push('\n');
    }
    out.push_str(&summary(findings, cases, hidden));
    out
}

/// Place, code, message and advice of a finding.
fn entry(finding: &Finding) -> String {
    let mut out = format!("  {}", finding.place.line);
    for part in [
        finding.case.as_deref().unwrap_or_default(),
        &finding.place.pointer,
    ] {
        if !part.is_empty() {
            _ = write!(out, "  {}", printable(part));
        }
    }
    let style = style(finding.severity);
    let times = match finding.times {
        1 => String::new(),
        times => format!(" ({times} times)"),
    };
    let severity = finding.severity.to_string();
    let message = format!(
        "{severity} {}: {}{times}",
        finding.rule.code,
        printable(&finding.message)
    );
    let mut lines = wrap(&message, screen_columns() - 4).into_iter();
    let first = lines.next().unwrap_or_default();
    let rest = first.strip_prefix(&severity).unwrap_or(&first);
    _ = writeln!(out, "\n    {style}{severity}{style:#}{rest}");
    for line in lines {
        _ = writeln!(out, "    {line}");
    }
    push_wrapped(&mut out, 6, &printable(&finding.advice));
    out
}

fn style(severity: Severity) -> Style {
    match severity {
        Severity::Error => AnsiColor::Red.on_default().bold(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Note => Style::new(),
    }
}

/// The number of findings, by severity and by code.
fn summary(findings: &[Finding], cases: usize, hidden: usize) -> String {
    let of = |severity| findings.iter().filter(|it| it.severity == severity).count();
    let mut parts = Vec::new();
    for (severity, word) in [
        (Severity::Error, "error"),
        (Severity::Warning, "warning"),
        (Severity::Note, "note"),
    ] {
        match of(severity) {
            0 => {}
            number => parts.push(count(number as u64, word)),
        }
    }
    let found = if parts.is_empty() {
        "no findings".to_owned()
    } else {
        parts.join(", ")
    };
    let hidden = match hidden {
        0 => String::new(),
        number => format!(
            "; {} hidden, --notes shows them",
            count(number as u64, "note")
        ),
    };
    let mut out = format!("{found} in {}{hidden}\n", count(cases as u64, "case"));
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        *codes.entry(finding.rule.code).or_default() += 1;
    }
    let mut codes: Vec<_> = codes.into_iter().collect();
    codes.sort_by_key(|(code, number)| (std::cmp::Reverse(*number), *code));
    let width = codes
        .iter()
        .map(|(_, number)| number.to_string().len())
        .max()
        .unwrap_or_default();
    for (code, number) in &codes {
        _ = writeln!(out, "  {number:width$} {code}");
    }
    if let Some((code, _)) = codes.first() {
        _ = writeln!(out, "\n  rightcall lint --rule {code}");
    }
    out
}

/// GitHub workflow commands, to show findings next to the lines of a pull request.
pub(super) fn annotations(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let level = match finding.severity {
            Severity::Note => "notice",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let text = format!(
            "{}; {} ({})",
            finding.message, finding.advice, finding.place.pointer
        );
        let (file, line) = (&finding.place.file, finding.place.line);
        out.push_str(&annotation(level, file, line, finding.rule.code, &text));
    }
    out
}
