//! More than two runs in one table.

use std::fmt::Write as _;

use rightcall_stats::{PairedComparison, RunScores};

use super::words::{NAME, verdict_text};
use crate::text::{FAINT, HEAD, count, fit, left, paint, right, width};

/// More than two runs in one table: each evaluator's mean in each run, on the cases that all share, against the first.
pub fn overview_screen(
    runs: &[RunScores],
    comparisons: &[PairedComparison],
    confidence: f64,
) -> String {
    let mut out = String::new();
    let means: Vec<_> = runs.iter().map(|run| run.means(confidence)).collect();
    let shared = comparisons
        .first()
        .map_or(0, |comparison| comparison.shared);
    _ = writeln!(
        out,
        "{} that all have, against {}",
        count(shared as u64, "case"),
        fit(&runs[0].name, 60)
    );
    let names: Vec<_> = runs.iter().map(|run| fit(&run.name, 40)).collect();
    let widest = names
        .iter()
        .map(|name| width(name))
        .max()
        .unwrap_or(0)
        .max(NAME);
    let interval = format!("{:.0} % interval", 100.0 * confidence);
    let measures = &comparisons[0].measures;
    for (position, measure) in measures.iter().enumerate() {
        let head = format!(
            "  {}    mean  {}  passed   change  verdict",
            left(&fit(&measure.label, widest), widest),
            left(&interval, 17)
        );
        _ = writeln!(out, "\n{}", paint(HEAD, &head));
        for (number, name) in names.iter().enumerate() {
            let mean = means[number].get(position).copied().flatten();
            let (text, span) = mean.map_or_else(
                || ("–".to_owned(), "–".to_owned()),
                |it| {
                    (
                        format!("{:.3}", it.estimate),
                        format!("{:.3} … {:.3}", it.low, it.high),
                    )
                },
            );
            let compared = number
                .checked_sub(1)
                .and_then(|number| comparisons[number].measures.get(position));
            let passed = match compared {
                Some(found) => found.passed.as_ref().map(|it| it.after),
                None => measure.passed.as_ref().map(|it| it.before),
            };
            let passed = passed.map_or_else(|| "–".to_owned(), |it| format!("{:.1} %", 100.0 * it));
            let (change, verdict) = match compared.and_then(|it| it.score.as_ref()) {
                Some(change) => (
                    format!("{:+.3}", change.change.estimate),
                    verdict_text(change, true),
                ),
                None => (String::new(), String::new()),
            };
            let line = format!(
                "  {}  {}  {}  {}  {}  {verdict}",
                left(name, widest),
                right(&text, 6),
                left(&span, 17),
                right(&passed, 7),
                right(&change, 7)
            );
            _ = writeln!(out, "{}", line.trim_end());
        }
    }
    let tested = measures.len() * comparisons.len();
    _ = writeln!(
        out,
        "\n  {}",
        paint(
            FAINT,
            &format!("each case counts once; p-values are corrected for {tested} comparisons")
        )
    );
    out
}
