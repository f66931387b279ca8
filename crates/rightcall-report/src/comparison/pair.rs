//! Two runs: the change of each evaluator, and the changed cases.

use std::fmt::Write as _;

use rightcall_stats::{MeanChange, MovedCase, PairedComparison, RunScores};

use super::causes::{ComparedCause, causes_screen, counted_noun};
use super::options::ComparisonOptions;
use super::trials::passed_of;
use super::words::{
    INTERVAL_COLUMNS, NAME, SHOWN, change_numbers, changes_of, interval_name, intervals_note,
    moved_sentence, needed_told, painted, score_before, size, verdict_alone, verdict_words,
};
use crate::case_column::CaseColumn;
use crate::list_length::ListLength;
use crate::text::{
    FAINT, HEAD, WARN, continued, count, cut_end, left, paint, paragraph, printable, right,
    screen_columns, widest, width, wrap,
};

/// Two runs: the change of each evaluator, and the changed cases. `about` describes how the alignment of a case changed.
pub(super) fn comparison_screen(
    (before, after): (&RunScores, &RunScores),
    comparison: &PairedComparison,
    options: &ComparisonOptions,
    about: &dyn Fn(&MovedCase) -> Vec<String>,
    (causes, notes): (&[ComparedCause], &[String]),
) -> String {
    let rules = options.settings;
    let named = |run: &RunScores| {
        format!(
            "{} ({})",
            cut_end(&run.name, screen_columns() / 2 - 6),
            size(run)
        )
    };
    let title = format!("{} against {}", named(before), named(after));
    let mut out = wrap(&title, screen_columns()).join("\n") + "\n";
    let (only_before, only_after) = (&comparison.only.0, &comparison.only.1);
    if !only_before.is_empty() || !only_after.is_empty() {
        _ = writeln!(out, "{} in both", count(comparison.shared as u64, "case"));
    }
    out += &notes_text(notes);
    let layout = PairLayout::for_screen();
    let head = layout.line(&PairCells {
        label: "evaluator".to_owned(),
        cases: "cases".to_owned(),
        before: "before".to_owned(),
        after: " after".to_owned(),
        change: " change".to_owned(),
        interval: interval_name(rules.confidence),
        verdict: "verdict".to_owned(),
    });
    _ = writeln!(out, "\n{}", paint(HEAD, &head));
    for measure in comparison.rows() {
        let mut label = measure.label.as_str();
        for (_, change, is_share) in changes_of(measure) {
            out += &row(label, change, is_share, layout);
            label = "  passed";
        }
    }
    let tested = comparison.measures.len();
    let mut note = "each case counts once, by the mean over its trials".to_owned();
    if tested > 1 {
        _ = write!(note, "; p-values are corrected for {tested} evaluators");
    }
    note += &intervals_note(rules.confidence);
    out += &paragraph(&note, 2, FAINT);
    if let Some(text) = needed_told(comparison, rules) {
        out += &paragraph(&text, 2, WARN);
    }
    if !comparison.moved.is_empty() && !causes.is_empty() {
        let heading = format!("{} with each cause", counted_noun([before, after]));
        _ = writeln!(out, "\n  {}", paint(HEAD, &heading));
        out += &causes_screen(causes, options.listed);
    }
    if comparison.compares_wholes() {
        write_moved_cases(&mut out, comparison, about, options.listed);
    }
    out
}

/// Notes on both sides, one per line.
pub(super) fn notes_text(notes: &[String]) -> String {
    let lines = notes
        .iter()
        .flat_map(|note| wrap(&printable(note), screen_columns() - 2));
    lines.flat_map(|line| [line, "\n".to_owned()]).collect()
}

/// The columns that fit the screen. On narrow screens the interval is left out first, then the
/// number of cases. Verdicts use the space after the numbers.
#[derive(Clone, Copy)]
struct PairLayout {
    label: usize,
    has_cases: bool,
    has_interval: bool,
}

impl PairLayout {
    fn for_screen() -> Self {
        let columns = screen_columns();
        Self {
            label: (columns - 46).min(NAME),
            has_cases: columns >= 80,
            has_interval: columns >= INTERVAL_COLUMNS,
        }
    }

    /// Width left for the verdict.
    fn verdict_width(self) -> usize {
        let cases = if self.has_cases { 7 } else { 0 };
        let interval = if self.has_interval { 20 } else { 0 };
        screen_columns() - (2 + self.label + cases + 8 + 8 + 9 + interval + 2)
    }

