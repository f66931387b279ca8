//! Shared wording of comparison reports.

use std::fmt::Write as _;

use anstyle::Style;
use rightcall_stats::{
    ChangeVerdict, ComparisonSettings, EvaluatorChange, Interval, MeanChange, MovedCase,
    PairedComparison, RunScores, fewest_cases,
};

use crate::numbers::signed;
use crate::text::{BAD, GOOD, count, or_dash, paint, printable, screen_columns};

/// Width of evaluator names.
pub(super) const NAME: usize = 26;

/// Number of changed cases shown in each direction.
pub(super) const SHOWN: usize = 10;

/// `120 cases × 4 trials`.
pub fn size(results: &RunScores) -> String {
    let (cases, rows) = (results.keys().len(), results.cases.len());
    let cases_text = count(cases as u64, "case");
    match results.most_trials() {
        0 | 1 => cases_text,
        most if most * cases == rows => format!("{cases_text} × {most} trials"),
        most => format!("{cases_text} × up to {most} trials"),
    }
}

/// `2 cases got worse, 5 better, 1 no longer judged`.
pub(super) fn moved_sentence(comparison: &PairedComparison) -> String {
    let directions = MovedCase::by_direction(&comparison.moved);
    let [worse, better] = directions.map(|cases| cases.len());
    let mut sentence = format!("{} got worse, {better} better", count(worse as u64, "case"));
    let lost = comparison.no_longer_judged.len();
    if lost > 0 {
        _ = write!(sentence, ", {lost} no longer judged");
    }
    sentence
}

/// The score of a case before, or `no score`.
pub(super) fn score_before(case: &MovedCase) -> String {
    let score = case.score_before();
    score.map_or_else(|| "no score".to_owned(), |score| format!("{score:.3}"))
}

/// The numbers of worse and better cases, as a sentence. A note if no case can be compared as a
/// whole.
pub fn moved_told(comparison: &PairedComparison) -> String {
    if comparison.shared == 0 {
        return "no case is in both runs".to_owned();
    }
    if !comparison.compares_wholes() {
        return "no case was scored by the same evaluators in both runs".to_owned();
    }
    moved_sentence(comparison)
}

/// A note on the trials that are left out of whole cases; `None` if there are none.
pub fn left_out_told(comparison: &PairedComparison) -> Option<String> {
    let trials = count(comparison.unlike as u64, "trial");
    let note = "left out of whole cases: other evaluators score them in the other run";
    (comparison.unlike > 0).then(|| format!("{trials} {note}"))
}

/// The verdict on a change, with its style; `is_brief` shortens it for narrow columns.
pub(super) fn verdict_words(change: &MeanChange, is_brief: bool) -> (Option<Style>, String) {
    let p = p_text(change);
    match (change.verdict, is_brief) {
        (ChangeVerdict::Better, _) => (Some(GOOD), format!("better ({p})")),
        (ChangeVerdict::Worse, _) => (Some(BAD), format!("worse ({p})")),
        (ChangeVerdict::Same, true) => (None, "the same".to_owned()),
        (ChangeVerdict::Same, false) => (None, "the same in each case".to_owned()),
        (ChangeVerdict::NoDifference, true) => (None, "no difference".to_owned()),
        (ChangeVerdict::NoDifference, false) => (None, format!("no difference shown ({p})")),
        (ChangeVerdict::NotEnough, true) => (None, "not enough cases".to_owned()),
        (ChangeVerdict::NotEnough, false) => (None, format!("not enough cases ({p})")),
    }
}

/// The verdict on a change, styled for a screen.
pub(super) fn verdict_text(change: &MeanChange, is_brief: bool) -> String {
    painted(verdict_words(change, is_brief))
}

/// Applies the style, if there is one.
pub(super) fn painted((style, words): (Option<Style>, String)) -> String {
    match style {
        Some(style) => paint(style, &words),
        None => words,
    }
}

/// The verdict without its p-value.
pub(super) fn verdict_alone(change: &MeanChange) -> String {
    let (style, words) = verdict_words(change, true);
    let words = words.split(" (").next().unwrap_or_default();
    painted((style, words.to_owned()))
}

