//! What the screens of comparisons have in common.

use rightcall_stats::{ChangeVerdict, MeanChange, RunScores};

use crate::text::{BAD, GOOD, count, paint};

/// Columns of the names of evaluators.
pub(super) const NAME: usize = 26;

/// Cases that moved which are shown of each direction.
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

/// What can be said of a change; `is_brief` where the column is narrow.
pub(super) fn verdict_text(change: &MeanChange, is_brief: bool) -> String {
    let p = if change.corrected < 0.001 {
        "p < 0.001".to_owned()
    } else {
        format!("p = {:.3}", change.corrected)
    };
    match (change.verdict, is_brief) {
        (ChangeVerdict::Better, _) => paint(GOOD, &format!("better ({p})")),
        (ChangeVerdict::Worse, _) => paint(BAD, &format!("worse ({p})")),
        (ChangeVerdict::Same, true) => "the same".to_owned(),
        (ChangeVerdict::Same, false) => "the same in each case".to_owned(),
        (ChangeVerdict::NoDifference, true) => "no difference".to_owned(),
        (ChangeVerdict::NoDifference, false) => format!("no difference shown ({p})"),
        (ChangeVerdict::NotEnough, true) => "not enough cases".to_owned(),
        (ChangeVerdict::NotEnough, false) => format!("not enough cases ({p})"),
    }
}

/// `95 % interval`.
pub(super) fn interval_name(confidence: f64) -> String {
    format!("{:.0} % interval", 100.0 * confidence)
}
