//! Markdown for a pull request and for the summary of a step: the findings in sentences, then tables.
//!
//! Foreign text stands in code spans, where it is neither markup nor a mention.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

use rightcall_run::{CaseRecord, Output, RecordedOutcome};

use super::overview::{Head, Overview, label_of, number, percent};
use super::picked::{Picked, ReadCase};
use super::{Report, ReportFormat};
use crate::comparison::{
    UNEQUAL_TRIALS, agreement_told, flaky_told, has_equal_trials, listed, passed_of,
};
use crate::text::{count, cut, printable};

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "markdown",
    ending: "md",
    about: "Markdown for a pull request, or for the step summary of GitHub Actions",
    begin: |out, _| {
        Ok(Box::new(Markdown {
            out,
            picked: Picked::default(),
        }))
    },
};

/// Cases, causes and tools that are listed.
const CASES: usize = 10;
const CAUSES: usize = 5;
const TOOLS: usize = 12;

struct Markdown {
    out: Output,
    picked: Picked,
}

impl Report for Markdown {
    fn case(&mut self, case: &Arc<CaseRecord>) -> io::Result<()> {
        self.picked.add(case);
        Ok(())
    }

    fn finish(self: Box<Self>, overview: &Overview) -> io::Result<()> {
        let Self { mut out, picked } = *self;
        out.write_all(markdown(overview, &picked).as_bytes())?;
        out.commit()
    }
}

fn markdown(overview: &Overview, picked: &Picked) -> String {
    let sign = if overview.gates.is_empty() && !overview.is_bad() {
        ""
    } else if overview.is_bad() {
        "❌ "
    } else {
        "✅ "
    };
    let mut out = format!(
        "## {sign}rightcall: {}\n\n{}\n",
        code(&overview.head.title),
        sentence_of(&overview.verdict())
    );
    if let Some(shortfall) = overview.shortfall() {
        _ = writeln!(out, "\n{shortfall}\n");
        for cause in overview.causes.iter().take(CAUSES) {
            _ = writeln!(
                out,
                "- {}: {} (first: {})",
                code(&cause.why),
                count(cause.cases, "case"),
                code(&cause.first)
            );
        }
        let others = overview.other_causes(CAUSES);
        if !others.is_empty() {
            _ = writeln!(out, "- {others}");
        }
    }
    for warning in overview.warnings() {
        _ = writeln!(out, "\n> ⚠️ {}", code(warning));
    }
    for note in &overview.notes {
        _ = writeln!(out, "\n{}", sentence_of(note));
    }
    gates(&mut out, overview);
    evaluators(&mut out, overview);
    trials(&mut out, overview);
    cases(&mut out, &overview.head, picked);
    tools(&mut out, picked);
    let facts: Vec<_> = overview
        .head
        .facts
        .iter()
        .map(|(label, fact)| format!("{label} {}", code(fact)))
        .collect();
    _ = writeln!(
        out,
        "\n<sub>rightcall {} · {}</sub>",
        env!("CARGO_PKG_VERSION"),
        [vec![count(overview.cases, "case")], facts]
            .concat()
            .join(" · ")
    );
    out
}

/// A sentence with foreign words in it, as one code span where these could be markup.
fn sentence_of(text: &str) -> String {
    let is_plain = text
        .chars()
        .all(|character| character.is_alphanumeric() || " .,:;()%/-–".contains(character));
    if is_plain {
        text.to_owned()
    } else {
        code(text)
    }
}

fn gates(out: &mut String, overview: &Overview) {
    if overview.gates.is_empty() {
        return;
    }
    out.push_str("\n| gate | | found | wanted | |\n| --- | --- | ---: | ---: | --- |\n");
    for gate in &overview.gates {
        let verdict = if gate.held { "✅ holds" } else { "❌ missed" };
        _ = writeln!(
            out,
            "| {} | {} | {} | {} | {verdict} |",
            cell(&gate.label),
            gate.statistic,
            gate.found,
            cell(&gate.wanted)
        );
    }
}

