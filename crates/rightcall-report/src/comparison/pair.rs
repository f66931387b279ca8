//! Two runs: what changed for each evaluator, and which cases moved.

use std::fmt::Write as _;

use rightcall_stats::{
    ComparisonSettings, EvaluatorChange, Interval, MeanChange, MovedCase, PairedComparison,
    RunScores, TrialCounts,
};

use super::words::{NAME, SHOWN, size, verdict_text};
use crate::text::{FAINT, HEAD, WARN, WIDTH, count, fit, left, paint, printable, right, width};

/// Two runs: what changed for each evaluator, and which cases moved. `about` says what changed in the alignment of a case.
pub fn comparison_screen(
    (before, after): (&RunScores, &RunScores),
    comparison: &PairedComparison,
    rules: ComparisonSettings,
    about: &dyn Fn(&MovedCase) -> Vec<String>,
) -> String {
    let mut out = String::new();
    _ = writeln!(
        out,
        "{} ({}) against {} ({})",
        fit(&before.name, 44),
        size(before),
        fit(&after.name, 44),
        size(after)
    );
    let only = |keys: &[String], what: &str| {
        if keys.is_empty() {
            String::new()
        } else {
            format!("; {} {what}", count(keys.len() as u64, "case"))
        }
    };
    let alone = format!(
        "{}{}",
        only(&comparison.only.0, "only before"),
        only(&comparison.only.1, "only after")
    );
    if !alone.is_empty() {
        _ = writeln!(
            out,
            "{} in both{alone}",
            count(comparison.shared as u64, "case")
        );
    }
    let interval = format!("{:.0} % interval", 100.0 * rules.confidence);
    let head = format!(
        "  {}  {}  before   after   change   {}  verdict",
        left("evaluator", NAME),
        right("cases", 5),
        left(&interval, 17)
    );
    _ = writeln!(out, "\n{}", paint(HEAD, &head));
    for measure in comparison.rows() {
        measure_rows(&mut out, measure);
    }
    let tested = comparison.measures.len();
    let corrected = if tested > 1 {
        format!("; p-values are corrected for {tested} evaluators")
    } else {
        String::new()
    };
    let note = format!("each case counts once, by the mean over its trials{corrected}");
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

fn measure_rows(out: &mut String, measure: &EvaluatorChange) {
    if let Some(change) = &measure.score {
        row(
            out,
            &fit(&measure.label, NAME),
            change,
            |value| format!("{value:.3}"),
            |value| format!("{value:+.3}"),
        );
    }
    if let Some(change) = &measure.passed {
        let label = if measure.score.is_some() {
            "  passed"
        } else {
            &*measure.label
        };
        row(
            out,
            &fit(label, NAME),
            change,
            |value| format!("{:.1} %", 100.0 * value),
            |value| format!("{:+.1}", 100.0 * value),
        );
    }
}

fn row(
    out: &mut String,
    label: &str,
    change: &MeanChange,
    value: fn(f64) -> String,
    difference: fn(f64) -> String,
) {
    let Interval {
        estimate,
        low,
        high,
    } = change.change;
    let interval = if low.is_finite() {
        format!("{} … {}", difference(low), difference(high))
    } else {
        "–".to_owned()
    };
    let cells = [
        left(label, NAME),
        right(&change.cases.to_string(), 5),
        right(&value(change.before), 6),
        right(&value(change.after), 6),
        right(&difference(estimate), 7),
    ];
    let verdict = verdict_text(change, false);
    _ = writeln!(
        out,
        "  {}   {}  {verdict}",
        cells.join("  "),
        left(&interval, 17)
    );
}

fn moved(out: &mut String, moved: &[MovedCase], about: &dyn Fn(&MovedCase) -> Vec<String>) {
    if moved.is_empty() {
        _ = writeln!(out, "\n  no case moved");
        return;
    }
    let (worse, mut better): (Vec<&MovedCase>, Vec<&MovedCase>) =
        moved.iter().partition(|it| it.is_worse());
    better.sort_by(|one, other| (other.after - other.before).total_cmp(&(one.after - one.before)));
    _ = writeln!(
        out,
        "\n  {}",
        paint(
            HEAD,
            &format!(
                "{} got worse, {} better",
                count(worse.len() as u64, "case"),
                better.len()
            )
        )
    );
    for (cases, more) in [(&worse, "worse"), (&better, "better")] {
        let names: Vec<_> = cases
            .iter()
            .take(SHOWN)
            .map(|it| fit(&it.key, 34))
            .collect();
        let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
        for (case, name) in cases.iter().zip(&names) {
            let trials = match (case.trials_before, case.trials_after) {
                (TrialCounts { trials: 0 | 1, .. }, TrialCounts { trials: 0 | 1, .. }) => {
                    String::new()
                }
                (before, after) => {
                    format!(
                        "   passed {} of {} → {} of {}",
                        before.passed, before.trials, after.passed, after.trials
                    )
                }
            };
            let head = format!(
                "    {}  {:.3} → {:.3}{trials}",
                left(name, widest),
                case.before,
                case.after
            );
            let about = printable(&changes_told(&about(case)));
            let room = WIDTH.saturating_sub(width(&head) + 3);
            if about.is_empty() {
                _ = writeln!(out, "{head}");
            } else if width(&about) <= room {
                _ = writeln!(out, "{head}   {about}");
            } else {
                _ = writeln!(out, "{head}\n      {}", fit(&about, WIDTH - 6));
            }
        }
        if cases.len() > SHOWN {
            _ = writeln!(
                out,
                "    … and {} more that got {more}",
                cases.len() - SHOWN
            );
        }
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