/// The changes of an evaluator, the mean first: the name of the statistic, the change, and whether it is a share.
pub(super) fn changes_of(
    measure: &EvaluatorChange,
) -> impl Iterator<Item = (&'static str, &MeanChange, bool)> {
    let mean = measure.score.iter().map(|it| ("mean", it, false));
    mean.chain(measure.passed.iter().map(|it| ("passed", it, true)))
}

/// The numbers of a change, formatted for people.
#[derive(Debug)]
pub struct ChangeNumbers {
    /// Before.
    pub before: String,
    /// After.
    pub after: String,
    /// The difference.
    pub change: String,
    /// The ends of the confidence interval; a dash if unknown.
    pub interval: String,
}

/// Formats the numbers of a change: of a mean, or of a share in percent.
pub fn change_numbers(change: &MeanChange, is_share: bool) -> ChangeNumbers {
    let value = |it: f64| {
        if is_share {
            format!("{:.1} %", 100.0 * it)
        } else {
            format!("{it:.3}")
        }
    };
    let difference = |it: f64| {
        if is_share {
            format!("{:+.1}", 100.0 * it)
        } else {
            signed(it)
        }
    };
    let Interval {
        low,
        high,
        estimate,
    } = change.change;
    let span = format!("{} … {}", difference(low), difference(high));
    ChangeNumbers {
        before: value(change.before),
        after: value(change.after),
        change: difference(estimate),
        interval: or_dash(low.is_finite().then_some(span)),
    }
}

/// A note on changes with too few cases: the number of moved cases, and the number that each change
/// needs.
pub fn needed_told(comparison: &PairedComparison, rules: ComparisonSettings) -> Option<String> {
    let rows = comparison.rows().flat_map(|row| {
        changes_of(row).map(|(_, change, is_share)| {
            let rate = if is_share { "pass rate of " } else { "" };
            (format!("{rate}{}", printable(&row.label)), change)
        })
    });
    let few = rows.filter(|(_, change)| change.verdict == ChangeVerdict::NotEnough);
    let few: Vec<_> = few.collect();
    if few.is_empty() {
        return None;
    }
    let parts = few.iter().map(|(label, change)| {
        let (worse, better, p) = (change.worse, change.better, p_text(change));
        let cases = change.cases;
        format!("{label} ({worse} of {cases} worse, {better} better, {p})")
    });
    let parts: Vec<_> = parts.collect();
    Some(format!(
        "not enough cases to tell: {}; {}",
        parts.join(", "),
        cases_needed(&few, rules)
    ))
}

/// The number of cases that each of these changes needs, as text.
fn cases_needed(few: &[(String, &MeanChange)], rules: ComparisonSettings) -> String {
    let fewest = fewest_cases(1.0 - rules.confidence);
    let number = |needed: u64| {
        let least = if needed > fewest { "about" } else { "at least" };
        format!("{least} {}", count(needed, "case"))
    };
    let cases = match few {
        _ if few.iter().all(|(_, change)| change.needed <= fewest) => {
            return format!("no change shows with fewer than {fewest} cases");
        }
        [(_, change)] => number(change.needed),
        rows => {
            let rows = rows.iter();
            let rows = rows.map(|(label, it)| format!("{} for {label}", number(it.needed)));
            rows.collect::<Vec<_>>().join(", ")
        }
    };
    let margin = rules.margin;
    format!("a change of {margin} would show with {cases} (power 0.8)")
}

/// `p = 0.375`.
fn p_text(change: &MeanChange) -> String {
    if change.corrected < 0.001 {
        "p < 0.001".to_owned()
    } else {
        format!("p = {:.3}", change.corrected)
    }
}

/// A screen of at least this many columns has room for intervals.
pub(super) const INTERVAL_COLUMNS: usize = 100;

/// The note on a narrow screen: `; 95 % intervals need 100 columns`. Empty if there is room.
pub(super) fn intervals_note(confidence: f64) -> String {
    if screen_columns() >= INTERVAL_COLUMNS {
        return String::new();
    }
    let name = interval_name(confidence);
    format!("; {name}s need {INTERVAL_COLUMNS} columns")
}

/// `95 % interval`.
pub(super) fn interval_name(confidence: f64) -> String {
    format!("{:.0} % interval", 100.0 * confidence)
}
