//! More than two runs in one table.

use std::fmt::Write as _;

use rightcall_stats::{EvaluatorChange, PairedComparison, RunScores};

use super::matrix::{Matrix, MeanCell};
use super::pair::notes_text;
use super::words::{NAME, interval_name, verdict_text};
use crate::text::{FAINT, HEAD, count, fit, left, or_dash, paint, right, widest};

/// More than two runs in one table: each evaluator's mean in each run, on the cases that all share, against the first.
pub(super) fn overview_screen(
    runs: &[RunScores],
    comparisons: &[PairedComparison],
    confidence: f64,
    notes: &[String],
) -> String {
    let shared = comparisons.first().map_or(0, |it| it.shared);
    let mut out = format!(
        "{} that all have, against {}\n",
        count(shared as u64, "case"),
        fit(&runs[0].name, 60)
    );
    out += &notes_text(notes);
    let names: Vec<_> = runs.iter().map(|run| fit(&run.name, 40)).collect();
    let columns = widest(names.iter().map(String::as_str)).max(NAME);
    let matrix = Matrix::new(runs, comparisons, confidence);
    let measures = &comparisons[0].measures;
    for (position, measure) in measures.iter().enumerate() {
        let head = format!(
            "  {}    mean       {}  passed   change  verdict",
            left(&fit(&measure.label, columns), columns),
            left(&interval_name(confidence), 17)
        );
        _ = writeln!(out, "\n{}", paint(HEAD, &head));
        for (number, name) in names.iter().enumerate() {
            let cell = &matrix.rows[number].cells[position];
            // The first is what the others are compared with.
            let compared = number
                .checked_sub(1)
                .and_then(|number| comparisons[number].measures.get(position));
            let line = format!(
                "  {}  {}",
                left(name, columns),
                cells(cell, measure, compared)
            );
            _ = writeln!(out, "{}", line.trim_end());
        }
    }
    let tested = measures.len() * comparisons.len();
    let note = format!("each case counts once; p-values are corrected for {tested} comparisons");
    _ = writeln!(out, "\n  {}", paint(FAINT, &note));
    out
}

/// What a run has of an evaluator, and how that compares with the first.
fn cells(cell: &MeanCell, first: &EvaluatorChange, compared: Option<&EvaluatorChange>) -> String {
    let passed = match compared {
        Some(found) => found.passed.as_ref().map(|it| it.after),
        None => first.passed.as_ref().map(|it| it.before),
    };
    let score = compared.and_then(|it| it.score.as_ref());
    let best = if cell.is_best { " best" } else { "" };
    let span = cell
        .mean
        .map(|it| format!("{:.3} … {:.3}", it.low, it.high));
    let change = score.map_or_else(String::new, |it| format!("{:+.3}", it.change.estimate));
    [
        format!("{}{}", right(&cell.text(), 6), left(best, 5)),
        left(&or_dash(span), 17),
        right(&or_dash(passed.map(|it| format!("{:.1} %", 100.0 * it))), 7),
        right(&change, 7),
        score.map_or_else(String::new, |it| verdict_text(it, true)),
    ]
    .join("  ")
}
