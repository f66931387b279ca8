//! Markdown for pull requests and job summaries: the verdict, the failed cases, and the rest folded.
//!
//! Foreign text is in code spans, so that it can't act as markup or mentions.

use std::fmt::Write as _;

use rightcall_core::Outcome;
use rightcall_results::{CaseResult, RunHead};

use super::html::{ConfusionTable, MATRIX};
use super::lowest::{LowestCases, LowestReport};
use super::{OutputFormat, RunReport};
use crate::comparison::{
    UNEQUAL_TRIALS, agreement_told, flaky_told, has_equal_trials, listed, passed_of,
};
use crate::gate_words::{failed_gates, gate_sentence};
use crate::markup::{cell, code, code_sentence, sentence_of};
use crate::numbers::{number, percent, score};
use crate::text::count;
use crate::tools::TOOL_COLUMNS;

pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "markdown",
    ending: "md",
    about: "Markdown for a pull request, or for the step summary of GitHub Actions",
    is_earlier: |existing| {
        let line = existing.first_line();
        line.starts_with("## ") && line.contains("rightcall: ")
    },
    begin: |out, settings| {
        let draw = |report: &RunReport<'_>, lowest: &LowestCases| Ok(markdown(report, lowest));
        Ok(LowestReport::begin(out, settings, draw))
    },
    comparison: Some(|report| Ok(report.markdown())),
};

/// Maximum number of cases, causes and tools listed.
const CASES: usize = 10;
const CAUSES: usize = 5;
const TOOLS: usize = 12;

fn markdown(report: &RunReport<'_>, lowest: &LowestCases) -> String {
    let sign = if report.summary.gates.is_empty() && !report.is_bad() {
        ""
    } else if report.is_bad() {
        "❌ "
    } else {
        "✅ "
    };
    let mut out = format!(
        "## {sign}{} · rightcall: {}\n",
        report.verdict(),
        code(&report.head.title)
    );
    failed_gates(&mut out, report.summary.missed_gates().map(gate_sentence));
    for warning in report.warnings() {
        _ = writeln!(out, "\n> ⚠️ {}", code_sentence(&warning));
    }
    write_cases(&mut out, report.head, lowest);
    let mut rest = String::new();
    write_causes(&mut rest, report);
    for note in report.notes {
        _ = writeln!(rest, "\n{}", sentence_of(note));
    }
    write_gates(&mut rest, report);
    write_evaluators(&mut rest, report);
    write_trials(&mut rest, report);
    write_tools(&mut rest, report);
    _ = writeln!(
        out,
        "\n<details><summary>Causes, evaluators and tools</summary>\n{rest}\n</details>"
    );
    let facts: Vec<_> = report
        .head
        .facts
        .iter()
        .map(|(label, fact)| format!("{label} {}", code(fact)))
        .collect();
    _ = writeln!(
        out,
        "\n<sub>rightcall {} · {}</sub>",
        env!("CARGO_PKG_VERSION"),
        [vec![count(report.summary.cases, "case")], facts]
            .concat()
            .join(" · ")
    );
    out
}

fn write_causes(out: &mut String, report: &RunReport<'_>) {
    if let Some(shortfall) = report.shortfall() {
        _ = writeln!(out, "\n{shortfall}\n");
        for (why, cases, first) in report.causes(CAUSES) {
            let cases = count(cases, "case");
            _ = writeln!(out, "- {}: {cases} (first: {})", code(&why), code(&first));
        }
        let others = report.other_causes(CAUSES);
        if !others.is_empty() {
            _ = writeln!(out, "- {others}");
        }
    }
}

fn write_gates(out: &mut String, report: &RunReport<'_>) {
    if report.summary.gates.is_empty() {
        return;
    }
    out.push_str("\n| gate | | found | wanted | |\n| --- | --- | ---: | ---: | --- |\n");
    for gate in &report.summary.gates {
        let verdict = if gate.held { "✅ holds" } else { "❌ failed" };
        let (label, wanted) = (cell(&gate.label()), cell(&gate.wanted_text()));
        let (statistic, found) = (gate.statistic_name(), gate.found_text());
        _ = writeln!(
            out,
            "| {label} | {statistic} | {found} | {wanted} | {verdict} |"
        );
    }
}

