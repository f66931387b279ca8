//! More than two runs in one table.

use std::fmt::Write as _;

use rightcall_stats::{EvaluatorChange, PairedComparison, RunScores};

use super::matrix::{Matrix, MeanCell};
use super::pair::notes_text;
use super::words::{INTERVAL_COLUMNS, NAME, interval_name, intervals_note, verdict_text};
use crate::text::{
    FAINT, HEAD, count, cut_end, left, or_dash, paint, paragraph, right, screen_columns, widest,
    width,
};

/// More than two runs in one table: each evaluator's mean in each run over the common cases, compared with the first run.
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
        cut_end(&runs[0].name, screen_columns() - 34)
    );
    out += &notes_text(notes);
    // On narrow screens, leave out the interval first, then the pass rate.
    let has_interval = screen_columns() >= INTERVAL_COLUMNS;
    let has_passed = screen_columns() >= 80;
    let numbers = 44 + if has_interval { 19 } else { 0 } + if has_passed { 9 } else { 0 };
    let room = screen_columns() - numbers;
    let names: Vec<_> = runs
        .iter()
        .map(|run| cut_end(&run.name, room.min(40)))
        .collect();
    let columns = widest(&names).max(NAME.min(room));
    let matrix = Matrix::new(runs, comparisons, confidence);
    let measures = &comparisons[0].measures;
    for (position, measure) in measures.iter().enumerate() {
        // Names are never cut: a name that is too long gets its own line.
        let mut label = cut_end(&measure.label, screen_columns() - 2);
        let mut head = String::new();
        if width(&label) > columns {
            head = format!("  {label}\n");
            label.clear();
        }
        head += "  ";
        head += &left(&label, columns);
        head += "    mean     ";
        if has_interval {
            head += "  ";
            head += &left(&interval_name(confidence), 17);
        }
        head += if has_passed { "   passed" } else { "" };
        head += "   change  verdict";
        _ = writeln!(out, "\n{}", paint(HEAD, &head));
        for (number, name) in names.iter().enumerate() {
            let cell = &matrix.rows[number].cells[position];
            // The first run is the baseline, so it has no comparison.
            let compared = number
                .checked_sub(1)
                .and_then(|number| comparisons[number].measures.get(position));
            let line = format!(
                "  {}  {}",
                left(name, columns),
                cells(cell, measure, compared, (has_interval, has_passed))
            );
            _ = writeln!(out, "{}", line.trim_end());
        }
    }
    let tested = measures.len() * comparisons.len();
    let note = format!(
        "each case counts once; p-values are corrected for {tested} comparisons{}",
        intervals_note(confidence)
    );
    out + "\n" + &paragraph(&note, 2, FAINT)
}

/// The cells for a run and an evaluator, with the comparison to the first run.
fn cells(
    cell: &MeanCell,
    first: &EvaluatorChange,
    compared: Option<&EvaluatorChange>,
    (has_interval, has_passed): (bool, bool),
) -> String {
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
    let mut cells = vec![format!("{}{}", right(&cell.text(), 6), left(best, 5))];
    if has_interval {
        cells.push(left(&or_dash(span), 17));
    }
    if has_passed {
        let passed = passed.map(|it| format!("{:.1} %", 100.0 * it));
        cells.push(right(&or_dash(passed), 7));
    }
    cells.push(right(&change, 7));
    cells.push(score.map_or_else(String::new, |it| verdict_text(it, true)));
    cells.join("  ")
}
