//! Annotations of GitHub Actions, which stand beside the lines of a pull request.

use std::fmt::Write as _;

use rightcall_run::Summary;

use super::overview::GateLine;
use crate::LowLine;
use crate::text::printable;

/// GitHub shows so many warnings of a step.
const WARNINGS: usize = 10;

/// The workflow commands for a run: an error for each gate that is missed, a warning for each of the lowest cases that failed.
pub fn annotations(summary: &Summary, lowest: &[LowLine]) -> String {
    let mut out = String::new();
    for gate in summary
        .gates
        .iter()
        .filter(|gate| !gate.held)
        .map(GateLine::from)
    {
        _ = writeln!(out, "::error title=gate missed::{}", data(&gate.sentence()));
    }
    for evaluator in &summary.evaluators {
        for failure in evaluator.failures.iter().take(WARNINGS) {
            let message = format!("{}: {}", evaluator.label, failure.reason);
            _ = writeln!(
                out,
                "::error {},title={}::{}",
                place(&failure.place),
                property(&failure.case),
                data(&message)
            );
        }
    }
    for low in lowest.iter().take(WARNINGS) {
        _ = writeln!(
            out,
            "::warning {},title={}::{}",
            place(&low.place),
            property(&low.label),
            data(&low.sentence)
        );
    }
    out
}

/// `FILE:LINE` as properties.
fn place(place: &str) -> String {
    let (file, line) = place.rsplit_once(':').unwrap_or((place, "1"));
    format!("file={},line={}", property(file), property(line))
}

/// Text behind `::`. What would end the command is written as the runner decodes it.
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
    use super::*;

    #[test]
    fn foreign_text_cannot_end_a_command_or_begin_another() {
        let low = LowLine {
            label: "a,file=x::b".into(),
            place: "cases:1,2.jsonl:7".into(),
            scores: vec![Some(0.5)],
            sentence: "50 %\n::error::boo".into(),
        };
        let text = annotations(&Summary::default(), &[low]);
        assert_eq!(
            text,
            "::warning file=cases%3A1%2C2.jsonl,line=7,title=a%2Cfile=x%3A%3Ab::50 %25 ::error::boo\n"
        );
    }
}
