//! Annotations of GitHub Actions, which appear next to the lines of a pull request.

use std::fmt::Write as _;
use std::io;

use rightcall_results::RunSummary;
use rightcall_run::{Output, Wants};

use crate::gate_words::gate_sentence;
use crate::text::printable;

/// GitHub shows at most this many annotations of each level for a step.
const WARNINGS: usize = 10;

/// Number of low cases to report.
const SHOWN: usize = 5;

/// Annotates the pull request, using workflow commands that the runner reads from the output of a step.
#[derive(Debug)]
pub struct Github {
    /// Prints workflow commands.
    pub print: fn(&str),
}

impl Output for Github {
    fn wants(&self) -> Wants {
        Wants {
            shortfall: true,
            ..Wants::default()
        }
    }

    fn finish(&mut self, summary: &RunSummary) -> io::Result<()> {
        (self.print)(&annotations(summary));
        Ok(())
    }
}

/// The workflow commands for a run: an error for each failed gate and each failed evaluation, and a
/// warning for each of the lowest cases.
fn annotations(summary: &RunSummary) -> String {
    let mut out = String::new();
    for gate in summary.missed_gates() {
        let message = data(&gate_sentence(gate));
        _ = writeln!(out, "::error title=gate failed::{message}");
    }
    for evaluator in &summary.evaluators {
        for failure in evaluator.failures.iter().take(WARNINGS) {
            let (place, case) = (place(&failure.place), property(&failure.case));
            let message = data(&format!("{}: {}", evaluator.label, failure.reason));
            _ = writeln!(out, "::error {place},title={case}::{message}");
        }
    }
    for low in summary.lowest.iter().take(SHOWN) {
        let (place, name) = (place(&low.place()), property(&low.name()));
        let message = data(&low.why());
        _ = writeln!(out, "::warning {place},title={name}::{message}");
    }
    out
}

/// A workflow command that annotates a line: `notice`, `warning` or `error`.
pub fn annotation(level: &str, file: &str, line: u64, title: &str, text: &str) -> String {
    let (file, title) = (property(file), property(title));
    format!(
        "::{level} file={file},line={line},title={title}::{}\n",
        data(text)
    )
}

/// `FILE:LINE` as properties.
fn place(place: &str) -> String {
    let (file, line) = place.rsplit_once(':').unwrap_or((place, "1"));
    format!("file={},line={}", property(file), property(line))
}

/// The text after `::`; characters that would end the command are percent-encoded for the runner.
fn data(text: &str) -> String {
    printable(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use rightcall_core::{Outcome, Score};
    use rightcall_results::{CaseResult, EvaluationResult};

    use super::*;

    #[test]
    fn foreign_text_cannot_end_or_start_a_command() {
        let half = || EvaluationResult {
            why: "50 %\n::error::boo".into(),
            ..EvaluationResult::new(Outcome::Scored(Score::new(0.5).unwrap()), None)
        };
        let mut summary = RunSummary::default();
        summary.lowest.offer(0.5, || CaseResult {
            label: "a,file=x::b".into(),
            trial: None,
            variant: Vec::new(),
            file: "cases:1,2.jsonl".into(),
            line: 7,
            tags: Vec::new(),
            evaluations: vec![half()],
            whole: half(),
            causes: Vec::new(),
            case: None,
        });
        assert_eq!(
            annotations(&summary),
            "::warning file=cases%3A1%2C2.jsonl,line=7,title=a%2Cfile=x%3A%3Ab::50 %25 ::error::boo\n"
        );
    }
}
