//! Two runs: what changed for each evaluator, and which cases moved.

use std::fmt::Write as _;

use rightcall_stats::{
    ComparisonSettings, Interval, MeanChange, MovedCase, PairedComparison, RunScores,
};

use super::trials::passed_of;
use super::words::{NAME, SHOWN, interval_name, size, verdict_text};
use crate::text::{
    FAINT, HEAD, WARN, WIDTH, count, fit, left, or_dash, paint, printable, right, widest, width,
};

/// Two runs: what changed for each evaluator, and which cases moved. `about` says what changed in the alignment of a case.
pub fn comparison_screen(
    (before, after): (&RunScores, &RunScores),
    comparison: &PairedComparison,
    rules: ComparisonSettings,
    about: &dyn Fn(&MovedCase) -> Vec<String>,
) -> String {
    let named = |run: &RunScores| format!("{} ({})", fit(&run.name, 44), size(run));
    let mut out = format!("{} against {}\n", named(before), named(after));
    let only = |keys: &[String], what: &str| match keys.len() {
        0 => String::new(),
        number => format!("; {} {what}", count(number as u64, "case")),
    };
    let (only_before, only_after) = (&comparison.only.0, &comparison.only.1);
    let alone = only(only_before, "only before") + &only(only_after, "only after");
    if !alone.is_empty() {
        let shared = count(comparison.shared as u64, "case");
        _ = writeln!(out, "{shared} in both{alone}");
    }
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
    if let Some(needed) = comparison.cases_needed() {
        let margin = rules.margin;
        let text = format!(
            "not enough cases to tell: a change of {margin} would show with about {needed} cases (80 % power)"
        );
        _ = writeln!(out, "  {}", paint(WARN, &text));
    }
    moved(&mut out, &comparison.moved, about);
    out
}

/// A number in words.
type NumberText = fn(f64) -> String;

fn row(label: &str, change: &MeanChange, is_share: bool) -> String {
    let (value, difference): (NumberText, NumberText) = if is_share {
        (
            |it| format!("{:.1} %", 100.0 * it),
            |it| format!("{:+.1}", 100.0 * it),
        )
    } else {
        (|it| format!("{it:.3}"), |it| format!("{it:+.3}"))
    };
    let Interval {
        low,
        high,
        estimate,
    } = change.change;
    let span = format!("{} … {}", difference(low), difference(high));
    let cells = [
        left(&fit(label, NAME), NAME),
        right(&change.cases.to_string(), 5),
        right(&value(change.before), 6),
        right(&value(change.after), 6),
        right(&difference(estimate), 7),
    ];
    let interval = left(&or_dash(low.is_finite().then_some(span)), 17);
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
