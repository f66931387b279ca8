//! Shared wording of comparison reports.

use anstyle::Style;
use rightcall_stats::{
    ChangeVerdict, ComparisonSettings, EvaluatorChange, Interval, MeanChange, MovedCase,
    PairedComparison, RunScores,
};

use crate::text::{BAD, GOOD, count, or_dash, paint, printable};

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

/// `2 cases got worse, 5 better`.
pub(super) fn moved_sentence([worse, better]: [usize; 2]) -> String {
    format!("{} got worse, {better} better", count(worse as u64, "case"))
}

/// How many cases got worse and better; says so if no case can be compared as a whole.
pub fn moved_told(comparison: &PairedComparison) -> String {
    if comparison.shared == 0 {
        return "no case is in both runs".to_owned();
    }
    if !comparison.compares_wholes() {
        return "no case was scored by the same evaluators in both runs".to_owned();
    }
    moved_sentence(MovedCase::by_direction(&comparison.moved).map(|it| it.len()))
}

/// How many trials are left out of whole cases; `None` if none is.
pub fn left_out_told(comparison: &PairedComparison) -> Option<String> {
    let trials = count(comparison.unlike as u64, "trial");
    let told = "left out of whole cases: other evaluators score them in the other run";
    (comparison.unlike > 0).then(|| format!("{trials} {told}"))
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

/// The same, styled for a screen.
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
            format!("{it:+.3}")
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

/// Which changes have too few cases, how many cases moved, and how many are needed.
pub fn needed_told(comparison: &PairedComparison, rules: ComparisonSettings) -> Option<String> {
    let rows = comparison.rows().flat_map(|row| {
        let changes = changes_of(row).map(|(_, change, is_share)| (change, is_share));
        changes.map(|(change, is_share)| (row.label.as_str(), change, is_share))
    });
    let few = rows.filter(|(_, change, _)| change.verdict == ChangeVerdict::NotEnough);
    let few = few.map(|(label, change, is_share)| {
        let label = printable(label);
        let rate = if is_share { "pass rate of " } else { "" };
        let (worse, better, p) = (change.worse, change.better, p_text(change));
        format!(
            "{rate}{label} ({worse} of {} worse, {better} better, {p})",
            change.cases
        )
    });
    let few: Vec<_> = few.collect();
    if few.is_empty() {
        return None;
    }
    let needed = match comparison.cases_needed() {
        Some(needed) => {
            let margin = rules.margin;
            format!("a change of {margin} would show with about {needed} cases (power 0.8)")
        }
        None => format!(
            "no change shows with fewer than {} cases",
            fewest_cases(rules)
        ),
    };
    Some(format!(
        "not enough cases to tell: {}; {needed}",
        few.join(", ")
    ))
}

/// The fewest cases with which a change can be significant: if all move the same way, the p-value is `2 / 2^cases`.
fn fewest_cases(rules: ComparisonSettings) -> i32 {
    let level = 1.0 - rules.confidence;
    let shows = |cases: &i32| 2.0_f64.powi(1 - cases) < level;
    (1..64).find(shows).unwrap_or(64)
}

/// `p = 0.375`.
fn p_text(change: &MeanChange) -> String {
    if change.corrected < 0.001 {
        "p < 0.001".to_owned()
    } else {
        format!("p = {:.3}", change.corrected)
    }
}

/// `95 % interval`.
pub(super) fn interval_name(confidence: f64) -> String {
    format!("{:.0} % interval", 100.0 * confidence)
}