    fn line(self, cells: &PairCells) -> String {
        // Long names are not cut to the column: they get their own line.
        let mut line = String::new();
        let mut label = cut_end(&cells.label, screen_columns() - 2);
        if width(&label) > self.label {
            line = format!("  {label}\n");
            label.clear();
        }
        line += "  ";
        line += &left(&label, self.label);
        if self.has_cases {
            line += "  ";
            line += &right(&cells.cases, 5);
        }
        for (cell, columns) in [(&cells.before, 6), (&cells.after, 6), (&cells.change, 7)] {
            line += "  ";
            line += &right(cell, columns);
        }
        if self.has_interval {
            line += "   ";
            line += &left(&cells.interval, 17);
        }
        line + "  " + &cells.verdict
    }
}

/// A row of a comparison.
struct PairCells {
    label: String,
    cases: String,
    before: String,
    after: String,
    change: String,
    interval: String,
    verdict: String,
}

fn row(label: &str, change: &MeanChange, is_share: bool, layout: PairLayout) -> String {
    let numbers = change_numbers(change, is_share);
    let verdicts = [verdict_words(change, false), verdict_words(change, true)];
    let mut verdicts = verdicts.into_iter();
    let fits = verdicts.find(|(_, words)| width(words) <= layout.verdict_width());
    let verdict = fits.map_or_else(|| verdict_alone(change), painted);
    let line = layout.line(&PairCells {
        label: label.to_owned(),
        cases: change.cases.to_string(),
        before: numbers.before,
        after: numbers.after,
        change: numbers.change,
        interval: numbers.interval,
        verdict,
    });
    line + "\n"
}

/// Writes the cases that got worse, then those that got better.
fn write_moved_cases(
    out: &mut String,
    comparison: &PairedComparison,
    about: &dyn Fn(&MovedCase) -> Vec<String>,
    listed: ListLength,
) {
    let shown = listed.or(SHOWN);
    if comparison.moved.is_empty() && comparison.no_longer_judged.is_empty() {
        out.push_str("\n  no case moved\n");
        return;
    }
    let directions = MovedCase::by_direction(&comparison.moved);
    _ = writeln!(out, "\n  {}", paint(HEAD, &moved_sentence(comparison)));
    // Both directions share the columns.
    let rows = directions.iter().flat_map(|cases| cases.iter().take(shown));
    let trials_width = widest(rows.clone().map(|case| trials_of(case)));
    let names = CaseColumn::new(rows.map(|it| it.key.clone()), (0, screen_columns() / 2));
    let mut all = names.names.iter();
    for (cases, more) in directions.iter().zip(["worse", "better"]) {
        for (case, name) in cases.iter().take(shown).zip(&mut all) {
            let name = names.cell(out, name);
            let numbers = format!("{} → {:.3}", score_before(case), case.after);
            let trials = left(&trials_of(case), trials_width);
            let about = printable(&changes_listed(&about(case), listed));
            out.push_str(&continued(
                &format!("    {name}  {numbers}{trials}   "),
                &about,
                6,
            ));
        }
        if let Some(left_out) = cases.len().checked_sub(shown).filter(|it| *it > 0) {
            _ = writeln!(out, "    … and {left_out} more that got {more}");
        }
    }
}

/// The number of passed trials before and after; empty if neither run has several.
fn trials_of(case: &MovedCase) -> String {
    let (was, is) = (case.trials_before, case.trials_after);
    if was.trials <= 1 && is.trials <= 1 {
        return String::new();
    }
    format!("   passed {} → {}", passed_of(was), passed_of(is))
}

/// Default number of changes listed for a case.
const CHANGES: usize = 2;

/// The changes in the alignment of a case: `now refund was not called; and 3 more changes`.
pub fn changes_told(changes: &[String]) -> String {
    changes_listed(changes, ListLength::default())
}

/// Like [`changes_told`], with the requested number of changes.
pub fn changes_listed(changes: &[String], listed: ListLength) -> String {
    let (shown, more) = changes_shown(changes, listed);
    [shown, more.as_slice()].concat().join("; ")
}

/// The listed changes, and a text about the others.
pub(super) fn changes_shown(changes: &[String], listed: ListLength) -> (&[String], Option<String>) {
    let (shown, more) = changes.split_at(changes.len().min(listed.or(CHANGES)));
    let rest = || format!("and {}", count(more.len() as u64, "more change"));
    (shown, (!more.is_empty()).then(rest))
}