fn write_evaluators(out: &mut String, report: &RunReport<'_>) {
    out.push_str("\n| evaluator | cases | mean | passed | n/a | errors |\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
    let cases = report.summary.cases;
    for (label, id, totals) in report.rows() {
        let label = if id.is_empty() {
            label.to_owned()
        } else {
            cell(label)
        };
        let (mean, passed) = (number(totals.mean), percent(totals.pass_rate));
        let (not_applicable, errors) = (totals.not_applicable, totals.errors);
        _ = writeln!(
            out,
            "| {label} | {cases} | {mean} | {passed} | {not_applicable} | {errors} |"
        );
    }
}

fn write_trials(out: &mut String, report: &RunReport<'_>) {
    let Some(found) = &report.summary.trials else {
        return;
    };
    let row = |cells: &mut dyn Iterator<Item = String>| cells.collect::<Vec<_>>().join(" | ");
    _ = writeln!(
        out,
        "\n| trials | {} |",
        row(&mut found.by_k.iter().map(|of| format!("k = {}", of.k)))
    );
    _ = writeln!(out, "| --- |{}", " ---: |".repeat(found.by_k.len()));
    _ = writeln!(
        out,
        "| any of k passes (pass@k) | {} |",
        row(&mut found.by_k.iter().map(|of| percent(Some(of.any))))
    );
    _ = writeln!(
        out,
        "| all of k pass (pass^k) | {} |",
        row(&mut found.by_k.iter().map(|of| percent(Some(of.all))))
    );
    let flaky: Vec<_> = found
        .flaky
        .iter()
        .take(CASES)
        .map(|(case, of)| format!("{} ({})", code(case), passed_of(*of)))
        .collect();
    _ = writeln!(
        out,
        "\n{}; {}{}.",
        agreement_told(found),
        flaky_told(found),
        listed(&flaky, found.flaky_cases)
    );
    if !has_equal_trials(found) {
        _ = writeln!(out, "\nTrials: {UNEQUAL_TRIALS}.");
    }
}

fn write_cases(out: &mut String, head: &RunHead, lowest: &LowestCases) {
    let cases = lowest
        .cases()
        .filter(|case| case.failed() || !is_full(case));
    let low: Vec<_> = cases.take(CASES).collect();
    if low.is_empty() {
        return;
    }
    let names: Vec<_> = head.evaluators.iter().map(|it| cell(&it.label)).collect();
    match low.len() {
        1 => out.push_str("\nThe case with the lowest score:\n\n"),
        cases => _ = writeln!(out, "\nThe {cases} cases with the lowest scores:\n"),
    }
    let (heads, rules) = (names.join(" | "), " ---: |".repeat(names.len()));
    _ = writeln!(out, "| case | {heads} | why |\n| --- |{rules} --- |");
    let command = lowest.command(low[0]);
    for case in low {
        let scores: Vec<_> = case
            .evaluations
            .iter()
            .map(|it| score(&it.outcome))
            .collect();
        let why = case.why();
        let why = if why.is_empty() { why } else { cell(&why) };
        let name = cell(&lowest.name(case));
        _ = writeln!(out, "| {name} | {} | {why} |", scores.join(" | "));
    }
    if let Some(command) = command {
        _ = writeln!(out, "\nIn a terminal: {}", code(&command));
    }
}

/// True for a full score, or if no evaluator applies.
fn is_full(case: &CaseResult) -> bool {
    match &case.whole.outcome {
        Outcome::Scored(score) => score.get() >= 1.0,
        outcome => matches!(outcome, Outcome::NotApplicable(_)),
    }
}

fn write_tools(out: &mut String, report: &RunReport<'_>) {
    let tools = report.tools();
    if tools.counts().is_empty() {
        return;
    }
    let heads = TOOL_COLUMNS.map(|(head, _)| head).join(" | ");
    let rules = " ---: |".repeat(TOOL_COLUMNS.len());
    _ = writeln!(out, "\n| tool | {heads} |\n| --- |{rules}");
    for tool in tools.counts().iter().take(TOOLS) {
        let cells = tool.cells().map(|(number, _)| number).join(" | ");
        _ = writeln!(out, "| {} | {cells} |", cell(&tool.name));
    }
    let matrix = ConfusionTable::new(&tools.confusion(MATRIX));
    if !matrix.is_diagonal() {
        _ = writeln!(out, "\n{}", matrix.markdown());
    }
    for more in [tools.more_than(TOOLS), tools.note] {
        if !more.is_empty() {
            _ = writeln!(out, "\n{more}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_escaped() {
        assert_eq!(code("refund"), "`refund`");
        assert_eq!(code("a|b\nc"), "`a|b c`");
        assert_eq!(cell("a|b"), "`a\\|b`");
        assert_eq!(code("`` @someone <b>"), "``` `` @someone <b> ```");
        assert_eq!(code(""), "`  `");
        assert_eq!(
            sentence_of("2 of 3 gates fail: order mean 0.8 < 0.9."),
            "`2 of 3 gates fail: order mean 0.8 < 0.9.`"
        );
    }
}
