//! Two runs: what changed for each evaluator, and which cases moved.

use std::fmt::Write as _;

use rightcall_stats::{ComparisonSettings, MeanChange, MovedCase, PairedComparison, RunScores};

use super::trials::passed_of;
use super::words::{NAME, SHOWN, change_numbers, interval_name, needed_told, size, verdict_text};
use crate::text::{
    FAINT, HEAD, WARN, WIDTH, count, fit, left, paint, printable, right, widest, width, wrap,
};

/// Two runs: what changed for each evaluator, and which cases moved. `about` says what changed in the alignment of a case.
pub(super) fn comparison_screen(
    (before, after): (&RunScores, &RunScores),
    comparison: &PairedComparison,
    rules: ComparisonSettings,
    about: &dyn Fn(&MovedCase) -> Vec<String>,
    notes: &[String],
) -> String {
    let named = |run: &RunScores| format!("{} ({})", fit(&run.name, 44), size(run));
    let mut out = format!("{} against {}\n", named(before), named(after));
    let (only_before, only_after) = (&comparison.only.0, &comparison.only.1);
    if !only_before.is_empty() || !only_after.is_empty() {
        _ = writeln!(out, "{} in both", count(comparison.shared as u64, "case"));
    }
    out += &notes_text(notes);
    let head = format!(
        "  {}  cases  before   after   change   {}  verdict",
        left("evaluator", NAME),
        left(&interval_name(rules.confidence), 17)
    );
    _ = writeln!(out, "\n{}", paint(HEAD, &head));
    for measure in comparison.rows() {
        let has_score = measure.score.is_some();
        let passed = if has_score {
            "  passed"
        } else {
            &measure.label
        };
        let score = measure
            .score
            .iter()
            .map(|it| row(&measure.label, it, false));
        let passed = measure.passed.iter().map(|it| row(passed, it, true));
        out.extend(score.chain(passed));
    }
    let tested = comparison.measures.len();
    let mut note = "each case counts once, by the mean over its trials".to_owned();
    if tested > 1 {
        _ = write!(note, "; p-values are corrected for {tested} evaluators");
    }
    _ = writeln!(out, "  {}", paint(FAINT, &note));
    if let Some(text) = needed_told(comparison, rules) {
        _ = writeln!(out, "  {}", paint(WARN, &text));
    }
    moved(&mut out, &comparison.moved, about);
    out
}

/// What a reader should know of both sides, a line each.
pub(super) fn notes_text(notes: &[String]) -> String {
    let lines = notes
        .iter()
        .flat_map(|note| wrap(&printable(note), WIDTH - 2));
    lines.flat_map(|line| [line, "\n".to_owned()]).collect()
}

fn row(label: &str, change: &MeanChange, is_share: bool) -> String {
    let numbers = change_numbers(change, is_share);
    let cells = [
        left(&fit(label, NAME), NAME),
        right(&change.cases.to_string(), 5),
        right(&numbers.before, 6),
        right(&numbers.after, 6),
        right(&numbers.change, 7),
    ];
    let interval = left(&numbers.interval, 17);
    let verdict = verdict_text(change, false);
    format!("  {}   {interval}  {verdict}\n", cells.join("  "))
}

fn moved(out: &mut String, moved: &[MovedCase], about: &dyn Fn(&MovedCase) -> Vec<String>) {
    if moved.is_empty() {
        out.push_str("\n  no case moved\n");
        return;
    }
    let (worse, mut better): (Vec<&MovedCase>, Vec<&MovedCase>) =
        moved.iter().partition(|it| it.is_worse());
    better.sort_by(|one, other| (other.after - other.before).total_cmp(&(one.after - one.before)));
    let worse_count = count(worse.len() as u64, "case");
    let head = format!("{worse_count} got worse, {} better", better.len());
    _ = writeln!(out, "\n  {}", paint(HEAD, &head));
    for (cases, more) in [(&worse, "worse"), (&better, "better")] {
        let names = cases.iter().take(SHOWN).map(|it| fit(&it.key, 34));
        let names: Vec<_> = names.collect();
        let columns = widest(names.iter().map(String::as_str));
        for (case, name) in cases.iter().zip(&names) {
            out.push_str(&moved_line(case, &left(name, columns), about));
        }
        if let Some(left_out) = cases.len().checked_sub(SHOWN).filter(|it| *it > 0) {
            _ = writeln!(out, "    … and {left_out} more that got {more}");
        }
    }
}

fn moved_line(case: &MovedCase, name: &str, about: &dyn Fn(&MovedCase) -> Vec<String>) -> String {
    let (was, is) = (case.trials_before, case.trials_after);
    let trials = if was.trials <= 1 && is.trials <= 1 {
        String::new()
    } else {
        format!("   passed {} → {}", passed_of(was), passed_of(is))
    };
    let head = format!("    {name}  {:.3} → {:.3}{trials}", case.before, case.after);
    let about = printable(&changes_told(&about(case)));
    if about.is_empty() {
        format!("{head}\n")
    } else if width(&about) <= WIDTH.saturating_sub(width(&head) + 3) {
        format!("{head}   {about}\n")
    } else {
        format!("{head}\n      {}\n", fit(&about, WIDTH - 6))
    }
}

/// Changes of a case that are told one by one.
const CHANGES: usize = 2;

/// What changed in the alignment of a case: `now refund was not called; and 3 more changes`.
pub fn changes_told(changes: &[String]) -> String {
    let mut told: Vec<_> = changes.iter().take(CHANGES).cloned().collect();
    if changes.len() > CHANGES {
        told.push(format!(
            "and {}",
            count((changes.len() - CHANGES) as u64, "more change")
        ));
    }
    told.join("; ")
}