fn evaluators(out: &mut String, overview: &Overview) {
    out.push_str("\n| evaluator | cases | mean | passed | n/a | errors |\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
    let rows = overview
        .head
        .evaluators
        .iter()
        .map(|it| cell(&it.label))
        .zip(&overview.evaluators);
    let together = overview
        .together
        .as_ref()
        .filter(|_| overview.evaluators.len() > 1);
    for (label, totals) in
        rows.chain(together.map(|totals| ("each case, weighted".to_owned(), totals)))
    {
        let (mean, passed) = (number(totals.mean), percent(totals.pass_rate));
        _ = writeln!(
            out,
            "| {label} | {} | {mean} | {passed} | {} | {} |",
            overview.cases, totals.not_applicable, totals.errors
        );
    }
}

fn trials(out: &mut String, overview: &Overview) {
    let Some(found) = &overview.trials else {
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

fn cases(out: &mut String, head: &Head, picked: &Picked) {
    let low: Vec<_> = picked
        .cases()
        .filter(|case| case.failed || !is_full(case))
        .take(CASES)
        .collect();
    if low.is_empty() {
        return;
    }
    let names: Vec<_> = head.evaluators.iter().map(|it| cell(&it.label)).collect();
    _ = writeln!(
        out,
        "\n<details><summary>The {} with the lowest scores</summary>\n",
        count(low.len() as u64, "case")
    );
    _ = writeln!(
        out,
        "| case | {} | why |\n| --- |{} --- |",
        names.join(" | "),
        " ---: |".repeat(names.len())
    );
    for case in low {
        let scores: Vec<_> = case
            .evaluations
            .iter()
            .map(|it| score(&it.outcome))
            .collect();
        let why = ReadCase::of(case).sentence(case);
        _ = writeln!(
            out,
            "| {} | {} | {} |",
            cell(&label_of(case)),
            scores.join(" | "),
            cell(&why)
        );
    }
    out.push_str("\n</details>\n");
}

fn is_full(case: &CaseRecord) -> bool {
    matches!(case.result.outcome, RecordedOutcome::Scored(score) if score >= 1.0)
        || matches!(case.result.outcome, RecordedOutcome::NotApplicable(_))
}

fn score(outcome: &RecordedOutcome) -> String {
    match outcome {
        RecordedOutcome::Scored(score) => format!("{score:.3}"),
        RecordedOutcome::NotApplicable(_) => "n/a".to_owned(),
        RecordedOutcome::Error(_) => "error".to_owned(),
    }
}

fn tools(out: &mut String, picked: &Picked) {
    let rates = picked.tools.rates();
    if rates.is_empty() {
        return;
    }
    out.push_str("\n<details><summary>Tools</summary>\n\n| tool | expected | called | precision | recall |\n| --- | ---: | ---: | ---: | ---: |\n");
    for tool in rates.iter().take(TOOLS) {
        let (precision, recall) = (percent(tool.precision()), percent(tool.recall()));
        _ = writeln!(
            out,
            "| {} | {} | {} | {precision} | {recall} |",
            cell(&tool.name),
            tool.expected,
            tool.called
        );
    }
    if rates.len() > TOOLS {
        _ = writeln!(
            out,
            "\n… and {}",
            count((rates.len() - TOOLS) as u64, "more tool")
        );
    }
    out.push_str("\n</details>\n");
}

/// Text in a code span, whose fence is longer than any run of backticks in it.
fn code(text: &str) -> String {
    let text = cut(&printable(text), 160);
    let longest = text
        .split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') || text.is_empty() {
        " "
    } else {
        ""
    };
    format!("{fence}{space}{text}{space}{fence}")
}

/// A code span in a cell of a table, which a pipe would end even there.
fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_no_markup() {
        assert_eq!(code("refund"), "`refund`");
        assert_eq!(code("a|b\nc"), "`a|b c`");
        assert_eq!(cell("a|b"), "`a\\|b`");
        assert_eq!(code("`` @someone <b>"), "``` `` @someone <b> ```");
        assert_eq!(code(""), "`  `");
        assert_eq!(
            sentence_of("2 of 3 gates are missed: order mean 0.8 < 0.9."),
            "`2 of 3 gates are missed: order mean 0.8 < 0.9.`"
        );
    }
}
